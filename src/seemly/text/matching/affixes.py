"""Beginnings of words, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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

    def find(self, words: Iterable[str]) -> dict[str, list[tuple[int, V]]]:
        """For each word that begins with affixes their lengths and values."""
        found: dict[str, list[tuple[int, V]]] = {}
        every, lengths = frozenset(words), self._lengths
        for size in self._sizes:
            for word in [word for word in every if word[:size] in lengths]:
                for length in lengths[word[:size]]:
                    value = self._table.get(word[:length])
                    if value is not None and size == min(_HEAD, length) <= length <= len(word):
                        found.setdefault(word, []).append((length, value))
        return found
