"""The second stage: letters that look like others are read as those, where the text around them says so.

UTS #39 says which letters look alike; folding every one of them would ruin ordinary Russian or Greek. So a word is
read otherwise only if it mixes scripts, is written in a symbol alphabet, is turned upside down, or could be Latin
letter for letter and stands in Latin text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from seemly.text.lookalikes import confusables, lookalikes
from seemly.text.symbols import find_bounds, read_emoji, read_regional, read_symbols
from seemly.text.upside_down import read_turned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seemly.text.spoof_signals import Mark
    from seemly.text.view import Edit

__all__ = ["resolve"]

_MIXED = re.compile(rb"a[ldmnow$!]*+[cf]|[cf][dmno$!]*+[al]")
_ALIKE = re.compile(rb" (c[cm]*+)(?= )")
_DRESSED = re.compile(rb" ([cx][cxm]*+)(?= )")
_SHAPES = bytes(
    ord("c" if c in b"c" else "m" if c in b"mno" else "x" if c in b"f" else "." if c in b"alwshdDKRE" else " ")
    for c in range(256)
)
_NEAR = 64
_LATIN = frozenset({"latin", "latn"})
_RARE = re.compile("[ԁѕјһӏԛԝЅЈԌԚԜϲϹϝϳͿ]")
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
    """In order of place; of two readings of one place the first found stands."""
    kept: list[Edit] = []
    done = 0
    for edit in sorted(edits, key=itemgetter(0)):
        if edit[0] >= done:
            kept.append(edit)
            done = edit[1]
    return kept


def _read_mixed(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """Words of two scripts."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    known: dict[tuple[str, int], str | None] = {}
    done = 0
    for match in _MIXED.finditer(classes):
        if match.start() < done:
            continue
        start, end = find_bounds(classes, *match.span())
        start = max(start, done)
        done = end
        around = classes[max(0, start - _NEAR) : start] + classes[end : end + _NEAR]
        word = text[start:end]
        lean = around.count(b"f") - around.count(b"a")
        key = word, (lean > 0) - (lean < 0)
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


def _read_word(word: str, names: bytes, lean: int) -> str | None:
    """What a word of two scripts says, letter for letter; itself where that is unclear, None where it is ordinary.

    Of the Latin and the Cyrillic reading the cheaper holds: a letter costs nothing that looks just like another and
    two that only resembles it, and a reading costs two more where the script nearby is the other (`lean`: 1 for
    Cyrillic, -1 for Latin, 0 for neither).
    """
    strict, loose, weak = confusables(), lookalikes("loose"), lookalikes("weak")
    same, alike = lookalikes("homoglyph"), lookalikes("cyrillic")
    letters = [(char, name in b"cf") for char, name in zip(word, names, strict=True) if name in b"alwcf"]
    latin = [char for char, other in letters if not other]
    foreign = [char for char, other in letters if other]
    turns = sum(a[1] != b[1] for a, b in pairwise(letters))
    greek = all("\u0370" <= char < "\u0400" for char in foreign)
    if _is_ordinary(word, latin, foreign, turns, greek, alike):
        return None
    readings: list[tuple[int, str]] = []
    if all(strict.get(char, "0").isalpha() or char in loose for char in foreign):
        cost = 2 * sum(not strict.get(char, "0").isalpha() for char in foreign) + 2 * (lean > 0)
        to_latin = {char: strict[char] if strict.get(char, "0").isalpha() else loose[char] for char in foreign}
        readings.append((cost, _replace(word, to_latin | {char: weak[char] for char in latin if char in weak})))
    if not greek and all(char in alike for char in latin):
        cost = 2 * sum(char not in same for char in latin) + 2 * (lean < 0)
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
    whole = _DRESSED if "і" in text or _RARE.search(text) else _ALIKE
    for match in whole.finditer(shapes):
        start, end = match.start(), match.end() - 1
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
    rare = _RARE.search(word) is not None
    few = len(others) * 5 <= len(word) and "і" in word
    return all(char in loose for char in others) and (few or (rare and len(others) * 2 <= len(word)))
