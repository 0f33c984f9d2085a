"""The rows of every split as arrays, made once and kept in the work folder."""

from __future__ import annotations

import pickle
import random
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from seemly.inference.tokenizer import WordPieceTokenizer
from seemly.text.normalize import normalize
from training.accurate.rounds import Rounds
from training.augment import disturb
from training.calm import calmed
from training.distil import say
from training.glossary import glossary
from training.held import held_rows
from training.natural import natural
from training.pairs import Pair, pairs
from training.reading import every_text, read_json, read_table
from training.rows import LABELS, Row, digest, merge
from training.table import SOURCES, written
from training.table_second import more
from training.vectors import extended
from training.vocabulary import learn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WINDOW = 256
"""Pieces that the network reads at once, in training and at run time."""

NOISY = 0.1
"""The share of training rows that get a disturbed copy."""

TAUGHT = 0.6
"""The weight of a label that the teacher gave."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Rows as arrays. `pieces[starts[i]:starts[i + 1]]` are row i's; `labels` has NaN where a label is unknown."""

    pieces: NDArray[np.int32]
    starts: NDArray[np.int64]
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]
    sources: NDArray[np.str_]
    languages: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[np.int64]) -> Encoded:
        """Some of the rows."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths) + np.repeat(self.starts[rows], lengths)
        parts = (self.labels[rows], self.weights[rows], self.sources[rows], self.languages[rows])
        return Encoded(self.pieces[places], starts, *parts)

    def lengths(self) -> NDArray[np.int64]:
        """Pieces a row, at most a window."""
        return np.minimum(np.diff(self.starts), WINDOW)

    def block(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int32]:
        """The pieces of these rows, cut to a window, padded with 0."""
        lengths = self.lengths()[rows]
        block = np.zeros((len(rows), max(1, int(lengths.max()))), np.int32)
        for at, row in enumerate(rows):
            block[at, : lengths[at]] = self.pieces[self.starts[row] : self.starts[row] + lengths[at]]
        return block


def kept_apart(data: Path, suites: Path, work: Path) -> set[bytes]:
    """The digests of every text that stands in `evaluate/` or in a suite; kept in the work folder."""
    kept = work / "held.pickle"
    if not kept.exists():
        held = {digest(text) for text in every_text(data / "evaluate")}
        records = (record for path in suites.glob("*.jsonl") for record in read_json(path))
        held |= {digest(record["text"]) for record in records if "text" in record}
        for path in (data / "train/ntrex_news").glob("*.tsv.gz"):
            held |= {digest(text) for r in read_table(path, delimiter="\t", header="a b") for text in r.values()}
        work.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(held))
    found: set[bytes] = pickle.loads(kept.read_bytes())  # noqa: S301  (made by this function)
    return found


def gather(data: Path, examples: Path, suites: Path, work: Path) -> list[Row]:
    """Every row that may be trained on, one a text: none whose text is kept apart for measuring."""
    rows = chain(
        written(examples), map(calmed, chain.from_iterable(source.rows(data) for source in SOURCES)), more(data)
    )
    merged = merge(rows, kept_apart(data, suites, work))
    for row in merged:
        if not set(row.labels) <= set(LABELS):
            raise ValueError(f"{row.source} names a label that there is not")
    return merged


def gather_once(data: Path, examples: Path, suites: Path, work: Path) -> list[Row]:
    """Every row as the engine's policies read it, kept in the work folder once it was gathered."""
    kept = work / "rows.pickle"
    if not kept.exists():
        work.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps([read(row) for row in gather(data, examples, suites, work)]))
    rows: list[Row] = pickle.loads(kept.read_bytes())  # noqa: S301  (made by this function)
    return rows


def pairs_once(data: Path, suites: Path, work: Path) -> list[Pair]:
    """Every pair, its other side as the engine's policies read it, kept in the work folder once it was gathered."""
    kept = work / "pairs.pickle"
    if not kept.exists():
        found = [Pair(read(pair.row), pair.english) for pair in pairs(data, kept_apart(data, suites, work))]
        kept.write_bytes(pickle.dumps(found))
    known: list[Pair] = pickle.loads(kept.read_bytes())  # noqa: S301  (made by this function)
    return known


