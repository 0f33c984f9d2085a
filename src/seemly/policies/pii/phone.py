"""Telephone numbers: by written prefix, by the channel's regions, and by shape where words around speak of a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.numbers import LEAST_DIGITS
from seemly.policies.pii.search_text import Candidate, Detector, cues, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.numbers import Number
    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTOR", "OTHER_NUMBERS", "PHONE_CUES"]

PHONE_CUES = cues(
    "phone phones telephone tel tele cell cellphone mobile mob number numbers num call calls called calling "
    "ring "
    "text texting txt sms whatsapp whatsap viber signal imessage fax reach reachable contact dial hmu "
    "answering answer office hotline helpline "
    "telefon telefonnummer handy handynummer mobil mobilnummer nummer rufnummer anrufen ruf téléphone tél "
    "portable "
    "appelle appelez appeler numéro teléfono telefono celular móvil movil llama llámame llamame llamar "
    "numero número "
    "telefone telemóvel telemovel ligue ligar liga cellulare chiama chiamami chiamare telefoon bel mobiel "
    "telefoonnummer "
    "komórka numer zadzwoń cep ara tlf puhelin puhelinnumero телефон* номер* звон* позвон* тел 电话* 電話* 手机* "
    "手機* "
    "微信* 携帯* 전화* 번호* 핸드폰* फोन* फ़ोन* नंबर* मोबाइल* هاتف* جوال* رقم* اتصل* טלפון* τηλέφωνο* κινητό* เบอร์* "
    "โทร*"
)
OTHER_NUMBERS = cues(
    "order orders invoice tracking ticket ref reference case isbn issn upc ean version score serial sku "
    "part model account "
    "policy confirmation booking reservation code pin zip ssn passport licence license card iban error "
    "build release rev "
    "id uuid item product catalog lot batch page pages population votes followers views subscribers price "
    "total amount "
    "bestellung bestellnummer rechnung sendung commande facture pedido factura fattura zamówienie flight "
    "routing "
    "social security insurance ein vin imei otp vrm iban bic swift balance mrn npi record member customer "
    "patient employee student claim transaction tax заказ* 订单* 注文*"
)

_NANP = re.compile(r"1?[2-9]\d\d[2-9]\d{6}")
_TOLL_FREE = frozenset({"800", "822", "833", "844", "855", "866", "877", "888"})
_HELPLINES = frozenset(
    {"8002738255", "8007997233", "8006564673", "8006624357", "8004224453", "8664887386", "8008435678"}
)
"""Public crisis lines of the United States, published by their operators: sharing one is help, not a leak."""

_NATIONAL_SHAPES = {
    "(999) 999-9999": 0.85,
    "(999)999-9999": 0.85,
    "(999) 999 9999": 0.8,
    "(999)-999-9999": 0.8,
    "999-999-9999": 0.8,
    "999.999.9999": 0.75,
    "999 999-9999": 0.75,
    "999 999 9999": 0.65,
    "999/999-9999": 0.7,
    "9999999999": 0.4,
}
_MONEY_OR_DECIMAL = re.compile(r"9{1,3}(?:,999)+(?:\.9+)?|9+[.,]9+")
_PLACE = re.compile(r"\d{1,3}\.\d+,\s{0,2}-?\d{1,3}\.\d")
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/. ](?:0?[1-9]|1[0-2])[-/. ](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-/. ](?:0?[1-9]|[12]\d|3[01])[-/. ](?:19|20)\d\d|(?:19|20)\d\d ?[-\u2013] "
    r"?(?:19|20)\d\d)(?!\d)"
)
_SHORT_DATE = re.compile(r"99?([-/.])99?\1(?:99){1,2}|9999([-/.])99?\2(?:99?)?")
_SPARSE = re.compile(r"9(?:[ .\-]{1,3}9)+")
_EXTENSION = re.compile(r"[,;]?\s?(?:x|ext\.?|extension|durchwahl)\s?\d{1,6}(?!\w)", re.IGNORECASE)
_UNIT = re.compile(
    r"\s?(?:[%€$£¥₹°]|(?:usd|eur|gbp|dollars?|euros?|points?|km|kg|mb|gb|ms|px|views|votes|people)\b)", re.IGNORECASE
)


def _find(reading: Reading) -> Iterator[Candidate]:
    known: dict[str, tuple[float, str]] = {}
    asked = reading.heard(PHONE_CUES)
    for number in reading.numbers:
        if len(number.digits) == 7 and not asked and not reading.regions and number.shape[0] not in "+＋(":
            continue
        if not 7 <= len(number.digits) <= 15 or not _dialable(reading.text, number):
            continue
        base, reason = _base(number, reading.regions, known)
        end = number.end
        if reading.text.startswith("wa.me/", number.start - 6):
            base = max(base, 0.8)
        probability = weigh(
            base,
            up=reading.near(PHONE_CUES, number.start, end),
            down=reading.near(OTHER_NUMBERS, number.start, end, 24, 0),
        )
        if probability < 0.2:
            continue
        if extension := _EXTENSION.match(reading.text, end):
            end, probability = extension.end(), max(probability, min(0.9, probability + 0.2))
        yield Candidate(number.start, end, "phone", probability, number.digits, reason)


def _dialable(text: str, number: Number) -> bool:
    """Whether shape and neighbours leave room for a telephone number: no sum, date, decimal, path or handle."""
    shape, start = number.shape, number.start
    before = text[start - 1] if start else " "
    if before in "#$€£¥₹&%@^" or (
        before in "/=" and not text[max(0, start - 6) : start].lower().endswith(("wa.me/", "hone=", "tel="))
    ):
        return False
    if before in ".-,:" and start > 1 and text[start - 2].isalnum() and text[start - 4 : start].lower() != "tel:":
        return before == ":" and text[start - 2].isalpha()
    if shape[0] in "+＋":
        return not _UNIT.match(text, number.end)
    if _MONEY_OR_DECIMAL.fullmatch(shape) or _SHORT_DATE.fullmatch(shape) or _UNIT.match(text, number.end):
        return False
    piece = text[start : number.end]
    if shape.count(".") > 2 and any(len(part) != 2 for part in shape.split(".")):
        return False
    return not _DATE.search(piece) and not _PLACE.search(piece)


def _base(number: Number, regions: tuple[str, ...], known: dict[str, tuple[float, str]]) -> tuple[float, str]:
    shape = number.shape
    prefixed = shape.lstrip("(")[0] in "+＋"
    exact = prefixed or bool(regions) or number.digits.startswith("00") or _NANP.fullmatch(number.digits)
    varied = len(set(number.digits)) > 1
    key = f"{number.digits if exact else (len(number.digits), number.digits[:3], varied)} {shape} {number.alone}"
    if key not in known:
        known[key] = _prefixed(number) if prefixed else _national(number, regions)
    return known[key]


def _prefixed(number: Number) -> tuple[float, str]:
    import phonenumbers

    try:
        parsed = phonenumbers.parse("+" + number.digits, None)
    except phonenumbers.NumberParseException:
        return _unassigned(number)
    if phonenumbers.is_valid_number(parsed):
        return 0.95, "valid"
    return (0.75, "possible") if phonenumbers.is_possible_number(parsed) else _unassigned(number)


def _unassigned(number: Number) -> tuple[float, str]:
    """A number that no plan knows, yet written with a plus and in groups as only telephone numbers are."""
    grouped = len(number.digits) > 7 and not number.shape.strip("+＋(").isdigit()
    return (0.6 if grouped else 0.4), "format"


def _national(number: Number, regions: tuple[str, ...]) -> tuple[float, str]:
    digits, shape = number.digits, number.shape
    plain = shape.isdigit()
    if regions and _valid_in(digits, regions):
        return (0.6 if plain else 0.85), "valid"
    if digits.startswith("00") and len(digits) >= 10 and len(set(digits)) > 3:
        probability, reason = _prefixed(number._replace(digits=digits[2:]))
        return min(probability, 0.8), reason
    if _NANP.fullmatch(digits):
        return _north_american(digits, shape), "format"
    return _by_shape(number, plain=plain), "format"


def _north_american(digits: str, shape: str) -> float:
    """Numbers of the North American plan, by how they are written; toll-free ones belong to no person."""
    if digits[-10:] in _HELPLINES:
        return 0.0
    body = shape
    if len(digits) == 11:
        body = shape[1:].lstrip(" -./")
    worth = _NATIONAL_SHAPES.get(body, 0.5)
    return min(worth, 0.55) if digits[-10:-7] in _TOLL_FREE else worth


def _by_shape(number: Number, *, plain: bool) -> float:
    digits, shape = number.digits, number.shape
    if len(set(digits)) == 1:
        return 0.1
    if "\u20e3" in shape:
        return 0.7
    if plain:
        if not number.alone:
            return 0.1
        if len(digits) == 11 and digits.startswith("07"):
            return 0.5
        return 0.3 if len(digits) <= 12 else 0.1
    if _SPARSE.fullmatch(shape):
        return 0.5 if len(digits) in (10, 11) else 0.35
    if shape.startswith("(") and ")" in shape[:6]:
        return 0.6
    if shape in ("999-99-9999", "999 99 9999"):
        return 0.15
    if digits.startswith("0") and 9 <= len(digits) <= 13 and not digits.startswith("000"):
        return 0.6
    if not number.alone or "," in shape:
        return 0.2
    if len(digits) > 12:
        return 0.15
    return 0.4 if len(digits) >= 8 else 0.35


def _valid_in(digits: str, regions: tuple[str, ...]) -> bool:
    import phonenumbers

    for region in regions:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(digits, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


DETECTOR = Detector(("phone",), lambda reading: bool(reading.numbers), _find, least_digits=LEAST_DIGITS)
