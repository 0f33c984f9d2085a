"""One text as the detectors read it: digits of every script as ASCII, lower case at the same offsets, words around."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from seemly.policies.pii.numbers import LEAST_DIGITS, Number, find_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Candidate", "Cues", "Detector", "Reading", "cues", "weigh", "words"]

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

    `foreign`: no stem is plain ASCII, so that none needs looking for in a text that is.
    Compared by identity: each listing is made once, and readings remember by it what they heard.
    """

    words: frozenset[str]
    stems: tuple[str, ...]
    foreign: bool = False


def words(listing: str) -> frozenset[str]:
    """The set of the words of `listing`, which spaces part."""
    return frozenset(listing.split())


def cues(listing: str) -> Cues:
    """Cues from words apart by spaces; a trailing `*` marks a stem (for scripts without spaces, and inflection)."""
    every = listing.split()
    stems = tuple(word[:-1] for word in every if word.endswith("*"))
    return Cues(
        frozenset(word for word in every if not word.endswith("*")), stems, not any(stem.isascii() for stem in stems)
    )


class Reading:
    """A text under search. Lives for one call and is used by one thread."""

    __slots__ = (
        "_areas",
        "_around",
        "_digits",
        "_heard",
        "_longest",
        "_lower",
        "_numbers",
        "has_at",
        "has_digit",
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
        self.has_digit = _DIGIT.search(text) is not None
        self.has_at = "@" in text or "＠" in text
        self._digits: int | None = None
        self._longest: int | None = None
        self._lower: str | None = None
        self._numbers: tuple[Number, ...] | None = None
        self._heard: dict[Cues, bool] = {}
        self._areas: list[tuple[int, int]] | None = None
        self._around: dict[tuple[int, int, int, int], tuple[str, frozenset[str]]] = {}

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
    def digits(self) -> int:
        """How many digits the text has."""
        if self._digits is None:
            self._digits = sum(map(self.text.count, "0123456789")) if self.has_digit else 0
        return self._digits

    @property
    def longest(self) -> int:
        """The length of the longest piece without white space."""
        if self._longest is None:
            self._longest = max(map(len, self.text.split()), default=0)
        return self._longest

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the text, read once for all detectors."""
        if self._numbers is None:
            self._numbers = find_numbers(self.text) if self.digits >= LEAST_DIGITS else ()
        return self._numbers

    def near_digits(self, pattern: re.Pattern[str], *, lower: bool = False) -> Iterator[re.Match[str]]:
        """The matches of a pattern, each of which has a digit and no end more than 48 characters away from one."""
        text = self.lower if lower else self.text
        if self._areas is None:
            self._areas = _find_areas(self.text)
        for start, end in self._areas:
            yield from pattern.finditer(text, start, end)

    def heard(self, wanted: Cues) -> bool:
        """Whether one of the cues stands anywhere in the text."""
        known = self._heard.get(wanted)
        if known is None:
            known = not wanted.words.isdisjoint(self.vocabulary)
            if not known and wanted.stems and not (wanted.foreign and self.text.isascii()):
                lower = self.lower
                for stem in wanted.stems:
                    if stem in lower:
                        known = True
                        break
            self._heard[wanted] = known
        return known

    def near(self, wanted: Cues, start: int, end: int, before: int = _BEFORE, after: int = _AFTER) -> bool:
        """Whether one of the cues stands within `before` characters ahead of the range or `after` behind it."""
        if not self.heard(wanted):
            return False
        around, words = self._surroundings(start, end, before, after)
        return not wanted.words.isdisjoint(words) or any(stem in around for stem in wanted.stems)

    def _surroundings(self, start: int, end: int, before: int, after: int) -> tuple[str, frozenset[str]]:
        key = (start, end, before, after)
        known = self._around.get(key)
        if known is None:
            around = f"{self._whole_words(max(0, start - before), start)} \n {self.lower[end : end + after]}"
            known = self._around[key] = around, frozenset(_WORD.findall(around))
        return known

    def _whole_words(self, first: int, last: int) -> str:
        """The text between, less a word that began earlier: `came` cut short is not the cue `me`."""
        if first and self.lower[first - 1].isalpha() and (rest := _WORD.match(self.lower, first, last)):
            first = rest.end()
        return self.lower[first:last]

    def occurrences(self, word: str) -> Iterable[int]:
        """Where `word`, in lower case, stands as a word of its own."""
        lower, length = self.lower, len(word)
        at = lower.find(word)
        while at >= 0:
            after = at + length
            if not (at and lower[at - 1].isalpha()) and not lower[after : after + 1].isalpha():
                yield at
            at = lower.find(word, after)


_DIGIT = re.compile(r"[0-9]")
_DIGITS = re.compile(r"[0-9]+")
_SHORT = 1_000
_REACH = 64


def _find_areas(text: str) -> list[tuple[int, int]]:
    """Where a long text has digits, with room around them; a short one is searched as a whole."""
    if len(text) <= _SHORT:
        return [(0, len(text))]
    areas: list[tuple[int, int]] = []
    for match in _DIGITS.finditer(text):
        start, end = max(0, match.start() - _REACH), match.end() + _REACH
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
