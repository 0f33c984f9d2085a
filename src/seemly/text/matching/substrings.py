"""Many strings looked for at once, anywhere in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Substrings"]

V = TypeVar("V")

_HEAD = 3


class Substrings(Generic[V]):
    """An immutable table of strings, each with a value, found by their first letters and then by length.

    The cost is linear in the text; it grows with the number of different lengths among strings that begin
    alike, not with the number of strings.
    """

    __slots__ = ("_lengths", "_sizes", "_table")

    def __init__(self, table: Mapping[str, V]) -> None:
        self._table = dict(table)
        lengths: dict[str, set[int]] = {}
        for string in self._table:
            lengths.setdefault(string[:_HEAD], set()).add(len(string))
        self._lengths = {head: tuple(sorted(found, reverse=True)) for head, found in lengths.items()}
        self._sizes = tuple(sorted({len(head) for head in lengths}, reverse=True))

    def __len__(self) -> int:
        return len(self._table)

    def find(self, text: str) -> Iterator[tuple[int, int, V]]:
        """Start, end and value of the longest string that begins at each place, and of the one or two letters that
        it begins with where they are in the table too.
        """
        lengths, table = self._lengths, self._table
        for size in self._sizes:
            heads = [i for i in range(len(text) - size + 1) if text[i : i + size] in lengths]
            for i in heads:
                for length in lengths[text[i : i + size]]:
                    end = i + length
                    if end <= len(text) and (value := table.get(text[i:end])) is not None:
                        yield i, end, value
                        break
