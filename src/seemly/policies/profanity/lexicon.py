"""The graded profanity lexicon, and the two functions that need nothing else."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from seemly.policies.profanity.disguises import STEMS, Disguises, stretched
from seemly.text.matching.index import WordIndex, hit_at
from seemly.text.matching.patterns import Part, Pattern
from seemly.text.matching.readings import readings
from seemly.text.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from seemly.core.span import Span
    from seemly.text.matching.index import Hit
    from seemly.text.matching.readings import Reading
    from seemly.text.normalize import Normalized

__all__ = ["Entry", "Lexicon", "Profanity", "censor", "contains_profanity", "lexicon"]

_COLUMNS = 5
_MIN_STRETCHED = 4
_ORDINARY = frozenset({"shiite", "shiites", "twatt"})
_ONE_INSIDE = re.compile(r"[1!|](?:(?=[^\W\d])|(?<=[^\W\d][1|]))")
_PRODUCT = re.compile(r"[A-Z]\d+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the lexicon: `grade` is 1 mild, 2 strong, 3 slurs and extreme; 0 exempts what stands in it.

    `exact`, where it is set, is the only spelling that counts, diacritics and all. An `ambiguous` mild word, such
    as a first name, counts as strong where it is disguised. In the languages `unless` it is an ordinary word.
    `reasons` are the grade and the languages, as a match tells them.
    """

    languages: tuple[str, ...]
    grade: int
    category: str
    unless: frozenset[str] = frozenset()
    exact: str = ""
    ambiguous: bool = False
    reasons: tuple[str, ...] = ()


class Profanity(NamedTuple):
    """A word of the lexicon found in a text."""

    span: Span
    entry: Entry


class Lexicon:
    """An immutable index of the lexicon."""

    __slots__ = ("_disguises", "_entries", "_exempt", "_index", "_numbers", "_size", "_triggers")

    def __init__(self, rows: list[str]) -> None:
        """`rows` are the table's: pattern, languages, grade, category, flags, exact spelling, parted by tabs."""
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
            if grade != "1" and len(rest) < _COLUMNS:
                strong[word] = number
                if "x" in flags:
                    distinctive[word] = number
        for word, number in distinctive.items():
            if len(word) >= _MIN_STRETCHED:
                for variant in stretched(word):
                    if variant not in _ORDINARY:
                        words.setdefault(variant, number)
        self._entries = tuple(map(_entry, entries))
        self._numbers = tuple(numbers)
        self._index = WordIndex(patterns, {word: number - len(entries) for word, number in words.items()})
        self._exempt = WordIndex(exempt)
        self._disguises = Disguises(distinctive, strong)
        starts = self._index.ascii_words
        if starts is None:
            raise ValueError("an ASCII pattern of the lexicon begins or ends with *")
        self._triggers = starts | self._disguises.fragments
        self._size = len(rows)

    def __len__(self) -> int:
        return self._size

    def find(self, normalized: Normalized, language: str | None = None) -> list[Profanity]:
        """The words found, in order of place; none stands in another, in an exempt phrase, or is innocent in
        `language` (ISO 639-1), where that is known.
        """
        if self.is_clean(normalized):
            return []
        read = readings(normalized)
        hits = {(span, self._numbers[at] if at >= 0 else at) for span, at in self._index.find(normalized, read)}
        hits.update((hit.span, hit.entry) for hit in self._disguised(read))
        if not hits:
            return []
        original = normalized.original
        found = [
            Profanity(span, _as_meant(entry, span, original))
            for span, number in hits
            if _counts(entry := self._entries[number], span, original, language)
        ]
        if not found:
            return []
        exempt = [hit.span for hit in self._exempt.find(normalized, read)]
        return _outermost(found, exempt)

    def is_clean(self, normalized: Normalized) -> bool:
        """Whether a text in plain ASCII words has none that could begin a match: true of most, and quickly told."""
        view = normalized.folded
        text = view.text
        if not normalized.original.isascii() or "*" in text or normalized.squashed is not view:
            return False
        told = self._triggers.intersection(view.words)
        if told:
            words = frozenset(view.words)
            if self._index.may_match(told, words) or self._disguises.may_match(told, words):
                return False
        original = normalized.original
        if len(text) != len(original):
            return False
        for stem in STEMS:
            if stem in text:
                return False
        return not _ONE_INSIDE.search(original)

    def _disguised(self, read: Iterable[Reading]) -> Iterator[Hit]:
        for reading in read:
            for first, start, last, end, entry in self._disguises.find(reading):
                yield hit_at(reading, first, start, last, end, entry)


def _entry(columns: tuple[str, ...]) -> Entry:
    languages, grade, category, flags, exact = (*columns, "", "")[:_COLUMNS]
    flags, _, unless = flags.partition("!")
    others = frozenset(unless.split(",")) if unless else frozenset()
    every = tuple(languages.split(","))
    reasons = (f"grade:{grade}", *(f"lang:{language}" for language in every))
    return Entry(every, int(grade), category, others, exact, "h" in flags, reasons)


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
    return replace(entry, grade=2, reasons=("grade:2", *entry.reasons[1:]))


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
