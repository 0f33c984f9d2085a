"""From folded to squashed: `f.u.c.k` and `f u c k` without what stands between the letters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.char_classes import classify
from seemly.text.leet import LETTERS
from seemly.text.view import rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.text.view import Edit, View

__all__ = ["squash"]

_SHAPES = bytes(
    97 if c in b"alwscfh" else 109 if c in b"mno" else 100 if c in b"dDKkP" else 39 if c == 39 else 32
    for c in range(256)
)
_RUN = re.compile(rb" am*+(?: {1,4}+am*+(?![amd'])){2,}+")
_LEET_RUN = re.compile(rb" am*+(?: {1,4}+(?:am*+|d)(?![amd'])){2,}+(?<!d)")
_TIGHT = re.compile(rb" a(?:'a(?![amd'])){2,}+")
_PICTURES = re.compile(rb"(?<=[alc])[eV]{1,4}+(?=[alc])")


def squash(folded: View) -> View:
    """The view of `folded` in which letters spelled one by one are words; `folded` itself where none are.

    Emoji between two letters go as well: they part the letters of a word no less than a dot does.
    """
    classes = classify(folded.text)
    shapes = b" " + classes.translate(_SHAPES) + b" "
    edits: list[Edit] = []
    for match in _RUN.finditer(shapes):
        edits += _join(folded.text, shapes, *match.span())
    if b"d" in shapes and b" d a " in shapes:
        for match in _LEET_RUN.finditer(shapes):
            run = match[0]
            if b"d" in run and run.count(b"a") > run.count(b"d"):
                edits += _join(folded.text, shapes, *match.span())
    if b"'" in shapes and b"a'a'a" in shapes:
        for match in _TIGHT.finditer(shapes):
            edits += [(at, at + 1, "") for at in range(match.start() + 1, match.end() - 2, 2)]
    if b"e" in classes:
        edits += [(*match.span(), "") for match in _PICTURES.finditer(classes)]
    return rewrite(folded, _disjoint(sorted(set(edits)))) if edits else folded


def _disjoint(edits: list[Edit]) -> Iterator[Edit]:
    done = 0
    for edit in edits:
        if edit[0] >= done:
            yield edit
            done = edit[1]


def _join(text: str, shapes: bytes, start: int, end: int) -> Iterator[Edit]:
    """Drop the gaps of a run; where gaps are one character as a rule, a wider one with a space parts two words.

    `start` and `end` are places in `shapes`, one ahead of `text`, with the run's first letter after `start`.
    """
    usual = 0
    at = start + 1
    while at < end:
        first = at
        while shapes[at] == 32:
            at += 1
        if at > first:
            gap = text[first - 1 : at - 1]
            usual = usual or len(gap)
            yield first - 1, at - 1, " " if usual == 1 < len(gap) and any(map(str.isspace, gap)) else ""
        elif shapes[at] == 100 and text[at - 1] in LETTERS:
            yield at - 1, at, LETTERS[text[at - 1]]
            at += 1
        else:
            at += 1
