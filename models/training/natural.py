"""Rows that were written for this model as natural messages: lines of LANGUAGE, LABELS and TEXT, separated by tabs.

LABELS lists all that apply, by commas, or `-`; every other label is 0. A line break in a text is written as `\\n`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from training.codes import code
from training.reading import read_text
from training.rows import LABELS, Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEIGHT = 3.0

_UNSAID = ("positive", "negative")
"""Labels whose absence says less: half the weight."""

_IMPLIED = {"toxicity_severe": ("toxicity",), "identity_attack": ("hate",), "hate": ("toxicity", "identity_attack"),
            "insult": ("toxicity",), "self_harm_intent": ("self_harm",), "threat": ("violence",),
            "cannabis": (), "illicit_drugs": ("illicit",)}  # fmt: skip
"""What goes without saying."""


def natural(folder: Path) -> Iterator[Row]:
    """The rows of the folder's `natural_*.tsv`. Lines that are not of the form are left out."""
    for path in sorted(folder.glob("natural_*.tsv")):
        for line in read_text(path).splitlines():
            row = parse(line, path.stem)
            if row is not None:
                yield row


def parse(line: str, name: str) -> Row | None:
    """One line as a row; None where it is none."""
    parts = line.split("\t")
    if len(parts) != 3 or not parts[2].strip():
        return None
    language, listed, text = code(parts[0].strip().lower()), parts[1].strip(), parts[2].strip().replace("\\n", "\n")
    named = {label.strip() for label in listed.split(",")} - {"-", ""}
    if not named <= set(LABELS) or len(language) > 3:
        return None
    for label in tuple(named):
        named.update(_IMPLIED.get(label, ()))
    labels = {label: float(label in named) for label in LABELS}
    weights = {label: WEIGHT / 2 for label in _UNSAID if label not in named}
    return Row(text, labels, name, language, WEIGHT, weights)
