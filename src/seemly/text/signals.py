"""What normalization noticed: signs of an attempt to hide text from a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from seemly.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

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

_DAMAGE = regex.compile(
    "\ufffd|[\u00c2-\u00c3][\u0080-\u00bf]|\u00e2\u20ac.|\u00e2[\u0080-\u009f]|\u00ef\u00bf\u00bd|"
    "\u00f0\u0178.|(?:[\u00d0\u00d1][\u0080-\u00bf\u2018-\u201e\u0402-\u045f]){2,16}"
)


def gather(raw: View, marks: Iterable[tuple[View, Mark]]) -> tuple[Signal, ...]:
    """The signals of a text: its stages' marks, and mojibake, in order of place; marks of one word are joined."""
    found: dict[SignalKind, list[Signal]] = {}
    for view, (start, end, kind, probability, detail) in marks:
        signals = found.setdefault(kind, [])
        if len(signals) < MAX_SIGNALS:
            _add(signals, Signal(kind, view.origin(start, end), probability, detail), raw.text)
    if not raw.text.isascii():
        for match in _DAMAGE.finditer(raw.text):
            signals = found.setdefault("encoding_damage", [])
            if len(signals) >= MAX_SIGNALS:
                break
            signal = Signal("encoding_damage", raw.origin(*match.span()), 0.3, "text decoded with the wrong encoding")
            _add(signals, signal, raw.text)
    return tuple(sorted((s for signals in found.values() for s in signals), key=lambda s: (s.span, s.kind)))


def _add(signals: list[Signal], new: Signal, text: str) -> None:
    """Append a signal, or let the last one take it in where both stand in one word."""
    if signals and new.span.start <= signals[-1].span.end + 8:
        last = signals[-1]
        if not any(map(str.isspace, text[last.span.end : new.span.start])):
            surer = max(last, new, key=lambda signal: signal.probability)
            span = Span(min(last.span.start, new.span.start), max(last.span.end, new.span.end))
            signals[-1] = Signal(last.kind, span, surer.probability, surer.detail)
            return
    signals.append(new)
