"""The examples print what they say."""

from __future__ import annotations

import ast
import doctest
import io
import re
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.support.documents import skip_without_extras

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_print_what_they_say(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(script)])
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    skip_without_extras(text)
    out = io.StringIO()
    with redirect_stdout(out):
        runpy.run_path(str(script), run_name="__main__")
    told = re.search(r"prints:\n\n((?: {4}.*\n|\n)+)", text + "\n")
    if told is None:
        assert out.getvalue()
        return
    want = "\n".join(line.removeprefix("    ") for line in told[1].strip("\n").splitlines()) + "\n"
    same = doctest.OutputChecker().check_output(want, out.getvalue(), doctest.ELLIPSIS)
    assert same, f"says\n{want}\nprints\n{out.getvalue()}"


def test_batch_file_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"type": "text", "text": "hello there"}\nnot json\n', encoding="utf-8")
    script = ROOT / "examples/batch_file.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(source), str(target)])
    runpy.run_path(str(script), run_name="__main__")
    first, second = target.read_text(encoding="utf-8").splitlines()
    assert '"action"' in first
    assert '"line": 2, "error"' in second


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_stands_in_the_documentation(script: Path) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert f"examples/{script.name}" in pages
