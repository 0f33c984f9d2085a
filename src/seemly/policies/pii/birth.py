"""Dates of birth: a date is nobody's business only where words make it a birthday."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Detector, cues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_MONTHS = (
    "jan(?:uary|vier|uar|eiro|uari)?|feb(?:ruary|ruar|ruari)?|fevr?(?:ereiro)?|févr?(?:ier)?|mar(?:ch|s|zo|"
    "ço)?|märz|maart|apr(?:il|ile)?|"
    "abr(?:il)?|avr(?:il)?|may|mai|mayo|maio|maggio|mei|june?|juni|juin|junio|junho|giugno|july?|juli|"
    "juillet|julio|julho|luglio|"
    "aug(?:ust|ustus)?|août|agosto|ago|sept?(?:ember|embre|iembre)?|set(?:embro|tembre)?|oct(?:ober|obre|"
    "ubre)?|okt(?:ober)?|"
    "out(?:ubro)?|ottobre|nov(?:ember|embre|iembre|embro)?|dec(?:ember)?|dez(?:ember|embro)?|déc(?:embre)?|"
    "dic(?:iembre|embre)?|"
    "enero|febrero|gennaio|febbraio|январ[ья]|феврал[ья]|марта?|апрел[ья]|ма[йя]|июн[ья]|июл[ья]|августа?|"
    "сентябр[ья]|октябр[ья]|ноябр[ья]|декабр[ья]"
)
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DATE = re.compile(
    rf"(?<![\w/.-])(?:{_YEAR}\s?[-/.]\s?{_MONTH}\s?[-/.]\s?{_DAY}"
    rf"|{_DAY}\s?([-/.])\s?{_DAY}\s?\1\s?(?:{_YEAR}|\d\d)"
    rf"|{_DAY}(?:st|nd|rd|th|\.|º)?[\s-](?:of |de |di )?(?:{_MONTHS})\.?(?:,?[\s-](?:de |of )?(?:{_YEAR}|"
    rf"'?\d\d))?"
    rf"|(?:{_MONTHS})\.?\s{_DAY}(?:st|nd|rd|th)?(?:,?\s{_YEAR})?"
    rf"|{_YEAR}年\d{{1,2}}月\d{{1,2}}日"
    r")(?![\w/-]|\.\d|,?\s1\d{3}(?!\d))",
    re.IGNORECASE,
)
_WORDS = (
    "born",
    "birthday",
    "birthdate",
    "bday",
    "dob",
    "birth",
    "birthdays",
    "geboren",
    "geburtsdatum",
    "geburtstag",
    "naissance",
    "né",
    "née",
    "anniversaire",
    "nacimiento",
    "nací",
    "cumpleaños",
    "nacido",
    "nacida",
    "nascita",
    "nato",
    "nata",
    "nascimento",
    "nasci",
    "nascido",
    "nascida",
    "geboortedatum",
    "verjaardag",
    "urodzenia",
    "urodzony",
    "urodzona",
    "рождения",
    "родился",
    "родилась",
    "doğum",
    "född",
    "født",
    "生日",
    "出生",
    "生年月日",
    "생년월일",
)
_CUES = cues(" ".join(word if word.isascii() else f"{word}*" for word in _WORDS) + " d.o.b*")
_ACUTE = frozenset(
    {"birthday", "dob", "birthdate", "bday", "birth", "geburtsdatum", "geboortedatum", "生年月日", "생년월일"}
)
_SELF = cues("my i im i'm me was were patient dob customer client employee name ich mein je mi sono io мой я 我*")
_OTHERS = cues("he she they founded company happy")


def _births(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_DATE, _CUES):
        start, end = match.span()
        if not reading.near(_CUES, start, end, 40, 0):
            continue
        own = reading.near(_SELF, start, end, 56, 0) or reading.near(_ACUTE_CUES, start, end, 24, 0)
        others = reading.near(_OTHERS, start, end, 40, 0)
        whole = re.search(rf"{_YEAR}|\d[-/.]\s?\d\d$", match[0]) is not None
        probability = (0.92 if whole else 0.55) if own and not others else 0.6 if whole else 0.35
        yield Candidate(start, end, "date_of_birth", probability, " ".join(match[0].lower().split()), "context")


_ACUTE_CUES = cues(" ".join(_ACUTE) + " d.o.b*")

DETECTORS = (Detector(("date_of_birth",), lambda reading: reading.heard(_CUES), _births, least_digits=1),)
