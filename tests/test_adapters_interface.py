"""The table of the interface names every endpoint, and tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')

from seemly.adapters.server.routes import ENDPOINTS

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "src/seemly/adapters/server/INTERFACE.md").read_text(encoding="utf-8")


def test_every_endpoint_stands_in_the_table() -> None:
    missing = [f"{each.method} {each.path}" for each in ENDPOINTS if f"| {each.method} `{each.path}` |" not in TABLE]
    assert missing == []


def test_every_test_that_it_names_is_there() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)", code))
    assert set(re.findall(r"`(test_\w+)`", TABLE)) <= known
