"""Messages to measure speed with: made up of everyday words, always the same ones, all distinct."""

from __future__ import annotations

__all__ = ["LONGEST", "english", "long_text", "mixed_scripts"]

LONGEST = 100_000
"""The longest text that an engine takes, in characters."""

_ENGLISH = """
about after again along always another answer around arrive autumn because before behind better between board
bottle bread bridge bring brother build camera carry chair change city clean climb coffee colour corner country
could course cousin dinner doctor draw drive early engine enough evening every family farmer field finish flower
follow forest forget friend garden gather glass green guess happen harbour hear heavy hotel house hurry idea
island journey keep kitchen know ladder language later laugh leave letter library listen little long lunch market
matter maybe meadow meeting mirror money morning mountain music neighbour never night nothing number ocean office
often orange order other paint paper parcel people perhaps photo pocket please potato pretty price quiet rain
reach really recipe remember repair report river road school season second shelf shoulder simple sister small
someone spring station still stone story street summer surprise table talk teacher thank thing ticket today
together tomorrow train travel tree under until upstairs usually very village visit wait walk water weather week
window winter without wonder word work write yellow yesterday young
"""
_LINKING = ("the", "a", "my", "to", "of", "in", "it was", "we", "and", "you", "is", "that", "for", "on", "I", "they")
_ENDS = (". ", ", ", "! ", "? ", " - ", "... ")
_CONTACTS = (
    "write to {word}.{n}@example.org",
    "call +44 20 7946 0{n:03d}",
    "see https://shop.example.com/{word}/{n}",
    "my card is 4111 1111 1111 1111",
    "it's on www.example.net/{word}",
)
_FOREIGN = """
сегодня погода хорошая мы идём домой · hoy hace buen tiempo y vamos a casa · 今日はいい天気ですね · 오늘은 날씨가 좋아요
आज मौसम अच्छा है · الطقس جميل اليوم · סוף השבוע היה נעים · heute ist schönes Wetter über Zürich · 今天天气很好
cet été à la plage · วันนี้อากาศดี · Chào buổi sáng · 🙂 👍🏽
"""
_WORDS = tuple(_ENGLISH.split())
_OTHERS = tuple(_FOREIGN.split())


def english(count: int, first: int = 0) -> list[str]:
    """Distinct English messages of 200 characters on average; every tenth has personal data or an address."""
    return [_message(first + i) for i in range(count)]


def long_text() -> str:
    """English prose of 100,000 characters."""
    return " ".join(english(600))[:LONGEST]


def mixed_scripts() -> str:
    """100,000 characters of a dozen languages."""
    step = len(_OTHERS) - 1
    words = (_OTHERS[(i * step + i // len(_OTHERS)) % len(_OTHERS)] for i in range(LONGEST))
    return " ".join(words)[:LONGEST]


def _message(i: int) -> str:
    parts = [f"{_word(i, 0).capitalize()} {i} "]
    length = 11 + (i * 17) % 45
    for j in range(1, length):
        parts.append(_LINKING[(i * 3 + j * 5) % len(_LINKING)] if j % 3 == 0 else _word(i, j))
        parts.append(_ENDS[(i + j) % len(_ENDS)] if j % 9 == 8 else " ")
    if i % 10 == 0:
        contact = _CONTACTS[i // 10 % len(_CONTACTS)]
        parts.append(contact.format(word=_word(i, length), n=i % 1000))
    return "".join(parts).strip()


def _word(i: int, j: int) -> str:
    return _WORDS[(i * 7919 + j * 104_729 + i * j * 31) % len(_WORDS)]
