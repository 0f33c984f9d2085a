"""Text turned upside down: ʞɔnɟ is fuck, read from its end."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from seemly.text.lookalikes import lookalikes

if TYPE_CHECKING:
    from seemly.text.spoof_signals import Mark
    from seemly.text.view import Edit

__all__ = ["read_turned"]


def read_turned(text: str, _classes: bytes) -> tuple[list[Edit], list[Mark]]:
    """The words of turned phrases and what each says; words stay in the order they stand in."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    strong, weak, plain = lookalikes("turned_strong"), lookalikes("turned_weak"), lookalikes("turned_plain")
    for match in _phrase().finditer(text):
        words = [word.span() for word in _word().finditer(text, *match.span())]
        while words and not any(char in strong or char in weak for char in text[slice(*words[0])]):
            words.pop(0)
        while words and not any(char in strong or char in weak for char in text[slice(*words[-1])]):
            words.pop()
        if not words:
            continue
        start, end = words[0][0], words[-1][1]
        phrase = text[start:end]
        sure = sum(char in strong for char in phrase)
        turned = sure + sum(char in weak for char in phrase)
        letters = sum(last - first for first, last in words)
        transcribed = text[start - 1 : start] in ("/", "[") or text[end : end + 1] in ("/", "]")
        if turned < 2 or turned * 3 < letters or not (sure or turned > 2) or transcribed:
            continue
        for first, last in words:
            word = (strong.get(char) or weak.get(char) or plain[char] for char in reversed(text[first:last]))
            edits.append((first, last, "".join(word)))
        marks.append((start, end, "confusable_word", 0.9, "letters turned upside down"))
    return edits, marks


def _letters() -> str:
    plain = (char for char in lookalikes("turned_plain") if char.isalpha())
    return re.escape("".join((*lookalikes("turned_strong"), *lookalikes("turned_weak"), *plain)))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_letters()}]++")


@cache
def _phrase() -> re.Pattern[str]:
    word = rf"[{_letters()}]++(?!\w)"
    return re.compile(rf"(?<!\w){word}(?:[ ,.'!?¿¡˙]{{1,3}}+{word})*+")
