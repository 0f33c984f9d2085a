"""The first stage: NFKC with exact offsets; what cannot be seen, or only clutters letters, removed.

NFKC of a text is the concatenation of the NFKC of its segments, a segment being a character and those after it that
may compose with it or change places, so only segments that hold something suspect are looked at.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from seemly.text.lookalikes import lookalikes

if TYPE_CHECKING:
    from typing import TypeAlias

    from seemly.text.spoof_signals import Mark, SignalKind
    from seemly.text.view import Edit

    Note: TypeAlias = tuple[SignalKind, float, str]

__all__ = ["clean"]

_SUSPECT = re.compile(rb"[mnokKPJZVTCS][mnokJZVT]*+")
_MARK, _COMPATIBLE, _GENERIC, _PARENTHESIZED = ord("o"), ord("K"), ord("m"), ord("P")
_JOINER, _SELECTOR, _TAG, _INVISIBLE = ord("J"), ord("V"), ord("T"), ord("Z")
_HIDDEN = frozenset(b"JVTZ")
_BREAK = "\u200b"
_STRIKES = frozenset("\u0334\u0335\u0336\u0337\u0338\u0488\u0489\u20d2\u20d3\u20d8\u20d9\u20da\u20e5\u20e6\u20ea\u20eb")
_FRAMES = frozenset("\u20dd\u20de\u20df\u20e0\u20e2\u20e3\u20e4")
_MAX_MARKS = 8
"""Marks of one script that a cluster may keep: no orthography needs more, and NFKC sorts them in square time."""
_STACK = 3
"""Marks for any script, left over by NFKC on one letter, that make it zalgo."""
_CURSIVE = re.compile("[\u0590-\u0dff\u0f00-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]")
_SOFT = "\u00ad\u061c\u200e\u200f\ufeff\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufe0e\ufe0f"
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_PICTURE = re.compile("[\u00a9\u00ae\u2000-\u3300\U0001f000-\U0001faff]")
_RAISED = frozenset("²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_NUMERAL = re.compile("[ª-º\u2160-\u217f\u3300-\u33ff]")
_FLAG = re.compile("\U0001f3f4(?:gb(?:eng|sct|wls)|us[a-z]{2}|ca[a-z]{2})")


def clean(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """The edits from `text` to its NFKC without invisibles, controls and piled-up marks, and what was noticed.

    A control goes; a lone surrogate becomes U+FFFD, which, unlike it, can be encoded.
    """
    edits: list[Edit] = []
    marks: list[Mark] = []
    styled: list[int] = []
    singles: dict[str, tuple[str, bool]] = {}
    known: dict[tuple[str, str, str], tuple[str, Note | None]] = {}
    done = 0
    for match in _SUSPECT.finditer(classes):
        start, end = match.span()
        name = classes[start]
        if end - start == 1:
            if name == _MARK:
                continue
            if name == _COMPATIBLE:
                char = text[start]
                single = singles.get(char)
                if single is None:
                    single = singles[char] = _compatible(char)
                if char in _RAISED and _is_index(text, start):
                    continue
                edits.append((start, end, single[0]))
                if single[1]:
                    styled.append(start)
                continue
        if name in b"CSP":
            if name == _PARENTHESIZED:
                edits.append((start, start + 1, _unwrap(text, classes, start)))
                styled.append(start)
            else:
                edits.append((start, start + 1, "\ufffd" if "\ud800" <= text[start] <= "\udfff" else ""))
                marks.append((start, start + 1, "illegal", 0.3, "control character or lone surrogate"))
            base = start = done = start + 1
            if start == end:
                continue
        else:
            base = start if name == _COMPATIBLE else start - (start > done)
        start += name == _COMPATIBLE
        done = end
        segment = text[base:end]
        key = text[base - 1 : base], segment, text[end : end + 1]
        if key not in known:
            known[key] = _settle(*key, classes[base:end], start - base)
        settled, note = known[key]
        if note is not None:
            sure = 0.4 if note[1] == 0.8 and segment[-1] == _BREAK and _is_break(text, end) else note[1]
            marks.append((start, end, note[0], sure, note[2]))
        if settled != segment:
            same = base < start and settled[:1] == segment[:1]
            edits.append((base + same, end, settled[same:]))
    marks += _styles(text, classes, styled)
    return edits, marks


def _compatible(char: str) -> tuple[str, bool]:
    """The NFKC of a character, and whether it is a styled ASCII letter."""
    new = unicodedata.normalize("NFKC", char)
    return new, len(new) == 1 and new.isascii() and new.isalpha() and not _NUMERAL.match(char)


def _unwrap(text: str, classes: bytes, at: int) -> str:
    """A letter in parentheses is the letter beside others, else what NFKC makes of it."""
    beside = classes[max(at - 1, 0) : at + 2]
    letters = b"PP" in beside or b"a" in beside
    return lookalikes("parenthesized")[text[at]] if letters else unicodedata.normalize("NFKC", text[at])


def _is_break(text: str, end: int) -> bool:
    """Whether the zero-width space before `end` lets a long word wrap: it has three letters on either side."""
    before, after = text[max(end - 4, 0) : end - 1], text[end : end + 3]
    return len(before) == len(after) == 3 and (before + after).isalpha()


def _settle(before: str, segment: str, after: str, classes: bytes, at: int) -> tuple[str, Note | None]:
    """What a segment comes to between two characters, and what is to be noted of it.

    `segment[:at]` is its base, at most one character; an empty one starts the text or follows a control.
    """
    head, body, names = segment[:at], segment[at:], classes[at:]
    compatible = classes[0] == _COMPATIBLE
    if compatible and body == "\ufe0f" and not (before.isalpha() or after.isalpha()):
        return segment, None
    kept: list[str] = []
    tags: list[str] = []
    generic = others = 0
    struck = False
    for char, name in zip(body, names, strict=True):
        last = kept[-1] if kept else head
        if name == _INVISIBLE:
            continue
        if name == _JOINER:
            if not _joins(last or before, char, after):
                continue
        elif name == _SELECTOR:
            if not _selects(last, char, "\u20e3" in body):
                continue
        elif name == _TAG:
            tags.append(char)
            continue
        elif name == _GENERIC:
            if (char in _STRIKES and head.isalnum()) or (char in _FRAMES and head.isalpha()):
                struck = True
                continue
            if generic > _MAX_MARKS:
                continue
            generic += 1
        elif unicodedata.combining(char):
            others += 1
            if others > _MAX_MARKS:
                continue
        kept.append(char)
    if before.isalpha() and after.isalpha() and kept[-1:] == ["\u20e3"]:
        kept.clear()
    settled = _compose(head, "".join(kept), compatible)
    if generic and sum(map(_is_generic, settled)) >= (1 if struck else _STACK):
        kept = [char for char in kept if not _is_generic(char)]
        settled = _compose(head, "".join(kept), compatible)
    hidden = len(body) - len(kept)
    if tags:
        spelled = _spell_tags(head, "".join(tags), after)
        settled += spelled
        hidden -= len(tags) * (spelled[-1:] == tags[-1])
    return settled, _note(before + head, body, names, after, hidden) if hidden else None


def _compose(head: str, body: str, compatible: bool) -> str:
    """NFKC of both, but for a head that the classes exempt from it."""
    if compatible:
        return unicodedata.normalize("NFKC", head + body)
    return unicodedata.normalize("NFC", head + unicodedata.normalize("NFKC", body))


def _is_index(text: str, at: int) -> bool:
    """Whether a raised or lowered digit is an index or a power: up to three of them, not a number in disguise."""
    start = end = at
    while start > 0 and at - start < 4 and text[start - 1] in _RAISED:
        start -= 1
    while end < len(text) and end - at < 4 and text[end] in _RAISED:
        end += 1
    return end - start <= 3


def _is_generic(char: str) -> bool:
    return unicodedata.combining(char) > 0 and unicodedata.name(char, "").startswith("COMBINING")


def _joins(before: str, joiner: str, after: str) -> bool:
    """Whether a joiner shapes letters of a cursive or Indic script, or makes one emoji of two."""
    if _CURSIVE.match(before):
        return bool(_CURSIVE.match(after))
    picture = before in ("\ufe0f", "\U000e007f") or _PICTURE.match(before)
    return joiner == "\u200d" and bool(picture and _PICTURE.match(after))


def _selects(before: str, selector: str, key: bool) -> bool:
    """Whether a variation selector picks a form of an emoji, a keycap, a Han or a Mongolian letter."""
    if selector in "\ufe0e\ufe0f":
        return bool(_PICTURE.match(before)) or (key and before in "0123456789#*")
    return bool(_HAN.match(before)) if selector > "\ufe0f" else "\u1800" <= before <= "\u18af"


def _spell_tags(head: str, tags: str, after: str) -> str:
    """Tags on a black flag make the flag of a country's part; on a letter they go; elsewhere they hide words."""
    letters = "".join(chr(ord(char) - 0xE0000) for char in tags if "\U000e0020" <= char <= "\U000e007e")
    if tags[-1] == "\U000e007f" and _FLAG.fullmatch(head + letters):
        return tags
    if not letters.strip() or head.isalnum():
        return ""
    return (" " if head.strip() else "") + letters + (" " if after.strip() else "")


