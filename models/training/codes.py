"""The languages that the accurate model is taught, and how the sets' files name them."""

from __future__ import annotations

LANGUAGES = (
    "en", "de", "fr", "es", "it", "nl", "pl", "pt", "tr", "ru", "uk", "ar", "fa", "hi", "bn", "zh", "ja", "ko", "vi",
    "id", "sv", "da", "no", "fi", "cs", "hu", "ro", "el", "he", "th", "bg",
)  # fmt: skip
"""ISO 639-1 codes, English first."""

_LONG = (
    "eng:en deu:de fra:fr spa:es ita:it nld:nl pol:pl por:pt tur:tr rus:ru ukr:uk ara:ar arb:ar fas:fa pes:fa hin:hi "
    "ben:bn cmn:zh zho:zh jpn:ja kor:ko vie:vi ind:id swe:sv dan:da nob:no nno:no nb:no nn:no fin:fi ces:cs hun:hu "
    "ron:ro ell:el heb:he tha:th bul:bg zh_cn:zh zh_tw:zh pt_br:pt afr:af amh:am aze:az bel:be cat:ca cym:cy est:et "
    "eus:eu fil:tl tgl:tl glg:gl guj:gu hau:ha hrv:hr hye:hy ibo:ig isl:is kan:kn kat:ka kaz:kk khm:km lao:lo lav:lv "
    "lvs:lv lit:lt mal:ml mar:mr mkd:mk mlt:mt mon:mn msa:ms zsm:ms mya:my nep:ne pan:pa pus:ps sin:si slk:sk slv:sl "
    "som:so sqi:sq srp:sr swa:sw swh:sw tam:ta tel:te tgk:tg urd:ur uzb:uz xho:xh yor:yo yue:zh zul:zu gle:ga bos:bs"
)
_CODES = dict(pair.split(":") for pair in _LONG.split())


def code(name: str) -> str:
    """The ISO 639-1 code for a file's name such as `deu`, `pt-BR` or `aze-Latn`; the name where there is none."""
    first = name.split("-")[0]
    return _CODES.get(name, _CODES.get(first, first))
