"""Which letters look like which: the tables that spoofs are resolved with."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["confusables", "lookalikes"]


@cache
def confusables() -> Mapping[str, str]:
    """Non-ASCII characters and the one ASCII letter or digit that each looks like (UTS #39)."""
    return MappingProxyType(dict(line.split("\t") for line in _lines("confusables.tsv")))


@cache
def lookalikes(kind: str) -> Mapping[str, str]:
    """One kind of letters that UTS #39 leaves out.

    Kinds: `strong` and `weak` letters of symbol and phonetic alphabets, `loose` letters of other scripts, `cyrillic`
    readings of Latin letters, `emoji`, `parenthesized`, `turned_strong`, `turned_weak`, `turned_plain`, `flag`.
    """
    rows = (line.split("\t") for line in _lines("lookalikes.tsv"))
    return MappingProxyType({char: target for name, char, target in rows if name == kind})


def _lines(name: str) -> list[str]:
    text = files("seemly").joinpath("data", name).read_text("utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("# ")]
