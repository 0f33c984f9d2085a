"""Words in generated identifiers, where nobody means them and everybody reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.text.matching.index import Hit
from seemly.text.matching.substrings import Substrings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from seemly.text.matching.patterns import Pattern
    from seemly.text.normalize import Normalized

__all__ = ["IdIndex"]

_LOOKS = str.maketrans("013456789@$!|+€£l", "oieasgtbgasiiteei")


class IdIndex:
    """An immutable index that finds words anywhere in an identifier: across separators, with digits and signs read
    as the letters that they look like, doubled letters as one, forwards and backwards.
    """

    __slots__ = ("_inside",)

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        table: dict[str, int] = {}
        for entry, pattern in enumerate(patterns):
            key = _letters("".join(part.text for part in pattern.parts))[0]
            table.setdefault(key, entry)
            table.setdefault(key[::-1], entry)
        table.pop("", None)
        self._inside = Substrings(table)

    def find(self, normalized: Normalized) -> list[Hit]:
        """Every word in the identifier, in order, each place once."""
        view = normalized.folded
        text, starts, ends = _letters(view.text)
        hits = {Hit(view.origin(starts[a], ends[b - 1]), entry) for a, b, entry in self._inside.find(text)}
        return sorted(hits)


def _letters(text: str) -> tuple[str, list[int], list[int]]:
    """The letters as they look, doubles as one, and where each stands in `text`."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for i, letter in enumerate(text.translate(_LOOKS)):
        if not letter.isalnum():
            continue
        if letters and letters[-1] == letter:
            ends[-1] = i + 1
            continue
        letters.append(letter)
        starts.append(i)
        ends.append(i + 1)
    return "".join(letters), starts, ends
