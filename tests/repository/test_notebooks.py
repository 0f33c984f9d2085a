"""The notebooks of the examples: executed, small, and their code still runs."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
LARGEST = 300_000

missing = [name for name in ("matplotlib", "pandas") if find_spec(name) is None]
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read_code_cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["choosing_thresholds", "from_perspective"]


@each_notebook
def test_was_executed_from_top_to_bottom(path: Path) -> None:
    cells = read_code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs
    assert all(output["output_type"] != "error" and output.get("name") != "stderr" for output in outputs)


@each_notebook
def test_is_small_and_names_no_place_on_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= LARGEST
    assert not re.search(r"/(home|root|tmp|Users|work)/|[A-Z]:\\\\", text)


@pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: pip install 'seemly[notebook]'")
@each_notebook
def test_its_code_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib
    import pandas as pd
    from matplotlib import pyplot

    monkeypatch.chdir(EXAMPLES)
    matplotlib.use("Agg")
    names: dict[str, Any] = {"__name__": path.stem}
    with pd.option_context("display.max_colwidth", 50):
        for number, cell in enumerate(read_code_cells(path), 1):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)  # noqa: S102
    assert "Engine" in names, "the notebook ran no engine"
    pyplot.close("all")


def test_the_comments_are_held_apart_from_training() -> None:
    from training.rows import split_of

    rows = [json.loads(line) for line in (EXAMPLES / "data/comments.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 400
    assert {split_of(row["text"]) for row in rows} == {"test"}
