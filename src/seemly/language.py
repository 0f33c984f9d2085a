"""The language insight (a stub until the language part is written)."""

from __future__ import annotations

from dataclasses import dataclass

from seemly.text.normalize import Normalized


@dataclass(frozen=True, slots=True)
class Language:
    code: str | None
    probability: float


def detect(text: Normalized | str) -> Language:
    return Language(None, 0.0)
