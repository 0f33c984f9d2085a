"""Whether explanations name the words that matter: `python -m benchmarks.explanations --data FOLDER [--tier TIER …]`.

On comments whose toxic parts people marked (SemEval 2021 task 5), two things are measured. Agreement: F1 of the
characters of the words named for `toxicity` against those marked, averaged over the comments that are flagged and have
at most 400 characters; a word is named from a share on, which is chosen on the validation split, and the figures are
those of the test split. Faithfulness: how far the probability falls when the named words are deleted, and when as many
other words are, drawn at random.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seemly.engine.engine import Engine
from seemly.engine.explain import Contribution

MODELS = Path(__file__).parent.parent / "models"
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


@dataclass(frozen=True, slots=True)
class Marked:
    """A comment, the characters that people marked, the words of an explanation, and its cost in milliseconds."""

    text: str
    marked: frozenset[int]
    words: tuple[Contribution, ...]
    milliseconds: float

    def named(self, share: float) -> list[Contribution]:
        """The words with at least that share."""
        return [word for word in self.words if word.share >= share]

    def f1(self, share: float) -> float:
        """F1 of characters; 1 where neither names any."""
        found = {at for word in self.named(share) for at in range(*word.span)}
        if not found and not self.marked:
            return 1.0
        return 2 * len(found & self.marked) / max(len(found) + len(self.marked), 1)


def read(data: Path, split: str) -> Iterator[tuple[str, frozenset[int]]]:
    """The comments of one of the splits that were held apart from training."""
    sys.path.insert(0, str(MODELS))
    from training.reading import read_table
    from training.rows import split_of

    for name in ("train", "trial"):
        for row in read_table(data / "train" / "toxic_spans" / f"SemEval2021_data_tsd_{name}.csv"):
            if split_of(row["text"]) == split:
                yield row["text"], frozenset(literal_eval(row["spans"]))


def explain(engine: Engine, comments: Sequence[tuple[str, frozenset[int]]]) -> list[Marked]:
    """Explain comments of at most 400 characters that the engine flags for toxicity."""
    found = []
    for text, marked in comments:
        if len(text) <= 400:
            began = time.perf_counter()
            told = next(each for each in engine.explain(text).policies if each.policy == "toxicity")
            if told.flagged:
                found.append(Marked(text, marked, told.words, (time.perf_counter() - began) * 1e3))
    return found


def fall(engine: Engine, comments: Sequence[Marked], share: float, *, at_random: bool) -> float:
    """How far the probability of toxicity falls without the named words, or without as many others; the mean."""
    rng = random.Random(5)
    falls = []
    for comment in comments:
        spans = [tuple(word.span) for word in comment.named(share)]
        if at_random:
            named = {at for span in spans for at in range(*span)}
            others = [word for word in _words(comment.text) if named.isdisjoint(range(*word))]
            spans = rng.sample(others, min(len(spans), len(others)))
        lost = {at for span in spans for at in range(*span)}
        kept = "".join(char for at, char in enumerate(comment.text) if at not in lost)
        whole, less = (engine.moderate(text)["toxicity"].probability for text in (comment.text, kept))
        falls.append(whole - less)
    return statistics.mean(falls)


def _words(text: str) -> list[tuple[int, ...]]:
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return spans


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of labelled data")
    parser.add_argument("--tier", nargs="+", default=["fast", "cascade", "accurate"])
    args = parser.parse_args()
    trial, test = list(read(args.data, "validation")), list(read(args.data, "test"))
    print("| tier | comments | named from a share of | F1 against people | fall, named | fall, others | ms, p50 |")
    print("|---|---|---|---|---|---|---|")
    for tier in args.tier:
        engine = Engine(tier=tier).warm_up()
        tried, told = explain(engine, trial), explain(engine, test)
        share = max(SHARES, key=lambda s: statistics.mean(comment.f1(s) for comment in tried))
        f1 = statistics.mean(comment.f1(share) for comment in told)
        named = fall(engine, told, share, at_random=False)
        others = fall(engine, told, share, at_random=True)
        cost = statistics.median(comment.milliseconds for comment in told)
        print(f"| {tier} | {len(told)} | {share} | {f1:.3f} | {named:.3f} | {others:.3f} | {cost:.1f} |")


if __name__ == "__main__":
    main()
