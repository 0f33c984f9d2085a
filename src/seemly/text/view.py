"""A text as one stage of normalization sees it, with the way back to the text as submitted."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import regex

from seemly.core.span import Span
from seemly.text.clusters import Clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["SPACELESS", "Edit", "View", "rewrite"]

Edit: TypeAlias = tuple[int, int, str]
"""Replace `text[start:end]` by a string; a list of edits is in order and does not overlap."""

SPACELESS = r"\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Tibetan}\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}ー"
"""The scripts that are written without spaces, as the inside of a `regex` set."""

_ASCII_WORD = re.compile(r"[A-Za-z0-9]++(?:\*{1,8}[A-Za-z0-9]++)*+")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]++(?:\*{1,8}[\p{L}\p{M}\p{N}]++)*+")
_RUN = regex.compile(
    rf"(?V1)[{SPACELESS}]++|[[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]--[{SPACELESS}]]++"
    rf"(?:\*{{1,8}}[[\p{{L}}\p{{M}}\p{{N}}]--[{SPACELESS}]]++)*+"
)
_ANY_SPACELESS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff\uff65-\uff9f\U0001b000-\U0001b2ff\U00020000-\U0003ffff]"
)
_SPACE = 32
_APART = bytes(code if chr(code) in string.ascii_letters + string.digits else _SPACE for code in range(256))


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
        self._words: Sequence[str] | None = None
        self._spans: Sequence[tuple[int, int]] | None = None

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
    def words(self) -> Sequence[str]:
        """The words of `text`: letters, marks and digits, with `*` inside for masked letters.

        Runs of a script without spaces are words of their own.
        """
        if self._words is None:
            text = self.text
            if text.isascii() and "*" not in text:
                self._words = text.encode().translate(_APART).decode().split()
            else:
                self._words = _word(text).findall(text)
        return self._words

    @property
    def word_spans(self) -> Sequence[tuple[int, int]]:
        """Where in `text` each of `words` stands."""
        if self._spans is None:
            text = self.text
            if text.isascii() and "*" not in text:
                inside = np.frombuffer(text.encode().translate(_APART).join((b" ", b" ")), np.uint8) != _SPACE
                edges = np.flatnonzero(inside[1:] != inside[:-1]).tolist()
                self._spans = list(zip(edges[::2], edges[1::2], strict=True))
            else:
                self._spans = list(_place(self.words, text))
        return self._spans

    @property
    def changed_words(self) -> Sequence[int]:
        """The words that the last rewriting made out of others: those in which, or beside which, it changed `text`."""
        if self._edits is None:
            return ()
        spans, size = self.word_spans, len(self.text)
        changed: set[int] = set()
        for start, end in zip(self._edits.new_starts, self._edits.new_ends, strict=True):
            word = bisect_right(spans, (end, size)) - 1
            while word >= 0 and spans[word][1] >= start:
                changed.add(word)
                word -= 1
        return sorted(changed)

    def positions(self, places: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Where the first characters stand that were read from the original's characters at `places`; -1 for a
        character of which nothing is left."""
        found = np.array(places, np.int64)
        for view in reversed([*self._line()]):
            if view._edits is not None:
                found = np.where(found < 0, -1, view._edits.targets(found))
        return np.where(found < len(self.text), found, -1)


def _place(words: Iterable[str], text: str) -> Iterator[tuple[int, int]]:
    """Where each of a text's words stands: what is between them has no character of a word."""
    end = 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        yield start, end


def _word(text: str) -> re.Pattern[str] | regex.Pattern[str]:
    if text.isascii():
        return _ASCII_WORD
    return _RUN if _ANY_SPACELESS.search(text) else _WORD


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

    def targets(self, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Where the characters before the edits at `at` begin after them; -1 for those that continue one or left
        nothing."""
        old_starts, old_ends = np.array([-1, *self.old_starts]), np.array([0, *self.old_ends])
        new_starts, new_ends = np.array([-1, *self.new_starts]), np.array([0, *self.new_ends])
        i = np.searchsorted(old_starts, at, "right") - 1
        begins = (at == old_starts[i]) & (new_starts[i] < new_ends[i])
        return np.where(at >= old_ends[i], at - old_ends[i] + new_ends[i], np.where(begins, new_starts[i], -1))

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
