"""The files that a command writes: looked at before the work starts, written when it is done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.errors import ConfigError

if TYPE_CHECKING:
    from seemly.channel import Channel

__all__ = ["check_new", "write_channel", "write_text"]


def check_new(path: Path | None, suffix: str, *, force: bool) -> None:
    """Raise ConfigError where a file of that name could not be written; None is no file.

    The suffix tells what is in it. One that is there already is written over only by `force`.
    """
    if path is None:
        return
    if path.suffix.lower() != suffix:
        raise ConfigError(f"{path}: the suffix tells what is in a file: name this one {suffix}")
    if path.exists() and not force:
        raise ConfigError(f"{path} is there already; --force overwrites it")
    if not path.parent.is_dir():
        raise ConfigError(f"{path} cannot be written: there is no folder {path.parent}")


def write_text(path: Path, text: str) -> None:
    """Write the text as UTF-8. Raises ConfigError."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error


def write_channel(path: Path, channel: Channel) -> None:
    """Write a channel as JSON, with every setting. Raises ConfigError."""
    write_text(path, json.dumps(channel.dump(), indent=2, ensure_ascii=False) + "\n")
