"""The second stage: letters that look like others are read as those, where the text around them says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.lookalikes import confusables, lookalikes
from seemly.text.turned import find_turned

if TYPE_CHECKING:
    from seemly.text.signals import Mark
    from seemly.text.view import Edit

__all__ = ["resolve"]

_SYMBOLS = re.compile(rb"[swE]++")
_MIXED = re.compile(rb"a[ldmnow]*+[cf]|[cf][dmno]*+[al]")
_WHOLE = re.compile(rb" (c[cmn]*+) ")
_FLAGS = re.compile(rb"R++")
_LETTERS = b"alwscfdmnoREV"
_TOKEN = re.compile(rb"[alwscfdmnoREV]*+")
_PARTS = bytes(99 if c in b"c" else 109 if c in b"mno" else 120 if c in b"alwsfhdD" else 32 for c in range(256))
_MAX_TOKEN = 64
_NEAR = 64
_LATIN = frozenset({"Latin", "Latn", "latin"})


def resolve(text: str, classes: bytes, expected: frozenset[str]) -> tuple[list[Edit], list[Mark]]:
    """The edits that read look-alikes in `text` (NFKC, without invisibles), and what was noticed."""
    found: dict[int, Edit] = {}
    marks: list[Mark] = []
    taken = [(start, end) for start, end, _ in _flags(text, classes, found, marks)]
    if b"s" in classes or b"w" in classes:
        for start, end, new in find_turned(text):
            found[start] = (start, end, new)
            marks.append((start, end, "confusable_word", 0.9, "letters turned upside down"))
            taken.append((start, end))
    if b"E" in classes or b"s" in classes or b"w" in classes:
        _symbols(text, classes, taken, found, marks)
    if b"c" in classes or b"f" in classes:
        _mixed(text, classes, found, marks)
    if b"c" in classes and (not expected or expected & _LATIN):
        _whole(text, classes, bool(expected & _LATIN), found, marks)
    return [found[start] for start in sorted(found)], marks


def _flags(text: str, classes: bytes, found: dict[int, Edit], marks: list[Mark]) -> list[Edit]:
    """Regional letters that pair up into flags are flags; in any other run they spell."""
    flags = lookalikes("flag")
    spelled: list[Edit] = []
    for match in _FLAGS.finditer(classes) if b"R" in classes else ():
        start, end = match.span()
        letters = "".join(chr(ord(char) - 0x1F1E6 + 65) for char in text[start:end])
        if len(letters) % 2 == 0 and all(letters[i : i + 2] in flags for i in range(0, len(letters), 2)):
            continue
        for i, letter in enumerate(letters):
            found[start + i] = (start + i, start + i + 1, letter)
        marks.append((start, end, "confusable_word", 0.7, "regional letters that are no flag"))
    return spelled


def _bounds(classes: bytes, start: int, end: int) -> tuple[int, int]:
    floor = max(0, start - _MAX_TOKEN)
    while start > floor and classes[start - 1] in _LETTERS:
        start -= 1
    match = _TOKEN.match(classes, end, min(len(classes), end + _MAX_TOKEN))
    return start, match.end() if match else end


def _symbols(
    text: str, classes: bytes, taken: list[tuple[int, int]], found: dict[int, Edit], marks: list[Mark]
) -> None:
    strong, weak, emoji = lookalikes("strong"), lookalikes("weak"), lookalikes("emoji")
    inside = {at for start, end in taken for at in range(start, end)}
    done = 0
    for match in _SYMBOLS.finditer(classes):
        if match.start() < done or match.start() in inside:
            continue
        start, end = _bounds(classes, *match.span())
        start = max(start, done)
        done = end
        names = classes[start:end]
        if not (b"s" in names or b"w" in names):
            _emoji(text, classes, start, end, emoji, found, marks)
            continue
        sure = any(char in strong for char in text[start:end])
        hazy = not sure and b"w" in names and _reads_as_latin(text, names, start, end, weak)
        if not sure and not hazy:
            continue
        _emoji(text, classes, start, end, emoji, found, marks)
        for at in range(start, end):
            char = text[at]
            new = strong.get(char) or weak.get(char) or (confusables().get(char) if classes[at] in b"cw" else None)
            if new is not None:
                found[at] = (at, at + 1, new)
        marks.append((start, end, "confusable_word", 0.7 if sure else 0.5, "letters of a symbol or phonetic alphabet"))


def _emoji(
    text: str, classes: bytes, start: int, end: int, emoji: dict[str, str], found: dict[int, Edit], marks: list[Mark]
) -> None:
    for at in range(start, end):
        if classes[at] != 69:
            continue
        after = at + 1
        while after < len(classes) and classes[after] == 86:
            after += 1
        before = at - 1
        while before >= 0 and classes[before] == 86:
            before -= 1
        beside = classes[after : after + 1] + classes[max(before, 0) : before + 1]
        if len(emoji[text[at]]) > 2 or not any(name in b"asER" for name in beside):
            continue
        found[at] = (at, after, emoji[text[at]])
        marks.append((at, after, "confusable_word", 0.5, "emoji of letters"))


def _reads_as_latin(text: str, names: bytes, start: int, end: int, weak: dict[str, str]) -> bool:
    """Whether a word with phonetic letters is meant as plain Latin, not as a transcription."""
    if b"l" in names or text[start - 1 : start] in ("/", "[", "ˈ", "ˌ", "ː") or text[end : end + 1] in ("/", "]", "ˈ", "ˌ", "ː"):
        return False
    count = names.count(b"w")
    letters = count + names.count(b"a")
    if any(name == 119 and text[start + i] not in weak and text[start + i] not in confusables() for i, name in enumerate(names)):
        return False
    plain = [text[start + i] for i, name in enumerate(names) if name == 97]
    if all(char in "sxzocvwSXZOCVW" for char in plain):
        return count >= 2
    return letters >= 3 and all(text[start + i] in "ɡɑƒɩı" for i, name in enumerate(names) if name == 119)


def _mixed(text: str, classes: bytes, found: dict[int, Edit], marks: list[Mark]) -> None:
    done = 0
    for match in _MIXED.finditer(classes):
        if match.start() < done:
            continue
        start, end = _bounds(classes, *match.span())
        start = max(start, done)
        done = end
        new = _read_mixed(text[start:end], classes[start:end])
        if new is None:
            continue
        for at, char in enumerate(new, start):
            if char != text[at]:
                found.setdefault(at, (at, at + 1, char))
        resolved = new != text[start:end]
        marks.append((start, end, "mixed_script", 0.8 if resolved else 0.3, "letters of two scripts in one word"))
        if resolved:
            marks.append((start, end, "confusable_word", 0.8, "letters that look like others"))


def _read_mixed(token: str, names: bytes) -> str | None:
    """What a word of two scripts says, letter for letter; itself where that is unclear, None where it is ordinary."""
    strict, loose, cyrillic = confusables(), lookalikes("loose"), lookalikes("cyrillic")
    latin = [char for char, name in zip(token, names, strict=True) if name in b"al"]
    foreign = [char for char, name in zip(token, names, strict=True) if name in b"cf"]
    distinct = names.count(b"f")
    letters = re.sub(rb"[^alcf]", b"", names).translate(bytes.maketrans(b"lf", b"ac"))
    turns = len(re.findall(rb"ac|ca", letters))
    greek = all("\u0370" <= char < "\u0400" for char in foreign)
    if greek and _is_notation(token, latin, foreign, turns):
        return None
    if turns == 1 and not greek and distinct and (len(latin) > 1 or len(foreign) > 2):
        joined = "".join(latin)
        if joined.isupper() or len(latin) > 2 or not all(char in cyrillic for char in latin):
            return None
    if distinct >= len(latin) and all(char in cyrillic for char in latin) and not greek:
        return "".join(cyrillic[char] if name in b"al" else char for char, name in zip(token, names, strict=True))
    if all(char in loose or strict.get(char, "0").isalpha() for char in foreign):
        read = (strict.get(char, "") if name == 99 else loose.get(char, char) if name == 102 else char
                for char, name in zip(token, names, strict=True))
        return "".join(new or char for new, char in zip(read, token, strict=True))
    return token


def _is_notation(token: str, latin: list[str], foreign: list[str], turns: int) -> bool:
    """Greek beside Latin is science as a rule: μm, kΩ, TNFα, NFκB, Δx."""
    if len(latin) + len(foreign) < 4 or token[0] in "μΔΩΣπλ" and turns == 1:
        return True
    small = [char for char in foreign if char.islower()]
    return bool(small) and sum(char.isupper() for char in latin) > len(latin) / 2


def _whole(text: str, classes: bytes, expected: bool, found: dict[int, Edit], marks: list[Mark]) -> None:
    parts = b" " + classes.translate(_PARTS) + b" "
    strict = confusables()
    at = 0
    while (match := _WHOLE.search(parts, at)) is not None:
        start, end = match.start(), match.end() - 2
        at = match.end() - 1
        around = classes[max(0, start - _NEAR) : start] + classes[end : end + _NEAR]
        latin = around.count(b"a")
        if b"f" in around or not (expected or (latin >= 4 and latin > around.count(b"c") + around.count(b"h"))):
            continue
        for place in range(start, end):
            if classes[place] == 99:
                found.setdefault(place, (place, place + 1, strict[text[place]]))
        marks.append((start, end, "confusable_word", 0.7 if end - start > 1 else 0.4, "a word of another script that looks Latin"))
