"""From a trained network to the model's folder: weights, calibration, thresholds, manifest, figures, card."""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.inference.fast import FastScorer
from seemly.inference.manifest import FILE, FORMAT
from training import card, identities, measure, plain
from training.dataset import WINDOW, Encoded
from training.export import graphs
from training.rows import LABELS, digest
from training.table import written

if TYPE_CHECKING:
    from pathlib import Path

    from training.network import Network

STRIDE = 224
"""Pieces from one window's start to the next: a phrase of up to 32 pieces stands whole in one of them."""

_NAME = "text-fast"

_KNOWN = 0.75
"""The area under the ROC curve for toxicity, on the validation rows, from which a language counts as known."""


def finish(
    network: Network,
    splits: dict[str, Encoded],
    out: Path,
    *,
    work: Path,
    examples: Path,
    version: str,
    settings: dict[str, int],
    teacher: bool,
) -> dict[str, Any]:
    """Write the model's folder and return every figure of its card.

    The model is exported uncalibrated first and scores the validation texts through the runtime; scale and shift of
    each label, and its threshold, are fitted to those scores, and the figures are those of the test texts.
    """
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    texts = _texts(work)
    (out / "vocab.txt").write_bytes((work / "vocab.txt").read_bytes())

    ones, zeros = np.ones(len(LABELS), np.float32), np.zeros(len(LABELS), np.float32)
    halves = dict.fromkeys(LABELS, 0.5)
    _write(out, version, graphs(weights, ones, zeros), halves, dict.fromkeys(LABELS, (1.0, 0.0)), [])
    raw = measure.logits(_score(out, texts["validation"]))
    held = splits["validation"]
    calibration, thresholds = {}, {}
    for place, label in enumerate(LABELS):
        mixed = measure.mixture(held.labels[:, place], held.weights[:, place])
        scale, shift = measure.platt(raw[:, place], held.labels[:, place], mixed)
        calibration[label] = (scale, shift)
        probability = 1 / (1 + np.exp(-(scale * raw[:, place] + shift)))
        thresholds[label] = measure.threshold(probability, held.labels[:, place], mixed)
    scales, shifts = (np.array([calibration[label][at] for label in LABELS], np.float32) for at in (0, 1))
    ranked = measure.report(raw, held.labels, held.weights, {"languages": held.languages.tolist()}, thresholds)
    languages = [
        language
        for language, labels in ranked["languages"].items()
        if len(language) == 2 and labels.get("toxicity", {}).get("auc", 0.0) >= _KNOWN
    ]
    _write(out, version, graphs(weights, scales, shifts), thresholds, calibration, languages)

    test = splits["test"]
    scores = _score(out, texts["test"]).astype(np.float64)
    groups = {"languages": test.languages.tolist(), "sources": test.sources.tolist()}
    figures = measure.report(scores, test.labels, test.weights, groups, thresholds)
    jigsaw = np.char.startswith(test.sources, "jigsaw")
    figures["jigsaw"] = measure.ranking(scores[jigsaw, 0], test.labels[jigsaw, 0])
    messages = [text for text in texts["test"] if 150 <= len(text) <= 250 and text.isascii()][:512]
    figures["speed"] = {name: round(value, 1) for name, value in measure.speed(FastScorer(out), messages).items()}
    known = {digest(row.text) for row in chain(written(examples), identities.rows(), plain.rows())}
    figures["probes"] = measure.probe(FastScorer(out), examples.parent / "probes.tsv", known)
    figures["sizes"] = {path.name: path.stat().st_size for path in sorted(out.iterdir()) if path.name in _FILES}
    figures["rows"] = {name: len(rows) for name, rows in splits.items()}
    figures["teacher"] = teacher
    figures["languages_known"] = languages
    figures["settings"] = {**settings, "window": WINDOW, "stride": STRIDE, **network.sizes()}
    (out / "metrics.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(card.write(figures, version), encoding="utf-8")
    return figures


_FILES = ("rows.onnx", "head.onnx", "vocab.txt")


def _texts(work: Path) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {"validation": [], "test": []}
    for line in (work / "held.jsonl").read_text(encoding="utf-8").split("\n"):
        row = json.loads(line)
        texts[row["split"]].append(row["text"])
    return texts


def _score(folder: Path, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    scorer = FastScorer(folder)
    parts = [scorer.score(texts[at : at + 512], LABELS, [0.5] * len(LABELS)) for at in range(0, len(texts), 512)]
    return np.concatenate(parts)


def _write(
    out: Path,
    version: str,
    files: dict[str, bytes],
    thresholds: dict[str, float],
    calibration: dict[str, tuple[float, float]],
    languages: list[str],
) -> None:
    for name, graph in files.items():
        (out / name).write_bytes(graph)
    manifest = {
        "format": FORMAT,
        "name": _NAME,
        "version": version,
        "labels": list(LABELS),
        "languages": languages,
        "thresholds": thresholds,
        "calibration": {
            label: {"scale": round(scale, 6), "shift": round(shift, 6)} for label, (scale, shift) in calibration.items()
        },
        "window": WINDOW,
        "stride": STRIDE,
        "tokenizer": {"kind": "wordpiece", "file": "vocab.txt", "lowercase": True},
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in _FILES},
    }
    (out / FILE).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
