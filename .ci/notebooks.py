"""Execute the notebooks of the examples, on this checkout, and keep what they put out.

    pip install -e ".[notebook]" ipykernel nbclient nbformat
    python .ci/notebooks.py

For after a change of the models, or of a notebook. What would differ from run to run for no reason (times, the
kernel's name) is left out. A cell that fails or warns, a notebook that is too big, and an output that names a place on
this machine end the run, and that notebook stays as it was.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
LARGEST = 300_000
"""Bytes that a notebook may have."""
PROGRESS = re.compile(r"\r[^\r\n]*?\x1b\[K")
"""A progress line, as drawn and as wiped: no result, and no complaint."""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> str:
    """The notebook with its outputs, as it is to be written. Raises ValueError where it should not be."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name=KERNEL["name"],
        resources={"metadata": {"path": str(EXAMPLES)}},
        record_timing=False,
    ).execute()
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            if told := PROGRESS.sub("", "".join(each.text for each in cell.outputs if is_told(each))):
                raise ValueError(f"cell {number} complains: {told}")
            cell.outputs = [each for each in cell.outputs if not is_told(each)]
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook) + "\n"
    if len(text.encode()) > LARGEST:
        raise ValueError(f"has {len(text.encode()):,} bytes, more than {LARGEST:,}")
    places = [str(place) for place in (ROOT, Path.home(), Path(sys.prefix)) if str(place) in text]
    if places:
        raise ValueError(f"names {', '.join(places)}")
    return text


def is_told(output: Any) -> bool:
    """Whether an output went to standard error."""
    return bool(output.output_type == "stream" and output.name == "stderr")


def main() -> None:
    # The kernel takes seemly from this checkout, whatever is installed.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        try:
            text = execute(path)
        except ValueError as error:
            sys.exit(f"{path.name} {error}")
        path.write_text(text, encoding="utf-8")
        print(f"{path.name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
