"""Other recognizers of personal data, links and profanity, over the same rows; those not installed are left out.

Python: `pip install presidio-analyzer better-profanity alt-profanity-check`. Node: `npm install obscenity linkify-it`
in a folder that `NODE_PATH` names.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache

__all__ = ["find_peers", "profanity_filters"]

_ENTITIES = {
    "PHONE_NUMBER": "phone", "CREDIT_CARD": "payment_card", "IP_ADDRESS": "ip_address", "EMAIL_ADDRESS": "email",
    "IBAN_CODE": "iban", "CRYPTO": "crypto_wallet", "URL": "url", "US_SSN": "us_ssn", "US_ITIN": "us_itin",
    "UK_NINO": "gb_nino", "IT_FISCAL_CODE": "it_codice_fiscale", "ES_NIF": "es_dni", "MAC_ADDRESS": "mac_address",
    "TH_TNIN": "th_pin", "KR_RRN": "kr_rrn", "AU_ABN": "au_abn", "AU_ACN": "au_acn", "IN_GSTIN": "in_gstin",
    "IN_VOTER": "in_voter", "IN_VEHICLE_REGISTRATION": "in_vehicle", "IT_VAT_CODE": "it_vat", "SG_UEN": "sg_uen",
    "SG_NRIC_FIN": "sg_nric", "IT_IDENTITY_CARD": "it_id_card", "US_PASSPORT": "passport",
    "US_DRIVER_LICENSE": "driving_licence",
}  # fmt: skip
_THRESHOLD = 0.5
_OBSCENITY = """
const {RegExpMatcher, englishDataset, englishRecommendedTransformers} = require('obscenity');
const matcher = new RegExpMatcher({...englishDataset.build(), ...englishRecommendedTransformers});
const rows = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(rows.map(row => matcher.hasMatch(row))));
"""
_LINKIFY = """
const made = require('linkify-it');
const linkify = new (made.LinkifyIt || made)({fuzzyIP: true});
const rows = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(rows.map(row => (linkify.match(row) || []).map(one => [one.index, one.lastIndex]))));
"""


def find_peers(texts: Sequence[str]) -> dict[str, Callable[[str], Iterable[tuple[int, int, str]]]]:
    """The recognizers that are installed, by name; `texts` are all that they will be asked about."""
    found: dict[str, Callable[[str], Iterable[tuple[int, int, str]]]] = {}
    if importlib.util.find_spec("presidio_analyzer"):
        found["presidio-analyzer"] = _presidio()
    links = _node(_LINKIFY, texts)
    if links is not None:
        found["linkify-it"] = lambda text: [
            (_place(text, start), _place(text, end), "url") for start, end in links.get(text, ())
        ]
    return found


def profanity_filters(texts: Sequence[str]) -> dict[str, Callable[[str], bool]]:
    """The profanity filters that are installed, by name; `texts` are all that they will be asked about."""
    found: dict[str, Callable[[str], bool]] = {}
    if importlib.util.find_spec("better_profanity"):
        profanity = importlib.import_module("better_profanity").profanity
        profanity.load_censor_words()
        found["better-profanity"] = profanity.contains_profanity
    if importlib.util.find_spec("profanity_check"):
        predict = importlib.import_module("profanity_check").predict
        found["alt-profanity-check"] = lambda text: bool(predict([text])[0])
    obscene = _node(_OBSCENITY, texts)
    if obscene is not None:
        found["obscenity"] = lambda text: bool(obscene[text])
    return found


def _presidio() -> Callable[[str], Iterable[tuple[int, int, str]]]:
    """Its pattern recognizers, without a model of a language."""
    registry = importlib.import_module("presidio_analyzer").RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    recognizers = [one for one in registry.recognizers if "Spacy" not in type(one).__name__]

    def find(text: str) -> Iterable[tuple[int, int, str]]:
        for recognizer in recognizers:
            for result in recognizer.analyze(text, recognizer.supported_entities, None) or ():
                if result.score >= _THRESHOLD:
                    yield result.start, result.end, _ENTITIES.get(result.entity_type, result.entity_type)

    return cache(lambda text: tuple(find(text)))


def _node(script: str, texts: Sequence[str]) -> dict[str, list[list[int]]] | None:
    """What a script of Node says of each text; None if Node or the package is missing."""
    node = shutil.which("node")
    if node is None:
        return None
    run = subprocess.run(
        [node, "-e", script], input=json.dumps(list(texts)), capture_output=True, text=True, check=False
    )
    return dict(zip(texts, json.loads(run.stdout), strict=True)) if run.returncode == 0 else None


def _place(text: str, at: int) -> int:
    """The code point of an offset in UTF-16."""
    return len(text.encode("utf-16-le")[: 2 * at].decode("utf-16-le", "ignore"))
