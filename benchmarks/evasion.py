"""How many disguised words are found, and how much ordinary text is left alone: `python -m benchmarks.evasion [-v]`.

The rows are those of tests/tables: `attacks` and `innocents`, which the code was written against, and
`held_out_attacks` and `held_out_innocents`, which nothing was tuned to. An attack counts as resolved where the
profanity lexicon finds a match within the disguise (for `spoof_brand`, where the word stands in the plain or folded
view); an innocent row counts as left alone where the lexicon finds nothing of grade 2 or more and no spoofing signal
reaches 0.5 (`styled` text may look spoofed, so only the lexicon counts there). Another table counts the innocent rows
that no policy flags in a default channel, personal data aside: there the model has its say, too.

The last table is `suites/disguises.jsonl`, which was written before the code that reads it and never tuned to: an
attack counts as read where the lexicon finds something of grade 2 or more, an ordinary row where it finds nothing so.
`--ordinary FOLDER` counts the ordinary sentences of a folder (`*.txt.gz`, one a line) that the lexicon touches.
`--peers` runs the other filters that are installed over the same suite.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.matching_peers import profanity_filters
from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.policies.profanity.policy import find_profanity
from seemly.text.normalize import normalize

SUITE = Path(__file__).parent / "suites" / "disguises.jsonl"
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


def is_profane(text: str, language: str | None = None) -> bool:
    """Whether the lexicon finds a strong word or worse."""
    return bool(find_profanity(normalize(text), minimum_grade=2, language=language))


def read_suite() -> list[dict[str, str]]:
    """The rows of the suite."""
    return [json.loads(line) for line in SUITE.read_text("utf-8").splitlines()]


def print_suite(filters: Mapping[str, Callable[[str], bool]], *, verbose: bool) -> None:
    """The suite's attacks by technique and its ordinary rows, a column a filter."""
    rows = read_suite()
    print("\n| disguise | " + " | ".join(filters) + " |\n|---" + "|---" * len(filters) + "|")
    groups = [*dict.fromkeys(row.get("technique", "ordinary, left alone") for row in rows)]
    totals = dict.fromkeys(filters, 0)
    for group in groups:
        every = [row for row in rows if row.get("technique", "ordinary, left alone") == group]
        cells = []
        for name, check in filters.items():
            wrong = [row["text"] for row in every if check(row["text"]) != (row["row"] == "attack")]
            totals[name] += (len(every) - len(wrong)) * (every[0]["row"] == "attack")
            cells.append(_rate(len(every) - len(wrong), len(every)))
            if verbose and name == "seemly":
                print(*(f"{group}\t{text!a}" for text in wrong), sep="\n")
        print(f"| {group} | " + " | ".join(cells) + " |")
    attacks = sum(row["row"] == "attack" for row in rows)
    print("| **all attacks** | " + " | ".join(f"{total / attacks:.1%}" for total in totals.values()) + " |")


def print_touched(folder: Path, most: int, *, verbose: bool) -> None:
    """How many ordinary sentences the lexicon touches, by file."""
    for path in sorted(folder.glob("*.txt.gz")):
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()[:most]
        language = path.name.split(".")[0]
        touched = [line for line in lines if is_profane(line, language)]
        print(f"{path.name}\t{len(touched)} of {len(lines)}\t{len(touched) / len(lines):.2%}")
        if verbose:
            print(
                *(f"\t{[m.match for m in find_profanity(normalize(t), minimum_grade=2)]}\t{t!r}" for t in touched),
                sep="\n",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true", help="also print every row that goes wrong")
    parser.add_argument("--ordinary", type=Path, action="append", default=[], help="a folder of ordinary sentences")
    parser.add_argument("--most", type=int, default=1_000_000, help="sentences read of each file")
    parser.add_argument("--peers", action="store_true", help="also run the other filters that are installed")
    parser.add_argument("--suite", action="store_true", help="only the suite, not the tables that need the models")
    options = parser.parse_args()
    filters: dict[str, Callable[[str], bool]] = {"seemly": is_profane}
    if options.peers:
        filters |= profanity_filters([row["text"] for row in read_suite()])
    if not options.suite:
        print_tables(verbose=options.verbose)
    print_suite(filters, verbose=options.verbose)
    for folder in options.ordinary:
        print_touched(folder, options.most, verbose=options.verbose)


def print_tables(*, verbose: bool) -> None:
    """The tables of the tests: attacks, innocents, and innocents that no classifier flags."""
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
