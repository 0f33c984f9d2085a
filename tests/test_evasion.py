"""How much disguise is seen through and how much ordinary text is left alone: tests/tables says what the rows are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from seemly.policies.profanity import find_profanity
from seemly.text.normalize import normalize

TABLES = Path(__file__).parent / "tables"


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (TABLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _is_resolved(row: dict[str, str]) -> bool:
    read = normalize(row["text"])
    if row["technique"] == "spoof_brand":
        return row["word"] in read.plain.text.casefold() or row["word"] in read.folded.text
    start = row["text"].index(row["found"])
    end = start + len(row["found"])
    return any(match.span.start < end and match.span.end > start for match in find_profanity(read, minimum_grade=2))


def _is_left_alone(row: dict[str, str]) -> bool:
    read = normalize(row["text"])
    spoofed = row["kind"] != "styled" and any(signal.probability >= 0.5 for signal in read.signals)
    return not spoofed and not find_profanity(read, minimum_grade=2)


@pytest.mark.parametrize(("table", "least", "rows"), [("attacks", 0.98, 300), ("held_out_attacks", 0.90, 200)])
def test_disguised_words_are_found(table: str, least: float, rows: int) -> None:
    resolved = [_is_resolved(row) for row in _rows(table)]
    assert len(resolved) >= rows
    assert sum(resolved) / len(resolved) >= least


@pytest.mark.parametrize(("table", "least", "rows"), [("innocents", 1.0, 300), ("held_out_innocents", 0.995, 300)])
def test_ordinary_text_is_left_alone(table: str, least: float, rows: int) -> None:
    left = [_is_left_alone(row) for row in _rows(table)]
    assert len(left) >= rows
    assert sum(left) / len(left) >= least


def _spans() -> Iterator[tuple[str, str]]:
    for table in ("attacks", "held_out_attacks"):
        yield from ((row["text"], row["found"]) for row in _rows(table))


def test_what_is_matched_is_what_was_disguised() -> None:
    """The span covers the disguise and little more: at most its neighbours of the same word."""
    wide = 0
    for text, found in _spans():
        start = text.index(found)
        for match in find_profanity(normalize(text), minimum_grade=2):
            assert match.match == text[match.span.start : match.span.end]
            touches = match.span.start < start + len(found) and match.span.end > start
            wide += touches and len(match.match) > len(found) + 12
    assert wide <= 5
