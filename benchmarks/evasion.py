"""How many disguised words are found, and how much ordinary text is left alone: `python -m benchmarks.evasion [-v]`.

The rows are those of tests/tables: `attacks` and `innocents`, which the code was written against, and
`held_out_attacks` and `held_out_innocents`, which nothing was tuned to. An attack counts as resolved where the
profanity lexicon finds a match within the disguise (for `spoof_brand`, where the word stands in the plain or folded
view); an innocent row counts as left alone where the lexicon finds nothing of grade 2 or more and no spoofing signal
reaches 0.5 (`styled` text may look spoofed, so only the lexicon counts there). The last table counts the innocent rows
that no policy flags in a default channel, personal data aside: there the model has its say, too.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.policies.profanity.policy import find_profanity
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
    for name in ("attacks", "held_out_attacks"):
        yield from ((name, row["technique"], row["text"]) for row in read_table(name) if not is_resolved(row))
    for name in ("innocents", "held_out_innocents"):
        yield from ((name, row["kind"], row["text"]) for row in read_table(name) if not is_left_alone(row))


def find_flagged() -> Iterator[tuple[str, str, str]]:
    """The innocent rows that some policy other than personal data flags, by the model's scores or the lexicon."""
    engine = Engine(Channel(key="innocents"))
    for name in ("innocents", "held_out_innocents"):
        rows = read_table(name)
        for row, result in zip(rows, engine.moderate_many([row["text"] for row in rows]), strict=True):
            if any(policy.flagged for policy in result.policies if policy.id != "personal_information"):
                yield name, row["kind"], row["text"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="also print every row that goes wrong")
    verbose = parser.parse_args().verbose
    misses = list(find_misses())
    print_rates("attacks", "technique", "resolved", misses)
    print_rates("innocents", "kind", "left alone", misses)
    flagged = list(find_flagged())
    print_rates("innocents", "kind", "flagged by no classifier", flagged)
    misses += flagged
    if verbose:
        for table, group, text in misses:
            print(f"{table}\t{group}\t{text!a}")


def print_rates(table: str, key: str, done: str, misses: list[tuple[str, str, str]]) -> None:
    """The rates of a table and of its held-out companion, by group and in all."""
    columns: list[dict[str, tuple[int, int]]] = []
    for name in (table, f"held_out_{table}"):
        rows = Counter(row[key] for row in read_table(name))
        wrong = Counter(group for of, group, _ in misses if of == name)
        columns.append({group: (count - wrong[group], count) for group, count in rows.items()})
    print(f"\n| {key} | {table} {done} | held-out {table} {done} |\n|---|---|---|")
    for group in sorted(set().union(*columns)):
        print(f"| {group} | " + " | ".join(_rate(*column.get(group, (0, 0))) for column in columns) + " |")
    totals = [(sum(right for right, _ in column.values()), sum(of for _, of in column.values())) for column in columns]
    print("| **all** | " + " | ".join(f"{_rate(*total)} ({total[0] / total[1]:.1%})" for total in totals) + " |")


def _rate(right: int, of: int) -> str:
    return f"{right} of {of}"


if __name__ == "__main__":
    main()
