"""The `language` insight: which language a text is in, or that it cannot be told.

A script that one language writes decides by itself. Otherwise fastText's small identification model (lid.176.ftz)
is asked, among the languages of the script. It reads lower-case letters, without addresses, mentions and hashtags, in
at most 100 characters: 200 are 0.4 points more exact and take twice the time.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from seemly.core.errors import ModelError
from seemly.core.locks import ProcessLock
from seemly.inference.fasttext import read_classifier
from seemly.inference.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from seemly.inference.fasttext import Classifier
    from seemly.text.normalize import Normalized

__all__ = ["Detector", "Language"]


@dataclass(frozen=True, slots=True)
class Language:
    """A language's ISO 639-1 code, or None where it cannot be told, and the probability, 0 to 1, of the best guess."""

    code: str | None
    probability: float


UNKNOWN = Language(None, 0.0)
"""What is said of a text without letters, or with too few of them."""

_READ = 100
_SCRIPT_LETTERS = 64
_LONG = 1_000
_FEWEST = 4
_SHORT = 15
_SURE = 0.5
_SURE_IF_SHORT = 0.8
_SURE_AMONG = 0.6
_SURE_BY_SCRIPT = 0.99
_KANA_SHARE = 0.1
_GUESSES, _FEW_GUESSES = 10, 5
_LIKELIER = 5.0
"""Of unsure texts of at most 120 letters, nine in ten English ones are within this of the likeliest guess, and four in
ten of those in other languages with Latin letters (24,000 training rows)."""
_NOISE = re.compile(r"https?://\S+|www\.\S+|[@#]\w+|&\w{1,8};")
_ASCII = {code: chr(code).lower() if chr(code).isalpha() else " " for code in range(128)}
_BEYOND_LATIN = re.compile(
    "[\u0370-\u1cff\u1f00-\u1fff\u2d30-\u2dff\u3005-\uabff\uac00-\ud7ff\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefc"
    "\U00020000-\U0003ffff]"
)

# Unicode in blocks of 128 code points: the script, named after its language where it has only one.
_BLOCKS = {
    **dict.fromkeys((6, 7, 62, 63), "el"), **dict.fromkeys((8, 9), "Cyrl"), 10: "hy", 11: "he",
    **dict.fromkeys((12, 13, 14, *range(502, 508), 509), "Arab"), 18: "Deva", 19: "bn", 20: "pa", 21: "gu", 22: "or",
    23: "ta", 24: "te", 25: "kn", 26: "ml", 27: "si", 28: "th", 29: "lo", 30: "bo", 31: "bo", 32: "my", 33: "ka",
    **dict.fromkeys((36, 37, 38), "am"), 47: "km", **dict.fromkeys((96, 97), "Kana"),
    **dict.fromkeys((34, 35, 98, *range(344, 432)), "ko"),
    **dict.fromkeys((*range(104, 320), 498, 499, *range(1024, 1600)), "Hani"),
}  # fmt: skip

