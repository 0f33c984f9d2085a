"""From a trained transformer to the model's folder: weights, calibration, bands, manifest, figures, card."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.engine.models import Models
from seemly.inference.accurate import AccurateModel
from seemly.inference.blend import LEAST, Blend, log_odds
from seemly.inference.cascade import divide
from seemly.inference.manifest import FILE, FORMAT
from training import measure
from training.accurate import card
from training.accurate.bands import bands, traffic
from training.accurate.dataset import LANGUAGES
from training.accurate.export import graph
from training.dataset import arrays
from training.rows import LABELS, Row, split_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from training.accurate.network import Network

    Array = NDArray[np.float64]

WINDOW = 192
"""Pieces that are read at once, start and end among them: a unit of 400 code points seldom has more."""

_NAME = "text-accurate"
_FILES = ("weights.onnx", "vocab.txt")


def finish(
    network: Network,
    vocabulary: Sequence[str],
    rows: Sequence[Row],
    out: Path,
    *,
    version: str,
    settings: Mapping[str, int],
) -> dict[str, Any]:
    """Write the model's folder and return every figure of its card.

    Scale and shift of each label, what the fast model beside it counts where both read a text, thresholds and bands are
    fitted to the validation rows as the runtime scores them; the figures are those of the test rows.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    held = {split: [row for row in rows if split_of(row.text) == split] for split in ("validation", "test")}
    weights = {name: value.detach().cpu().float().numpy() for name, value in network.state_dict().items()}
    ones, zeros = np.ones(len(LABELS), np.float32), np.zeros(len(LABELS), np.float32)
    _write(out, version, graph(weights, ones, zeros), dict.fromkeys(LABELS, 0.5))
    texts = [row.text for row in held["validation"]]
    raw, before = measure.logits(read(out, texts)), score(Models(out.parent).scorer("fast"), texts)
    labels, trust = arrays(held["validation"])
    mixed = [measure.mixture(labels[:, place], trust[:, place]) for place in range(len(LABELS))]
    scales, shifts = ones.copy(), zeros.copy()
    for place in range(len(LABELS)):
        scales[place], shifts[place] = measure.platt(raw[:, place], labels[:, place], mixed[place])
    alone = 1 / (1 + np.exp(-(raw * scales + shifts)))
    blend = {
        label: measure.stack(
            np.stack([log_odds(each[:, place], LEAST) for each in (before, alone)], axis=1),
            labels[:, place],
            mixed[place],
        )
        for place, label in enumerate(LABELS)
    }
    after = Blend(blend, LABELS)(before, alone)
    thresholds = {
        label: measure.threshold(after[:, place], labels[:, place], mixed[place]) for place, label in enumerate(LABELS)
    }
    found = bands(before, after, labels, traffic(held["validation"]), thresholds)
    languages = [language for language in LANGUAGES if language != "none"]
    more = {"languages": languages, "blend": blend, "bands": found}
    _write(out, version, graph(weights, scales, shifts), thresholds, **more)

    test = held["test"]
    texts = [row.text for row in test]
    labels, trust = arrays(test)
    models = Models(out.parent)
    scores = score(models.scorer("accurate"), texts)
    groups = {"sources": [row.source for row in test]}
    figures = measure.report(scores, labels, trust, groups, thresholds)
    figures["fast"] = measure.report(score(models.scorer("fast"), texts), labels, trust, groups, thresholds)
    figures["alone"] = measure.report(read(out, texts), labels, trust, {}, thresholds)
    figures["jigsaw"] = measure.jigsaw(scores, labels, groups["sources"])
    figures["blend"] = blend
    figures["sizes"] = {name: (out / name).stat().st_size for name in _FILES}
    figures["rows"] = {split: len(found) for split, found in held.items()}
    figures["settings"] = {**settings, "window": WINDOW, "pieces": len(vocabulary)}
    (out / "metrics.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(card.write(figures, version), encoding="utf-8")
    return figures


def read(folder: Path, texts: Sequence[str]) -> Array:
    """The accurate model's probabilities, [texts, labels]: of a long text's units the largest."""
    model = AccurateModel(folder)
    scores = np.zeros((len(texts), len(LABELS)))
    units, owners = divide(texts)
    for at in range(0, len(units), 4_096):
        np.maximum.at(scores, owners[at : at + 4_096], np.array(model.read(units[at : at + 4_096])))
    return scores


def score(scorer: Any, texts: Sequence[str]) -> Array:
    """A scorer's probabilities, [texts, labels], in batches."""
    halves = [0.5] * len(LABELS)
    parts = [scorer.score(texts[at : at + 512], LABELS, halves) for at in range(0, len(texts), 512)]
    return np.concatenate(parts).astype(np.float64)


def _write(out: Path, version: str, weights: bytes, thresholds: Mapping[str, float], **more: object) -> None:
    (out / "weights.onnx").write_bytes(weights)
    manifest = {
        "format": FORMAT,
        "name": _NAME,
        "version": version,
        "labels": list(LABELS),
        "thresholds": thresholds,
        "window": WINDOW,
        "stride": WINDOW,
        **more,
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in _FILES},
    }
    (out / FILE).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
