"""Numbers as people write them: digits in groups, with spaces, dots, dashes and brackets between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LEAST_DIGITS", "Number", "find_numbers"]

_LEAD = re.compile(r"(?:[+＋]?\([+＋]?|[+＋])\Z")
_RUN = re.compile(
    r"[0-9](?:[ \t\r\n.\-/()\u00a0\u2007\u2009\u202f\u2010-\u2015\u30fc\uff0d\ufe0f\u20e3*_,;|"
    r"~]{0,4}[0-9])*[\ufe0f\u20e3]{0,2}"
)
_CHUNK = re.compile(r"[^\s\u20e3,;|]+\ufe0f?\u20e3?")
_CALLED = re.compile(r"(?<![^\W_])[A-Za-z]{3,11}\Z")
_AREA_CODE = re.compile(r"\(\+?[0-9]{1,5}\)[ \t]?[0-9]|[+＋]\(?[0-9]{1,3}\)?[ .\-/\u00a0]{1,2}[0-9(]")
_SPACE = re.compile(r"\s+")
_EXTENSION = re.compile(r"(?:x|ext\.?)\s?\d", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_NON_DIGIT = re.compile(r"\D+")
_SHAPE = str.maketrans("012345678", "999999999")

LEAST_DIGITS = 6
_MOST = 19
_WHOLE = 7
_CHUNKS = 6
_TAIL = 4
_LONGEST_PHONE = 13


class Number(NamedTuple):
    """One way to read a number: `text[start:end]` holds `digits` and their separators.

    `shape` is the text with every digit as 9: `(999) 999-9999`. `alone` says that it is all of its run.
    """

    start: int
    end: int
    digits: str
    shape: str
    alone: bool


def find_numbers(text: str) -> tuple[Number, ...]:
    """Every reading of 6 to 19 ASCII digits in `text`, in order of start.

    Where a run of groups could be cut in several ways all cuts are given, at most 21 a group of at most six
    chunks; runs that are too long to be anything are cut at white space only. Linear in the text.
    """
    found: list[Number] = []
    for run in _RUN.finditer(text):
        start, end = run.span()
        if end - start < LEAST_DIGITS:
            continue
        if start and text[start - 1] in "(+＋" and (lead := _LEAD.search(text[max(0, start - 3) : start])):
            start -= lead.end() - lead.start()
            if _CALLED.search(text[max(0, start - 12) : start]) and _AREA_CODE.match(text, start, end):
                found.extend(_windows(text, next(_groups(text, start, end))))
                continue
        if clear := _clear(text, start, end):
            for group in _groups(text, *clear):
                found.extend(_windows(text, group))
    return tuple(found)


def _clear(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The run without a first or last chunk that belongs to a word, as in `5pm`; an extension's `x` is no word."""
    if start and _joins(text[start - 1]):
        space = _SPACE.search(text, start, end)
        if space is None:
            return None
        start = space.end()
    if end < len(text) and _joins(text[end]) and not _EXTENSION.match(text, end):
        spaces = [space.start() for space in _SPACE.finditer(text, start, end)]
        if not spaces:
            return None
        end = spaces[-1]
    return start, end


def _joins(char: str) -> bool:
    return char.isalnum() or char == "_"


def _groups(text: str, start: int, end: int) -> Iterator[list[tuple[int, int, str]]]:
    """Chunks (start, end, digits) that can belong to one number: a chunk of seven digits or more ends its group."""
    group: list[tuple[int, int, str]] = []
    size = 0
    previous = start
    for chunk in _CHUNK.finditer(text, start, end):
        written, (first, last) = chunk[0], chunk.span()
        digits = written if written.isdecimal() else _NON_DIGIT.sub("", written)
        fresh = written[0] in "+＋" or (written[0] == "(" and size >= _WHOLE) or first - previous > 3
        if group and (fresh or (len(group[-1][2]) >= _WHOLE and not _goes_on(text, group, size, digits))):
            yield group
            group, size = [], 0
        group.append((first, last, digits))
        size += len(digits)
        previous = last
    if group:
        yield group


def _goes_on(text: str, group: list[tuple[int, int, str]], size: int, digits: str) -> bool:
    """Whether a chunk of few digits ends a prefixed number whose last chunk was itself divided: `+39 02-36618 300`."""
    start, end, last = group[-1]
    divided = end - start > len(last)
    short = 2 <= len(digits) <= _TAIL and size + len(digits) <= _LONGEST_PHONE and not _YEAR.fullmatch(digits)
    return divided and short and text[group[0][0]] in "+＋"


def _windows(text: str, group: list[tuple[int, int, str]]) -> Iterator[Number]:
    total = sum(len(digits) for _, _, digits in group)
    if total < LEAST_DIGITS:
        return
    if total <= _MOST:
        yield from _number(text, group, alone=True)
    if 1 < len(group) <= _CHUNKS:
        for first in range(len(group)):
            for last in range(first + 1, len(group) + 1):
                if last - first < len(group):
                    yield from _number(text, group[first:last], alone=False)
    elif len(group) > _CHUNKS and total > _MOST:
        for line in _lines(text, group):
            yield from _number(text, line, alone=False)


def _lines(text: str, group: list[tuple[int, int, str]]) -> Iterator[list[tuple[int, int, str]]]:
    """A long group cut where its chunks stand apart by more than a space."""
    line = [group[0]]
    for chunk in group[1:]:
        if chunk[0] - line[-1][1] > 1 or text[line[-1][1]] in ",;|\n\r":
            yield line
            line = []
        line.append(chunk)
    yield line


def _number(text: str, chunks: list[tuple[int, int, str]], *, alone: bool) -> Iterator[Number]:
    digits = chunks[0][2] if len(chunks) == 1 else "".join([part for _, _, part in chunks])
    if not LEAST_DIGITS <= len(digits) <= _MOST:
        return
    start, end = chunks[0][0], chunks[-1][1]
    piece = text[start:end]
    if not (piece[0].isdigit() and piece[-1].isdigit()):
        start, piece = _trimmed(start, piece)
        end = start + len(piece)
    yield Number(start, end, digits, piece.translate(_SHAPE), alone)


def _trimmed(start: int, piece: str) -> tuple[int, str]:
    """The piece without separators at its edges and brackets that close or open nothing, and where it starts."""
    kept = piece.rstrip("( -./:;,*_~|\u2010\u2011\u2012\u2013\u2014\u2015\u30fc\uff0d")
    piece = kept.lstrip(")-./:;,*_~| ")
    start += len(kept) - len(piece)
    if piece.endswith(")") and "(" not in piece:
        piece = piece[:-1]
    if piece.startswith("(") and (")" not in piece or (piece.endswith(")") and piece.count("(") == 1)):
        piece, start = piece[1:].removesuffix(")"), start + 1
    return start, piece
