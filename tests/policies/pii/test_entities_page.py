"""The page of entities names them all."""

from __future__ import annotations

from pathlib import Path

from seemly.policies.pii.policy import ENTITY_TYPES

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "entities.md"


def test_every_entity_has_its_row() -> None:
    rows = [line.split("`")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(ENTITY_TYPES)
