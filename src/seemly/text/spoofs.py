"""The second stage: letters that look like others are read as those, where the text around them says so.

UTS #39 says which letters look alike; folding every one of them would ruin ordinary Russian or Greek. So a word is
read otherwise only if it mixes scripts, is written in a symbol alphabet, is turned upside down, or could be Latin
letter for letter and stands in Latin text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.lookalikes import confusables, lookalikes
from seemly.text.symbols import find_bounds, read_emoji, read_regional, read_symbols
from seemly.text.turned import read_turned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seemly.text.signals import Mark
    from seemly.text.view import Edit

__all__ = ["resolve"]

_MIXED = re.compile(rb"a[ldmnow$!]*+[cf]|[cf][dmno$!]*+[al]")
_WHOLE = re.compile(rb" ([cm]++[xcm]*+) |(?<= )(x[xcm]*+c[xcm]*+) ")
_SHAPES = bytes(99 if c in b"c" else 109 if c in b"mno" else 120 if c in b"f" else 46 if c in b"alwshdDKRE" else 32 for c in range(256))
_NEAR = 64
_LATIN = frozenset({"latin", "latn"})
_RARE = frozenset("ԁѕјһӏԛԝЅЈԌԚԜϲϹϝϳͿ")
"""Letters of no large language's alphabet: where they stand, the word is dressed up."""


def resolve(text: str, classes: bytes, expected: frozenset[str]) -> tuple[list[Edit], list[Mark]]:
    """The edits that read look-alikes in `text` (NFKC, without invisibles), and what was noticed."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    latin = bool(_LATIN.intersection(map(str.casefold, expected)))
    stages = (
        (read_regional, b"R" in classes),
        (read_emoji, b"E" in classes),
        (read_turned, b"s" in classes),
        (read_symbols, b"s" in classes or b"w" in classes),
        (_read_mixed, b"c" in classes or b"f" in classes),
    )
    for read, wanted in stages:
        if wanted:
            more, noted = read(text, classes)
            edits += more
            marks += noted
    if b"c" in classes and (latin or not expected):
        more, noted = _read_whole(text, classes, latin)
        edits += more
        marks += noted
    return _disjoint(edits), marks


def _disjoint(edits: list[Edit]) -> list[Edit]:
    """In order of place; of two readings of one place the wider, then the first found, stands."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept


