"""A console in memory, for tests of the command line."""

from __future__ import annotations

import io
import json
from typing import Any

from seemly.cli.main import main
from seemly.cli.streams import Console
from seemly.engine.models import Models
from seemly.testing import FakeModels

SCORES = {
    "look at this": {"toxicity": 0.7},
    "away with this": {"toxicity": 0.99, "violence": 0.95, "threat": 0.9},
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
    models: Models | None = None,
) -> Outcome:
    """Run a command line on fake models, by default with SCORES, and streams in memory."""
    out = io.StringIO() if stdout is None else stdout
    err = io.StringIO() if stderr is None else stderr
    console = Console(io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin, out, err)
    code = main(argv, console, FakeModels(SCORES) if models is None else models)
    return Outcome(code, out.getvalue(), err.getvalue())
