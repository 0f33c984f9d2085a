"""From an entry of a wordlist to the pattern that is looked for.

An entry is a word or a phrase. `*` at the beginning or end of a word stands for any letters, none included:
`fuck*`, `*hole`, `*fuck*`. Between the words of a phrase any separators may stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import regex

from seemly.text.normalize import normalize
from seemly.text.view import SPACELESS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MatchMode", "Part", "Pattern", "parse_pattern"]

MatchMode = Literal["word", "embedded", "id"]

_SPACELESS = regex.compile(f"[{SPACELESS}]")
_HANGUL_END = regex.compile(r"\p{Hangul}\Z")
_KATAKANA = regex.compile(r"[\p{Katakana}ー]+")
_SYMBOLS = regex.compile(r"[\p{So}\p{Sk}\p{Sm}\p{Sc}\p{Emoji_Presentation}]")


@dataclass(frozen=True, slots=True)
class Part:
    """One word of a pattern; `before` and `after` say whether letters may stand before and after it in its word."""

    text: str
    before: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """What an entry looks for: words in a row or, where `symbol` is set, a sign such as an emoji.

    `widen` patterns, the ones with `*`, take the whole words that they are found in.
    `katakana` patterns are not looked for inside longer katakana words, which are mostly other loan words.
    """

    parts: tuple[Part, ...] = ()
    symbol: str | None = None
    widen: bool = False
    katakana: bool = False


def parse_pattern(source: str, match: MatchMode = "word") -> Pattern:
    """The pattern of one entry, read through the same views as the text.

    ValueError, without the entry in its message: it has no letter, digit or sign, so it would match nothing or
    everything.
    """
    parts = _starred(source) if "*" in source else [Part(word) for word in _words(source)]
    if not parts:
        sign = normalize(source).plain.text.strip("* ")
        if not _SYMBOLS.search(sign):
            raise ValueError("has no letter or digit, so it would match nothing or everything")
        return Pattern(symbol=sign)
    if match != "word":
        parts[0] = Part(parts[0].text, True, parts[0].after)
        parts[-1] = Part(parts[-1].text, parts[-1].before, True)
        return Pattern(tuple(parts))
    if "*" in source:
        return Pattern(tuple(map(_open, parts)), widen=not any(_SPACELESS.search(part.text) for part in parts))
    katakana = len(parts) == 1 and parts[0] == Part(parts[0].text) and bool(_KATAKANA.fullmatch(parts[0].text))
    return Pattern(tuple(map(_open, parts)), katakana=katakana)


def _words(source: str) -> Sequence[str]:
    return normalize(source).squashed.words


def _starred(source: str) -> list[Part]:
    parts: list[Part] = []
    for chunk in source.split():
        core = chunk.strip("*")
        words = _words(core)
        for i, word in enumerate(words):
            before = i == 0 and chunk.startswith("*")
            after = i == len(words) - 1 and chunk.endswith("*")
            parts.append(Part(word, before, after))
    return parts


def _open(part: Part) -> Part:
    """Scripts without spaces open a word on both sides; Korean particles follow theirs."""
    if _SPACELESS.search(part.text):
        return Part(part.text, True, True)
    if _HANGUL_END.search(part.text):
        return Part(part.text, part.before, True)
    return part
