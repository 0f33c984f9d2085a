"""A console in memory, for tests of the command line."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from seemly.cli.console import Console
from seemly.cli.entry import main
from seemly.models import Models
from seemly.testing import FakeModels

SCORES = {
    "you fool": {"toxicity": 0.7},
    "i will end you": {"toxicity": 0.99, "violence": 0.95, "threat": 0.9},
}
"""What the fake model knows: one text to review, one to reject."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TerminalIn(io.BytesIO):
    def isatty(self) -> bool:
        return True


class Outcome:
    """What a command line came to."""

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines()]

def seemly(
    *argv: str,
    stdin: bytes | io.BytesIO = b"",
    stdout: io.StringIO | None = None,
    stderr: io.StringIO | None = None,
    scores: Mapping[str, Mapping[str, float]] = SCORES,
    models: Models | None = None,
) -> Outcome:
    """Run a command line on fake models and streams in memory."""
    console = Console(
        io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin,
        io.StringIO() if stdout is None else stdout,
        io.StringIO() if stderr is None else stderr,
    )
    code = main(argv, console, FakeModels(scores) if models is None else models)
    return Outcome(code, console.stdout.getvalue(), console.stderr.getvalue())  # type: ignore[attr-defined]
