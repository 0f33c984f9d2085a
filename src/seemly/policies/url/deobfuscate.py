"""Undo what people do to an address so that filters miss it: `hxxp`, `example[.]com`, `example dot com`."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING

from seemly.policies.url.tables import words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Rewritten", "deobfuscate"]

# The patterns begin with the rarest of their characters, which a search can skip to.
_BRACKETED = re.compile(
    r"(?i)[\[({<](?:(?:(?<=\w.)|(?<=\w\s.)|(?<=\w\s\s.))"
    r"\s{0,2}(?:\.|dot|d0t|punkt|punto|ponto|point|точка|点)\s{0,2}[\])}>]\s{0,2}(?=\w)|(?<=\w\[)\.(?=\w))"
)
_FULL_STOPS = re.compile("(?<=[0-9a-z])[\u3002\uff0e\uff61](?=[a-z])")
_SCHEME = re.compile(
    r"(?i)(?-i:[hH])(?<!\w.)(?:"
    r"\s?(?:t\s?t|x\s?x|\*\s?\*)\s?p(?:\s?s)?\s{0,2}(?:\[:\]|[:\uff1a])\s{0,2}[/\\\uff0f]\s?[/\\\uff0f]\s{0,2}(?=[\w\[])"
    r"|ttps?(?:\[:\]//|:/|//)(?=[\w\[]))"
)
_SLASH = re.compile(r"(?i)(?<=\w) (?:forward )?slash (?=\w)")
_SPACED_LETTERS = re.compile(r"(?: [\w.])+(?!\S)")
_SPACED_ENDING = re.compile(r"\w(?: [\w./])+(?!\S)")


_LONGEST_SPACED = 80
_SHORTEST_SPACED = 12


class Rewritten:
    """A text with some of its parts replaced, and the way back.

    `edits` are (start, end, replacement) in the order of the source, without overlap, no replacement empty.
    """

    __slots__ = ("_edits", "_starts", "text")

    def __init__(self, source: str, edits: list[tuple[int, int, str]]) -> None:
        pieces: list[str] = []
        self._starts: list[int] = []
        self._edits: list[tuple[int, int, int]] = []
        at = length = 0
        for start, end, replacement in edits:
            pieces += source[at:start], replacement
            length += start - at
            self._starts.append(length)
            length += len(replacement)
            self._edits.append((length, start, end))
            at = end
        pieces.append(source[at:])
        self.text = "".join(pieces)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that `text[start:end]` came from; a replaced part counts as a whole."""
        return self._back(start)[0], self._back(end - 1)[1]

    def touches(self, start: int, end: int) -> bool:
        """Whether a part that begins within `text[start:end]` was replaced."""
        return bisect_left(self._starts, start) < bisect_left(self._starts, end)

    def _back(self, index: int) -> tuple[int, int]:
        edit = bisect_right(self._starts, index) - 1
        if edit < 0:
            return index, index + 1
        stop, old_start, old_end = self._edits[edit]
        if index < stop:
            return old_start, old_end
        return old_end + index - stop, old_end + index - stop + 1


def deobfuscate(text: str) -> Rewritten | None:
    """`text` with the disguises of addresses undone, or None where it has none.

    Read are brackets around a full stop or the word for one, ` dot ` and ` . ` before an ending that is no word,
    `www name com`, `hxxp`, `h t t p : / /`, `https:\\\\`, letters set apart by spaces, and ideographic full stops.
    A rewritten text may hold no address at all. Linear in the length of the text.
    """
    edits = sorted(_edits(text))
    kept: list[tuple[int, int, str]] = []
    for edit in edits:
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return Rewritten(text, kept) if kept else None


def _edits(text: str) -> Iterator[tuple[int, int, str]]:
    lowered = text.lower()
    if _any_in(text, "[({<"):
        yield from _bracketed(text)
    if " dot " in lowered or "DOT" in text:
        yield from ((*found.span(), ".") for found in _spoken().finditer(text))
        yield from ((*found.span(), "/") for found in _SLASH.finditer(text))
    if " ." in text:
        yield from _stops_apart(text)
        yield from _spaced_letters(text)
    if "www" in lowered and _any_in(lowered, ("www ", "www. ")):
        yield from _spaced_www(text)
    if _any_in(text, "/\\\uff0f") and _any_in(lowered, ("ttp", "t p", "xxp", "**p")):
        yield from _schemes(text)
    if not text.isascii():
        yield from ((*found.span(), ".") for found in _FULL_STOPS.finditer(text))


def _any_in(text: str, marks: str | tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110  (twice as fast as any())
        if mark in text:
            return True
    return False


def _bracketed(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _BRACKETED.finditer(text):
        lead = text[max(0, found.start() - 2) : found.start()]
        yield found.start() - len(lead) + len(lead.rstrip()), found.end(), "."


def _stops_apart(text: str) -> Iterator[tuple[int, int, str]]:
    at = text.find(" .")
    while at >= 0:
        found = _set_apart().match(text, at - (text[at - 1 : at] == " "))
        if found:
            yield (*found.span(), ".")
        at = text.find(" .", at + 2)


def _schemes(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _SCHEME.finditer(text):
        written = found.group()
        secure = "s" in written.lower()
        plain = "https://" if secure else "http://"
        if written.lower() != plain:
            yield (*found.span(), plain)


def _spaced_letters(text: str) -> Iterator[tuple[int, int, str]]:
    """`e x a m p l e . c o m`, found from its full stop outwards."""
    at = text.find(" . ")
    done = 0
    while at >= 0:
        low = max(done, at + 1 - _LONGEST_SPACED)
        before = _SPACED_LETTERS.match(text[low : at + 1][::-1])
        after = _SPACED_ENDING.match(text, at + 3, at + 3 + _LONGEST_SPACED)
        if before is not None and after is not None and before.end() + after.end() - at >= _SHORTEST_SPACED:
            start = at + 1 - before.end()
            name = text[start : after.end()].replace(" ", "")
            yield start, after.end(), name
            done = after.end()
        at = text.find(" . ", max(done, at + 2))


def _spaced_www(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _www().finditer(text):
        yield (*found.span(), f"www.{found.group(1)}.{found.group(2)}")


def _spoken_endings() -> str:
    return "|".join(sorted(words("spoken_tlds"), key=len, reverse=True))


@cache
def _spoken() -> re.Pattern[str]:
    endings = _spoken_endings()
    return re.compile(
        rf"(?<=\w)[ \t\n]{{1,2}}(?i:dot|punkt|punto|ponto)[ \t\n]{{1,2}}"
        rf"(?=(?:\w{{2,63}} (?i:dot) ){{0,1}}(?i:{endings})\b)"
        rf"|(?<=[a-z0-9])DOT(?=(?i:{endings})\b)"
    )


@cache
def _set_apart() -> re.Pattern[str]:
    endings = _spoken_endings()
    return re.compile(rf"(?<=\w) {{1,2}}\. {{1,2}}(?=(?:{endings})\b)|(?<=\w) {{1,2}}\.(?=(?:com|org|ru|xyz|gg)\b)")


@cache
def _www() -> re.Pattern[str]:
    return re.compile(rf"(?i)\bwww(?: ?\. ?| )([\w\-]{{2,63}})(?: ?\. ?| )({_spoken_endings()})\b")
