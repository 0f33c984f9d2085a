"""The words of a view, and the other ways to read them where a character is ambiguous."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from seemly.text.view import View

__all__ = ["Reading", "readings", "words_of"]

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:\*{1,8}[\p{L}\p{M}\p{N}]+)*+")
_DOUBLE = re.compile(r"([^\W\d_])\1")
_ONE = re.compile(r"[1!|¡]")
_UNCHANGED: Mapping[int, tuple[int, ...]] = MappingProxyType({})


def words_of(view: View) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The words of a view and where they stand in it."""
    found = list(_WORD.finditer(view.text))
    return tuple(m.group() for m in found), tuple(m.span() for m in found)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a view's words. `places[i]` holds, for a word that was read otherwise, the view's offset of
    each of its characters and its end.
    """

    view: View
    words: Sequence[str]
    spans: Sequence[tuple[int, int]]
    places: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: _UNCHANGED)

    def place(self, word: int, start: int, end: int) -> tuple[int, int]:
        """Where `words[word][start:end]` stands in the view, `start < end`."""
        offsets = self.places.get(word)
        if offsets is None:
            base = self.spans[word][0]
            return base + start, base + end
        return offsets[start], offsets[end]


def readings(view: View) -> Iterator[Reading]:
    """The plain reading, then `1 ! |` as l instead of i, then stretched letters as one instead of two."""
    words, spans = words_of(view)
    yield Reading(view, words, spans)
    for other in (_with_l(view, words, spans), _unstretched(view, words, spans)):
        if other is not None:
            yield other


def _with_l(view: View, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> Reading | None:
    original, text, starts = view.original, view.text, view.starts
    changed: dict[int, list[str]] = {}
    for found in _ONE.finditer(original):
        at = found.start()
        if starts is not None:
            at = bisect_left(starts, at)
            if at == len(starts) or starts[at] != found.start():
                continue
        if at >= len(text) or text[at] != "i":
            continue
        word = bisect_right(spans, (at, len(text))) - 1
        if word >= 0 and at < spans[word][1]:
            changed.setdefault(word, list(words[word]))[at - spans[word][0]] = "l"
    if not changed:
        return None
    read = list(words)
    for i, letters in changed.items():
        read[i] = "".join(letters)
    return Reading(view, read, spans)


def _unstretched(view: View, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> Reading | None:
    """Runs of three and more were cut to two; a stretched letter may also stand for a single one."""
    if view.starts is None:
        return None
    read: list[str] | None = None
    places: dict[int, tuple[int, ...]] = {}
    for i, word in enumerate(words):
        base = spans[i][0]
        dropped = {
            found.start() + 1
            for found in _DOUBLE.finditer(word)
            if _width(view, base + found.start(), base + found.end()) > 2
        }
        if dropped:
            kept = [j for j in range(len(word)) if j not in dropped]
            if read is None:
                read = list(words)
            read[i] = "".join([word[j] for j in kept])
            ends = [base + j for j in kept] + [spans[i][1]]
            places[i] = tuple(ends)
    return None if read is None else Reading(view, read, spans, MappingProxyType(places))


def _width(view: View, start: int, end: int) -> int:
    span = view.origin(start, end)
    return span.end - span.start
