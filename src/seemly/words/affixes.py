"""Beginnings of words, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Affixes"]

V = TypeVar("V")

_HEAD = 3


class Affixes(Generic[V]):
    """An immutable table of word beginnings, found by their first letters and then by length.

    It serves for ends of words too, with both sides reversed.
    """

    __slots__ = ("_lengths", "_sizes", "_table")

    def __init__(self, table: Mapping[str, V]) -> None:
        self._table = dict(table)
        lengths: dict[str, set[int]] = {}
        for affix in self._table:
            lengths.setdefault(affix[:_HEAD], set()).add(len(affix))
        self._lengths = {head: tuple(sorted(found)) for head, found in lengths.items()}
        self._sizes = tuple(sorted({len(head) for head in self._lengths}))

    def __len__(self) -> int:
        return len(self._table)

    def find(self, words: Sequence[str]) -> Iterator[tuple[int, int, V]]:
        """The index of a word, the length of an affix that it begins with, and the affix's value."""
        for size in self._sizes:
            lengths = self._lengths
            for i in [i for i, word in enumerate(words) if word[:size] in lengths]:
                word = words[i]
                for length in lengths[word[:size]]:
                    value = self._table.get(word[:length])
                    if value is not None and size == min(_HEAD, length) <= length <= len(word):
                        yield i, length, value
