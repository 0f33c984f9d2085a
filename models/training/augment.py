"""Noise as people type it, the same for toxic and for clean texts, so that the noise itself says nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_LEET = {"a": "@4", "e": "3", "i": "1!", "o": "0", "s": "$5", "t": "7", "l": "1", "b": "8", "g": "9"}
_WORD = re.compile(r"[^\W\d_]{3,24}")


BABBLE_WEIGHT = 0.5
"""The weight of a row of babble."""


def babble(rng: random.Random) -> str:
    """A text that says nothing: digits, signs, keys hit at random, letters of any script, or nothing at all."""
    kinds = ("0123456789", "!?.,:;-()…/+*#", "asdfghjklqwertzuiopyxcvbnm", _letters(rng), "")
    return " ".join(
        "".join(rng.choices(rng.choice(kinds) or " ", k=rng.randint(1, 9))) for _ in range(rng.randint(1, 6))
    )


def _letters(rng: random.Random) -> str:
    """Forty neighbouring letters of some script."""
    start = rng.choice(
        (0xC0, 0x100, 0x390, 0x410, 0x531, 0x5D0, 0x620, 0x905, 0x985, 0xE01, 0x10D0, 0x3041, 0x30A1, 0x4E00, 0xAC00)
    )
    start += rng.randrange(5_000) if start in (0x4E00, 0xAC00) else 0
    return "".join(char for char in map(chr, range(start, start + 40)) if char.isalpha())


def disturb(text: str, rng: random.Random) -> str:
    """The text with one or two kinds of noise; the same text where it has no word of three letters."""
    for change in rng.sample(_CHANGES, rng.choice((1, 1, 2))):
        text = change(text, rng)
    return text


def _in_words(change: Callable[[str, random.Random], str]) -> Callable[[str, random.Random], str]:
    """Applies the change to about a seventh of the words, and to one at least."""

    def apply(text: str, rng: random.Random) -> str:
        count = len(_WORD.findall(text))
        if not count:
            return text
        chosen = set(rng.sample(range(count), max(1, count // 7)))
        seen = iter(range(count))
        return _WORD.sub(lambda m: change(m[0], rng) if next(seen) in chosen else m[0], text)

    return apply


@_in_words
def _elongate(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + word[at] * rng.randint(2, 5) + word[at:]


@_in_words
def _swap(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@_in_words
def _drop(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + word[at + 1 :]


@_in_words
def _double(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word))
    return word[:at] + word[at] + word[at:]


@_in_words
def _leet(word: str, rng: random.Random) -> str:
    spots = [at for at, char in enumerate(word) if char.lower() in _LEET]
    if not spots:
        return word
    at = rng.choice(spots)
    return word[:at] + rng.choice(_LEET[word[at].lower()]) + word[at + 1 :]


@_in_words
def _star(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + rng.choice("*#.-") + word[at + 1 :]


def _unpunctuate(text: str, rng: random.Random) -> str:
    return re.sub(r"[.,;:!?'\"()]", "" if rng.random() < 0.7 else " ", text)


def _shout(text: str, rng: random.Random) -> str:
    return text.rstrip(" .!") + rng.choice("!?.") * rng.randint(1, 4)


_CHANGES = (_elongate, _swap, _drop, _double, _leet, _star, _unpunctuate, _shout)