_SHARED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Cyrl": frozenset(("ru", "uk", "be", "bg", "mk", "sr", "kk", "ky", "tg", "mn", "tt", "ba", "cv", "os", "ce")),
        "Arab": frozenset(("ar", "fa", "ur", "ps", "ku", "sd", "ug")),
        "Deva": frozenset(("hi", "mr", "ne", "sa")),
        "Hani": frozenset(("zh", "ja")),
    }
)
_LATIN = frozenset((
    "af", "an", "az", "bs", "br", "ca", "co", "cs", "cy", "da", "de", "en", "eo", "es", "et", "eu", "fi", "fr",
    "fy", "ga", "gd", "gl", "gn", "gv", "hr", "ht", "hu", "ia", "id", "ie", "io", "is", "it", "jv", "kw", "la",
    "lb", "li", "lt", "lv", "mg", "ms", "mt", "nl", "nn", "no", "oc", "pl", "pt", "qu", "rm", "ro", "sc", "sk",
    "sl", "so", "sq", "su", "sv", "sw", "tk", "tl", "tr", "uz", "vi", "vo", "wa", "yo",
))  # fmt: skip
# Letters that only some of a script's languages write.
_CUES = (
    ("Cyrl", re.compile("[ўЎ]"), frozenset(("be",))),
    ("Cyrl", re.compile("[їєґ]"), frozenset(("uk",))),
    ("Cyrl", re.compile("[ѓќѕ]"), frozenset(("mk",))),
    ("Cyrl", re.compile("[ћђ]"), frozenset(("sr",))),
    ("Cyrl", re.compile("[јљњџ]"), frozenset(("sr", "mk"))),
    ("Cyrl", re.compile("[әғқңөұүһҳҷӣӯ]"), frozenset(("kk", "ky", "tg", "mn", "tt", "ba"))),
    ("Cyrl", re.compile("[ыэё]"), frozenset(("ru", "be", "kk", "ky", "mn", "tt", "ba", "cv", "tg"))),
    ("Arab", re.compile("[ٹڈڑںےۓ]"), frozenset(("ur",))),
    ("Arab", re.compile("[ټډړږښڼۍې]"), frozenset(("ps", "ug", "sd"))),
    ("Arab", re.compile("[ۆڵێڕ]"), frozenset(("ku", "ug"))),
    ("Arab", re.compile("[پچژگیک]"), frozenset(("fa", "ur", "ps", "ku", "sd", "ug"))),
    ("Arab", re.compile("[ةىإأ]"), frozenset(("ar",))),
    ("Deva", re.compile("ळ"), frozenset(("mr", "ne", "sa"))),
)
_MERGED = MappingProxyType(
    {"arz": "ar", "azb": "az", "ckb": "ku", "wuu": "zh", "yue": "zh", "pnb": "pa", "sh": "hr", "als": "de", "bar": "de"}
)


