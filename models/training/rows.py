"""A labelled text, when two of them are the same, and which split one belongs to."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LABELS = (
    "toxicity",
    "toxicity_severe",
    "hate",
    "profanity",
    "violence",
    "sexual",
    "flirtation",
    "self_harm",
    "spam",
    "insult",
    "threat",
    "identity_attack",
    "harassment",
    "grooming",
    "illicit",
    "illicit_drugs",
    "illicit_firearms",
    "illicit_gambling",
    "illicit_alcohol",
    "illicit_tobacco",
    "cannabis",
    "adult",
    "crypto",
    "self_promotion",
    "political",
    "religion",
    "prompt_injection",
    "self_harm_intent",
    "mention",
    "positive",
    "negative",
)
"""The order of the model's outputs."""

FIRST = LABELS[:12]
"""Labels that most sets know something of."""

TOPICS = ("political", "religion", "mention", "positive", "negative")
"""Labels that ordinary text has as often as any other."""

ACTING = (
    "toxicity",
    "toxicity_severe",
    "hate",
    "profanity",
    "violence",
    "sexual",
    "self_harm",
    "spam",
    "harassment",
    "grooming",
)
"""Labels whose policies flag by default."""

SURE = (0.25, 0.75)
"""Shares of annotators up to which, and from which, a row counts as negative or positive in the figures."""

Split = Literal["train", "validation", "test"]


@dataclass(frozen=True, slots=True)
class Row:
    """A text and what is known of it.

    `labels` holds 0 to 1 for each label that is known, a share of annotators where there is one; labels not named
    are unknown and play no part in the loss. `weights` holds a label's weight where it is not `weight`, the row's.
    """

    text: str
    labels: Mapping[str, float]
    source: str
    language: str
    weight: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)


def key(text: str) -> str:
    """What is left of a text for comparing it with others: letters, digits and symbols, compatible and lower-case.

    Punctuation and white space do not count, so that a copy that was cleaned meets its original.
    """
    kept = (char for char in unicodedata.normalize("NFKC", text).lower() if unicodedata.category(char)[0] not in "PZC")
    return "".join(kept)


def digest(text: str) -> bytes:
    """Sixteen bytes that stand for the text's key."""
    return hashlib.blake2b(key(text).encode("utf-8", "replace"), digest_size=16).digest()


@lru_cache(maxsize=1_500_000)
def split_of(text: str) -> Split:
    """The split of a text and all its copies: 80 % train, 10 % validation, 10 % test, by its digest alone."""
    bucket = int.from_bytes(digest(text)[:4], "big") % 10
    return "test" if bucket == 9 else "validation" if bucket == 8 else "train"


def merge(rows: Iterable[Row], held: frozenset[bytes] | set[bytes] = frozenset()) -> list[Row]:
    """One row a text, in order of first appearance, without blank texts and those whose digest is in `held`.

    Where sets disagree, the earlier row's value stands; a later copy only adds labels that were unknown.
    """
    merged: dict[bytes, Row] = {}
    for row in rows:
        mark = digest(row.text)
        if mark in held or not key(row.text):
            continue
        first = merged.get(mark)
        if first is None:
            merged[mark] = row
            continue
        new = {label: value for label, value in row.labels.items() if label not in first.labels}
        if new:
            weights = {**first.weights, **{label: row.weights.get(label, row.weight) for label in new}}
            merged[mark] = Row(first.text, {**first.labels, **new}, first.source, first.language, first.weight, weights)
    return list(merged.values())
