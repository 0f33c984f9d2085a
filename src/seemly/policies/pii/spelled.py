"""Digits in disguise: spelled as words of several languages, mixed with digits, or with emoji and words between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.payment import luhn
from seemly.policies.pii.phone import OTHER_NUMBERS, PHONE_CUES
from seemly.policies.pii.search_text import Candidate, Detector, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_DIGIT_WORDS = {
    word: digit
    for digit, words in {
        "0": "zero oh cero zéro null nul nula ноль",
        "1": "one uno un um eins один",
        "2": "two dos deux zwei zwo dois due два",
        "3": "three tres trois drei três tre три",
        "4": "four cuatro quatre vier quatro quattro четыре",
        "5": "five cinco cinq fünf fuenf cinque пять",
        "6": "six seis sechs sei шесть",
        "7": "seven siete sept sieben sete sette семь",
        "8": "eight ocho huit acht oito otto восемь",
        "9": "nine nueve neuf neun nove девять",
    }.items()
    for word in words.split()
}
_TIMES = {"double": 2, "triple": 3}
_DIGIT_OR_TIMES = frozenset({*_DIGIT_WORDS, *_TIMES})
_APART = 32
_FILLERS = (
    "then",
    "dash",
    "hyphen",
    "minus",
    "space",
    "plus",
    "followed by",
    "strich",
    "tiret",
    "guion",
    "espacio",
    "tracinho",
)

_WORDS = "|".join(sorted({*_DIGIT_WORDS, *_TIMES}, key=len, reverse=True))
_PIECE = re.compile(rf"\d|{_WORDS}")
# Possessive throughout: digits in a row could otherwise be shared out between the groups in exponentially many ways.
_GAP = rf"[^\w\n]{{0,6}}+\n?+[^\w\n]{{0,2}}+(?:(?:{'|'.join(_FILLERS)})[^\w]{{1,3}})?"
_RUN = re.compile(rf"(?<![^\W_])(?:\d++|{_WORDS})(?:{_GAP}(?:\d++|{_WORDS})){{4,40}}+(?![^\W_])\ufe0f?\u20e3?")
_SCATTERED = re.compile(rf"(?<![\w.,$€£-])\+?\d{{1,4}}+(?:{_GAP}\d{{1,4}}+){{1,16}}+(?!\w)")
_PICTURE = re.compile(r"[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_FILLED = re.compile("|".join(rf"\b{filler}\b" for filler in _FILLERS))
_COUNTING = "01234567890123456789"


def _spelled(reading: Reading) -> Iterator[Candidate]:
    for match in _runs(reading):
        pieces = _PIECE.findall(match[0])
        words = sum(not piece.isdigit() for piece in pieces)
        digits = _value(pieces)
        if words < 3 or len(digits) < 7:
            continue
        yield from _judged(reading, match.start(), match.end(), digits, 0.75 if words > 4 else 0.65)


def _runs(reading: Reading) -> Iterator[re.Match[str]]:
    """The runs of digits and number words, sought only where three such words stand close together."""
    places = sorted(at for word in _DIGIT_OR_TIMES & reading.vocabulary for at in reading.occurrences(word))
    done = 0
    first = 0
    for i in range(1, len(places) + 1):
        if i < len(places) and places[i] - places[i - 1] < _APART:
            continue
        if i - first > 2:
            yield from _RUN.finditer(reading.lower, max(done, places[first] - _APART), places[i - 1] + _APART)
            done = places[i - 1] + _APART
        first = i


def _value(pieces: list[str]) -> str:
    digits: list[str] = []
    times = 1
    for piece in pieces:
        if piece in _TIMES:
            times = _TIMES[piece]
            continue
        digits.append(_DIGIT_WORDS.get(piece, piece) * times)
        times = 1
    return "".join(digits)


def _scattered(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_SCATTERED, lower=True):
        digits = "".join(char for char in match[0] if char.isdigit())
        if 7 <= len(digits) <= 19 and (_PICTURE.search(match[0]) or _FILLED.search(match[0])):
            years = sum(group.startswith(("19", "20")) and len(group) == 4 for group in re.findall(r"\d+", match[0]))
            yield from _judged(reading, match.start(), match.end(), digits, 0.3 if years else 0.65)


def _judged(reading: Reading, start: int, end: int, digits: str, base: float) -> Iterator[Candidate]:
    if digits in _COUNTING or digits in _COUNTING[::-1] or len(set(digits)) == 1:
        return
    if 13 <= len(digits) <= 19 and luhn(digits):
        yield Candidate(start, end, "payment_card", 0.85, digits, "obfuscated")
    elif len(digits) <= 15:
        up, down = reading.near(PHONE_CUES, start, end), reading.near(OTHER_NUMBERS, start, end, 24, 0)
        yield Candidate(start, end, "phone", weigh(base, up=up, down=down), digits, "obfuscated")


def _several_words(reading: Reading) -> bool:
    """Whether three number words stand within nine words of each other, or digits are about."""
    if _DIGIT_OR_TIMES.isdisjoint(reading.vocabulary):
        return False
    places = [i for i, word in enumerate(reading.words) if word in _DIGIT_OR_TIMES]
    return any(places[i + 2] - places[i] < 9 for i in range(len(places) - 2))


def _disguised(reading: Reading) -> bool:
    return not _FILLER_WORDS.isdisjoint(reading.vocabulary) or (
        not reading.text.isascii() and _PICTURE.search(reading.text) is not None
    )


_FILLER_WORDS = frozenset(_FILLERS) | {"followed"}

DETECTORS = (
    Detector(("phone", "payment_card"), _several_words, _spelled, frozenset(_DIGIT_WORDS), least_triggers=3),
    Detector(("phone", "payment_card"), _disguised, _scattered, least_digits=7),
)
