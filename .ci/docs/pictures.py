"""Make the pictures of the documentation: a result and an evaluation report, as a browser shows them.

    pip install -e ".[notebook,image]" && python .ci/docs/pictures.py

Needs chromium on the path.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from seemly import Channel, Engine
from seemly.evaluation import evaluate
from seemly.evaluation.report import render_evaluation

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
MOST_BYTES = 150_000
TEXT = "Pay me at jo@example.com, you idiot"


def main() -> None:
    engine = Engine(Channel(key="comments"))
    page = f"<body style='margin:0;background:#fff'>{engine.moderate(TEXT)._repr_html_()}"
    take(page, "result.png", 780, 330)
    labels = ("toxicity", "hate", "violence", "sexual")
    evaluation = evaluate(engine, ROOT / "examples/data/comments.jsonl", policies=labels)
    take(render_evaluation(evaluation, about="examples/data/comments.jsonl"), "report.png", 1240, 560)


def take(page: str, name: str, width: int, height: int) -> None:
    """Write a picture of a page, of so many CSS pixels, in at most 256 colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("chromium is not on the path")
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder, "page.html"), Path(folder, "shot.png")
        source.write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
        options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1.5")
        subprocess.run(  # noqa: S603
            [browser, *options, f"--window-size={width},{height}", f"--screenshot={shot}", source.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
        with Image.open(shot) as picture:
            picture.convert("RGB").quantize(256).save(IMAGES / name, optimize=True)
    size = (IMAGES / name).stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{name} has {size:,} bytes, more than {MOST_BYTES:,}")
    print(f"{name}: {size:,} bytes")


if __name__ == "__main__":
    main()
