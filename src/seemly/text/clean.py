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
    from seemly.text.signals import Mark
    from seemly.text.view import Edit

__all__ = ["clean"]

_SUSPECT = re.compile(rb"[mnokKPJZVTCS][mnokJZVT]*+")
_MARK, _COMPATIBLE, _GENERIC, _PARENTHESIZED = ord("o"), ord("K"), ord("m"), ord("P")
_JOINER, _SELECTOR, _TAG, _INVISIBLE = ord("J"), ord("V"), ord("T"), ord("Z")
_HIDDEN = frozenset(b"JVTZ")
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
    """The edits from `text` to its NFKC without invisibles, controls and piled-up marks, and what was noticed."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    styled: list[int] = []
    known: dict[str, tuple[str, bool]] = {}
    done = 0
    for match in _SUSPECT.finditer(classes):
        start, end = match.span()
        name = classes[start]
        if end - start == 1 and name == _MARK:
            continue
        if name == _COMPATIBLE:
            base = start
        elif name in b"CSP":
            new = _single(text, classes, start)
            edits.append((start, start + 1, new))
            if name == _PARENTHESIZED:
                styled.append(start)
            else:
                marks.append((start, start + 1, "illegal", 0.3, "control character or lone surrogate"))
            base = start = start + 1
            done = start
            if start == end:
                continue
        else:
            base = start - (start > done)
        done = end
        segment = text[base:end]
        if segment in known:
            settled, piled = known[segment]
            if piled:
                marks.append((base, end, "zalgo", 0.4, "marks piled on letters"))
        else:
            noted = len(marks)
            settled = _settle(text, classes, base, start + (name == _COMPATIBLE), end, marks)
            if _HIDDEN.isdisjoint(classes[start:end]) and not _RAISED.intersection(segment):
                known[segment] = settled, len(marks) > noted
        if settled != segment:
            same = base < start and settled[:1] == segment[:1]
            edits.append((base + same, end, settled[same:]))
            if name == _COMPATIBLE and _is_styled(segment, settled):
                styled.append(start)
    marks += _styles(text, classes, styled)
    return edits, marks


def _single(text: str, classes: bytes, at: int) -> str:
    """What stands for a control (nothing), a lone surrogate (U+FFFD, which can be encoded), a letter in parentheses."""
    char = text[at]
    if classes[at] == _PARENTHESIZED:
        beside = classes[max(at - 1, 0) : at] + classes[at + 1 : at + 2]
        letters = b"P" in beside or b"a" in beside
        return lookalikes("parenthesized")[char] if letters else unicodedata.normalize("NFKC", char)
    return "\ufffd" if "\ud800" <= char <= "\udfff" else ""


def _settle(text: str, classes: bytes, base: int, start: int, end: int, marks: list[Mark]) -> str:
    """What a segment comes to: a base, `text[base:start]`, at most one character, and what follows it."""
    head = text[base:start]
    before, after = text[base - 1 : base] if base else "", text[end : end + 1]
    if start == end:
        return head if head in _RAISED and _is_index(text, base) else unicodedata.normalize("NFKC", head)
    compatible = classes[base] == _COMPATIBLE
    if compatible and text[start:end] == "\ufe0f" and not (before.isalpha() or after.isalpha()):
        return text[base:end]
    kept: list[str] = []
    tags: list[str] = []
    generic = others = 0
    for char, name in zip(text[start:end], classes[start:end], strict=True):
        last = kept[-1] if kept else head
        if name == _INVISIBLE:
            continue
        if name == _JOINER:
            if not _joins(last or before, char, after if end - start - len(kept) <= 2 else last):
                continue
        elif name == _SELECTOR:
            if not _selects(last, char, "\u20e3" in text[start:end]):
                continue
        elif name == _TAG:
            tags.append(char)
            continue
        elif name == _GENERIC:
            if generic > _MAX_MARKS or (char in _STRIKES and head.isalnum()) or (char in _FRAMES and head.isalpha()):
                continue
            generic += 1
        elif unicodedata.combining(char):
            others += 1
            if others > _MAX_MARKS:
                continue
        kept.append(char)
    if before.isalpha() and after.isalpha() and "".join(kept).endswith("\u20e3"):
        kept.clear()
    settled = _compose(head, "".join(kept), compatible)
    if generic >= _STACK and sum(map(_is_generic, settled)) >= _STACK:
        kept = [char for char in kept if not _is_generic(char)]
        settled = _compose(head, "".join(kept), compatible)
    hidden = end - start - len(kept)
    if tags:
        settled += _spell_tags(head, "".join(tags), after)
        hidden -= len(tags) if settled.endswith(tags[-1]) else 0
    if hidden:
        marks.append(_note(text, classes, start, end, hidden))
    return settled


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


def _note(text: str, classes: bytes, start: int, end: int, hidden: int) -> Mark:
    if _HIDDEN.isdisjoint(classes[start:end]):
        return start, end, "zalgo", 0.7 if hidden > 2 else 0.4, "marks piled on letters"
    segment = text[start:end]
    if b"T" in classes[start:end]:
        return start, end, "invisible", 0.9, "tag characters"
    if not segment.strip(_SOFT):
        return start, end, "invisible", 0.1, "soft hyphen, mark of direction, of byte order or of form"
    before, after = text[max(start - 3, 0) : start], text[end : end + 3]
    if not (before[-1:].isalnum() and after[:1].isalnum()):
        return start, end, "invisible", 0.3, "invisible characters"
    breaks = segment == "\u200b" and len(before) == len(after) == 3 and before.isalnum() and after.isalnum()
    return start, end, "invisible", 0.4 if breaks else 0.8, "invisible characters within a word"


def _is_styled(char: str, settled: str) -> bool:
    return len(settled) == 1 and settled.isascii() and settled.isalpha() and not _NUMERAL.match(char)


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
        if end - start > (2 if raised else 1) or (within and not raised):
            sure = 0.8 if within else 0.3 if wide else 0.45
            marks.append((start, end, "confusable_word", sure, "letters of a symbol alphabet"))
    return marks
