"""Record what benchmarks print, and write the pages of docs/evidence from the records.

    python -m benchmarks.report record speed --peers --soak 100000     # runs benchmarks.speed, keeps its tables
    python -m benchmarks.report                                        # writes docs/evidence and the README's table

A record is benchmarks/results/NAME.json: the command, the commit, the machine, and the tables that were printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results"

_MODULES = ("speed", "media", "speech", "hashes", "service", "quality", "explanations", "evasion")
_PAGES = {
    "speed": (
        "Speed",
        "Every built-in policy is on. The aims are the project's own. The machine is shared and not fast: compare with "
        "the other libraries, which ran in the same minutes. `seemly bench` measures your machine.",
        ("speed", "media", "speech", "hashes", "service"),
    ),
    "quality": (
        "Quality",
        "The suites in `benchmarks/suites` are sentences written for measuring only; no model was trained on them. "
        "Calibration of `text-accurate` 4 was changed with a look at `judgement.tsv`. Other rows were "
        "held apart from the training sets. The aims are the project's "
        "own.",
        ("quality", "explanations", "evasion"),
    ),
}
"""The pages: a title, what holds for all of it, and the records that it shows."""

_ABOUT = {
    "speed": "The library",
    "media": "Images, video and sound",
    "speech": "Speech",
    "hashes": "Known images",
    "service": "The service",
    "quality": "The tiers",
    "explanations": "Explanations",
    "evasion": "Disguises",
}
_CARDS = """\
## Model cards

The cards have every label's figures on rows held apart, with calibration, thresholds and languages, and say what the
models are weak at. The training command writes them: [text-fast](cards/text-fast.md),
[text-accurate](cards/text-accurate.md), [language](cards/language.md).
"""

_START, _END = "<!-- figures: start -->", "<!-- figures: end -->"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it was printed. `before` are the lines printed above it, `at` the commit if not the record's."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    before: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What one benchmark printed, and where it ran. `after` are the lines below the last table."""

    name: str
    command: str
    commit: str
    date: str
    machine: str
    tables: tuple[Table, ...]
    after: tuple[str, ...] = ()


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    record = commands.add_parser("record", help="run a benchmark and keep what it prints")
    record.add_argument("name", choices=_MODULES)
    record.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(argv)
    if given.command == "record":
        save(run(given.name, given.arguments))
    write_pages(ROOT)


def run(name: str, arguments: Sequence[str]) -> Record:
    """Run a benchmark, pass on what it prints, and return the record."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        lines = []
        for line in running.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    if running.returncode:
        raise SystemExit(f"benchmarks.{name} ended with {running.returncode}; nothing was recorded")
    # A folder of this machine is of no use to a reader.
    told = " ".join("FOLDER" if Path(each).is_absolute() else re.sub(r"\w+://\S+", "URL", each) for each in arguments)
    tables, after = parse_tables(lines)
    return Record(
        name,
        f"python -m benchmarks.{name} {told}".strip(),
        _ask_git("rev-parse", "--short", "HEAD") + ("+" if _ask_git("status", "--porcelain", "src", "models") else ""),
        datetime.now(UTC).date().isoformat(),
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores",
        tables,
        after,
    )


def parse_tables(lines: Iterable[str]) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """Return the Markdown tables among lines, each with the lines above it, and the lines below the last."""
    tables: list[Table] = []
    before: list[str] = []
    rows: list[tuple[str, ...]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            rows.append(tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))))
            continue
        if len(rows) >= 2:
            tables.append(Table(rows[0], tuple(rows[2:]), tuple(before)))
            before = []
        rows = []
        if line.strip():
            before.append(line.strip())
    return tuple(tables), tuple(before)


def save(record: Record) -> None:
    """Write a record to its file."""
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False)
    (RESULTS / f"{record.name}.json").write_text(text + "\n", encoding="utf-8")


def load() -> dict[str, Record]:
    """Return every record by its name."""
    found = {}
    for path in sorted(RESULTS.glob("*.json")):
        wire = json.loads(path.read_text(encoding="utf-8"))
        tables = tuple(
            Table(tuple(each["header"]), tuple(map(tuple, each["rows"])), tuple(each["before"]), each["at"])
            for each in wire["tables"]
        )
        found[wire["name"]] = replace(Record(**wire), tables=tables, after=tuple(wire["after"]))
    return found


def write_pages(root: Path) -> None:
    """Write the evidence pages and the README's table below a folder."""
    for path, text in render(load(), (root / "README.md").read_text(encoding="utf-8")).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def render(records: dict[str, Record], readme: str) -> dict[str, str]:
    """Return what is written, by its path from the root."""
    pages = {}
    for page, (title, about, names) in _PAGES.items():
        parts = [f"# {title}", "<!-- Written by python -m benchmarks.report; do not edit. -->", about]
        parts += [part for name in names if name in records for part in _render_record(records[name])]
        if page == "quality":
            parts.append(_CARDS.strip())
        pages[f"docs/evidence/{page}.md"] = "\n\n".join(parts) + "\n"
    start, end = readme.index(_START) + len(_START), readme.index(_END)
    pages["README.md"] = f"{readme[:start]}\n{_summarize(records)}\n{readme[end:]}"
    return pages


def _render_record(record: Record) -> Iterator[str]:
    yield f"## {_ABOUT[record.name]}"
    yield f"`{record.command}`, {record.machine}, {record.date}, commit `{record.commit}`."
    for table in record.tables:
        if table.before:
            yield "\n".join(table.before)
        if table.at:
            yield f"Measured at commit `{table.at}`."
        yield render_table(table)
    if record.after:
        yield "\n".join(record.after)


def render_table(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [table.header, ("---",) * len(table.header), *table.rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _summarize(records: dict[str, Record]) -> str:
    """Return the README's table: a row of speed for each library, and some rows of quality."""
    rows = [
        (row[0], row[1], row[2])
        for table in records["speed"].tables
        if table.header[0] == "library"
        for row in table.rows
    ]
    speed = Table(("library", "what it gives", "mean per message"), tuple(rows))
    shown = (("functions", "hate, overall %"), ("prompts", "harmless questions flagged %"))
    quality = records["quality"].tables[0]
    figures = Table(
        ("suite", "measure", *quality.header[2:5]),
        tuple(row[:5] for row in quality.rows if (row[0], row[1]) in shown),
    )
    told = f"Measured at commits `{records['speed'].commit}` and `{records['quality'].commit}`."
    return "\n".join(["", render_table(speed), "", render_table(figures), "", told, ""])


def _ask_git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607


if __name__ == "__main__":
    main()
