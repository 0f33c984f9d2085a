"""Letters of symbol alphabets: squared, small capitals, phonetic, regional, emoji."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.lookalikes import confusables, lookalikes

if TYPE_CHECKING:
    from seemly.text.spoof_signals import Mark
    from seemly.text.view import Edit

__all__ = ["find_bounds", "is_flags", "read_emoji", "read_regional", "read_symbols", "spell_regional"]

_REGIONAL = re.compile(rb"R++(?:[^R ]R++)*+")
_SYMBOLS = re.compile(rb"[sw]++")
_WORD = b"alwscfdmnoREV$!"
_REST = re.compile(rb"[alwscfdmnoREV$!]*+")
_RUN = re.compile("[\U0001f1e6-\U0001f1ff]++")
_INDICATORS = re.compile(rb"R++")
_SPELLING = {0x1F1E6 + i: chr(65 + i) for i in range(26)}
_WEAK = ord("w")
_SELECTOR = ord("V")
_MAX_WORD = 64
_ROUND = frozenset("sxzocvwSXZOCVW")
_HAZY = frozenset("ɡɑƒɩ")
_SLASHES = frozenset("/[]ˈˌː")


def find_bounds(classes: bytes, start: int, end: int) -> tuple[int, int]:
    """The word around `start:end`, no longer than 64 characters to either side."""
    floor = max(0, start - _MAX_WORD)
    while start > floor and classes[start - 1] in _WORD:
        start -= 1
    rest = _REST.match(classes, end, min(len(classes), end + _MAX_WORD))
    return start, rest.end() if rest else end


def is_flags(text: str) -> bool:
    """Whether regional indicators pair up into flags of countries."""
    flags = lookalikes("flag")
    letters = spell_regional(text)
    return len(letters) % 2 == 0 and all(letters[i : i + 2] in flags for i in range(0, len(letters), 2))


def spell_regional(text: str) -> str:
    """The letters that regional indicators stand for."""
    return text.translate(_SPELLING)


def read_regional(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """Regional indicators that pair up into flags are flags; any other run of them spells."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    known: dict[str, bool] = {}
    for match in _REGIONAL.finditer(classes):
        start, end = match.span()
        run = text[start:end]
        if run not in known:
            known[run] = all(map(is_flags, _RUN.findall(run)))
        if known[run]:
            continue
        for spelled in _INDICATORS.finditer(classes, start, end):
            first = spelled.start()
            letters = spell_regional(text[first : spelled.end()])
            edits += [(at, at + 1, letter) for at, letter in enumerate(letters, first)]
        marks.append((start, end, "confusable_word", 0.45, "regional letters that are no flag"))
    return edits, marks


def read_emoji(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """Emoji of letters, and those shaped like one, read as letters where they stand beside letters."""
    emoji = lookalikes("emoji")
    edits: list[Edit] = []
    marks: list[Mark] = []
    for match in re.finditer(rb"E", classes):
        at = match.start()
        after = at + 1
        while classes[after : after + 1] == b"V":
            after += 1
        before = at - 1
        while before >= 0 and classes[before] == _SELECTOR:
            before -= 1
        follows = classes[max(before, 0) : before + 1] in (b"a", b"s", b"E", b"R")
        leads = classes[after : after + 1] in (b"a", b"s", b"E", b"R", b"$", b"!")
        char = text[at]
        if char in "❗❕":
            fits = follows and leads
        elif char in "©ℹⓂ":
            fits = (follows or leads) and after > at + 1
        else:
            fits = (follows or leads) and len(emoji[char]) < 3
        if fits:
            edits.append((at, after, emoji[char]))
            marks.append((at, after, "confusable_word", 0.45, "emoji in place of letters"))
    return edits, marks


def read_symbols(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """Words with letters of a symbol alphabet, or with phonetic ones where the word is no transcription."""
    strong, weak, strict = lookalikes("strong"), lookalikes("weak"), confusables()
    edits: list[Edit] = []
    marks: list[Mark] = []
    done = 0
    for match in _SYMBOLS.finditer(classes):
        if match.start() < done:
            continue
        start, end = find_bounds(classes, *match.span())
        start = max(start, done)
        done = end
        word = text[start:end]
        sure = any(char in strong for char in word)
        if not sure and not _is_hazy(text, classes, start, end):
            continue
        for at, char in enumerate(word, start):
            new = strong.get(char) or weak.get(char) or (strict.get(char) if classes[at] in b"cw" else None)
            if new is not None:
                edits.append((at, at + 1, new))
        probability = 0.8 if b"a" in classes[start:end] else 0.45
        marks.append((start, end, "confusable_word", probability, "letters of a symbol or phonetic alphabet"))
    return edits, marks


def _is_hazy(text: str, classes: bytes, start: int, end: int) -> bool:
    """Whether a word with phonetic letters is meant as plain Latin, not as a transcription."""
    names, word = classes[start:end], text[start:end]
    if b"l" in names or not _SLASHES.isdisjoint(text[max(start - 1, 0) : start] + text[end : end + 1]):
        return False
    hazy = [char for char, name in zip(word, names, strict=True) if name == _WEAK]
    weak = lookalikes("weak")
    if not all(char in weak for char in hazy):
        return False
    if all(char in _ROUND for char, name in zip(word, names, strict=True) if name == 97):
        return len(hazy) > 1
    return len(word) >= 3 and _HAZY.issuperset(hazy)
