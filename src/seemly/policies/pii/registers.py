"""Numbers of registers, tax offices, insurers and vehicles: a pattern and a check, beside a word that names them.

Each counts only with its cue up to 48 characters ahead or 24 behind, in any of the languages of its country, unless
`alone` says what it is worth without one.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Cues, Detector, cues, union, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_BEFORE, _AFTER = 48, 24
_SURE_DIGITS = 5


@dataclass(frozen=True, slots=True)
class _Register:
    """One kind of number: what it looks like, what it must fulfil, and the words that name it."""

    entity_type: str
    pattern: re.Pattern[str]
    fits: Callable[[str], bool]
    cues: Cues
    probability: float = 0.9
    alone: float = 0.0


def _register(
    entity_type: str,
    pattern: str,
    names: str,
    fits: Callable[[str], bool] | str | None = None,
    probability: float = 0.9,
    alone: float = 0.0,
) -> _Register:
    check = (lambda _: True) if fits is None else _standard(fits) if isinstance(fits, str) else fits
    compiled = re.compile(rf"(?<![\w.,/-])(?:{pattern})(?![\w/]|[.,-]\d)", re.IGNORECASE)
    return _Register(entity_type, compiled, check, cues(names), probability, alone)


def _standard(module: str) -> Callable[[str], bool]:
    def fits(value: str) -> bool:
        try:
            return bool(importlib.import_module(f"stdnum.{module}").is_valid(value))
        except LookupError:
            return False

    return fits


def _digits(value: str) -> list[int]:
    return [int(char) for char in value if char.isdigit()]


def _health_insurance(value: str) -> bool:
    """Luhn over the letter's two-digit number and the eight digits: § 290 SGB V."""
    letter = ord(value[0].upper()) - 64
    digits = [letter // 10, letter % 10, *_digits(value)]
    weighed = [digit * (1 + i % 2) for i, digit in enumerate(digits[:-1])]
    return sum(sum(divmod(number, 10)) for number in weighed) % 10 == digits[-1]


def _social_security(value: str) -> bool:
    """Area, birth date, letter, serial number and check digit: § 147 SGB VI."""
    written = re.sub(r"[ .-]", "", value).upper()
    day, month = int(written[2:4]), int(written[4:6])
    letter = ord(written[8]) - 64
    digits = [*_digits(written[:8]), letter // 10, letter % 10, *_digits(written[9:])]
    weighed = zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=False)
    return 1 <= day <= 31 and 1 <= month <= 12 and sum(sum(divmod(a * b, 10)) for a, b in weighed) % 10 == digits[-1]


def _dea(value: str) -> bool:
    """The sum of the odd places and twice that of the even ones ends in the last digit."""
    a, b, c, d, e, f, last = _digits(value[-7:])
    return (a + c + e + 2 * (b + d + f)) % 10 == last


def _nric(value: str) -> bool:
    """The check letter of Singapore's NRIC and FIN."""
    first, last = value[0].upper(), value[-1].upper()
    total = sum(a * b for a, b in zip(_digits(value), (2, 7, 6, 5, 4, 3, 2), strict=True))
    if first == "M":
        return "KLJNPQRTUWX"[10 - (total + 3) % 11] == last
    return ("JZIHGFEDCBA" if first in "ST" else "XWUTRQPNMLK")[(total + 4 * (first in "TG")) % 11] == last


def _resident(value: str) -> bool:
    """A date and a sex digit of foreigners; numbers given since October 2020 have no check digit."""
    digits = _digits(value)
    return 1 <= digits[2] * 10 + digits[3] <= 12 and 1 <= digits[4] * 10 + digits[5] <= 31


_INDIAN_STATES = words(
    "AN AP AR AS BR CG CH DD DL DN GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD OR PB PY RJ SK TN TR TS UK UP WB"
)
_LETTER, _SIGN = "[AC-HJKMNP-RT-Y]", "[0-9AC-HJKMNP-RT-Y]"
_MBI = rf"[1-9]{_LETTER}{_SIGN}\d-?{_LETTER}{_SIGN}\d-?{_LETTER}{{2}}\d\d"
_REGISTERS = (
    _register("au_abn", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", "abn business", "au.abn"),
    _register("au_acn", r"\d{3} ?\d{3} ?\d{3}", "acn company", "au.acn"),
    _register(
        "de_social_security",
        r"\d{2} ?[0-3]\d[01]\d{3} ?[A-Z] ?\d{2} ?\d",
        "sozialversicherung* rentenversicherung* versicherungsnummer svnr rvnr social security",
        _social_security,
    ),
    _register(
        "de_health_insurance",
        r"[A-Z]\d{9}",
        "krankenvers* versichertennummer krankenkass* kvnr gesundheitskarte health insurance",
        _health_insurance,
    ),
    _register(
        "de_tax_number",
        r"\d{2,3} ?/ ?\d{3,4} ?/ ?\d{4,5}|\d{10,11}|\d{13}",
        "steuernummer steuernr stnr st-nr finanzamt",
        "de.stnr",
    ),
    _register(
        "de_id_card",
        r"[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d?",
        "personalausweis* ausweisnummer ausweis* perso identity",
        lambda value: sum(map(str.isdigit, value)) >= 3,
    ),
    _register(
        "de_vat", r"DE ?\d{3} ?\d{3} ?\d{3}", "ust ustid umsatzsteuer* mwst vat ust-id* ust-idnr", "de.vat", alone=0.45
    ),
    _register(
        "de_handelsregister", r"HR[AB] ?\d{2,6}(?: ?[A-Z]{1,2})?", "handelsregister* amtsgericht hrb hra", None, 0.85
    ),
    _register(
        "de_plate",
        r"[A-ZÄÖÜ]{1,3}[- ](?!\d)[A-Z]{1,2}[- ]?[1-9]\d{0,3}[EH]?",
        "kennzeichen* nummernschild* kfz autokennzeichen zugelassen plate",
        None,
        0.8,
    ),
    _register("in_gstin", r"\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]", "gstin gst", "in_.gstin", 0.95, alone=0.85),
    _register(
        "in_vehicle",
        r"[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}",
        "vehicle plate car registration number bike rto गाड़ी*",
        lambda value: value[:2].upper() in _INDIAN_STATES,
        0.8,
    ),
    _register("in_voter", r"[A-Z]{3}\d{7}", "voter epic election मतदाता*", "in_.epic"),
    _register(
        "it_id_card",
        r"[A-Z]{2} ?\d{5} ?[A-Z]{2}|[A-Z]{2} ?\d{7}",
        "identità cie documento carta",
        None,
        0.8,
    ),
    _register("it_vat", r"(?:IT ?)?\d{11}", "iva p.iva piva partita", "it.iva"),
    _register("kr_business", r"\d{3}-\d{2}-\d{5}|\d{10}", "사업자* brn", "kr.brn", alone=0.3),
    _register("kr_foreigner", r"\d{6}-?[5-8]\d{6}", "외국인* 거소신고* arc alien", _resident, alone=0.6),
    _register("us_dea", r"[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}", "dea prescriber narcotic", _dea),
    _register("us_mbi", _MBI, "medicare mbi beneficiary", None, 0.95, alone=0.6),
    _register("ng_nin", r"\d{11}", "nin nimc national identification", None, 0.75),
    _register("ph_tin", r"\d{3}-\d{3}-\d{3}(?:-\d{3,5})?|\d{9}|\d{12}", "tin bir taxpayer", None, 0.75),
    _register("se_organisation", r"\d{6}-?\d{4}", "organisationsnummer orgnr org.nr orgnummer org", "se.orgnr"),
    _register("sg_nric", r"[STFGM]\d{7}[A-Z]", "nric fin singapore ic", _nric, 0.95, alone=0.45),
    _register("sg_uen", r"\d{8,9}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z]", "uen acra", "sg.uen"),
    _register("tr_plate", r"(?:0[1-9]|[1-7]\d|8[01]) ?[A-Z]{1,3} ?\d{2,4}", "plaka* plakam plate araç*", None, 0.8),
    _register(
        "gb_plate",
        r"[A-HJ-PR-Y][A-HJ-PR-Y]\d\d ?[A-HJ-PR-Z]{3}",
        "plate plates registration reg vrm number-plate car van",
        None,
        0.8,
    ),
)
_ANY = union(register.cues for register in _REGISTERS)
_SHAPED_ALONE = re.compile(
    r"\d{2}[A-Z]{5}\d{4}|[STFGM]\d{7}[A-Z]|\d{6}-[5-8]\d{6}|DE ?\d{3}"
    r"|[1-9][A-Z][0-9A-Z]\d-?[A-Z][0-9A-Z]\d-?[A-Z]{2}\d\d"
)


def _numbers(reading: Reading) -> Iterator[Candidate]:
    for register in _REGISTERS:
        named = reading.heard(register.cues)
        if not (named or register.alone):
            continue
        for match in reading.near_digits(register.pattern):
            start, end = match.span()
            if not register.fits(match[0]):
                continue
            probability = register.alone
            if named and reading.near(register.cues, start, end, _BEFORE, _AFTER):
                probability = register.probability
            if probability:
                value = re.sub(r"[ ./-]", "", match[0]).upper()
                yield Candidate(start, end, register.entity_type, probability, value, "context")


DETECTORS = (
    Detector(
        tuple(register.entity_type for register in _REGISTERS),
        lambda reading: (
            reading.heard(_ANY) or (reading.digits >= _SURE_DIGITS and _SHAPED_ALONE.search(reading.text) is not None)
        ),
        _numbers,
        least_digits=2,
    ),
)
