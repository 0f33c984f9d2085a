"""Numbers that only the words before them make personal: passports, licences, bank accounts, medical records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Cues, Detector, cues, union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_CODE = re.compile(
    r"(?<![\w.$€£/-])(?:(?!ID|NO|NR|DL|TO|IS)[A-Z]{1,2}[ -](?=\d)|(?=[A-Za-z]{0,6}\d))[A-Za-z0-9]+"
    r"(?:[ -](?=[A-Za-z]{0,2}\d)[A-Za-z0-9]+){0,5}(?![\w%/])"
)
_RECORD = re.compile(r"(?<![\w-])MRN-?\d{5,12}(?![\w-])", re.IGNORECASE)
_SHORT_DATE = re.compile(r"\d{1,2}[-/ ]\d{1,2}[-/ ](?:19|20)\d\d|(?:19|20)\d\d(?:[-/ ]\d{1,2}){0,2}")


@dataclass(frozen=True, slots=True)
class _Document:
    """`pattern` is what the code looks like without spaces and dashes; `probability` what it is worth by its cue."""

    entity_type: str
    cues: Cues
    pattern: re.Pattern[str]
    probability: float
    reach: int = 36


_DOCUMENTS = (
    _Document(
        "passport",
        cues(
            "passport passports passeport reisepass pasaporte passaporto passaporte paspoort paszport "
            "пасспорт* паспорт* 护照* 護照* パスポート* 여권*"
        ),
        re.compile(r"[A-Z]{0,3}\d{6,9}[A-Z]?|[A-Z]\d[A-Z0-9]{7}", re.IGNORECASE),
        0.88,
    ),
    _Document(
        "driving_licence",
        cues(
            "license licence driver's drivers driver dl driving führerschein permis permiso carnet patente "
            "rijbewijs prawo права*"
        ),
        re.compile(r"(?=(?:[A-Z]*\d){4})[A-Z0-9]{6,18}", re.IGNORECASE),
        0.75,
    ),
    _Document(
        "bank_account",
        cues("account acct routing aba kontonummer konto compte cuenta conto rekeningnummer iban bban sortcode"),
        re.compile(r"\d{6,17}"),
        0.6,
    ),
    _Document(
        "medical_record",
        cues("mrn medical patient npi record chart nhs medicare health"),
        re.compile(r"(?:MRN)?[A-Z]{0,3}\d{6,12}", re.IGNORECASE),
        0.75,
    ),
)
_NEEDED = {
    "driving_licence": cues("license licence dl führerschein permis permiso carnet patente rijbewijs prawo права*"),
    "bank_account": cues("account acct routing aba kontonummer compte cuenta conto rekeningnummer bban number no"),
    "medical_record": cues("mrn npi medical medicare chart patient"),
}
_SOFTWARE = cues(
    "software plate key product windows serial activation commit order tracking invoice github social instagram twitter"
)


def _records(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_RECORD):
        yield Candidate(*match.span(), "medical_record", 0.85, match[0].upper(), "format")


def _needed(document: _Document) -> Cues:
    """The cues of which one must stand ahead of the code."""
    return _NEEDED.get(document.entity_type, document.cues)


_ANY_NEEDED = union(map(_needed, _DOCUMENTS))
_ANY_CUES = union(document.cues for document in _DOCUMENTS)


def _coded(reading: Reading) -> Iterator[Candidate]:
    heard = [document for document in _DOCUMENTS if reading.heard(document.cues)]
    for match in reading.near_digits(_CODE, _ANY_NEEDED):
        start, end = match.span()
        if end - start > 32 or (start and reading.text[start - 1] in "@=&"):
            continue
        code = re.sub(r"[ -]", "", match[0])
        if len(code) < 6 or _SHORT_DATE.fullmatch(match[0]):
            continue
        for document in heard:
            if not reading.near(_needed(document), start, end, document.reach, 0):
                continue
            if not document.pattern.fullmatch(code) or reading.near(_SOFTWARE, start, end, 30, 0):
                continue
            yield Candidate(start, end, document.entity_type, document.probability, code.upper(), "context")


DETECTORS = (
    Detector(
        tuple(document.entity_type for document in _DOCUMENTS),
        lambda reading: reading.heard(_ANY_CUES),
        _coded,
        least_digits=1,
    ),
    Detector(("medical_record",), lambda reading: "mrn" in reading.lower, _records, least_digits=5),
)
