"""A text as one stage of normalization sees it, with the way back to the text as submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["View"]


class View:
    """One reading of a text.

    `text` is what matchers search. `starts[i]` and `ends[i]` are the code points of `original` that
    `text[i]` came from, half-open; both are None where the view is the original, character for character.
    """

    __slots__ = ("ends", "original", "starts", "text")

    def __init__(
        self, text: str, original: str, starts: Sequence[int] | None = None, ends: Sequence[int] | None = None
    ) -> None:
        self.text = text
        self.original = original
        self.starts = starts
        self.ends = ends

    def origin(self, start: int, end: int) -> Span:
        """The part of the original that `text[start:end]` was read from, widened to whole grapheme clusters.

        `start < end` is required: an empty range came from nowhere.
        """
        if self.starts is None or self.ends is None:
            return Span(start, end)
        return Span(self.starts[start], self.ends[end - 1])
