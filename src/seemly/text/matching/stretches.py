"""Words with letters repeated in several places: `fuuckk`, `hheelloo`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from seemly.text.matching.readings import Reading

__all__ = ["Stretches", "has_repeats"]

_RUN = re.compile(r"([^\W\d_])\1+")
_REPEATS = re.compile(r"([^\W\d_])\1[^\W\d_]*?([^\W\d_])\2")
_ASCII_REPEATS = re.compile(r"([a-z])\1[a-z]*?([a-z])\2")
_SHORTEST = 4
_SHORTEST_COLLAPSED = 3
_ENOUGH = 2


def has_repeats(text: str) -> bool:
    """Whether letters are doubled in two places of one word."""
    return (_ASCII_REPEATS if text.isascii() else _REPEATS).search(text) is not None


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
        """Whether one of the words has the letters of a word of the index, stretched in two places."""
        collapsed = {_RUN.sub(r"\1", word) for word in words if _REPEATS.search(word)}
        return not self._collapsed.keys().isdisjoint(collapsed)

    def find(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """The place in the reading, and the entry, of each stretched word."""
        if not self._collapsed or _RUN.search(reading.view.text) is None:
            return
        for i in reading.fresh():
            word = reading.words[i]
            runs = _runs(word) if len(word) > _SHORTEST else []
            if len(runs) < len(word):
                for plain, entry in self._collapsed.get("".join(letter for letter, _ in runs), ()):
                    if self._is_stretched(reading, i, runs, plain):
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
