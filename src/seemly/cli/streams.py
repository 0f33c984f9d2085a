"""The three streams that a command talks through."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, TextIO

if TYPE_CHECKING:
    from seemly.core.errors import SeemlyError

__all__ = ["Console", "printable"]


@dataclass(frozen=True, slots=True)
class Console:
    """Where a command reads bytes, and writes results (`stdout`) and everything else (`stderr`)."""

    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO

    @classmethod
    def of_process(cls) -> Console:
        """The process's own streams, in UTF-8 whatever the locale says."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        stdin = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
        return cls(stdin, sys.stdout, sys.stderr)

    def write(self, text: str) -> None:
        """Put out one result, at once: a reader at the other end of a pipe may be waiting for it."""
        self.stdout.write(text + "\n")
        self.stdout.flush()

    def tell(self, message: str) -> None:
        """Say something that is not a result."""
        self.stderr.write(f"seemly: {printable(message)}\n")
        self.stderr.flush()

    def complain(self, error: SeemlyError) -> None:
        """Say what an error says, each of its issues on a line of its own."""
        self.tell(error.message)
        for issue in error.issues:
            self.stderr.write(f"  {printable(str(issue))}\n")
        self.stderr.flush()


def printable(text: str) -> str:
    """`text` with what a terminal would act on, or not show, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
