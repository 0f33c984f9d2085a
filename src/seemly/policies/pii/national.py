"""Identity numbers of states, checked with python-stdnum: by shape where the check is strong, else by context."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from seemly.policies.pii.numbers import LEAST_DIGITS
from seemly.policies.pii.search_text import Candidate, Cues, Detector, cues, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """One number: its python-stdnum module, lengths in digits, written shapes, and what each is worth.

    `shaped` is the probability of a valid number in one of `shapes`, `bare` that of any other valid one; `missed`
    that of one in a shape beside a cue whose check digits do not fit (people mistype), 0 where that means nothing.
    """

    entity_type: str
    module: str
    lengths: tuple[int, ...] = ()
    shapes: frozenset[str] = frozenset()
    shaped: float = 0.4
    bare: float = 0.25
    missed: float = 0.0
    cues: Cues = field(default_factory=lambda: cues(""))


def _kind(
    entity_type: str, module: str, lengths: tuple[int, ...], shapes: str, worth: tuple[float, float, float], words: str
) -> _Kind:
    return _Kind(entity_type, module, lengths, frozenset(shapes.split("|")), *worth, cues(words))


_SSN = "999-99-9999|999 99 9999|999.99.9999"
_NUMERIC = (
    _kind("us_ssn", "us.ssn", (9,), _SSN, (0.8, 0.3, 0.65), "ssn ssns social security socialsecurity ss sin tax"),
    _kind("us_itin", "us.itin", (9,), _SSN, (0.75, 0.3, 0), "itin taxpayer tax tin irs"),
    _kind(
        "ca_sin",
        "ca.sin",
        (9,),
        "999-999-999|999 999 999",
        (0.45, 0.25, 0),
        "sin insurance social assurance nas canada canadian",
    ),
    _kind(
        "gb_nhs",
        "gb.nhs",
        (10,),
        "999 999 9999|999-999-9999",
        (0.35, 0.25, 0),
        "nhs patient medical gp hospital surgery",
    ),
    _kind(
        "de_steuer_id",
        "de.idnr",
        (11,),
        "99 999 999 999",
        (0.7, 0.4, 0),
        "steuer steuerid idnr identifikationsnummer steuernummer steuer* tin tax",
    ),
    _kind(
        "fr_nir",
        "fr.nir",
        (15,),
        "9 99 99 99 999 999 99|9 99 99 99 999 999|9999999999999 99",
        (0.9, 0.7, 0),
        "nir sécurité sociale secu sécu insee",
    ),
    _kind("nl_bsn", "nl.bsn", (9,), "9999.99.999|999 999 999", (0.35, 0.2, 0), "bsn burgerservicenummer sofinummer"),
    _kind("pl_pesel", "pl.pesel", (11,), "", (0.4, 0.4, 0), "pesel"),
    _kind("br_cpf", "br.cpf", (11,), "999.999.999-99", (0.9, 0.45, 0), "cpf cadastro"),
    _kind(
        "in_aadhaar",
        "in_.aadhaar",
        (12,),
        "9999 9999 9999|9999-9999-9999",
        (0.55, 0.3, 0),
        "aadhaar aadhar adhar uidai uid आधार*",
    ),
    _kind("au_tfn", "au.tfn", (8, 9), "999 999 999|999-999-999", (0.4, 0.2, 0), "tfn tax ato"),
    _kind(
        "se_personnummer", "se.personnummer", (10, 12), "999999-9999|99999999-9999", (0.7, 0.3, 0), "personnummer pnr"
    ),
    _kind("dk_cpr", "dk.cpr", (10,), "999999-9999", (0.45, 0.2, 0), "cpr personnummer cprnummer"),
    _kind(
        "no_fodselsnummer",
        "no.fodselsnummer",
        (11,),
        "999999 99999",
        (0.7, 0.45, 0),
        "fødselsnummer fodselsnummer personnummer",
    ),
    _kind("kr_rrn", "kr.rrn", (13,), "999999-9999999", (0.85, 0.4, 0), "rrn 주민등록번호* 주민번호*"),
    _kind("cn_ric", "cn.ric", (18,), "999999 99999999 9999", (0.9, 0.85, 0), "身份证* 身份證* id identity"),
    _kind("ch_ssn", "ch.ssn", (13,), "999.9999.9999.99", (0.92, 0.5, 0), "ahv avs oasi sozialversicherungsnummer"),
    _kind("be_nn", "be.nn", (11,), "99.99.99-999.99", (0.9, 0.4, 0), "rijksregisternummer registre national nn"),
    _kind("tr_tckimlik", "tr.tckimlik", (11,), "", (0.45, 0.45, 0), "tc kimlik tckn"),
    _kind("za_id", "za.idnr", (13,), "999999 9999 999", (0.6, 0.45, 0), "id identity said"),
    _kind("ro_cnp", "ro.cnp", (13,), "", (0.45, 0.45, 0), "cnp"),
    _kind("gr_amka", "gr.amka", (11,), "", (0.3, 0.3, 0), "amka αμκα*"),
    _kind("il_id", "il.idnr", (9,), "", (0.2, 0.2, 0), "teudat zehut תעודת*"),
    _kind("cz_rc", "cz.rc", (9, 10), "999999/9999|999999/999", (0.65, 0.25, 0), "rodné rodne číslo cislo"),
    _kind("th_pin", "th.pin", (13,), "9-9999-99999-99-9|9 9999 99999 99 9", (0.85, 0.4, 0), "บัตร* citizen id"),
    _kind("my_nric", "my.nric", (12,), "999999-99-9999", (0.7, 0.3, 0), "nric mykad ic"),
    _kind("fi_hetu", "fi.hetu", (10,), "999999-9999", (0.45, 0.0, 0), "hetu henkilötunnus"),
    _kind("cl_rut", "cl.rut", (9,), "99.999.999-9", (0.8, 0.25, 0), "rut run"),
    _kind("jp_my_number", "jp.in_", (12,), "9999 9999 9999", (0.3, 0.25, 0), "マイナンバー* 個人番号*"),
)


def _code(entity_type: str, module: str, pattern: str, shaped: float, words: str) -> tuple[_Kind, re.Pattern[str]]:
    compiled = re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
    return _Kind(entity_type, module, shaped=shaped, bare=shaped, cues=cues(words)), compiled


_CODES = (
    _code(
        "gb_nino",
        "",
        r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ "
        r"-]?[A-D]",
        0.75,
        "ni nino insurance national",
    ),
    _code("es_dni", "es.dni", r"\d{2}\.?\d{3}\.?\d{3}[ -]?[A-Z]", 0.65, "dni nif documento identidad"),
    _code("es_nie", "es.nie", r"[XYZ][ -]?\d{7}[ -]?[A-Z]", 0.8, "nie extranjero"),
    _code(
        "it_codice_fiscale", "it.codicefiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", 0.95, "codice fiscale cf"
    ),
    _code("in_pan", "in_.pan", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", 0.65, "pan permanent income"),
    _code("fi_hetu", "fi.hetu", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", 0.85, "hetu henkilötunnus"),
    _code("cn_ric", "cn.ric", r"\d{17}X", 0.9, "身份证* 身份證*"),
    _code("mx_curp", "mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d", 0.95, "curp"),
    _code("fr_nir", "fr.nir", r"[12]\d{4}2[AB]\d{8}", 0.85, "nir sécu insee"),
    _code("cl_rut", "cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dK]", 0.8, "rut run"),
    _code("ie_pps", "ie.pps", r"\d{7}[A-W][A-IW]?", 0.45, "pps ppsn"),
)


_ANY_CODE = re.compile("|".join(pattern.pattern for _, pattern in _CODES), re.IGNORECASE)


@cache
def _by_length() -> dict[int, tuple[_Kind, ...]]:
    lengths = {length for kind in _NUMERIC for length in kind.lengths}
    return {length: tuple(kind for kind in _NUMERIC if length in kind.lengths) for length in lengths}


@cache
def _checker(module: str) -> Any:
    return importlib.import_module(f"stdnum.{module}")


def _valid(module: str, value: str) -> bool:
    """Whether the check digits fit, which they do not where a checker stumbles over a place that it does not list."""
    try:
        return bool(_checker(module).is_valid(value)) if module else True
    except LookupError:
        return False


def _numbers(reading: Reading) -> Iterator[Candidate]:
    by_length = _by_length()
    for number in reading.numbers:
        start, end = number.start, number.end
        kinds = by_length.get(len(number.digits))
        if (
            kinds is None
            or number.shape[0] == "+"
            or (start and reading.text[start - 1] in "/=#$")
            or len(set(number.digits)) == 1
        ):
            continue
        for kind in kinds:
            in_shape = number.shape in kind.shapes
            base = kind.shaped if in_shape else kind.bare
            up = reading.near(kind.cues, start, end, 48)
            if base < 0.5 and not up:
                continue
            if _valid(kind.module, _written(kind, number.digits, number.shape)):
                yield Candidate(start, end, kind.entity_type, weigh(base, up=up), number.digits, "checksum")
            elif kind.missed and up and (in_shape or number.shape.isdigit()):
                yield Candidate(start, end, kind.entity_type, kind.missed, number.digits, "context")


def _written(kind: _Kind, digits: str, shape: str) -> str:
    """The digits as the checker wants them: a century's dash where the shape has one."""
    if kind.entity_type in ("se_personnummer", "fi_hetu") and "-" in shape:
        return f"{digits[:-4]}-{digits[-4:]}"
    return digits


