"""What normalization noticed: signs of an attempt to hide text from a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from seemly.span import Span

__all__ = ["Mark", "Signal", "SignalKind"]

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
