"""One text as the detectors read it: digits of every script as ASCII, lower case at the same offsets, words around."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from seemly.policies.pii.numbers import LEAST_DIGITS, Number, find_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Candidate", "Cues", "Detector", "Reading", "count_digits", "cues", "has_any", "union", "weigh", "words"]

_WORD = re.compile(r"[^\W\d_]+")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_BEFORE, _AFTER = 64, 28


class Candidate(NamedTuple):
    """Something that may be personal data: `text[start:end]` of a reading.

    `probability` is 0 to 1. `canonical` is the value with its spelling removed, so that two ways to write one
    value share a pseudonym. `reason` names what the probability rests on.
    """

    start: int
    end: int
    entity_type: str
    probability: float
    canonical: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Cues:
    """Words that raise or lower a probability when they stand near. `stems` count inside longer words too.

    Compared by identity: each listing is made once, and readings remember by it what they heard.
    """

    words: frozenset[str]
    stems: tuple[str, ...] = ()
    ascii_stems: tuple[str, ...] = field(init=False)
    """The stems that need looking for in a text in ASCII."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ascii_stems", tuple(filter(str.isascii, self.stems)))


def words(listing: str) -> frozenset[str]:
    """The set of the words of `listing`, which spaces part."""
    return frozenset(listing.split())


def cues(listing: str) -> Cues:
    """Cues from words apart by spaces; a trailing `*` marks a stem (for scripts without spaces, and inflection)."""
    every = listing.split()
    stems = tuple(word[:-1] for word in every if word.endswith("*"))
    return Cues(frozenset(word for word in every if not word.endswith("*")), stems)


def union(every: Iterable[Cues]) -> Cues:
    """Cues that are heard where one of `every` is."""
    listings = list(every)
    return Cues(
        frozenset().union(*(each.words for each in listings)), tuple(stem for each in listings for stem in each.stems)
    )


def has_any(text: str, pieces: Iterable[str]) -> bool:
    """Whether one of the pieces stands in the text."""
    for piece in pieces:  # noqa: SIM110  (twice as fast as any(), and this is asked thirty times a text)
        if piece in text:
            return True
    return False


