"""What the accurate model makes of the rows that the fast one learns from (Hinton et al. 2015)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.inference.accurate import AccurateModel
from training.rows import LABELS, Row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TRUST = 0.4
"""The teacher's share in a label that annotators gave too."""

_READ = 1_000
"""How much of a text the teacher reads, in code points; the fast model learns from about as much."""

ALONE = 0.5
"""The weight, as a share of the row's, of a label that only the teacher gives."""


def taught(rows: Sequence[Row], folder: Path) -> list[Row]:
    """The rows with the labels of the model in `folder`: mixed with those they have, in place of those they lack.

    Rows in languages that the teacher was not measured to know stay as they are. It reads the start of a long text.
    """
    teacher = AccurateModel(folder)
    languages = teacher.manifest.languages
    known = [at for at, row in enumerate(rows) if row.language in languages]
    found = list(rows)
    for start in range(0, len(known), 4_096):
        part = known[start : start + 4_096]
        for at, scores in zip(part, teacher.read([rows[at].text[:_READ] for at in part]), strict=True):
            found[at] = _mixed(rows[at], dict(zip(LABELS, scores.tolist(), strict=True)))
    return found


def _mixed(row: Row, given: dict[str, float]) -> Row:
    labels = {
        label: (1 - TRUST) * row.labels[label] + TRUST * value if label in row.labels else value
        for label, value in given.items()
    }
    alone = {label: row.weight * ALONE for label in given if label not in row.labels}
    return Row(row.text, labels, row.source, row.language, row.weight, {**row.weights, **alone})
