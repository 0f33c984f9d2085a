"""The first stage: NFKC with exact offsets; what cannot be seen, or only clutters letters, removed."""

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
_HIDDEN = frozenset(b"JZVT")
_STRIKES = frozenset("\u0334\u0335\u0336\u0337\u0338\u0488\u0489\u20d2\u20d3\u20d8\u20d9\u20da\u20e5\u20e6\u20ea\u20eb")
_FRAMES = frozenset("\u20dd\u20de\u20df\u20e0\u20e2\u20e3\u20e4")
_MAX_MARKS = 8
"""Marks of one script that a cluster may keep; Tibetan and Hebrew need no more, and NFKC sorts them in square time."""
_STACK = 3
"""Marks for any script, left over by NFKC on one letter, that make it zalgo."""
_JOINED = re.compile("[\u0590-\u0dff\u0f00-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]")
_SHOWN = re.compile("[\u00a9\u00ae\u2000-\u3300\U0001f000-\U0001faff]")
_KEYS = frozenset("0123456789#*")
_NUMERALS = re.compile("[ª-º\u2160-\u217f\u3300-\u33ff]")


def clean(text: str, classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """The edits from `text` to its NFKC without invisibles, controls and piled-up marks, and what was noticed."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    known: dict[str, str] = {}
    styled: list[int] = []
    for match in _SUSPECT.finditer(classes):
        start, end = match.span()
        name = classes[start]
        if end - start == 1:
            if name == 111:  # one mark in its place
                continue
            if name == 75:  # one compatibility character
                char = text[start]
                new = known.get(char)
                if new is None:
                    new = known[char] = unicodedata.normalize("NFKC", char)
                edits.append((start, end, new))
                if len(new) == 1 and new.isascii() and new.isalpha() and not _NUMERALS.match(char):
                    styled.append(start)
                continue
        if name in b"CS":
            marks.append((start, start + 1, "illegal", 0.3, "control character or lone surrogate"))
            edits.append(_illegal(text, start))
            base = ""
            start += 1
            if start == end:
                continue
        elif name == 80:
            base = _parenthesized(text, classes, start)
            edits.append((start, start + 1, base))
            if len(base) == 1:
                styled.append(start)
            start += 1
            base = ""
            if start == end:
                continue
        elif name == 75:
            base = text[start]
        else:
            before = start - 1
            base = text[before] if before >= 0 and classes[before] not in b"CSP" and (not edits or edits[-1][1] <= before) else ""
            start -= len(base)
        segment = text[start:end]
        new_segment = known.get(segment)
        if new_segment is None:
            follower = text[end : end + 1]
            new_segment, kept = _settle(base, segment[len(base) :], classes[start + len(base) : end], follower, text, start)
            kinds = _HIDDEN.intersection(classes[start:end])
            if not kinds:
                known[segment] = new_segment
            hidden = len(segment) - len(base) - kept
            if hidden and kinds:
                marks.append(_hidden(start + len(base), end, segment, base, follower))
            elif hidden:
                marks.append((start, end, "zalgo", 0.7 if hidden > 2 else 0.5, "marks piled on a letter"))
        if new_segment != segment:
            if base and new_segment[: len(base)] == base:
                edits.append((start + len(base), end, new_segment[len(base) :]))
            else:
                edits.append((start, end, new_segment))
    marks.extend(_styled(text, classes, styled))
    return edits, marks


def _illegal(text: str, at: int) -> Edit:
    """NUL and other controls go; a lone surrogate becomes U+FFFD, so that what reads on can encode the text."""
    return (at, at + 1, "\ufffd" if "\ud800" <= text[at] <= "\udfff" else "")


def _parenthesized(text: str, classes: bytes, at: int) -> str:
    word = at > 0 and classes[at - 1] in b"Pa" or at + 1 < len(text) and classes[at + 1] in b"Pa"
    return lookalikes("parenthesized")[text[at]] if word else unicodedata.normalize("NFKC", text[at])


def _settle(base: str, body: str, classes: bytes, follower: str, text: str, at: int) -> tuple[str, int]:
    """What a base and what follows it come to, and how many characters of `body` had a right to be there."""
    kept: list[str] = []
    generic = 0
    others = 0
    last = base
    for char, name in zip(body, classes, strict=True):
        if name == 90:
            continue
        if name == 74:
            if not _joins(last or text[at - 1 : at], char, body, follower):
                continue
        elif name == 86:
            if not _varies(last, char, body):
                continue
        elif name == 84:
            if base != "\U0001f3f4" or body[-1] != "\U000e007f":
                continue
        elif name == 109:
            if generic > _MAX_MARKS or (char in _STRIKES | _FRAMES and base.isalpha()):
                continue
            if char in _STRIKES and base.isdigit():
                continue
            generic += 1
        elif unicodedata.combining(char):
            others += 1
            if others > _MAX_MARKS:
                continue
        kept.append(char)
        last = char
    new = unicodedata.normalize("NFKC", base + "".join(kept))
    if generic >= _STACK and sum(map(_is_generic, new)) >= _STACK:
        kept = [char for char in kept if not _is_generic(char)]
        new = unicodedata.normalize("NFKC", base + "".join(kept))
    return new, len(kept)


def _is_generic(char: str) -> bool:
    return unicodedata.combining(char) > 0 and unicodedata.name(char, "").startswith("COMBINING")


def _joins(last: str, char: str, body: str, follower: str) -> bool:
    if not last or last in "\u200c\u200d":
        return False
    if _JOINED.match(last):
        return bool(follower and _JOINED.match(follower)) or char == "\u200d" or len(body) > 1
    shown = _SHOWN.match(last) or last == "\ufe0f" or last == "\U000e007f"
    return char == "\u200d" and bool(shown and follower and _SHOWN.match(follower))


def _varies(last: str, char: str, body: str) -> bool:
    if char in "\ufe0e\ufe0f":
        return bool(_SHOWN.match(last)) or (last in _KEYS and "\u20e3" in body)
    if "\u4e00" <= last <= "\u9fff" or "\u3400" <= last <= "\u4dbf" or "\U00020000" <= last <= "\U0003ffff":
        return char >= "\U000e0100"
    return "\u1800" <= last <= "\u18af" and char < "\u2000"


def _hidden(start: int, end: int, segment: str, base: str, follower: str) -> Mark:
    inside = base.isalnum() and follower.isalnum()
    tags = any("\U000e0020" <= char <= "\U000e007f" for char in segment)
    soft = segment[len(base) :].strip("\u00ad\u200e\u200f\u061c\ufeff") == ""
    if tags:
        return start, end, "invisible", 0.9, "tag characters"
    if soft:
        return start, end, "invisible", 0.1, "soft hyphen, mark of direction or byte order"
    if inside:
        return start, end, "invisible", 0.8, "invisible characters within a word"
    return start, end, "invisible", 0.3, "invisible characters"


def _styled(text: str, classes: bytes, at: list[int]) -> list[Mark]:
    """Words of letters that NFKC reads as ASCII: mathematical, circled, fullwidth, superscript."""
    marks: list[Mark] = []
    run: list[int] = []
    for place in [*at, len(text) + 2]:
        if run and place != run[-1] + 1:
            start, end = run[0], run[-1] + 1
            raised = unicodedata.category(text[start]) == "Lm"
            wide = "\uff21" <= text[start] <= "\uff5a"
            beside = b"h" in classes[max(start - 16, 0) : end + 16]
            if len(run) > (2 if raised else 1) and not (wide and beside):
                marks.append((start, end, "confusable_word", 0.3 if wide else 0.6, "letters of a symbol alphabet"))
            run = []
        run.append(place)
    return marks
