"""The class of each character of a text, one byte a character, so that byte patterns can find what is suspect.

a ASCII letter · l Latin letter · w phonetic letter that looks like an ASCII one · s letter of a symbol alphabet
c letter of another cased script that looks like an ASCII one · f one that does not · h any other letter or mark
d ASCII digit · D other number · $ ( + ! sign for a letter · * what masks one · ' apostrophe
E emoji of a letter · R regional indicator · e other pictograph · space · . anything else
m mark for any script · n what may compose with its predecessor · o other mark with a combining class
K what NFKC changes · k the same, and continuing its predecessor · P letter in parentheses
J joiner · V variation selector · T tag · Z other invisible · C control or noncharacter · S surrogate
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np

__all__ = ["Codes", "classify", "decode", "encode"]

Codes: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"


def encode(text: str) -> Codes:
    """The code points of `text`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def decode(codes: Codes) -> str:
    """The text of code points."""
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def classify(text: str) -> bytes:
    """The class of each character of `text`."""
    if text.isascii():
        return text.encode().translate(_ascii())
    classes: bytes = _table()[encode(text)].tobytes()
    return classes


@cache
def _ascii() -> bytes:
    return _table()[:256].tobytes()


@cache
def _table() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    table = np.full(0x110000, ord("."), np.uint8)
    for line in files("seemly").joinpath("data", "characters.txt").read_text("utf-8").splitlines():
        name, tab, ranges = line.partition("\t")
        if not tab:
            continue
        for pair in ranges.split():
            first, _, last = pair.partition("-")
            table[int(first, 16) : int(last or first, 16) + 1] = ord(name)
    return table
