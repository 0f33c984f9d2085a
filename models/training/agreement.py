"""`cd models && python -m training.agreement`: how far two readings of the same 1,000 rows agree.

`readings.tsv` has a row a text: a hash of the text, its data set, and the labels that each of two readers gave it
independently, for the labels that its set leaves out. The figure is Cohen's kappa (Cohen 1960, "A coefficient of
agreement for nominal scales"): 1 is perfect agreement, 0 is that of chance.
"""

from __future__ import annotations

from pathlib import Path

LABELS = ("self_harm", "sexual", "violence", "threat", "harassment", "insult", "mention")
FILE = Path(__file__).with_name("readings.tsv")


def read(file: Path = FILE) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return both readings of each row."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(_split(first), _split(second)) for _, _, first, second in (line.split("\t") for line in lines)]


def kappa(label: str, rows: list[tuple[frozenset[str], frozenset[str]]]) -> float:
    """Return Cohen's kappa of one label."""
    count = len(rows)
    same = sum((label in first) == (label in second) for first, second in rows) / count
    one, other = (sum(label in row[side] for row in rows) / count for side in (0, 1))
    chance = one * other + (1 - one) * (1 - other)
    return (same - chance) / (1 - chance)


def _split(labels: str) -> frozenset[str]:
    return frozenset() if labels == "-" else frozenset(labels.split(","))


def main() -> None:
    """Print a line a label."""
    rows = read()
    for label in LABELS:
        first, second = (sum(label in row[side] for row in rows) for side in (0, 1))
        print(f"{label:12} {first:4} and {second:4} of {len(rows):,} rows, kappa {kappa(label, rows):.2f}")


if __name__ == "__main__":
    main()
