"""Many strings looked for at once, anywhere in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Substrings"]

V = TypeVar("V")


class Substrings(Generic[V]):
    """An immutable table of strings, each with a value, found by their first two letters and then by length.

    The cost is linear in the text; it grows with the number of different lengths among strings that begin alike,
    not with the number of strings.
    """

    __slots__ = ("_heads", "_singles", "_table")

    def __init__(self, table: Mapping[str, V]) -> None:
        self._table = dict(table)
        self._singles = frozenset(s for s in self._table if len(s) == 1)
        lengths: dict[str, set[int]] = {}
        for string in self._table:
            if len(string) > 1:
                lengths.setdefault(string[:2], set()).add(len(string))
        self._heads = {head: tuple(sorted(found, reverse=True)) for head, found in lengths.items()}

    def __len__(self) -> int:
        return len(self._table)

    def find(self, text: str) -> Iterator[tuple[int, int, V]]:
        """Start, end and value of the longest string that begins at each place."""
        heads, table, singles = self._heads, self._table, self._singles
        for i in range(len(text)):
            lengths = heads.get(text[i : i + 2])
            if lengths is not None:
                for length in lengths:
                    value = table.get(text[i : i + length])
                    if value is not None and i + length <= len(text):
                        yield i, i + length, value
                        break
                else:
                    lengths = None
            if lengths is None and text[i] in singles:
                yield i, i + 1, table[text[i]]
