"""Open files of labelled examples, and write files safely."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.exit_codes import BAD_ROWS, DONE
from seemly.core.errors import ConfigError, DataError
from seemly.evaluation.examples import read_examples

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.core.channel import Channel
    from seemly.core.errors import Issue
    from seemly.engine.engine import Engine
    from seemly.evaluation.examples import Example

__all__ = ["ExampleFiles", "check_new", "parse_labels", "report_rows", "write_channel", "write_text"]


@dataclass(frozen=True, slots=True)
class ExampleFiles:
    """Which files hold examples, and how they are read.

    `text` is the column of the text; `labels` maps columns to policies, None takes those named as a policy.
    """

    paths: tuple[Path, ...]
    text: str = "text"
    labels: Mapping[str, str] | None = None

    @property
    def names(self) -> str:
        """The files' names, without their folders."""
        return ", ".join(path.name for path in self.paths)

    def read(self, engine: Engine) -> tuple[Example, ...]:
        """The examples of all files, in order, with labels for policies of the engine. Raises DataError."""
        return tuple(example for path in self.paths for example in self._read(path, engine))

    def _read(self, path: Path, engine: Engine) -> tuple[Example, ...]:
        try:
            return read_examples(path, text=self.text, labels=self.labels, policies=engine.policies)
        except DataError as error:
            raise DataError(f"{path}: {error.message}", error.issues) from error


def parse_labels(given: Sequence[str]) -> Mapping[str, str] | None:
    """Columns and their policies from `column=policy`, or a policy alone, whose column has its name; None for none."""
    pairs = [each.rpartition("=") for each in given]
    return {column or policy: policy for column, _, policy in pairs} or None


def report_rows(console: Console, issues: Sequence[Issue]) -> int:
    """Say which rows were left out, and why. Returns the exit code."""
    for issue in issues:
        console.tell(str(issue))
    return BAD_ROWS if issues else DONE


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