def natural_rows(examples: Path, held: set[bytes]) -> list[Row]:
    """The natural messages of the examples' folder."""
    return [read(row) for row in merge(natural(examples), held)]


def read(row: Row) -> Row:
    """The row as the engine's policies read it: in the plain view."""
    return Row(normalize(row.text).plain.text, row.labels, row.source, row.language, row.weight, row.weights)


SHARES = {
    "english": 0.36, "natural_english": 0.05, "natural": 0.12, "sets": 0.12, "ordinary": 0.18, "pairs": 0.16,
    "babble": 0.01,
}  # fmt: skip
"""The share of each kind of row that the fast model reads."""


def prepare(
    data: Path,
    examples: Path,
    suites: Path,
    work: Path,
    *,
    teacher: Path,
    before: Path,
    pieces: int,
    size: int,
    seed: int,
) -> dict[str, Encoded]:
    """The splits, encoded, and the vocabulary, kept in `work` and read from there.

    The vocabulary is that of the fast model in `before`, and pieces that are learned from the train split.

    The train split is a sample of `size` rows. What the `teacher`, the folder of an accurate model, says of the English
    side of a pair are the labels of the other side, where the pair has none.
    """
    if not (work / "test.npz").exists():
        rows, pairs = gather_once(data, examples, suites, work), pairs_once(data, suites, work)
        natural = natural_rows(examples, kept_apart(data, suites, work))
        reads = Rounds(rows, [*pairs, *glossary()], natural, seed, SHARES).draw(0, size)
        told = iter(say([read.english for read in reads if read.english is not None], teacher))
        train = [read.row if read.english is None else _mixed(read.row, next(told)) for read in reads]
        if not (work / "vocab.txt").exists():
            learned = learn((row.text for row in train), pieces)
            (work / "vocab.txt").write_text("\n".join(extended(before, learned)), encoding="utf-8")
        vocabulary = (work / "vocab.txt").read_text(encoding="utf-8").split("\n")
        rng = random.Random(seed)
        noisy = [row for row in train if rng.random() < NOISY]
        train += [Row(disturb(r.text, rng), r.labels, r.source, r.language, r.weight * 0.5) for r in noisy]
        cutter = WordPieceTokenizer(vocabulary)
        _save(work / "train.npz", train, cutter)
        for name in ("validation", "test"):
            held = held_rows(rows, pairs, natural, name, seed)
            (work / f"{name}.pickle").write_bytes(pickle.dumps(held))
            _save(work / f"{name}.npz", [each.row for each in held], cutter)
    return {name: _load(work / f"{name}.npz") for name in ("train", "validation", "test")}


def _mixed(row: Row, told: Mapping[str, float]) -> Row:
    """The row with the teacher's labels where it has none of its own."""
    weights = {**row.weights, **dict.fromkeys(told, TAUGHT)}
    return Row(row.text, {**told, **row.labels}, row.source, row.language, row.weight, weights)


def arrays(rows: Sequence[Row]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Labels and their weights, both [rows, labels]; of an unknown label NaN and 0."""
    labels = np.full((len(rows), len(LABELS)), np.nan, np.float32)
    weights = np.zeros((len(rows), len(LABELS)), np.float32)
    for at, row in enumerate(rows):
        for place, label in enumerate(LABELS):
            if label in row.labels:
                labels[at, place] = row.labels[label]
                weights[at, place] = row.weights.get(label, row.weight)
    return labels, weights


def _save(path: Path, rows: Sequence[Row], cutter: WordPieceTokenizer) -> None:
    encoded = [cutter.encode(row.text) for row in rows]
    labels, weights = arrays(rows)
    np.savez(
        path,
        pieces=np.concatenate(encoded),
        starts=np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        labels=labels,
        weights=weights,
        sources=np.array([row.source for row in rows]),
        languages=np.array([row.language for row in rows]),
    )


def _load(path: Path) -> Encoded:
    with np.load(path) as found:
        return Encoded(**{name: found[name] for name in found.files})