def _read_mixed(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """Words of two scripts."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    known: dict[tuple[str, bool], str | None] = {}
    done = 0
    for match in _MIXED.finditer(classes):
        if match.start() < done:
            continue
        start, end = find_bounds(classes, *match.span())
        start = max(start, done)
        done = end
        around = classes[max(0, start - _NEAR) : start] + classes[end : end + _NEAR]
        word = text[start:end]
        key = word, around.count(b"f") > around.count(b"a")
        if key not in known:
            known[key] = _read_word(word, classes[start:end], key[1])
        new = known[key]
        if new is None:
            continue
        edits += [(at, at + 1, char) for at, char in enumerate(new, start) if char != text[at]]
        read = new != word
        marks.append((start, end, "mixed_script", 0.8 if read else 0.3, "letters of two scripts in one word"))
        if read:
            marks.append((start, end, "confusable_word", 0.8, "letters that look like others"))
    return edits, marks


def _read_word(word: str, names: bytes, cyrillic: bool) -> str | None:
    """What a word of two scripts says, letter for letter; itself where that is unclear, None where it is ordinary.

    Of the Latin and the Cyrillic reading the cheaper holds: a letter costs nothing that looks just like another and
    two that only resembles it, and the reading that the script nearby (Cyrillic or not) speaks against costs two more.
    """
    strict, loose, weak = confusables(), lookalikes("loose"), lookalikes("weak")
    same, alike = lookalikes("homoglyph"), lookalikes("cyrillic")
    letters = [(char, name in b"cf") for char, name in zip(word, names, strict=True) if name in b"alwcf"]
    latin = [char for char, other in letters if not other]
    foreign = [char for char, other in letters if other]
    turns = sum(a[1] != b[1] for a, b in zip(letters, letters[1:], strict=False))
    greek = all("\u0370" <= char < "\u0400" for char in foreign)
    if _is_ordinary(word, latin, foreign, turns, greek, alike):
        return None
    readings: list[tuple[int, str]] = []
    if all(strict.get(char, "0").isalpha() or char in loose for char in foreign):
        cost = 2 * sum(not strict.get(char, "0").isalpha() for char in foreign) + 2 * cyrillic
        to_latin = {char: strict[char] if strict.get(char, "0").isalpha() else loose[char] for char in foreign}
        readings.append((cost, _replace(word, to_latin | {char: weak[char] for char in latin if char in weak})))
    if not greek and all(char in alike for char in latin):
        cost = 2 * sum(char not in same for char in latin) + 2 * (not cyrillic)
        readings.append((cost, _replace(word, {char: alike[char] for char in latin})))
    return min(readings, key=lambda reading: reading[0])[1] if readings else word


def _replace(word: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in word)


def _is_ordinary(
    word: str, latin: list[str], foreign: list[str], turns: int, greek: bool, alike: Mapping[str, str]
) -> bool:
    """Greek beside Latin is science as a rule (μm, kΩ, TNFα, NFκB); Latin with a Cyrillic ending is a loan (SMSка)."""
    if greek:
        upper = sum(map(str.isupper, latin)) * 2 > len(latin)
        ends = turns == 1 and len(foreign) == 1
        unit = word[0] in "μΔΩΣπλδ" or (ends and foreign[0] == word[-1])
        return len(latin) + len(foreign) < 3 or (ends and unit) or (upper and any(map(str.islower, foreign)))
    if turns != 1 or all(char in confusables() and confusables()[char].isalpha() for char in foreign):
        return False
    return (len(latin) > 1 and all(map(str.isupper, latin)) and all(map(str.islower, foreign))) or (
        len(latin) > 2 and len(foreign) > 1 and not all(char in alike for char in latin)
    )


def _read_whole(text: str, classes: bytes, expected: bool) -> tuple[list[Edit], list[Mark]]:
    """Words of another script, letter for letter Latin to look at, where the text around them is Latin."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    strict, loose = confusables(), lookalikes("loose")
    shapes = b" " + classes.translate(_SHAPES) + b" "
    at = 0
    while (match := _WHOLE.search(shapes, at)) is not None:
        at = match.end() - 1
        group = 1 if match[1] else 2
        start, end = match.start(group) - 1, match.end(group) - 1
        around = classes[max(0, start - _NEAR) : start] + classes[end : end + _NEAR]
        latin = around.count(b"a")
        if b"f" in around or not (expected or (latin >= 4 and latin > around.count(b"c") + around.count(b"h"))):
            continue
        word = text[start:end]
        others = [char for char, name in zip(word, classes[start:end], strict=True) if name == 102]
        if others and not _is_dressed(word, others, loose):
            continue
        table = {char: loose[char] for char in others} | {
            char: strict[char] for char, name in zip(word, classes[start:end], strict=True) if name == 99
        }
        edits += [(start + i, start + i + 1, table[char]) for i, char in enumerate(word) if char in table]
        sure = 0.7 if end - start > 1 else 0.4
        marks.append((start, end, "confusable_word", sure, "a word of another script that looks Latin"))
    return edits, marks


def _is_dressed(word: str, others: list[str], loose: Mapping[str, str]) -> bool:
    """Whether letters that only resemble Latin ones may pass, since the rest of the word leaves no doubt."""
    rare = not _RARE.isdisjoint(word)
    few = len(others) * 5 <= len(word) and "і" in word
    return all(char in loose for char in others) and (few or (rare and len(others) * 2 <= len(word)))