class Detector:
    """Tells languages with the model in one folder. The model loads with the first text that needs it; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = ProcessLock()
        self._model: Classifier | None = None

    def detect(self, text: Normalized | str) -> Language:
        """The language of `text`. Reads a bounded part of it. Raises ModelError where the model cannot be loaded."""
        sample = _sample(text if isinstance(text, str) else text.plain.text)
        if sample.isascii():
            reading = sample.translate(_ASCII)
            return self._latin(reading) if _enough(reading) else UNKNOWN
        reading = sample.lower().replace("\n", " ")
        if not _BEYOND_LATIN.search(reading):
            return self._latin(reading) if _enough(reading) else UNKNOWN
        script, letters, share = _script(reading)
        if script == "Latn":
            return self._latin(reading) if letters >= _FEWEST else UNKNOWN
        if share < _SURE or letters < (1 if script == "Hani" else 2):
            return UNKNOWN
        if script not in _SHARED:
            return Language(script, _SURE_BY_SCRIPT * share)
        return self._among(_narrowed(script, reading), reading)

    def choose(self, text: Normalized | str, expected: frozenset[str]) -> Language:
        """Return the likeliest of the expected languages for a text whose language cannot be told.

        The probability is the model's, so that it may be small. Raises ModelError as `detect` does.
        """
        reading = _sample(text if isinstance(text, str) else text.plain.text).lower().replace("\n", " ")
        if not any(map(str.isalpha, reading)):
            return UNKNOWN
        chances = dict.fromkeys(sorted(expected), 0.0)
        for code, chance in self._guess(reading, _GUESSES):
            if code in chances:
                chances[code] += chance
        best = max(chances, key=chances.__getitem__)
        return Language(best if chances[best] > 0.0 or len(chances) == 1 else None, min(1.0, chances[best]))

    def may_be(self, text: str, languages: frozenset[str]) -> bool:
        """Whether a text counts as in one of `languages`: it is detected as one, or cannot be told from them.

        A text whose language is unsure counts unless another language is `_LIKELIER` times as likely as the likeliest
        of `languages`, or most of its letters are of other scripts than theirs. Raises ModelError as `detect` does.
        """
        found = self.detect(text)
        if found.code is not None:
            return found.code in languages
        if not languages <= _LATIN:
            return True
        reading = _sample(text).lower().replace("\n", " ")
        letters = [char for char in reading if char.isalpha()]
        if sum(_BEYOND_LATIN.match(char) is not None for char in letters) * 2 > len(letters):
            return False
        if not letters:
            return True
        chances = dict.fromkeys(languages, 0.0)
        for code, chance in self._guess(reading, _GUESSES):
            chances[code] = chances.get(code, 0.0) + chance
        best = max((chances[language] for language in languages), default=0.0)
        return all(chance <= _LIKELIER * best for chance in chances.values())

    def _latin(self, reading: str) -> Language:
        sure = _SURE if len(reading) >= _SHORT else _SURE_IF_SHORT
        model = self._loaded()
        chances = model.predict(reading)
        best = int(chances.argmax())
        code, chance = model.labels[best], float(chances[best])
        code = _MERGED.get(code, code)
        return Language(code if chance >= sure and code in _LATIN else None, min(1.0, chance))

    def _among(self, codes: frozenset[str], reading: str) -> Language:
        """The likeliest of `codes`; the share of languages that the script rules out is spread over those left."""
        fitting = dict.fromkeys(codes, 0.0)
        for code, chance in self._guess(reading[:_SCRIPT_LETTERS], _FEW_GUESSES):
            if code in fitting:
                fitting[code] += chance
        code = max(codes, key=fitting.__getitem__)
        chance = fitting[code] / (sum(fitting.values()) or 1.0)
        return Language(code if chance >= _SURE_AMONG else None, min(1.0, chance))

    def _guess(self, reading: str, most: int) -> Iterator[tuple[str, float]]:
        """The likeliest languages and their probabilities, likeliest first."""
        model = self._loaded()
        chances = model.predict(reading)
        for at in (-chances).argsort()[:most].tolist():
            label = model.labels[at]
            yield _MERGED.get(label, label), float(chances[at])

    def __reduce__(self) -> tuple[type[Detector], tuple[Path]]:
        return Detector, (self._folder,)

    def _loaded(self) -> Classifier:
        model = self._model
        if model is None:
            with self._lock:
                model = self._model = self._model or _load(self._folder)
        return model


def _load(folder: Path) -> Classifier:
    manifest = Manifest.read(folder)
    (file,) = manifest.files
    data = manifest.load(folder, file)
    try:
        return read_classifier(data)
    except ValueError as error:
        raise ModelError(f"model {manifest.name!r} cannot be opened") from error


def _sample(text: str) -> str:
    """A bounded part of `text` without addresses, mentions and hashtags; of a long text its head and its middle."""
    if len(text) > _LONG:
        middle = len(text) // 2
        half = _READ // 2
        return f"{_cleaned(text[: 3 * half])[:half]} {_cleaned(text[middle : middle + 3 * half])[:half]}"
    return _cleaned(text[: 3 * _READ])[:_READ]


def _cleaned(text: str) -> str:
    if "@" in text or "#" in text or "://" in text or "www." in text or "&" in text:
        return _NOISE.sub(" ", text)
    return text


def _enough(reading: str) -> bool:
    return any(len(word) >= _FEWEST for word in reading[:_SHORT].split()) or sum(map(str.isalpha, reading)) >= _FEWEST


def _script(reading: str) -> tuple[str, int, float]:
    """The script of most letters, how many letters were counted, and the script's share of them, 0 to 1."""
    counted = Counter([_BLOCKS.get(ord(c) >> 7, "Latn") for c in reading[:_SCRIPT_LETTERS] if c.isalpha()])
    kana, han = counted.pop("Kana", 0), counted.pop("Hani", 0)
    if kana or han:
        counted["ja" if kana >= _KANA_SHARE * (kana + han) else "Hani"] += kana + han
    if not counted:
        return "", 0, 0.0
    letters = counted.total()
    script, most = counted.most_common(1)[0]
    return script, letters, most / letters


def _narrowed(script: str, reading: str) -> frozenset[str]:
    among = _SHARED[script]
    for of, letters, codes in _CUES:
        if of == script and letters.search(reading):
            among = (among & codes) or among
    return among
