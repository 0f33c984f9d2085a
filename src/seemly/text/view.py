"""A text as one stage of normalization sees it, with the way back to the text as submitted."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import regex

from seemly.span import Span
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
                self._spans = [match.span() for match in _word(text).finditer(text)]
        return self._spans

    def position(self, at: int) -> int | None:
        """Where the first character stands that was read from the original's character at `at`, if any was."""
        for view in reversed([*self._line()]):
            if view._edits is not None:
                now = view._edits.target(at)
                if now is None:
                    return None
                at = now
        return at if at < len(self.text) else None


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

    def target(self, at: int) -> int | None:
        """Where the character before the edits at `at` begins after them; None where it continues or left nothing."""
        i = bisect_right(self.old_starts, at) - 1
        if i < 0:
            return at
        if at >= self.old_ends[i]:
            return at - self.old_ends[i] + self.new_ends[i]
        return self.new_starts[i] if at == self.old_starts[i] and self.new_starts[i] < self.new_ends[i] else None

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
