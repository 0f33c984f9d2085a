"""Payment cards (Luhn and issuer ranges), IBAN (ISO 13616, mod 97), BIC (ISO 9362) and accounts named as such."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.numbers import LEAST_DIGITS
from seemly.policies.pii.search_text import Candidate, Detector, cues, weigh, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS", "luhn"]

_CARD_CUES = cues(
    "card cards visa mastercard amex discover diners jcb maestro unionpay rupay mir cc ccn credit debit cvv "
    "cvc expiry exp "
    "expires expiring payment pay pan karte kreditkarte kartennummer carte bancaire tarjeta crédito credito "
    "cartão cartao "
    "carta kaart kort karta karty карт* 卡* カード* 카드*"
)
_IBAN_CUES = cues(
    "iban account bank transfer wire sepa konto kontonummer überweisung überweisen compte cuenta conto rekening"
)
_BIC_CUES = cues("bic swift bank iban")
_NOT_CARDS = cues("tracking order isbn ean upc imei serial invoice ticket uuid id parcel shipment")

_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"
    r"|(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d*"
    r"|3[47]\d{13}"
    r"|(?:6011|64[4-9]|65)\d{12,15}"
    r"|(?:30[0-5]|3095|36|3[89])\d{11,16}"
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"
    r"|(?:62|81|82|60|220[0-4]|508|9792)\d{12,17}"
)
"""Leading digits and lengths by scheme, from ISO/IEC 7812 issuer ranges as the schemes publish them."""

_SIXTEEN = re.compile(r"(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d*")
_MAESTRO = re.compile(r"(?:50|5[6-9]|6)\d{10,17}")
_GROUPED = frozenset(
    {
        "9999 9999 9999 9999",
        "9999-9999-9999-9999",
        "9999 999999 99999",
        "9999-999999-99999",
        "9999 999999 9999",
        "9999-999999-9999",
        "9999.9999.9999.9999",
    }
)

_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[ -]?\d{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in sorted(
        words(
            "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 "
            "DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 "
            "IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 "
            "MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 "
            "SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
        )
    )
}
"""Length of an IBAN by country, from the SWIFT IBAN registry."""

_BIC = re.compile(r"[A-Z](?<![A-Za-z0-9].)[A-Z]{5}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9])")
_BIC_COUNTRIES = frozenset(_IBAN_LENGTHS) | words(
    "US CA MX AU NZ JP CN HK SG IN KR TW TH MY ID PH VN ZA NG KE AR CL CO PE UY MA"
)


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others: ISO/IEC 7812-1 annex B."""
    total = sum(map(int, digits[-1::-2])) + sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return total % 10 == 0


def _issued(digits: str) -> bool:
    return bool(_ISSUERS.fullmatch(digits)) and (len(digits) == 16 or not _SIXTEEN.fullmatch(digits))


def _cards(reading: Reading) -> Iterator[Candidate]:
    for number in reading.numbers:
        digits, start, end = number.digits, number.start, number.end
        if not 12 <= len(digits) <= 19 or number.shape[0] == "+" or len(set(digits)) == 1:
            continue
        if start and reading.text[start - 1] in "/=&#":
            continue
        grouped = number.shape in _GROUPED
        up = reading.near(_CARD_CUES, start, end)
        if luhn(digits) and (_issued(digits) or ((up or len(digits) == 16) and _MAESTRO.fullmatch(digits))):
            base = 0.9 if grouped else 0.8 if len(digits) >= 15 else 0.6
            down = reading.near(_NOT_CARDS, start, end, 24, 0)
            yield Candidate(start, end, "payment_card", weigh(base, up=up, down=down), digits, "checksum")
        elif up and (grouped or (number.alone and len(digits) in (15, 16))):
            yield Candidate(start, end, "payment_card", 0.6, digits, "context")


def _ibans(reading: Reading) -> Iterator[Candidate]:
    text = reading.text
    for first, _ in reading.runs:
        match = _IBAN_START.match(text, max(0, first - (3 if text[first - 1] in " -" else 2)))
        length = _IBAN_LENGTHS.get(match[0][:2].upper()) if match else None
        if match is None or length is None:
            continue
        end, signs = _take(text, match.start(), length)
        if len(signs) != length or text[end : end + 1].isalnum():
            continue
        if _mod97(signs):
            yield Candidate(match.start(), end, "iban", 0.97, signs, "checksum")
        elif reading.near(_IBAN_CUES, match.start(), end):
            yield Candidate(match.start(), end, "iban", 0.6, signs, "context")


def _take(text: str, start: int, count: int) -> tuple[int, str]:
    """The end of, and, `count` letters and digits from `start`, over single spaces, dashes and dots."""
    signs: list[str] = []
    at, gap = start, 0
    while at < len(text) and len(signs) < count:
        char = text[at]
        if char.isascii() and char.isalnum():
            signs.append(char.upper())
            gap = 0
        elif char in " -.\u00a0" and not gap:
            gap = 1
        else:
            break
        at += 1
    return at, "".join(signs)


def _mod97(iban: str) -> bool:
    """ISO 7064 MOD 97-10 as ISO 13616 applies it."""
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _bics(reading: Reading) -> Iterator[Candidate]:
    for match in _BIC.finditer(reading.text):
        if match[0][4:6] in _BIC_COUNTRIES and reading.near(_BIC_CUES, *match.span(), 32, 24):
            yield Candidate(*match.span(), "bic", 0.85, match[0][:8], "context")


DETECTORS = (
    Detector(("payment_card",), lambda reading: bool(reading.numbers), _cards, least_digits=LEAST_DIGITS),
    Detector(("iban",), lambda _: True, _ibans, least_digits=8),
    Detector(("bic",), lambda reading: reading.heard(_BIC_CUES), _bics, frozenset({"bic", "swift"})),
)
