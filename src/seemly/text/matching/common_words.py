"""Short common words, for telling a broken or joined swear word from ordinary words side by side."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["CommonWords", "common_words"]


class CommonWords(NamedTuple):
    """`joined` may stand beside a swear word in one word, as in a hashtag; two of `all` are no broken word."""

    joined: frozenset[str]
    all: frozenset[str]


@cache
def common_words() -> CommonWords:
    """The packaged words, read once."""
    text = files("seemly").joinpath("data/common_words.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined, apart = (frozenset(group.split()) for group in "\n".join(lines).split("\n\n"))
    return CommonWords(joined, joined | apart)
