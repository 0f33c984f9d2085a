"""The table of the interface, beside the server's code: nothing is missing in it, and nothing in it is made up."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')

from seemly.adapters.server.routes import ENDPOINTS

ROOT = Path(__file__).parents[3]
TABLE = (ROOT / "docs" / "service" / "interface.md").read_text(encoding="utf-8")


def test_every_endpoint_stands_in_it_once() -> None:
    rows = re.findall(r"^\| `([A-Z]+ /[^`]*)` \| .+ \| .*`[\w/]+/test_\w+\.py::test_\w+`.* \|$", TABLE, re.MULTILINE)
    assert sorted(rows) == sorted(f"{each.method} {each.path}" for each in ENDPOINTS)


def test_every_test_that_it_names_exists() -> None:
    named = set(re.findall(r"`([\w/]+/test_\w+\.py)::(test_\w+)`", TABLE))
    assert len(named) > 50
    for file in {file for file, _ in named}:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        defined = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert {name for its, name in named if its == file} <= defined


def test_every_rule_names_a_test() -> None:
    rules = TABLE.split("## Rules")[1].strip().splitlines()[2:]
    assert all(re.search(r"`[\w/]+/test_\w+\.py::test_\w+` \|$", each) for each in rules)
