"""Try a folder with a text model of your own, and say what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from seemly.adapters.onnx_text import OnnxTextModel
from seemly.core.errors import Issue, ModelError
from seemly.inference.manifest import FILE
from seemly.policies.builtin import BUILTIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Report", "check_folder"]

_SAMPLES = (
    "You are an idiot.",
    "Have a nice day, everybody!",
    "Ты идиот",
    "祝你今天愉快",
    "😀 👍🏽",
    "x",
    "word " * 900,
    "",
)


@dataclass(frozen=True, slots=True)
class Report:
    """What was found out about a folder. It works if there are no `issues`; `remarks` are worth knowing all the same.

    `labels` are those that the model's classes speak for, `milliseconds` the time that a short text takes.
    """

    issues: tuple[Issue, ...] = ()
    remarks: tuple[Issue, ...] = ()
    classes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    milliseconds: float | None = None


def check_folder(folder: Path, labels: Mapping[str, str] | None = None) -> Report:
    """Open the model of a folder and score samples with it. `labels` take the place of the manifest's."""
    if not folder.is_dir():
        return Report((Issue("", "is not a folder"),))
    try:
        model = OnnxTextModel(folder, labels)
        model.warm_up()
        alone = np.concatenate([model.score([sample], model.labels, ()) for sample in _SAMPLES])
        together = model.score(_SAMPLES, model.labels, ())
    except ModelError as error:
        return Report(tuple(error.issues) or (Issue("", str(error)),))
    started = perf_counter()
    for _ in range(5):
        model.score(_SAMPLES[:1], model.labels, ())
    took = (perf_counter() - started) * 200.0
    issues: list[Issue] = []
    if model.description.output == "none" and not _are_probabilities(model):
        issues.append(Issue("output", "is none, but the outputs are not all 0 to 1: it must be softmax or sigmoid"))
    if not np.allclose(alone, together, atol=1e-4):
        issues.append(Issue("model.onnx", "gives a text other scores in a batch than alone"))
    remarks = []
    if not (folder / FILE).is_file():
        remarks.append(Issue(FILE, "is missing: the folder is no tier, and labels must be given to OnnxTextModel"))
    ours = {label for spec in BUILTIN for label in spec.labels}
    missing = sorted(ours.difference(model.labels))
    if missing and model.description.base is None:
        remarks.append(Issue("base", f"is not set: as a tier the model does not score {', '.join(missing)}"))
    if not model.languages:
        remarks.append(Issue("languages", "are not named: the model counts as good in all of them"))
    if float(together.max() - together.min()) < 1e-6:
        remarks.append(Issue("model.onnx", "gives every sample the same scores"))
    return Report(tuple(issues), tuple(remarks), model.description.classes, model.labels, took)


def _are_probabilities(model: OnnxTextModel) -> bool:
    values = model.read_classes(_SAMPLES[:-1])
    return bool((values >= 0.0).all() and (values <= 1.0).all())
