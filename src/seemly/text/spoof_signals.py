"""What normalization noticed: signs of an attempt to hide text from a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from seemly.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from seemly.text.view import View

__all__ = ["Mark", "Signal", "SignalKind", "gather"]

SignalKind = Literal["mixed_script", "confusable_word", "invisible", "zalgo", "illegal", "encoding_damage"]

Mark: TypeAlias = "tuple[int, int, SignalKind, float, str]"
"""A signal as a stage notes it: a range of the stage's own text, the kind, the probability, the detail."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign: what kind, where in the original (whole grapheme clusters), how surely a trick (0 to 1), and why."""

    kind: SignalKind
    span: Span
    probability: float
    detail: str


MAX_SIGNALS = 1000
"""Signals of one kind that are reported; a text with more of them is no clearer a case."""

_APART = 8
_SPACE = regex.compile(r"\s")
_DAMAGE = regex.compile(
    "\ufffd|[\u00c2-\u00c3][\u0080-\u00bf]|\u00e2\u20ac.|\u00e2[\u0080-\u009f]|\u00ef\u00bf\u00bd|"
    "\u00f0\u0178.|(?:[\u00d0\u00d1][\u0080-\u00bf\u2018-\u201e\u0402-\u045f]){2,16}"
)


def gather(raw: View, marks: Iterable[tuple[View, Mark]]) -> tuple[Signal, ...]:
    """The signals of a text: its stages' marks, and mojibake, in order of place; marks of one word are joined."""
    found: list[Signal] = []
    damage = () if raw.text.isascii() else _DAMAGE.finditer(raw.text)
    noted: list[tuple[View, Mark]] = [
        (raw, (*match.span(), "encoding_damage", 0.3, "text decoded with the wrong encoding")) for match in damage
    ]
    counts: dict[SignalKind, int] = {}
    for view, (start, end, kind, probability, detail) in _join([*marks, *noted]):
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= MAX_SIGNALS:
            found.append(Signal(kind, view.origin(start, end), probability, detail))
    return tuple(sorted(found, key=lambda signal: (signal.span, signal.kind)))


def _join(marks: Iterable[tuple[View, Mark]]) -> Iterator[tuple[View, Mark]]:
    """Marks of one kind that stand in one word, no more than eight characters apart, as one."""
    last: dict[SignalKind, tuple[View, Mark]] = {}
    for view, mark in marks:
        start, end, kind, probability, detail = mark
        if kind in last:
            other, (first, until, _, sure, why) = last[kind]
            if view is other and first <= start <= until + _APART and not _SPACE.search(view.text, until, start):
                best = (probability, detail) if probability > sure else (sure, why)
                last[kind] = view, (first, max(end, until), kind, *best)
                continue
            yield last[kind]
        last[kind] = view, mark
    yield from last.values()
