"""Where an address ends: what people write after one is not part of it."""

from __future__ import annotations

import re

from seemly.text.boundaries import OTHER_LETTERS

__all__ = ["SENTENCE_MARK", "tail_end"]

# Whitespace, quotation marks and CJK, Arabic and Indic punctuation never stand in an address as people type it.
_TAIL = re.compile(
    r"[/?#][^\s<>\"`\u200b\u2060\ufeff\u0000-\u0020\u007f-\u009f\u00ab\u00bb\u060c\u061b\u061f\u06d4\u0964\u0965\u2018-\u201f\u2026"
    r"\u2039\u203a\u3000-\u3003\u3008-\u3011\u3014-\u301f\ufe30-\ufe4f\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
    r"\uff3b\uff3d\uff5b-\uff65\ufffc]*"
)
SENTENCE_MARK = re.compile("[\u2026\u3001\u3002\u300c-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]")
"""Punctuation that ends an address, though compatibility normalization turns it into ASCII that would not."""

_BREAK = re.compile(rf"[()\[\]{{}}|]|(?<=[0-9A-Za-z])[{OTHER_LETTERS}]|(?i:(?<![/=?&#:%])https?://)")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_OPENING = "([{"
_STOPS = ".,;:!?'*~|\\$&^"


def tail_end(text: str, start: int) -> int:
    """The end of the path, query and fragment that begin at `start`; `start` itself where none does.

    Brackets stay while they balance within the address (as in Wikipedia's links). Letters of another script that
    follow a Latin letter or digit are the sentence going on, and so is a second `https://` that no
    `/`, `=` or `&` leads to. Full stops, commas and other marks at the end belong to the sentence. Linear in the tail.
    """
    tail = _TAIL.match(text, start)
    if tail is None:
        return start
    end = _cut(text, start, tail.end())
    while end > start:
        last = text[end - 1]
        if last in _STOPS or last in _OPENING:
            end -= 1
        elif last == "s" and text[end - 2] == "'":
            end -= 2
        else:
            break
    return start if end == start + 1 and text[start] == "#" else end


def _cut(text: str, start: int, end: int) -> int:
    opened = {"(": 0, "[": 0, "{": 0}
    for found in _BREAK.finditer(text, start, end):
        mark = found.group()
        if mark in opened:
            opened[mark] += 1
        elif mark in _CLOSING:
            if not opened[_CLOSING[mark]]:
                return found.start()
            opened[_CLOSING[mark]] -= 1
        elif mark == "|":
            if "?" not in text[start : found.start()] or text.startswith("||", found.start()):
                return found.start()
        else:
            return found.start()
    return end
