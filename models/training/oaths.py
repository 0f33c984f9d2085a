"""Whether a text in some language holds a word of the lists of oaths: then it is not taken for calm unread."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from training.reading import read_text

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = re.compile(r"\w+")
_UNSPACED = ("ja", "th", "zh")
_HARMLESS = frozenset(
    ("ass", "sex", "gay", "nude", "god", "hell", "pik", "fan", "bog", "pula", "sau", "kut", "jud", "mas")
)


@cache
def oaths(lexicons: Path, language: str) -> frozenset[str]:
    """The listed words of a language, lower-case."""
    found: set[str] = set()
    for path in (lexicons / "ldnoobw" / language, lexicons / "censortext_profanity" / f"list_{language}.txt"):
        if path.exists():
            found |= {line.strip().lower() for line in read_text(path).splitlines()}
    return frozenset(word for word in found if len(word) > 1 and word not in _HARMLESS)


def swears(text: str, language: str, lexicons: Path) -> bool:
    """Whether a listed word stands in the text."""
    listed = oaths(lexicons, language)
    low = text.lower()
    if language in _UNSPACED:
        return any(word in low for word in listed)
    return not listed.isdisjoint(_WORDS.findall(low))
