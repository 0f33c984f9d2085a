"""Which threshold? Score rows that you have labelled, and read precision and recall off a table.

    python examples/choose_threshold.py

The rows here are few and made up, so the numbers only show the method. Use some hundreds of your own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from seemly import Channel, Engine

POLICY = "toxicity"

ROWS = (
    (True, "you are a worthless idiot"),
    (True, "shut up, you stupid clown"),
    (True, "nobody wants you here, loser"),
    (True, "what a pathetic little liar you are"),
    (True, "go to hell, you disgusting pig"),
    (True, "only a moron would write this"),
    (True, "your kind is too dumb to read"),
    (True, "I hope you choke on it, idiot"),
    (False, "thanks, that was a good game"),
    (False, "I disagree with every word of this article"),
    (False, "the referee made a stupid mistake"),
    (False, "that level is hell, I died nine times"),
    (False, "pick up in Leeds, some marks on the table"),
    (False, "this damn printer is broken again"),
    (False, "what time does the shop open on Sunday?"),
    (False, "my dog is such an idiot, I love him"),
)


class Row(NamedTuple):
    """What a threshold does to the labelled rows. `precision` is 1 where nothing flags."""

    threshold: float
    flagged: int
    precision: float
    recall: float


def score(engine: Engine, texts: Sequence[str]) -> list[float]:
    """The policy's probability for each text."""
    return [result[POLICY].probability for result in engine.moderate_many(texts)]


def measure(labels: Sequence[bool], scores: Sequence[float], threshold: float) -> Row:
    """Precision and recall at a threshold."""
    flagged = [label for label, each in zip(labels, scores, strict=True) if each >= threshold]
    hits = sum(flagged)
    return Row(threshold, len(flagged), hits / len(flagged) if flagged else 1.0, hits / sum(labels))


def choose(rows: Sequence[Row], precision: float) -> Row:
    """The lowest threshold that is at least so precise: of those, the one that finds most."""
    return min((row for row in rows if row.precision >= precision), key=lambda row: row.threshold)


def main() -> None:
    labels = [label for label, _ in ROWS]
    scores = score(Engine(Channel(key="comments")), [text for _, text in ROWS])
    rows = [measure(labels, scores, step / 20) for step in range(1, 21)]
    print("threshold  flagged  precision  recall")
    for row in rows:
        print(f"{row.threshold:>9.2f}  {row.flagged:>7}  {row.precision:>9.2f}  {row.recall:>6.2f}")
    print(f"\nat a precision of 0.9: PolicySettings({POLICY!r}, threshold={choose(rows, 0.9).threshold})")


if __name__ == "__main__":
    main()
