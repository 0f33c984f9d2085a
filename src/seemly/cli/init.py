"""`seemly init`: a channel file with every setting explained."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.exit_codes import DONE
from seemly.core.channel import Channel
from seemly.core.errors import ConfigError

if TYPE_CHECKING:
    from seemly.cli.streams import Console

__all__ = ["render_template", "write_channel"]

_KEY_LINE = 'key = "default"'


def render_template(key: str) -> str:
    """The commented channel file of a channel of that key. Raises ConfigError for a key that cannot be one."""
    Channel(key=key)
    if not key.isprintable():
        raise ConfigError("the key must be printable")
    text = files("seemly").joinpath("data", "channel.toml").read_text(encoding="utf-8")
    return text.replace(_KEY_LINE, f"key = {json.dumps(key, ensure_ascii=False)}", 1)


def write_channel(console: Console, path: str, key: str, *, force: bool) -> int:
    """Write the file, `-` being standard output. Raises ConfigError, for a file that is there unless `force`."""
    text = render_template(key)
    if path == "-":
        console.write(text.rstrip("\n"))
        return DONE
    target = Path(path)
    if target.suffix != ".toml":
        raise ConfigError(f"{path}: the file is TOML, and is told by its suffix: name it .toml")
    try:
        with target.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{path} is there already; --force overwrites it") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
    console.tell(f"wrote {path}; try it with: seemly moderate --channel {path} 'some text'")
    return DONE
