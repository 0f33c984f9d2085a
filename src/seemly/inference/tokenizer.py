"""From a text to the numbers of its word pieces.

A text is lower-cased and split into words, runs of punctuation and single symbols; each of these is looked up
in a bounded cache, and only those that are not there are cut into pieces. So the pieces of a word never depend
on its neighbours, and ordinary text costs one pattern and one look-up a word.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "CONTINUED",
    "END",
    "NUMBER",
    "PAD",
    "SPECIAL",
    "START",
    "UNKNOWN",
    "WordPieceTokenizer",
    "bare",
    "split",
    "strip",
]

PAD, UNKNOWN, NUMBER = 0, 1, 2
SPECIAL = ("[PAD]", "[UNK]", "[NUM]")
"""The first pieces of every vocabulary: filler, what no piece covers, and numbers of three digits or more (of five or
more in a bare vocabulary, which knows the shorter ones)."""

START, END = 3, 4
"""What a transformer's vocabulary has next: the pieces that it reads before and after every text."""

CONTINUED = "##"
"""What a piece that goes on within a word starts with."""

_ASCII = r"!-/:-@\[-`{-~"
# Scripts written without spaces give a piece a character; the model puts their words together.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_SYMBOLS = (
    r"\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u06d4\u0964\u0965"
    r"\u2000-\u206f\u20a0-\u20cf\u2100-\u2bff\u3000-\u303f\ufe00-\ufe1f\uff00-\uff0f\uff1a-\uff20\U0001f000-\U0001faff"
)
# Everything that is not listed is part of a word: so combining vowels and joiners need no list of their own.
_LETTER = rf"[^\s{_ASCII}{_UNSPACED}{_SYMBOLS}]"
_WORD = re.compile(rf"{_LETTER}{{1,24}}(?:['’]{_LETTER}{{1,8}})?|[{_ASCII}]{{1,8}}|[{_UNSPACED}{_SYMBOLS}]")
_REPEATED = re.compile(r"(.)\1{2,32}", re.DOTALL)
# Marks that are vowels and tones of a script of their own: parts of its words, which `\w` leaves out.
_VOWELS = r"\u0900-\u0dff\u0f00-\u0fff\ua800-\uabff"
_BARE = re.compile(rf"(?:[^\W_]|[{_VOWELS}])+|[\W_]")
# Accents, and the vowel points of Hebrew and Arabic: what people leave out as they please.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]"
)

_CACHED = 32_768
"""Words kept in the cache: about 6 MB. It is emptied when full, which a Zipfian stream hardly notices."""


def split(text: str) -> list[str]:
    """The words, punctuation and symbols of a text, lower-cased, in order. White space is dropped."""
    return _WORD.findall(text.lower())


class WordPieceTokenizer(dict[str, bytes]):
    """A vocabulary, and a cache of the words that were cut with it: `pieces[word]` is the word's numbers, as the bytes
    of 32-bit integers, which are put together without a look at each.

    `vocabulary` lists the pieces by number, `SPECIAL` first. A `bare` vocabulary knows letters without their accents
    (but for whole words that it lists with them) and punctuation sign by sign, as BERT's uncased one does. Safe to use
    from several threads.
    """

    def __init__(self, vocabulary: Iterable[str], *, bare: bool = False) -> None:
        super().__init__()
        self._bare = bare
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        # The longest piece by what it starts with: no longer one need be tried.
        self._longest: dict[str, int] = {}
        for piece in self._numbers:
            start = piece[: len(CONTINUED) + 1] if piece.startswith(CONTINUED) else piece[0]
            self._longest[start] = max(self._longest.get(start, 0), len(piece))

    def encode(self, text: str) -> NDArray[np.int32]:
        """The piece numbers of a text."""
        import numpy as np

        return np.frombuffer(b"".join(map(self.__getitem__, _WORD.findall(text.lower()))), np.int32)

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _CACHED:
            self.clear()
        straight = word.replace("’", "'")
        if self._bare and straight not in self._numbers:
            cut = tuple(chain.from_iterable(map(self._cut, _BARE.findall(strip(straight)))))
        else:
            cut = self._cut(straight)
        self[word] = numbers = array("i", cut).tobytes()
        return numbers

    def _cut(self, word: str) -> tuple[int, ...]:
        number = self._numbers.get(word)
        if number is not None and number >= len(SPECIAL):
            return (number,)
        if len(word) > (4 if self._bare else 2) and word.isdecimal():
            return (NUMBER,)
        if not _REPEATED.search(word):
            return self._match(word)
        # "fuuuck" is fewer pieces with one u than with two, "assss" no fewer with one s.
        twice, once = self._match(_REPEATED.sub(r"\1\1", word)), self._match(_REPEATED.sub(r"\1", word))
        return min(twice, once, key=lambda cut: (UNKNOWN in cut, len(cut)))

    def _match(self, word: str) -> tuple[int, ...]:
        """Greedy, longest piece first, as WordPiece has it (Wu et al. 2016). Words are bounded, so is this."""
        cut: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            longest = self._longest.get(prefix + word[start], 0) - len(prefix)
            for end in range(min(len(word), start + longest), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                number, end = UNKNOWN, start + 1
            if number != UNKNOWN or not cut or cut[-1] != UNKNOWN:
                cut.append(number)
            start, prefix = end, CONTINUED
        return tuple(cut)


def strip(word: str) -> str:
    """Without accents, joiners and variation selectors; the marks of Indic scripts, of Thai and of kana are kept."""
    if word.isascii():
        return word
    parts = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", "".join(char for char in parts if unicodedata.category(char) != "Cf"))


def bare(text: str) -> list[str]:
    """The words of a text as a bare vocabulary knows them, before they are cut."""
    return [part for word in split(text) for part in _BARE.findall(strip(word.replace("’", "'")))]
