"""The examples that a command line names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.codes import BAD_ROWS, DONE
from seemly.errors import DataError
from seemly.evaluation.examples import read_examples

if TYPE_CHECKING:
    from seemly.cli.console import Console
    from seemly.engine import Engine
    from seemly.errors import Issue
    from seemly.evaluation.examples import Example

__all__ = ["ExampleFiles", "parse_labels", "report_rows"]


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