def _note(before: str, body: str, names: bytes, after: str, hidden: int) -> Note:
    if _HIDDEN.isdisjoint(names):
        return "zalgo", 0.7 if hidden > 2 else 0.4, "marks piled on letters"
    if b"T" in names:
        return "invisible", 0.9, "tag characters"
    if not body.strip(_SOFT):
        return "invisible", 0.1, "soft hyphen, mark of direction, of byte order or of form"
    if before[-1:].isalnum() and after.isalnum():
        return "invisible", 0.8, "invisible characters within a word"
    return "invisible", 0.3, "invisible characters"


def _styles(text: str, classes: bytes, at: list[int]) -> list[Mark]:
    """Words of letters that NFKC reads as ASCII: mathematical, circled, fullwidth, superscript."""
    marks: list[Mark] = []
    first = 0
    for i in range(1, len(at) + 1):
        if i < len(at) and at[i] == at[i - 1] + 1:
            continue
        start, end = at[first], at[i - 1] + 1
        first = i
        raised = unicodedata.category(text[start]) == "Lm"
        wide = "\uff21" <= text[start] <= "\uff5a"
        within = classes[start - 1 : start] == b"a" == classes[end : end + 1]
        eastern = wide and b"h" in classes[max(start - 8, 0) : end + 8]
        if not eastern and (end - start > (2 if raised else 1) or (within and not raised)):
            sure = 0.8 if within else 0.3 if wide else 0.45
            marks.append((start, end, "confusable_word", sure, "letters of a symbol alphabet"))
    return marks
