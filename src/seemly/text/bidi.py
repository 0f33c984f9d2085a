"""Words stored backwards behind a right-to-left override: a reader sees them the right way round."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seemly.text.spoof_signals import Mark
    from seemly.text.view import Edit

__all__ = ["OVERRIDE", "turn_back"]

OVERRIDE = "\u202e"
_FORCED = re.compile(f"{OVERRIDE}([^\u202a-\u202e\u2069\n\r\u2029]++)")
_WORD = re.compile(r"[^\W_]{2,}+")


def turn_back(text: str) -> tuple[list[Edit], list[Mark]]:
    """Edits that reverse each left-to-right word behind an override; the order of words stays as it is stored."""
    edits: list[Edit] = []
    marks: list[Mark] = []
    for forced in _FORCED.finditer(text):
        words = [word for word in _WORD.finditer(text, *forced.span(1)) if unicodedata.bidirectional(word[0][0]) == "L"]
        edits += [(word.start(), word.end(), word[0][::-1]) for word in words]
        if words:
            marks.append((forced.start(), forced.end(), "invisible", 0.9, "text stored backwards"))
    return edits, marks
