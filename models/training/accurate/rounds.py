"""What a round of training reads: a sample of rows of every kind, English among them, and pairs with their English."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from training import identities, plain
from training.augment import BABBLE_WEIGHT, babble, disturb
from training.codes import LANGUAGES
from training.rows import LABELS, Row, digest, split_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from training.pairs import Pair

SHARES: Mapping[str, float] = {
    "english": 0.15,
    "natural_english": 0.10,
    "natural": 0.27,
    "sets": 0.09,
    "ordinary": 0.15,
    "pairs": 0.22,
    "babble": 0.02,
}
"""The share of each kind in a round."""

REVIEW: Mapping[str, float] = {
    "hatemoji": 2,
    "jigsaw": 1,
    "jigsaw_binary": 0.6,
    "toxigen_hate": 2,
    "toxigen_neutral": 2,
    "sexting": 2,
    "pickup_lines": 1,
    "sms_spam": 0.4,
    "smishing": 1,
    "youtube_spam": 0.5,
    "toxic_spans": 0.3,
    "edos": 0.4,
    "hatexplain": 0.25,
    "davidson": 0.15,
    "implicit_hate": 0.1,
    "stormfront": 0.15,
    "context_toxicity": 0.3,
    "civil_safe": 0.4,
    "civil_balanced": 0.25,
    "ai_automod": 1,
    "online_misogyny": 0.5,
    "insults": 0.3,
    "madlibs": 0.15,
    "presidio": 0.2,
    "written": 1.5,
    "identities": 0.4,
    "plain": 0.4,
    "babble": 1,
}
"""How often the English rows of a set of the first gathering are read; a share is a sample, a set not named none."""

_ORDINARY = ("ud_ordinary", "ua_gec", "xpersona", "ordinary_english", "ordinary_talk", "afrisenti", "dravidian")
_SECOND_ENGLISH: Mapping[str, float] = {
    "ordinary_english": 0.5, "ordinary_talk": 0.4, "ud_ordinary": 0.5, "goemotions": 0.5, "gab": 0.15,
    "convabuse": 0.5, "aart": 0.3, "diasafety": 0.2, "prompt_injection": 1.5, "ordinary_prompts": 0.8, "xpersona": 0.3,
    "multijail": 0.3,
}  # fmt: skip
"""How often English rows of the second gathering are read, beside `REVIEW`'s."""

_OTHERS = 0.25
"""How often a row is read in a language that the model is not taught, to one that it is."""

_DISTURBED = 0.08

_LONG, _LONG_WRITTEN = 100, 240
"""Code points from which on rows are drawn the more seldom the longer they are: their cost goes with their length."""


@dataclass(frozen=True, slots=True)
class Read:
    """A row, and its English translation where it is one side of a pair."""

    row: Row
    english: str | None = None


class Rounds:
    """Draws rounds of rows of the train split, the same for the same number and seed."""

    def __init__(
        self,
        rows: Sequence[Row],
        pairs: Sequence[Pair],
        natural: Sequence[Row],
        seed: int,
        shares: Mapping[str, float] = SHARES,
    ) -> None:
        self._seed = seed
        self._shares = shares
        self._kinds: dict[str, tuple[list[Read], list[float]]] = {kind: ([], []) for kind in SHARES}
        held = {digest(row.text) for row in rows if split_of(row.text) != "train"}
        made = (row for row in chain(identities.rows(), plain.rows()) if digest(row.text) not in held)
        rows = [row for row in chain(rows, made) if digest(row.text) not in held]
        natural = [row for row in natural if split_of(row.text) == "train"]
        for_natural = {"natural_english": [], "natural": []}
        for row in natural:
            for_natural["natural_english" if row.language == "en" else "natural"].append(row)
        for kind, found in for_natural.items():
            self._fill(kind, found, power=0.6)
        sorted_rows: dict[str, list[Row]] = {"english": [], "sets": [], "ordinary": []}
        for row in rows:
            if row.language in ("en", "none"):
                sorted_rows["english"].append(row)
            else:
                sorted_rows["ordinary" if row.source in _ORDINARY else "sets"].append(row)
        for row in sorted_rows["english"]:
            self._add("english", Read(row), _english(row))
        self._fill("ordinary", sorted_rows["ordinary"], power=0.4)
        self._fill("sets", sorted_rows["sets"], power=0.6)
        counted = Counter(pair.row.language for pair in pairs)
        for pair in pairs:
            if split_of(pair.english) == "train" and split_of(pair.row.text) == "train":
                self._add("pairs", Read(pair.row, pair.english), _fair(pair.row.language, counted, 0.5))
        self.counts = {kind: len(found) for kind, (found, _) in self._kinds.items()}

    def draw(self, number: int, size: int) -> list[Read]:
        """The rows of one round."""
        rng = random.Random(self._seed * 10_007 + number)
        found: list[Read] = []
        for kind, (reads, weights) in self._kinds.items():
            count = round(self._shares[kind] * size)
            if kind == "babble":
                zeros = dict.fromkeys(LABELS, 0.0)
                found += [Read(Row(babble(rng), zeros, "babble", "none", BABBLE_WEIGHT)) for _ in range(count)]
            elif reads:
                found += (_disturbed(read, rng) for read in rng.choices(reads, cum_weights=weights, k=count))
        return found

    def _fill(self, kind: str, rows: Sequence[Row], power: float) -> None:
        counted = Counter(row.language for row in rows)
        for row in rows:
            self._add(kind, Read(row), _fair(row.language, counted, power))

    def _add(self, kind: str, read: Read, weight: float) -> None:
        reads, weights = self._kinds[kind]
        weight *= min(1.0, (_LONG_WRITTEN if kind.startswith("natural") else _LONG) / len(read.row.text))
        if weight > 0:
            reads.append(read)
            weights.append(weight + (weights[-1] if weights else 0.0))


def _fair(language: str, counted: Mapping[str, int], power: float) -> float:
    """The weight of a row, so that a language's share goes with its count to this power."""
    share = counted[language] ** (power - 1)
    return share if language in LANGUAGES else share * _OTHERS


def _english(row: Row) -> float:
    source = "written" if row.source.startswith("written") else row.source
    return max(REVIEW.get(source, 0.0), _SECOND_ENGLISH.get(source, 0.0))


def _disturbed(read: Read, rng: random.Random) -> Read:
    if rng.random() >= _DISTURBED:
        return read
    row = read.row
    text = disturb(row.text, rng)
    return Read(Row(text, row.labels, row.source, row.language, row.weight, row.weights), read.english)