class Reading:
    """A text under search. Lives for one call and is used by one thread."""

    __slots__ = (
        "_areas",
        "_around",
        "_heard",
        "_long",
        "_lower",
        "_numbers",
        "_runs",
        "digits",
        "has_at",
        "regions",
        "text",
        "vocabulary",
        "words",
    )

    def __init__(self, text: str, words: Sequence[str], regions: tuple[str, ...] = ()) -> None:
        if not text.isascii() and _FOREIGN_DIGIT.search(text):
            text = _FOREIGN_DIGIT.sub(_ascii_digit, text)
        self.text = text
        self.words = words
        self.vocabulary = frozenset(words)
        self.regions = regions
        self.digits = count_digits(text)
        self.has_at = "@" in text or "＠" in text
        self._long: list[tuple[int, int]] | None = None
        self._runs: list[tuple[int, int]] | None = None
        self._lower: str | None = None
        self._numbers: tuple[Number, ...] | None = None
        self._heard: dict[Cues, bool] = {}
        self._areas: list[tuple[int, int]] | None = None
        self._around: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}

    @property
    def lower(self) -> str:
        """The text in lower case, character for character: `lower[i]` is `text[i]`."""
        if self._lower is None:
            lower = self.text.lower()
            if len(lower) != len(self.text):
                lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in self.text)
            self._lower = lower
        return self._lower

    @property
    def runs(self) -> Sequence[tuple[int, int]]:
        """Where digits stand, without anything between them."""
        if self._runs is None:
            self._runs = [match.span() for match in _DIGITS.finditer(self.text)] if self.digits else []
        return self._runs

    @property
    def long(self) -> Sequence[tuple[int, int]]:
        """Where pieces of 16 characters or more stand that have no white space."""
        if self._long is None:
            self._long = []
            at = 0
            for piece in self.text.split():
                if len(piece) >= _LONG:
                    start = self.text.index(piece, at)
                    at = start + len(piece)
                    self._long.append((start, at))
        return self._long

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the text, read once for all detectors."""
        if self._numbers is None:
            self._numbers = find_numbers(self.text) if self.digits >= LEAST_DIGITS else ()
        return self._numbers

    def near_digits(
        self, pattern: re.Pattern[str], wanted: Cues | None = None, *, lower: bool = False
    ) -> Iterator[re.Match[str]]:
        """The matches of a pattern, each of which has a digit and no end more than 48 characters away from one.

        Matches that none of the cues `wanted` can be near of, within 64 characters, may be left out.
        """
        text = self.lower if lower else self.text
        if self._areas is None:
            self._areas = _find_areas(self.text, self.runs)
        heard = None if wanted is None else [*wanted.words & self.vocabulary, *wanted.stems]
        for start, end in self._areas:
            if heard is None or has_any(self.lower[max(0, start - _BEFORE) : end + _BEFORE], heard):
                yield from pattern.finditer(text, start, end)

    def heard(self, wanted: Cues) -> bool:
        """Whether one of the cues stands anywhere in the text."""
        known = self._heard.get(wanted)
        if known is None:
            stems = wanted.ascii_stems if self.text.isascii() else wanted.stems
            known = not wanted.words.isdisjoint(self.vocabulary) or has_any(self.lower, stems)
            self._heard[wanted] = known
        return known

    def near(self, wanted: Cues, start: int, end: int, before: int = _BEFORE, after: int = _AFTER) -> bool:
        """Whether one of the cues stands within `before` characters ahead of the range or `after` behind it."""
        if not self.heard(wanted):
            return False
        return self._ends(wanted, max(0, start - before), start) or (
            after > 0 and self._stands(wanted, end, end + after)
        )

    def _ends(self, wanted: Cues, first: int, last: int) -> bool:
        """As `_stands`, but for a word that began earlier: `came` cut short is not the cue `me`."""
        if first and self.lower[first - 1].isalpha() and (rest := _WORD.match(self.lower, first, last)):
            first = rest.end()
        return self._stands(wanted, first, last)

    def _stands(self, wanted: Cues, first: int, last: int) -> bool:
        """Whether one of the cues stands between."""
        known = self._around.get((first, last))
        if known is None:
            around = self.lower[first:last]
            known = self._around[first, last] = around, frozenset(_WORD.findall(around))
        around, words = known
        return not wanted.words.isdisjoint(words) or has_any(
            around, wanted.ascii_stems if around.isascii() else wanted.stems
        )

    def occurrences(self, word: str) -> Iterable[int]:
        """Where `word`, in lower case, stands as a word of its own."""
        lower, length = self.lower, len(word)
        at = lower.find(word)
        while at >= 0:
            after = at + length
            if not (at and lower[at - 1].isalpha()) and not lower[after : after + 1].isalpha():
                yield at
            at = lower.find(word, after)


_DIGITS = re.compile(r"[0-9]+")
_DIGIT_SIGNS = bytes(48 if 48 <= code < 58 else 32 for code in range(256))
_LONG = 16
_SHORT = 1_000
_REACH = 64


def count_digits(text: str) -> int:
    """How many ASCII digits a text has."""
    if text.isascii():
        return text.encode().translate(_DIGIT_SIGNS).count(b"0")
    return sum(map(text.count, "0123456789"))


def _find_areas(text: str, runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where a long text has digits, with room around them; a short one is searched as a whole."""
    if len(text) <= _SHORT:
        return [(0, len(text))]
    areas: list[tuple[int, int]] = []
    for first, last in runs:
        start, end = max(0, first - _REACH), last + _REACH
        if areas and areas[-1][1] >= start:
            areas[-1] = areas[-1][0], end
        else:
            areas.append((start, end))
    return areas


@dataclass(frozen=True, slots=True)
class Detector:
    """A family of entities. `find` is called only on a reading with `least_digits` for which the cheap `when` holds.

    `triggers` are the words that make a text worth reading at all, for a family that needs no digit and no `@`;
    `least_triggers` of them must stand in it.
    """

    entity_types: tuple[str, ...]
    when: Callable[[Reading], bool]
    find: Callable[[Reading], Iterable[Candidate]]
    triggers: frozenset[str] = frozenset()
    least_digits: int = 0
    least_triggers: int = 1


def weigh(base: float, *, up: bool = False, down: bool = False) -> float:
    """The probability of a shape worth `base` once its surroundings have spoken.

    A supporting cue takes it three quarters of the way to 0.98; a contradicting one leaves two fifths; both leave
    it as it was.
    """
    if up and not down:
        return round(base + (0.98 - base) * 0.75, 3)
    if down and not up:
        return round(base * 0.4, 3)
    return base


def _ascii_digit(match: re.Match[str]) -> str:
    """The ASCII digit of one of another script: one character for one, so that offsets stay."""
    return str(unicodedata.decimal(match[0]))
