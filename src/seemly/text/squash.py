"""From folded to squashed: `f.u.c.k` and `f u c k` without what stands between the letters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.classes import classify
from seemly.text.view import rewrite

if TYPE_CHECKING:
    from seemly.text.view import Edit, View

__all__ = ["squash"]

_WORD = frozenset(b"alwscfhmnodDKkP")
_SHAPES = bytes(
    97 if c in b"alwscfh" else 109 if c in b"mno" else 100 if c in b"dDKkP" else 39 if c == 39 else 32 for c in range(256)
)
_RUN = re.compile(rb" am*+(?: {1,6}+am*+(?![amd'])){2,}+")
_TIGHT = re.compile(rb" a(?:'a(?![amd'])){2,}+")


def squash(folded: View) -> View:
    """The view of `folded` in which letters spelled one by one are words; `folded` itself where none are."""
    shapes = b" " + classify(folded.text).translate(_SHAPES) + b" "
    edits: list[Edit] = []
    for match in _RUN.finditer(shapes):
        edits += _join(folded.text, shapes, match.start(), match.end() - 1)
    if b"a'a'a" in shapes:
        for match in _TIGHT.finditer(shapes):
            edits += [(at, at + 1, "") for at in range(match.start() + 1, match.end() - 2, 2)]
        edits.sort()
    return rewrite(folded, edits)


def _join(text: str, shapes: bytes, start: int, end: int) -> list[Edit]:
    """Drop the gaps of a run; where most are narrow, a wide one parts two words and stays as a space."""
    gaps: list[tuple[int, int]] = []
    at = start
    while True:
        first = shapes.find(b" ", at + 1, end + 1)
        if first < 0:
            break
        last = first
        while shapes[last] == 32 and last <= end:
            last += 1
        gaps.append((first - 1, last - 1))
        at = last
    usual = text[slice(*gaps[0])]
    narrow = len(usual)
    edits: list[Edit] = []
    for first, last in gaps:
        gap = text[first:last]
        parts = gap != usual and last - first > narrow and any(map(str.isspace, gap)) and narrow < 2
        edits.append((first, last, " " if parts else ""))
    return edits
