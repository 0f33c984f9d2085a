"""The graded profanity lexicon, and the two functions that need nothing else."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from seemly.text.normalize import normalize
from seemly.words.disguises import STEMS, Disguises, stretched
from seemly.words.index import WordIndex, hit_at
from seemly.words.patterns import Part, Pattern
from seemly.words.readings import readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.span import Span
    from seemly.text.normalize import Normalized
    from seemly.words.index import Hit

__all__ = ["Entry", "Lexicon", "Profanity", "censor", "contains_profanity", "lexicon"]

_MIN_STRETCHED = 4
_EXACT = 5
_ORDINARY = frozenset({"shiite", "shiites", "twatt"})
_INNER_MARK = re.compile(r"!(?=\w)")
_PRODUCT = re.compile(r"[A-Z]\d+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the lexicon: `grade` is 1 mild, 2 strong, 3 slurs and extreme; 0 exempts what stands in it.

    `exact`, where it is set, is the only spelling that counts, diacritics and all. An `ambiguous` mild word, such
    as a first name, counts as strong where it is disguised. In the languages `unless` it is an ordinary word.
    """

    languages: tuple[str, ...]
    grade: int
    category: str
    unless: frozenset[str] = frozenset()
    exact: str = ""
    ambiguous: bool = False


class Profanity(NamedTuple):
    """A word of the lexicon found in a text."""

    span: Span
    entry: Entry


class Lexicon:
    """An immutable index of the lexicon."""

    __slots__ = ("_disguises", "_entries", "_exempt", "_index", "_numbers", "_size", "_triggers")

    def __init__(self, rows: list[str]) -> None:
        entries: dict[tuple[str, ...], int] = {}
        words: dict[str, int] = {}
        patterns: list[Pattern] = []
        numbers: list[int] = []
        exempt: list[Pattern] = []
        distinctive: dict[str, int] = {}
        strong: dict[str, int] = {}
        for row in rows:
            word, *rest = row.split("\t")
            grade, flags = rest[1], rest[3].partition("!")[0] if len(rest) > 3 else ""
            if grade == "0":
                exempt.append(_pattern(word, flags))
                continue
            number = entries.setdefault(tuple(rest), len(entries))
            if " " in word or "*" in word or "e" in flags or "k" in flags:
                patterns.append(_pattern(word, flags))
                numbers.append(number)
                continue
            words[word] = number
            if grade != "1" and len(rest) < _EXACT:
                strong[word] = number
                if "x" in flags:
                    distinctive[word] = number
        for word, number in distinctive.items():
            if len(word) >= def _entry(columns: tuple[str, ...]) -> Entry:
    languages, grade, category, flags, exact = (*columns, "", "")[:_EXACT]
    flags, _, unless = flags.partition("!")
    return Entry(
        tuple(languages.split(",")),
        int(grade),
        category,
        frozenset(unless.split(",")) if unless else frozenset(),
        exact,
        "h" in flags,
    )


def _pattern(word: str, flags: str) -> Pattern:
    if "e" in flags:
        return Pattern(symbol=word)
    parts = tuple(
        Part(each.strip("*"), each[0] == "*", each[-1] == "*") if "*" in each else Part(each)
        for each in word.split(" ")
    )
    return Pattern(parts, widen="*" in word and "s" not in flags, katakana="k" in flags)


def _counts(entry: Entry, span: Span, original: str, language: str | None) -> bool:
    if language is not None and language in entry.unless:
        return False
    if not entry.exact:
        return not _PRODUCT.fullmatch(original, span.start, span.end)
    spelled = unicodedata.normalize("NFC", span.of(original)).casefold()
    return " ".join(spelled.split()) == entry.exact


def _as_meant(entry: Entry, span: Span, original: str) -> Entry:
    spelled = span.of(original)
    if not entry.ambiguous or (spelled.isascii() and spelled.isalpha()):
        return entry
    return replace(entry, grade=2)


def _outermost(found: list[Profanity], exempt: list[Span]) -> list[Profanity]:
    """What stands in no exempt span and in no other find of the same grade or a higher one, by place."""
    exempt.sort()
    kept: list[Profanity] = []
    furthest, at = -1, 0
    for one in sorted(found, key=lambda one: (one.span.start, -one.span.end, -one.entry.grade)):
        while at < len(exempt) and exempt[at].start <= one.span.start:
            furthest = max(furthest, exempt[at].end)
            at += 1
        if one.span.end <= furthest:
            continue
        if kept and one.span.end <= kept[-1].span.end and one.entry.grade <= kept[-1].entry.grade:
            continue
        kept.append(one)
    return kept


@cache
def lexicon() -> Lexicon:
    """The packaged lexicon, read once."""
    text = files("seemly").joinpath("data/profanity.tsv").read_text("utf-8")
    return Lexicon([row for row in text.splitlines() if not row.startswith("#")])


def contains_profanity(text: str) -> bool:
    """Whether the text has strong profanity (grade 2 or 3). The lexicon alone decides, not a model."""
    return any(one.entry.grade >= 2 for one in lexicon().find(normalize(text)))


def censor(text: str, char: str = "*") -> str:
    """The text with `char` in place of every code point of its strong profanity (grade 2 or 3)."""
    pieces: list[str] = []
    done = 0
    for span, entry in lexicon().find(normalize(text)):
        if entry.grade >= 2 and span.end > done:
            start = max(done, span.start)
            pieces += text[done:start], char * (span.end - start)
            done = span.end
    pieces.append(text[done:])
    return "".join(pieces)
