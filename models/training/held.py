"""The rows that a model is calibrated and measured on: those of the validation and the test split, capped by set."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from training.calm import zeros
from training.codes import LANGUAGES
from training.rows import ACTING, Row, Split, digest, split_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from training.pairs import Pair

ORDINARY = frozenset(
    ("ud_ordinary", "ua_gec", "xpersona", "ordinary_english", "tico19_pairs", "xquad_questions", "nusax_pairs",
     "tatoeba_pairs", "xed_subtitles", "context_toxicity", "civil_safe")
)  # fmt: skip
"""Sets whose harmless rows are as people ordinarily write."""

MOST, MOST_ENGLISH, MOST_ORDINARY = 250, 600, 250
"""Rows of a set and language that are read at most; natural rows are read all."""


@dataclass(frozen=True, slots=True)
class Held:
    """A row, and whether it is ordinary: nothing may act on it."""

    row: Row
    ordinary: bool


def held_rows(
    rows: Sequence[Row], pairs: Sequence[Pair], natural: Iterable[Row], split: Split, seed: int
) -> list[Held]:
    """The rows of a split in the languages that the models are taught."""
    groups: dict[tuple[str, str, bool], list[Held]] = defaultdict(list)
    seen: set[bytes] = set()
    for row in natural:
        if split_of(row.text) == split and row.language in LANGUAGES:
            seen.add(digest(row.text))
            groups["natural", row.language, False].append(Held(row, ordinary=False))
    for row in rows:
        if split_of(row.text) == split and row.language in LANGUAGES and digest(row.text) not in seen:
            calm = row.source in ORDINARY and all(row.labels.get(label, 1.0) == 0.0 for label in _TELLING)
            groups[row.source, row.language, calm].append(Held(row, calm))
    for pair in pairs:
        row = pair.row
        if row.source in ORDINARY and row.language in LANGUAGES and split_of(row.text) == split:
            told = zeros(pair.english, ACTING)
            if len(told) == len(ACTING):
                labels = {**told, **row.labels}
                groups[row.source, row.language, True].append(
                    Held(Row(row.text, labels, row.source, row.language, 1.0, row.weights), ordinary=True)
                )
    rng = random.Random(seed)
    found: list[Held] = []
    for (source, language, calm), members in sorted(groups.items()):
        most = MOST_ORDINARY if calm else MOST_ENGLISH if language == "en" else MOST
        found += members if source == "natural" else rng.sample(members, min(len(members), most))
    return found


_TELLING = ("toxicity", "profanity")
