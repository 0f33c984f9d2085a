"""The letters beyond a to z that languages with Latin letters are written with.

Folding takes accents away, so that `cafe` finds `café`; but a word of one language is not written with the letters of
another: Danish `jøder` is no Spanish word, and Romanian `apară` no Finnish one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["may_spell"]

_LETTERS = {
    "af": "áèéêëîïôöûü", "az": "çəğıöşü", "cs": "áčďéěíňóřšťúůýž", "da": "æøåéö", "de": "äöüß", "es": "áéíóúüñ",
    "et": "äöõüšž", "fi": "äöåšž", "fil": "ñáéíóú", "fr": "àâæçéèêëîïôœùûüÿ", "hr": "čćđšž", "hu": "áéíóöőúüű",
    "id": "é", "is": "áéíóúýðþæö", "it": "àèéìíîòóùú", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "ms": "é",
    "nl": "áéëèïíóöüúêûôà", "no": "æøåéòóô", "pl": "ąćęłńóśźż", "pt": "áâãàçéêíóôõúü", "ro": "ăâîșțşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšžćđ", "sq": "ëç", "sr": "čćđšž", "sv": "åäöé", "sw": "", "tr": "çğıöşüâîû", "xh": "", "zu": "",
}  # fmt: skip
_MARKED = re.compile("[\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]")


def may_spell(written: str, languages: Iterable[str]) -> bool:
    """Whether one of the languages has the accented Latin letters of `written`; True for any in other alphabets.

    A language whose letters are not listed may have any, and so may English, in which accents are disguises.
    """
    letters = set(_MARKED.findall(unicodedata.normalize("NFC", written).lower()))
    return not letters or any(letters <= set(_LETTERS.get(language, letters)) for language in languages)
