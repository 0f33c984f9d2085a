"""Postal addresses by pattern: street and number as they are written in a dozen languages, boxes, postal codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Cues, Detector, cues, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_CLEAR = "street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|highway|hwy|parkway|pkwy|expressway|turnpike"
_VAGUE = (
    "drive|dr|court|ct|place|pl|terrace|way|close|crescent|cres|square|sq|circle|cir|trail|trl|row|mews|"
    "grove|gardens|walk|hill|park|rise|"
    "view|quay|alley|loop|plaza|ridge|green|point|pike|path|run|parade|esplanade|bypass|heights|crossing|"
    "broadway"
)
_NAME = r"[^\W\d_][\w.'’-]{0,24}|\d{1,3}(?:st|nd|rd|th)"
_UNIT = r"(?:[, \n]{1,3}(?:apt|apartment|suite|ste|unit|flat|room|rm|floor|fl|bldg|building|#)\.?\s?#?\s?[\w-]{1,6})?"
_CITY = r"(?:\s{0,2},\s{0,2}|\s{1,2})(?:[^\W\d_][\w.'’-]{1,20}[ -]){0,2}[^\W\d_][\w.'’-]{1,20}"
_POST = r"(?:\d{5}(?:-\d{4})?|[A-Za-z]{1,2}\d[A-Za-z\d]?\s?\d[A-Za-z]{2}|[A-Za-z]\d[A-Za-z]\s?\d[A-Za-z]\d|\d{4})"
_STATE = (
    r"(?:A[LKZR]|C[AOT]|D[EC]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|"
    r"V[TA]|W[AVIY]|"
    r"ON|QC|BC|AB|MB|SK|NS|NB|NL|NSW|VIC|QLD|TAS|ACT|NT)"
)
_TAIL = rf"(?:{_CITY})??(?:[,\s]{{1,3}}{_STATE}\b)?(?:[,\s]{{1,3}}{_POST}\b)|(?:{_CITY})?[,\s]{{1,3}}{_STATE}\b"

_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(
    r"(?<![\w.,:/$€£#@%+'-])\d{1,5}(?:[A-Za-z](?![A-Za-z]))?(?:[-/]\d{1,4}[A-Za-z]?)?(?![\w%:]|[.,]\d)"
)
_ENGLISH = re.compile(
    rf",?\s{{1,2}}(?P<name>(?:(?:{_NAME})\s){{1,4}}?)(?P<kind>{_CLEAR}|{_VAGUE})\b\.?(?P<way>\s(?:north|"
    rf"south|east|west|[nsew]{{1,2}})\b\.?)?(?P<unit>{_UNIT})",
    re.IGNORECASE,
)
_END = re.compile(rf"(?:{_TAIL})(?![\w])")
_FRENCH = re.compile(
    r"(?:\s(?i:bis|ter|quater))?,?\s{1,2}"
    r"(?:(?i:rue|boulevard|bd\.?|blvd|chemin|impasse|allée|quai|sentier)\s(?:(?i:de|du|des|la|le|les|l'|d'|"
    r"l’|d’)\s?){0,3}[^\W\d_]"
    r"|(?i:avenue|av\.|place|cours|route|square|passage)\s(?:(?i:de|du|des|la|le|les|l'|d'|l’|"
    r"d’)\s?){0,3}[A-ZÀ-Ý])"
    r"[\w.'’-]{1,24}(?:[ -][A-ZÀ-Ý][\w.'’-]{1,24}){0,3}(?:,?\s\d{5}\s[A-ZÀ-Ý][\w'’-]{2,24})?"
)
_COMPOUND = re.compile(
    r"(?:(?:[A-ZÄÖÜÅØ][\w.-]{1,20}[ -]){0,2}[^\W\d_][\w.-]{1,28}(?:straße|strasse|str\.|weg|platz|allee|"
    r"gasse|damm|ufer|chaussee|straat|laan|gracht|plein|kade|"
    r"dijk|singel|gatan|vägen|gränd|gade|vej|vegen|veien|gata|katu|tie|utca|út)"
    r"|[A-ZÄÖÜ][\w.-]{1,20}[ -](?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Damm|Ufer)"
    r"|(?:calle|c/|avenida|avda\.?|plaza|paseo|carrer|camino|carretera|via|viale|piazza|corso|vicolo|rua|"
    r"travessa|praça|largo|ulica|ul\.|aleja|al\.|"
    r"улица|ул\.|проспект|пр-т|пр\.|переулок|пер\.|бульвар|str\.|strada|bulevardul|sokak|cadde|cad\.|jalan|"
    r"jl\.)\s?"
    r"(?:(?:de|del|de la|da|do|dos|das|di|della|delle|dei|san|santa|la|el|los|"
    r"las)\s){0,2}[^\W\d_][\w.'’-]{1,24}(?:\s[^\W\d_][\w.'’-]{1,24}){0,3})"
    r",?\s{0,2}(?:n[º°o]?\.?\s?|no:?\s?|д\.?\s?|дом\s)?$",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\s(?:[^\W\d_a-z][\w.'’-]{1,24}\s(?:(?:de|del|da|do|dos|das|la|le|les|du|des|of|van|der|den|"
    r"di)\s){0,2}){1,4}?(?P<house>\d{1,5}[A-Za-z]?(?!\w))?"
    r"(?P<unit>[\s,]{0,3}(?:Apt|Apartment|Suite|Ste|Unit|Flat)\.?\s#?\d{1,5}(?!\w))?(?<![\s,])"
)
_GERMAN_CITY = re.compile(r"(?:\s?[a-z]\b)?,?\s{1,2}(?:[A-Z]{1,2}-)?\d{4,5}(?:\s?[A-Z]{2})?\s[A-ZÄÖÜÅØ][\w.-]{2,24}")
_BOX = re.compile(
    r"(?<!\w)(?:p\.?\s?o\.?\s?box|post office box|postfach|postbus|apartado(?: de correos)?|casilla(?: "
    r"postal)?|boîte postale|caixa postal|casella postale|"
    r"a/я|private bag|gpo box|locked bag)\s{1,2}(?:no\.?\s?|#\s?)?\d{1,6}(?!\d)(?:(?:,\s?|"
    r"\s)(?:[A-Z][\w'-]{1,20}\s?){1,3},?\s[A-Z]{2}\s\d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
_UK_POST = re.compile(r"[A-Z](?<![\w-].)(?:[A-Z]?\d[A-Z\d]?\s\d[A-Z]{2}|\d[A-Z]\s\d[A-Z]\d)(?![\w-])")
_ZIP = re.compile(
    r"(?<![\w$€£#.,/-])(?:\d{5}(?:-\d{4})?|\d{4}\s?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|"
    r"[A-Z]\d[A-Z]\s?\d[A-Z]\d)(?![\w/-]|\.\d)"
)

_NOT_NAMES = words(
    "january february march april may june july august september october november december bis ter minutes "
    "minute min mins hours hour hrs people persons times time years year days day weeks week months "
    "month the a an of to and or for from "
    "in on at by with more less feet foot miles mile km meters metres blocks block steps percent dollars "
    "bucks points years-old way ways guys kids men "
    "women cars dogs cats is are was were who that this then than half out off side bedroom bed star stars "
    "lane man person second seconds days' "
    "different other new big long short good bad nice great my your our their his her its different"
)
_POSTAL_CUES = cues(
    "zip zipcode postcode postal plz postleitzahl cp postalcode address addr live lives living adresse "
    "dirección direccion indirizzo endereço код* индекс* 邮编* 郵便*"
)
_HOME_CUES = cues(
    "live lives living address addr home house moved move ship deliver delivery mail send located wohne "
    "adresse anschrift habite vivo dirección direccion abito "
    "indirizzo moro endereço mieszkam адрес* живу* 住址* 地址* visit office meet billing shipping residence "
    "reside come"
)


def _streets(reading: Reading) -> Iterator[Candidate]:
    text, number_last = reading.text, reading.heard(_LAST_CUES)
    number_first = reading.heard(_FIRST_CUES)
    for first, _ in reading.runs:
        number = _NUMBER.match(text, first)
        if number is None:
            continue
        start, end = number.span()
        ahead = _WORDS.findall(reading.lower, end, end + 72) if number_first else []
        if not _KINDS.isdisjoint(ahead) and (english := _ENGLISH.match(text, end, end + 140)):
            candidate = _english(reading, start, english)
            if candidate is not None:
                yield candidate
                continue
        if not _FRENCH_KINDS.isdisjoint(ahead[:2]) and (french := _FRENCH.match(text, end, end + 140)):
            yield _address(reading, start, french.end(), 0.85)
            continue
        if loose := _LOOSE.match(text, end, end + 120):
            worth = (
                0.85
                if loose["unit"]
                else 0.6
                if reading.near(_HOME_CUES, start, end, 20, 0) and loose["house"]
                else 0.0
            )
            if worth and _NOT_NAMES.isdisjoint(loose[0].lower().split()):
                yield _address(reading, start, loose.end(), worth)
                continue
        behind = text[max(0, start - 80) : start] if number_last else ""
        if behind[-1:] in (" ", ".", ",", "º", "°", "/") and (street := _last_street(behind)):
            city = _GERMAN_CITY.match(text, end, end + 50)
            worth = 0.88 if city else 0.7 if _named(behind[-street:]) and text[end - 1] not in "hkmx" else 0.4
            yield _address(reading, start - street, city.end() if city else end, worth)


def _last_street(behind: str) -> int:
    """How long the street name at the end of `behind` is, 0 for none."""
    for word in behind.lower().split()[-6:]:
        if word in _LEADING or word.rstrip(".,").endswith(_ENDINGS):
            break
    else:
        return 0
    for piece in list(_PIECE.finditer(behind))[-6:]:
        match = _COMPOUND.match(behind, piece.start())
        if match and (match[0][0].isupper() or re.match(r"c/|ul\.|ул|calle|rua|via|av|str\.|пр|пер", match[0])):
            return len(behind) - piece.start()
    return 0


def _named(street: str) -> bool:
    """Whether the last word of a street that ends before its number is a name."""
    words_of_it = [word for word in re.split(r"[\s,.]+", street) if word.isalpha() and len(word) > 2]
    return bool(words_of_it) and words_of_it[-1][0].isupper()


def _english(reading: Reading, start: int, match: re.Match[str]) -> Candidate | None:
    text, kind, names = reading.text, match["kind"], match["name"].split()
    if any(name.lower() in _NOT_NAMES for name in names):
        return None
    capital = all(name[0].isdigit() or (name[0].isupper() and not name[1:2].isupper()) for name in names)
    if not capital and (len(names) > 2 or text[start] == "0" or _YEAR.match(text, start)):
        return None
    clear = kind.lower() in _CLEAR_WORDS
    if not clear and not (capital and (kind[0].isupper() or match["unit"])):
        return None
    base = (0.85 if capital and kind[0].isupper() else 0.6) if clear else 0.72
    end = match.end()
    if text[end - 1] == "." and text[end : end + 2].strip()[:1].isupper():
        end -= 1
    if tail := _END.match(text, match.end(), match.end() + 90):
        end, base = tail.end(), max(base, 0.9)
    return _address(reading, start, end, base)


def _address(reading: Reading, start: int, end: int, base: float) -> Candidate:
    while reading.text[end - 1] in " ,.\n" and reading.text[end - 1] != ".":
        end -= 1
    up = reading.near(_HOME_CUES, start, end, 48, 0)
    probability = round(min(0.97, base + 0.1), 3) if up else base
    return Candidate(
        start, end, "address", probability, " ".join(reading.lower[start:end].replace(",", " ").split()), "format"
    )


def _boxes(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_BOX):
        yield _address(reading, *match.span(), 0.85)


def _postal_codes(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_ZIP, _POSTAL_CUES):
        if reading.near(_POSTAL_CUES, *match.span(), 28, 0):
            shaped = "-" in match[0] or not match[0].isdigit()
            yield Candidate(*match.span(), "postal_code", 0.7 if shaped else 0.6, match[0].upper(), "context")
    for match in reading.near_digits(_UK_POST):
        yield Candidate(*match.span(), "postal_code", 0.45, match[0], "format")


_CLEAR_WORDS = frozenset(_CLEAR.split("|"))
_KINDS = _CLEAR_WORDS | frozenset(_VAGUE.split("|"))
_FRENCH_KINDS = words(
    "rue avenue av boulevard bd blvd place chemin impasse allée quai cours route square passage sentier bis ter quater"
)
_ENDINGS = tuple(
    words(
        "straße strasse str weg platz allee gasse damm ufer chaussee straat laan gracht plein kade dijk "
        "singel gatan vägen gränd gade vej vegen veien gata "
        "katu tie utca út ring"
    )
)
_LEADING = words(
    "calle avenida avda avda. plaza paseo carrer camino carretera via viale piazza corso vicolo rua "
    "travessa praça largo ulica ul. aleja al. улица ул. "
    "проспект пр-т пр. переулок пер. бульвар str. strada bulevardul sokak cadde cad. jalan jl."
)
_WORDS = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"\S+")
_LAST_CUES = cues(
    "calle avenida avda plaza paseo carrer camino carretera via viale piazza corso vicolo rua travessa "
    "praça largo ulica "
    "ul aleja al улиц* ул проспект* пр переулок* бульвар* strada sokak cadde jalan jl c straße* strasse* "
    "str str.* weg* "
    "platz* allee* gasse* damm* ufer* straat* laan* gracht* plein* kade* dijk* singel* gatan* vägen* gade* "
    "vej* veien* "
    "gata* katu* utca* ring"
)
"""Streets whose number comes last."""

_FIRST_CUES = Cues(_KINDS | _FRENCH_KINDS)
"""Streets whose number comes first."""

_OTHER_STREET_CUES = Cues(words("apt apartment suite ste unit flat") | _HOME_CUES.words, _HOME_CUES.stems)


def _may_have_streets(reading: Reading) -> bool:
    return reading.heard(_FIRST_CUES) or reading.heard(_OTHER_STREET_CUES) or reading.heard(_LAST_CUES)


_BOX_CUES = cues("box postfach postbus apartado casilla postale postal bag")

DETECTORS = (
    Detector(("address",), _may_have_streets, _streets, least_digits=1),
    Detector(("address",), lambda reading: reading.heard(_BOX_CUES), _boxes, least_digits=1),
    Detector(("postal_code",), lambda reading: reading.heard(_POSTAL_CUES), _postal_codes, least_digits=1),
)
