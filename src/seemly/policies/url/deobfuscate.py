"""Undo what people do to an address so that filters miss it: `hxxp`, `example[.]com`, `example dot com`."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from seemly.policies.url.tables import words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Rewritten", "deobfuscate"]

_BRACKETED = re.compile(
    r"(?i)(?<=\w)\s{0,2}[\[({<]\s{0,2}(?:\.|dot|d0t|punkt|punto|ponto|point|точка|点)\s{0,2}[\])}>]\s{0,2}(?=\w)|(?<=\w)\[\.(?=\w)"
)
_FULL_STOPS = re.compile("(?<=[0-9A-Za-z])[\u3002\uff0e\uff61](?=[A-Za-z])")
_SCHEME = re.compile(
    r"(?i)\bh\s?(?:t\s?t|x\s?x|\*\s?\*)\s?p(?:\s?s)?\s{0,2}(?:\[:\]|[:\uff1a])\s{0,2}[/\\\uff0f]\s?[/\\\uff0f]\s{0,2}(?=[\w\[])"
    r"|\bhttps?(?:\[:\]//|:/|//)(?=[\w\[])"
)
_SPACED_LETTERS = re.compile(r"(?:\w )+\Z")
_SPACED_ENDING = re.compile(r"\w(?: \w)+(?!\S)")


class Rewritten:
    """A text with some of its parts replaced, and the way back.

    `edits` are (start, end, replacement) in the order of the text they were made in, without overlap.
    """

    __slots__ = ("_ends", "_new", "_old", "text")

    def __init__(self, source: str, edits: list[tuple[int, int, str]]) -> None:
        pieces: list[str] = []
        self._new: list[int] = []
        self._old: list[int] = []
        self._ends: list[int] = []
        at = length = 0
        for start, end, replacement in edits:
            pieces += source[at:start], replacement
            length += start - at
            self._new.append(length)
            self._old.append(start)
            self._ends.append(end)
            length += len(replacement)
            at = end
        pieces.append(source[at:])
        self.text = "".join(pieces)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that `text[start:end]` came from."""
        return self._back(start)[0], self._back(end - 1)[1]

    def touches(self, start: int, end: int) -> bool:
        """Whether something within `text[start:end]` was replaced."""
        return bisect_right(self._new, end - 1) > bisect_right(self._new, start - 1)

    def _back(self, index: int) -> tuple[int, int]:
        edit = bisect_right(self._new, index) - 1
        if edit < 0:
            return index, index + 1
        at = self._new[edit]
        following = self._new[edit + 1] if edit + 1 < len(self._new) else None
        return self._locate(index, edit, at, following)
