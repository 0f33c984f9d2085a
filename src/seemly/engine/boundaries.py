"""Where a text that is still being written may be cut: at which place, and how much must be known of what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["REACH", "Boundary", "Hold", "find_boundaries", "settle"]

Hold = Literal["sentence", "line"] | int
"""How much is held before it is judged: a sentence, a line, or at least a number of characters."""

REACH = 96
"""How far behind a value its surroundings can change what is masked: the longest tail of an address, and cues."""

# A cut falls after white space, and is known once two characters stand behind it.
_KNOWN = r"(?=\S[\s\S])"
_PATTERNS = {
    "sentence": re.compile(rf"(?:[.!?…]++[\"'”’»)\]*_]*+\s++|[。！？।؟]++[\"”’」』）]*+\s*+|[^\S\n]*+\n\s*+){_KNOWN}"),
    "line": re.compile(rf"[^\S\n]*+\n\s*+{_KNOWN}"),
    "characters": re.compile(rf"(?:\s++|[。！？，、।؟]++\s*+){_KNOWN}"),
}

_NUMBER_WORD = re.compile(
    r"(?<![^\W\d_])(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple"
    r"|cero|uno|dos|tres|cuatro|cinco|siete|ocho|nueve|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf"
    r"|null|eins|zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun"
    r"|nul|nula|um|dois|três|quatro|sei|seis|sete|oito|nove|due|tre|quattro|cinque|sette|otto"
    r"|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять)(?![^\W\d_])",
    re.IGNORECASE,
)
_SPELLED_AT = re.compile(
    r"(?<![^\W\d_])(?:at|arroba|chiocciola|klammeraffe)(?![^\W\d_])|[\[({<]\s?a\s?[\])}>]", re.IGNORECASE
)
_STREET_WORD = re.compile(
    r"(?<![^\W\d_])(?:calle|avenida|avda|plaza|paseo|carrer|camino|carretera|via|viale|piazza|corso|vicolo|rua|travessa"
    r"|praça|largo|ulica|ul|aleja|al|улица|ул|проспект|пр-т|пр|переулок|пер|бульвар|str|strada|bulevardul|sokak|cadde"
    r"|cad|jalan|jl)(?![^\W\d_])",
    re.IGNORECASE,
)
_STREET_ENDING = re.compile(
    r"(?:straße|strasse|str|weg|platz|allee|gasse|damm|ufer|chaussee|straat|laan|gracht|plein|kade|dijk|singel|gatan"
    r"|vägen|gränd|gade|vej|vegen|veien|gata|katu|tie|utca|út|ring)(?![^\W\d_])",
    re.IGNORECASE,
)
_SIGNS = (
    (re.compile(r"[\d@＠]"), REACH, REACH),
    (_NUMBER_WORD, 24, REACH),
    (_SPELLED_AT, 48, 48),
    (_STREET_WORD, 80, REACH),
    (_STREET_ENDING, 12, 24),
    (re.compile(r"(?<![^\W_])[A-ZÄÖÜÅØ][\w.-]*+[ ]\Z"), 64, REACH),
)
"""Signs of a value that may go on behind a boundary: how near to the boundary they count, and how far they reach.

A name counts because a street that is named next would begin with it: `Anna. Hauptstr. 12`.
"""


class Boundary(NamedTuple):
    """A place between two characters of a text. `open` says that what follows looks like more of the same sentence."""

    at: int
    open: bool


def find_boundaries(text: str, start: int, hold: Hold) -> Iterator[Boundary]:
    """The places behind `start` at which the text may be cut, as far as they are known.

    Letters that are spelled one by one (`f. u. c. k`) are not parted.
    """
    name = hold if isinstance(hold, str) else "characters"
    for match in _PATTERNS[name].finditer(text, start):
        at = match.end()
        if not (_ends_alone(text, match.start()) and _begins_alone(text, at)):
            yield Boundary(at, name == "characters" or _goes_on(text[at]))


def settle(text: str, boundary: Boundary) -> int:
    """How much of a text must be known before the part ahead of a boundary can be masked for good."""
    at = boundary.at
    settled = at + REACH if boundary.open else at
    for pattern, near, reach in _SIGNS:
        for match in pattern.finditer(text, max(0, at - near), at):
            settled = max(settled, match.end() + reach)
    return settled


def _goes_on(char: str) -> bool:
    return char.islower() or char.isdigit() or char in "@＠+([<{"


def _ends_alone(text: str, end: int) -> bool:
    """Whether the word that ends there is one sign long."""
    return text[max(0, end - 1) : end].isalnum() and not text[max(0, end - 2) : end - 1].isalnum()


def _begins_alone(text: str, start: int) -> bool:
    return text[start].isalnum() and not text[start + 1].isalnum()
