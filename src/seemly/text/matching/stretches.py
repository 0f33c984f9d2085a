"""Words with letters repeated in several places: `fuuckk`, `hheelloo`."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from seemly.text.char_classes import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from seemly.text.matching.readings import Reading

__all__ = ["Stretches", "has_repeats"]

_RUN = re.compile(r"([^\W\d_])\1+")
_SHORTEST = 4
_SHORTEST_COLLAPSED = 3
_ENOUGH = 2


def has_repeats(text: str) -> bool:
    """Whether an ASCII text has letters doubled in two places of one word."""
    same = _same_as_next(text)
    first = same.find(0)
    while first >= 0:
        second = same.find(0, first + 1)
        if second >= 0 and text[first : second + 2].isalpha():
            return True
        first = second
    return False


def _same_as_next(text: str) -> bytes:
    """A byte for each character of an ASCII text: 0 where the next one is the same."""
    number = int.from_bytes(text.encode(), "little")
    return (number ^ number >> 8).to_bytes(len(text), "little")


def _doubled(text: str) -> Iterator[int]:
    """Where a character stands before the same one."""
    if text.isascii():
        same = _same_as_next(text)
        at = same.find(0)
        while at >= 0:
            yield at
            at = same.find(0, at + 1)
    else:
        codes = encode(text)
        yield from np.flatnonzero(codes[1:] == codes[:-1]).tolist()


class Stretches:
    """An immutable index of words that may be stretched. `words` are folded words with their entries.

    A word counts as a stretched one if it has the same letters, each at least as often in a row, and more of them in
    two places at least, or in one where three or more stand: `loose` is no stretched `lose`.
    """

    __slots__ = ("_collapsed",)

    def __init__(self, words: Mapping[str, int]) -> None:
        self._collapsed: dict[str, list[tuple[str, int]]] = {}
        for word, entry in words.items():
            collapsed = _RUN.sub(r"\1", word) if len(word) >= _SHORTEST else ""
            if len(collapsed) >= _SHORTEST_COLLAPSED:
                self._collapsed.setdefault(collapsed, []).append((word, entry))

    def may_match(self, words: Iterable[str]) -> bool:
        """Whether one of the words in ASCII has the letters of a word of the index, stretched in two places."""
        collapsed = {_RUN.sub(r"\1", word) for word in words if len(word) > _SHORTEST and has_repeats(word)}
        return not self._collapsed.keys().isdisjoint(collapsed)

    def find(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """The place in the reading, and the entry, of each stretched word."""
        if not self._collapsed or reading.masked:
            return
        view, spans = reading.view, reading.spans
        text = view.text
        least = 1 if len(text) != len(view.original) else _ENOUGH  # three of a letter were cut to two, or none were
        doubled = list(_doubled(text))
        for k, at in enumerate(doubled):
            i = bisect_right(spans, (at, len(text))) - 1
            if i < 0 or at >= spans[i][1] or (k and doubled[k - 1] >= spans[i][0]):
                continue
            word, more = reading.words[i], k + least - 1
            if len(word) <= _SHORTEST or more >= len(doubled) or doubled[more] >= spans[i][1]:
                continue
            for plain, entry in self._collapsed.get(_RUN.sub(r"\1", word), ()):
                if self._is_stretched(reading, i, _runs(word), plain):
                    yield i, entry
                    break

    def _is_stretched(self, reading: Reading, word: int, runs: list[tuple[str, int]], plain: str) -> bool:
        more = 0
        at = 0
        for (_, size), (_, least) in zip(runs, _runs(plain), strict=True):
            if size < least:
                return False
            if size > 1:
                span = reading.view.origin(*reading.place(word, at, at + size))
                written = span.end - span.start
                more += _ENOUGH if written > max(least, _ENOUGH) else size > least
            at += size
        return more >= _ENOUGH


def _runs(word: str) -> list[tuple[str, int]]:
    """Each letter of a word with how often it stands in a row."""
    runs: list[tuple[str, int]] = []
    for letter in word:
        if runs and runs[-1][0] == letter:
            runs[-1] = letter, runs[-1][1] + 1
        else:
            runs.append((letter, 1))
    return runs
