"""How much personal data is found, wholly and only: `python -m benchmarks.personal_data [-v] [--ordinary FOLDER]`.

The rows of `suites/personal_data.jsonl` were written before the code and nothing was tuned to them.

- Kinds × scripts × glue: each value stands in a sentence of each script, glued to the word before it, to the word
  after it, or to both. It counts as found if one match of its entity, with a probability of 0.5 or more, has its span.
- Spans: the match covers the value. Kinds: the match is of the entity and covers the value.
- Ordinary: nothing is found with a probability of 0.5 or more that flags.

`--ordinary FOLDER` counts matches in files of ordinary sentences (`*.txt.gz`, one a line; `*.tsv.gz`, the last
column). `--peers` runs the other recognizers that are installed over the same rows: presidio-analyzer (its pattern
recognizers) and, if node finds it, linkify-it.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.matching_peers import find_peers
from seemly.core.channel import Channel
from seemly.policies.pii.options import PiiOptions
from seemly.policies.pii.policy import SPEC
from seemly.policies.protocol import Item
from seemly.policies.url.policy import SPEC as URL
from seemly.policies.url.policy import UrlOptions
from seemly.text.normalize import normalize

SUITE = Path(__file__).parent / "suites" / "personal_data.jsonl"
GLUES = ("before", "after", "both")
CERTAIN = 0.5
PII = SPEC.build(PiiOptions(), Channel(key="benchmark"))
ADDRESSES = URL.build(UrlOptions(), Channel(key="benchmark"))

Finder = Callable[[str], Iterable[tuple[int, int, str]]]
"""From a text to start, end and entity of everything found in it."""


@dataclass(frozen=True)
class Case:
    """A text, the group it counts in, and the value that is to be found in it, if one is."""

    table: str
    group: str
    text: str
    entity: str = ""
    start: int = 0
    end: int = 0


def read_cases() -> Iterator[Case]:
    """Every case of the suite, the products of values and carriers among them."""
    rows = [json.loads(line) for line in SUITE.read_text("utf-8").splitlines()]
    values = [row for row in rows if row["row"] == "value"]
    for carrier in (row for row in rows if row["row"] == "carrier"):
        for value in (row for row in values if row["kind"] == carrier["kind"]):
            for glue in GLUES:
                written = value["value"]
                spaced = {"before": written + " ", "after": " " + written, "both": written}[glue]
                text = carrier["text"].replace("{v}", spaced)
                yield _case(
                    "kinds x scripts x glue", f"{carrier['kind']} {carrier['script']}", text, value["entity"], written
                )
    for row in rows:
        if row["row"] in ("span", "kind"):
            yield _case(row["row"] + "s", row["entity"], row["text"], row["entity"], row["value"])
        elif row["row"] == "ordinary":
            yield Case("ordinary", "ordinary", row["text"])


def _case(table: str, group: str, text: str, entity: str, value: str) -> Case:
    start = text.index(value)
    return Case(table, group, text, entity, start, start + len(value))


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """What seemly finds and would mask or flag, addresses of web sites included."""
    item = Item(normalize(text))
    for policy in (PII, ADDRESSES):
        for match in policy.check([item])[0].matches:
            if match.probability >= CERTAIN:
                yield match.span.start, match.span.end, match.entity_type or ""


def is_right(case: Case, finder: Finder) -> bool:
    """Whether a finder does what the case asks."""
    found = list(finder(case.text))
    if case.table == "ordinary":
        return is_free(case.text) if finder is find else not [entity for _, _, entity in found if entity != "url"]
    spans = [(start, end) for start, end, entity in found if entity == case.entity]
    if case.table == "kinds x scripts x glue":
        return (case.start, case.end) in spans
    return any(start <= case.start and case.end <= end for start, end in spans)


def is_free(text: str) -> bool:
    """Whether nothing in a text flags as personal data."""
    return not any(m.flagging and m.probability >= CERTAIN for m in PII.check([Item(normalize(text))])[0].matches)


def count_false(folder: Path, most: int, verbose: bool) -> tuple[int, int]:
    """The ordinary sentences read from `folder`, at most `most` a file, and how many of them have a flagging match.

    Mails and small ads among them hold real numbers and addresses: `-v` prints all, and a reader tells which are false.
    """
    read, false = 0, 0
    for path in sorted([*folder.glob("*.txt.gz"), *folder.glob("*.tsv.gz")]):
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()[:most]
        for line in lines:
            text = line.rsplit("\t", 1)[-1] if path.name.endswith(".tsv.gz") else line
            read += 1
            item = Item(normalize(text))
            matches = [m for m in PII.check([item])[0].matches if m.flagging and m.probability >= CERTAIN]
            if matches:
                false += 1
                if verbose:
                    print(f"{path.name}\t{matches[0].entity_type}\t{matches[0].match!r}\t{text[:200]!r}")
    return read, false


def print_tables(cases: list[Case], finders: dict[str, Finder], verbose: bool) -> None:
    """One table a suite: a row a group, a column a finder."""
    for table in dict.fromkeys(case.table for case in cases):
        rows = [case for case in cases if case.table == table]
        every = Counter(_shown(case) for case in rows)
        right = {name: Counter() for name in finders}
        for name, finder in finders.items():
            for case in rows:
                done = is_right(case, finder)
                right[name][_shown(case)] += done
                if verbose and not done and name == "seemly":
                    print(f"{table}\t{case.group}\t{case.text!r}\t{list(finder(case.text))}")
        print(f"\n| {table} | " + " | ".join(finders) + " |\n|---" + "|---" * len(finders) + "|")
        for group in sorted(every):
            print(f"| {group} | " + " | ".join(f"{right[name][group]} of {every[group]}" for name in finders) + " |")
        total = len(rows)
        print("| **all** | " + " | ".join(f"{sum(right[n].values()) / total:.1%} of {total}" for n in finders) + " |")


def _shown(case: Case) -> str:
    return case.group.split(" ")[0] if case.table.startswith("kinds x") else case.group


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true", help="also print every case that goes wrong")
    parser.add_argument("--ordinary", type=Path, action="append", default=[], help="a folder of ordinary sentences")
    parser.add_argument("--most", type=int, default=1_000_000, help="sentences read of each file")
    parser.add_argument("--peers", action="store_true", help="also run the other recognizers that are installed")
    options = parser.parse_args()
    cases = list(read_cases())
    finders: dict[str, Finder] = {"seemly": find}
    if options.peers:
        finders |= find_peers([case.text for case in cases])
    print_tables(cases, finders, options.verbose)
    for folder in options.ordinary:
        read, false = count_false(folder, options.most, options.verbose)
        share = f"1 in {read // max(false, 1)}"
        print(f"\n{folder.name}: {false} of {read} ordinary sentences have a match, real ones among them ({share})")


if __name__ == "__main__":
    main()
