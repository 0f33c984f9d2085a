"""How much disguise is seen through and how much ordinary text is left alone: tests/tables says what the rows are."""

from collections.abc import Iterator

import pytest
from benchmarks.evasion import is_left_alone, is_resolved, read_table

from seemly.policies.profanity.policy import find_profanity
from seemly.text.normalize import normalize


@pytest.mark.parametrize(("table", "least", "rows"), [("attacks", 0.98, 300), ("held_out_attacks", 0.90, 200)])
def test_disguised_words_are_found(table: str, least: float, rows: int) -> None:
    resolved = [is_resolved(row) for row in read_table(table)]
    assert len(resolved) >= rows
    assert sum(resolved) / len(resolved) >= least


@pytest.mark.parametrize(("table", "least", "rows"), [("innocents", 1.0, 300), ("held_out_innocents", 0.995, 300)])
def test_ordinary_text_is_left_alone(table: str, least: float, rows: int) -> None:
    left = [is_left_alone(row) for row in read_table(table)]
    assert len(left) >= rows
    assert sum(left) / len(left) >= least


def _spans() -> Iterator[tuple[str, str]]:
    for table in ("attacks", "held_out_attacks"):
        yield from ((row["text"], row["found"]) for row in read_table(table))


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