def _codes(reading: Reading) -> Iterator[Candidate]:
    for start, end in _areas(reading.text):
        if not _ANY_CODE.search(reading.text, start, end):
            continue
        for kind, pattern in _CODES:
            for match in pattern.finditer(reading.text, start, end):
                value = match[0].upper() if kind.entity_type == "fi_hetu" else re.sub(r"[ .-]", "", match[0]).upper()
                up = reading.near(kind.cues, *match.span(), 48)
                if (kind.shaped >= 0.5 or up) and _valid(kind.module, value):
                    yield Candidate(*match.span(), kind.entity_type, weigh(kind.shaped, up=up), value, "checksum")


def _areas(text: str) -> Iterator[tuple[int, int]]:
    """Where digits stand as they do in codes, with room for the letters around them."""
    for match in _AREA.finditer(text):
        start, end = match.span()
        if end - start <= _LONGEST and any(map(str.isalpha, text[max(0, start - 2) : start] + text[end : end + 2])):
            yield max(0, start - 8), end + 12


_AREA = re.compile(
    r"[0-9](?:(?:[ .-]?[0-9]){5,}|(?<=[A-Za-z].)[0-9]{3}(?=[A-Za-z])|(?<=[A-Za-z].)[0-9][A-Za-z][0-9][0-9])"
)
_LONGEST = 24

DETECTORS = (
    Detector(
        tuple(kind.entity_type for kind in _NUMERIC),
        lambda reading: bool(reading.numbers),
        _numbers,
        least_digits=LEAST_DIGITS,
    ),
    Detector(tuple(kind.entity_type for kind, _ in _CODES), lambda _: True, _codes, least_digits=4),
)
