"""From plain to folded: case, accents, leetspeak, masked letters and repeats."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from seemly.text.char_classes import classify, decode, encode
from seemly.text.leet import read_leet
from seemly.text.symbols import spell_regional
from seemly.text.view import View, rewrite

if TYPE_CHECKING:
    from seemly.text.char_classes import Codes
    from seemly.text.view import Edit

__all__ = ["fold"]

_LONG = re.compile("[ßẞ]")
_STRAY = re.compile(rb"(?<=[alwscf])m++")
_FLAGS = re.compile(rb"R{4,}+")
_KEPT = frozenset("йїўѓќ")
_BARRED = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ƀ": "b"}
_TABLED = 0x2000


def fold(plain: View) -> View:
    """The view of `plain` that wordlists read."""
    if plain.text.isascii():
        view = plain
        text = plain.text.lower()
    else:
        view, text = _fold_letters(plain)
    classes = classify(text)
    text = read_leet(text, classes, view.text)
    return rewrite(view if text == view.text else View(text, view), _repeats(text))


def _fold_letters(plain: View) -> tuple[View, str]:
    """Case, accents, and flags in a row, which may spell; most letters change in place, so few edits are needed."""
    text = plain.text
    edits: list[Edit] = [(*match.span(), "ss") for match in _LONG.finditer(text)]
    classes = classify(text)
    edits += [(*match.span(), "") for match in _STRAY.finditer(classes)]
    for match in _FLAGS.finditer(classes) if b"R" in classes else ():
        edits += [(at, at + 1, spell_regional(text[at])) for at in range(*match.span())]
    view = rewrite(plain, sorted(edits))
    codes = encode(view.text)
    low = np.where(codes < _TABLED, _folding()[np.minimum(codes, _TABLED - 1)], codes)
    text = decode(low)
    folded = text.casefold()
    return view, folded if len(folded) == len(text) else text.lower() if len(text.lower()) == len(text) else text


@cache
def _folding() -> Codes:
    """For each code point below 0x2000, what it folds to: one code point, itself where it would be more."""
    return np.array([ord(_fold_letter(chr(code))) for code in range(_TABLED)], np.uint32)


def _fold_letter(char: str) -> str:
    low = char.casefold()
    if low in _BARRED:
        return _BARRED[low]
    if low in _KEPT:
        return low
    parts = unicodedata.normalize("NFD", low)
    if parts[0] < "\u0530" and all(map(unicodedata.combining, parts[1:])):
        return parts[0].casefold() if not unicodedata.combining(parts[0]) else char
    return low if len(low) == 1 else char


def _has_triple(text: bytes) -> bool:
    """Whether a character stands three times in a row: a byte less its neighbour is 0 where both are the same."""
    number = int.from_bytes(text, "little")
    return b"\0\0" in (number ^ number >> 8).to_bytes(len(text), "little")


def _repeats(text: str) -> list[Edit]:
    """Three or more of a letter become two; the second stands for all the rest."""
    if text.isascii() and not _has_triple(text.encode()):
        return []
    codes = encode(text)
    same = codes[1:] == codes[:-1]
    if b"\1\1" not in same.tobytes():
        return []
    at = np.flatnonzero(same[1:] & same[:-1])
    breaks = np.flatnonzero(np.diff(at) > 1)
    first = at[np.concatenate(([0], breaks + 1))].tolist()
    last = at[np.concatenate((breaks, [len(at) - 1]))].tolist()
    return [(a + 1, b + 3, text[a]) for a, b in zip(first, last, strict=True) if text[a].isalpha()]
