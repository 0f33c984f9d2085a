"""How many disguised words are found, and how much ordinary text is left alone: `python -m benchmarks.evasion [-v]`.

The rows are tests/tables/attacks.jsonl and tests/tables/innocents.jsonl. An attack counts as resolved where the
profanity lexicon finds a match within the disguise (for `spoof_brand`, where the word stands in the plain or folded
view); an innocent row counts as left alone where the lexicon finds nothing of grade 2 or more and no spoofing signal
reaches 0.5 (`styled` text may look spoofed, so only the lexicon counts there).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from seemly.policies.profanity import find_profanity
from seemly.text.normalize import normalize

TABLES = Path(__file__).parent.parent / "tests" / "tables"


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of one table."""
    lines = (TABLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def is_resolved(row: Mapping[str, str]) -> bool:
    """Whether the word behind the disguise is found."""
    read = normalize(row["text"])
    if row["technique"] == "spoof_brand":
        word = row["word"].casefold()
        return word in read.plain.text.casefold() or word in read.folded.text
    start = row["text"].index(row["found"])
    end = start + len(row["found"])
    return any(match.span.start < end and match.span.end > start for match in find_profanity(read, minimum_grade=2))


def is_left_alone(row: Mapping[str, str]) -> bool:
    """Whether ordinary text is taken for nothing else."""
    read = normalize(row["text"])
    spoofed = row["kind"] != "styled" and any(signal.probability >= 0.5 for signal in read.signals)
    return not spoofed and not find_profanity(read, minimum_grade=2)


def find_misses() -> Iterator[tuple[str, str, str]]:
    """The rows that go wrong: table, technique or kind, text."""
    yield from (("attacks", row["technique"], row["text"]) for row in read_table("attacks") if not is_resolved(row))
    yield from (("innocents", row["kind"], row["text"]) for row in read_table("innocents") if not is_left_alone(row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="also print every row that goes wrong")
    verbose = parser.parse_args().verbose
    misses = list(find_misses())
    for table, key, done in (("attacks", "technique", "resolved"), ("innocents", "kind", "left alone")):
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        wrong = {(group, text) for name, group, text in misses if name == table}
        for row in read_table(table):
            counts[row[key]][0] += 1
            counts[row[key]][1] += (row[key], row["text"]) not in wrong
        total, right = (sum(column) for column in zip(*counts.values(), strict=True))
        print(f"\n{table}: {right} of {total} {done} ({right / total:.1%})\n\n| {key} | rows | {done} |\n|---|---|---|")
        for group, (rows, fine) in sorted(counts.items()):
            print(f"| {group} | {rows} | {fine} |")
    if verbose:
        for table, group, text in misses:
            print(f"{table}\t{group}\t{text!a}")


if __name__ == "__main__":
    main()
