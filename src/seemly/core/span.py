"""Where something stands in a text as submitted."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Span"]


class Span(NamedTuple):
    """A half-open range of code points: `text[span.start:span.end]` is what was found."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The part of `text` that the span covers."""
        return text[self.start : self.end]

    def utf16(self, text: str) -> tuple[int, int]:
        """The same range in UTF-16 code units, which JavaScript, Java and C# count strings in."""
        before = sum(2 if ord(c) > 0xFFFF else 1 for c in text[: self.start])
        inside = sum(2 if ord(c) > 0xFFFF else 1 for c in text[self.start : self.end])
        return before, before + inside
