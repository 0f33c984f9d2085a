"""A text as one stage of normalization sees it, with the way back to the text as submitted."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import regex

from seemly.span import Span
from seemly.text.clusters import Clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Edit", "View", "rewrite"]

Edit: TypeAlias = tuple[int, int, str]
"""Replace `text[start:end]` by a string; a list of edits is in order and does not overlap."""

_ASCII_WORD = re.compile(r"[A-Za-z0-9*]+(?:'[A-Za-z0-9*]+)*+")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}*\u200c\u200d]++(?:['’][\p{L}\p{M}\p{N}*]++)*+")


class View:
    """One reading of a text: `text` is what matchers search, `original` the text as submitted."""

    __slots__ = ("_clusters", "_edits", "_ends", "_parent", "_spans", "_starts", "_words", "original", "text")

    def __init__(self, text: str, parent: View | None = None, edits: _Edits | None = None) -> None:
        """The reading `text` of `parent`; without a parent, `text` is the text as submitted."""
        self.text = text
        self.original: str = text if parent is None else parent.original
        self._parent = parent
        self._edits = edits
        self._clusters: Clusters | None = None if parent is None else parent._clusters
        self._starts: list[int] | None = None
        self._ends: list[int] | None = None
        self._words: tuple[str, ...] | None = None
        self._spans: tuple[tuple[int, int], ...] | None = None

    def __repr__(self) -> str:
        return f"View({len(self.text)} of {len(self.original)} characters)"

    def origin(self, start: int, end: int) -> Span:
        """The part of the original that `text[start:end]` was read from, widened to whole grapheme clusters.

        `0 <= start < end <= len(text)` is required: an empty range came from nowhere.
        """
        view: View = self
        while view._parent is not None:
            if view._edits is not None:
                start, end = view._edits.source(start, end)
            view = view._parent
        if view._clusters is None:
            view._clusters = Clusters(view.text)
        return view._clusters.widen(start, end)

    @property
    def starts(self) -> Sequence[int] | None:
        """For each character, where in the original it came from; None where that is its own position."""
        self._trace()
        return self._starts

    @property
    def ends(self) -> Sequence[int] | None:
        """For each character, where in the original its source ends; None where that is one after its start."""
        self._trace()
        return self._ends

    def _trace(self) -> None:
        if self._starts is not None or not any(view._edits for view in self._line()):
            return
        starts = np.arange(len(self.text))
        ends = starts + 1
        for view in self._line():
            if view._edits is not None:
                starts, ends = view._edits.sources(starts, ends)
        self._ends = ends.tolist()
        self._starts = starts.tolist()

    def _line(self) -> Iterator[View]:
        view: View | None = self
        while view is not None:
            yield view
            view = view._parent

    @property
    def words(self) -> tuple[str, ...]:
        """The words of `text`: letters, marks, digits and `*`, with apostrophes inside."""
        if self._words is None:
            word = _ASCII_WORD if self.text.isascii() else _WORD
            self._words = tuple(word.findall(self.text))
        return self._words

    @property
    def word_spans(self) -> tuple[tuple[int, int], ...]:
        """Where in `text` each of `words` stands."""
        if self._spans is None:
            word = _ASCII_WORD if self.text.isascii() else _WORD
            self._spans = tuple(match.span() for match in word.finditer(self.text))
        return self._spans


class _Edits:
    """Edits once made: where each stands in the text before and after."""

    __slots__ = ("new_ends", "new_starts", "old_ends", "old_starts")

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.old_starts = [edit[0] for edit in edits]
        self.old_ends = [edit[1] for edit in edits]
        self.new_starts: list[int] = []
        self.new_ends: list[int] = []
        shift = 0
        for start, end, text in edits:
            self.new_starts.append(start + shift)
            shift += len(text) - (end - start)
            self.new_ends.append(end + shift)

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range before the edits that `start:end` after them came from."""
        last = end - 1
        i = bisect_right(self.new_starts, start) - 1
        if i >= 0:
            inside = start < self.new_ends[i]
            start = self.old_starts[i] if inside else start - self.new_ends[i] + self.old_ends[i]
        i = bisect_right(self.new_starts, last) - 1
        if i < 0:
            return start, end
        if last < self.new_ends[i]:
            return start, self.old_ends[i]
        return start, end - self.new_ends[i] + self.old_ends[i]

    def sources(
        self, starts: np.ndarray[tuple[int], np.dtype[np.int64]], ends: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """What `source` says, for many ranges at once."""
        new_starts, new_ends = np.array([-1, *self.new_starts]), np.array([0, *self.new_ends])
        old_starts, old_ends = np.array([-1, *self.old_starts]), np.array([0, *self.old_ends])
        i = np.searchsorted(new_starts, starts, "right") - 1
        first = np.where(starts < new_ends[i], old_starts[i], starts - new_ends[i] + old_ends[i])
        i = np.searchsorted(new_starts, ends - 1, "right") - 1
        last = np.where(ends - 1 < new_ends[i], old_ends[i], ends - new_ends[i] + old_ends[i])
        return first, last


def rewrite(parent: View, edits: Iterable[Edit], text: str | None = None) -> View:
    """The view after `edits` of `text`, which defaults to the parent's and is as long, character for character."""
    text = parent.text if text is None else text
    edits = list(edits)
    if not edits:
        return parent if text == parent.text else View(text, parent)
    pieces: list[str] = []
    done = 0
    for start, end, new in edits:
        pieces.append(text[done:start])
        pieces.append(new)
        done = end
    pieces.append(text[done:])
    return View("".join(pieces), parent, _Edits(edits))
