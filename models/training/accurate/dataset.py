"""The rows that the accurate model learns from, encoded with its vocabulary, in the order of their two stages.

First come the public sets, once; then the written examples, the sets that are adversarial by design, and a sample of
the others, several times. It reads English alone.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from seemly.inference.tokenizer import END, START, WordPieceTokenizer
from training import identities, plain
from training.augment import BABBLE_WEIGHT, babble, disturb
from training.dataset import arrays
from training.rows import LABELS, Row, digest, split_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

LANGUAGES = ("en", "none")
"""What it is taught. Rows in other languages are for the fast model alone: taught them too, it did no better."""

LENGTH = 96
"""Pieces of a row in training, its start and end among them."""

TOKENS = 3_072
"""Pieces in a batch. Its rows are all of one length, so that nothing is padding."""

DISTURBED = 0.12
"""The share of public rows that are disturbed."""

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
"""How often the second stage reads the rows of a set; a share is a sample. Sets not named are not read again."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Rows as arrays: `pieces[starts[i]:starts[i + 1]]` are row i's; `labels` has NaN where a label is unknown."""

    pieces: NDArray[np.int32]
    starts: NDArray[np.int64]
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """The rows' numbers in shuffled batches of rows of one length; the last, incomplete one of each is left out."""
        lengths = np.diff(self.starts)
        found = []
        for length in np.unique(lengths):
            rows = rng.permutation(np.flatnonzero(lengths == length))
            size = min(TOKENS // int(length), 192)
            found += [rows[at : at + size] for at in range(0, len(rows) - size + 1, size)]
        yield from (found[at] for at in rng.permutation(len(found)))

    def block(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pieces of rows of one length, [rows, length]."""
        length = int(self.starts[rows[0] + 1] - self.starts[rows[0]])
        return self.pieces[self.starts[rows][:, None] + np.arange(length)].astype(np.int64)


def choose(rows: Iterable[Row]) -> list[Row]:
    """The rows in its languages."""
    return [row for row in rows if row.language in LANGUAGES]


def first_stage(rows: Sequence[Row], seed: int) -> list[Row]:
    """The public rows of the train split, some of them disturbed."""
    rng = random.Random(seed)
    kept = (row for row in rows if not row.source.startswith("written") and split_of(row.text) == "train")
    return [_disturbed(row, rng) if rng.random() < DISTURBED else row for row in kept]


def second_stage(rows: Sequence[Row], seed: int) -> list[Row]:
    """One pass of the second stage: sampled anew, and disturbed differently, for each seed."""
    rng = random.Random(seed)
    held = {digest(row.text) for row in rows if split_of(row.text) != "train"}
    made = (row for row in chain(identities.rows(), plain.rows()) if digest(row.text) not in held)
    babbled = (Row(babble(rng), dict.fromkeys(LABELS, 0.0), "babble", "none", BABBLE_WEIGHT) for _ in range(1_000))
    found = []
    for row in chain((row for row in rows if split_of(row.text) == "train"), made, babbled):
        of = "written" if row.source.startswith("written") else row.source
        share = REVIEW.get(of, 0.0)
        times = int(share) + (rng.random() < share % 1)
        found += [_disturbed(row, rng) if rng.random() < (0.6 if time else 0.1) else row for time in range(times)]
    return found


def _disturbed(row: Row, rng: random.Random) -> Row:
    return Row(disturb(row.text, rng), row.labels, row.source, row.language, row.weight, row.weights)


def encode(rows: Iterable[Row], cutter: WordPieceTokenizer) -> Encoded:
    """The rows as arrays, each cut to `LENGTH`, between its start and its end."""
    rows = list(rows)
    encoded = [[START, *cutter.encode(row.text)[: LENGTH - 2].tolist(), END] for row in rows]
    return Encoded(
        np.fromiter(chain.from_iterable(encoded), np.int32),
        np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        *arrays(rows),
    )
