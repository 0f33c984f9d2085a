"""From a trained network to the model's folder: weights, calibration, manifest, figures, card."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.engine.models import Models
from seemly.inference.fast import FastScorer
from seemly.inference.manifest import FILE, FORMAT
from training import calibrate, card, identities, measure, plain
from training.codes import LANGUAGES
from training.dataset import WINDOW, Encoded
from training.export import graphs
from training.natural import natural
from training.rows import ACTING, LABELS, SURE, digest
from training.table import written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from seemly.inference.scorer import Scorer
    from training.held import Held
    from training.network import Network
    from training.rows import Row

STRIDE = 224
"""Pieces from one window's start to the next: a phrase of up to 32 pieces stands whole in one of them."""

_ENGLISH, _OTHERS = 0.002, 0.005
"""The share of ordinary validation rows that may be acted on."""

_NAME = "text-fast"
_FILES = ("rows.onnx", "head.onnx", "vocab.txt")


def finish(
    network: Network,
    splits: dict[str, Encoded],
    out: Path,
    *,
    work: Path,
    examples: Path,
    version: str,
    settings: dict[str, int],
    counted: Counter[tuple[str, str]],
) -> dict[str, Any]:
    """Write the model's folder and return every figure of its card.

    The model is exported uncalibrated first and scores the validation texts through the runtime; scale and shift of
    each label are fitted to those scores, and the figures are those of the test texts. `counted` are the rows that
    people labelled or wrote, by language and label.
    """
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    held: dict[str, list[Held]] = {
        name: pickle.loads((work / f"{name}.pickle").read_bytes())  # noqa: S301  (made by `dataset`)
        for name in ("validation", "test")
    }
    texts = {name: [each.row.text for each in found] for name, found in held.items()}
    ordinary = {name: np.array([each.ordinary for each in found]) for name, found in held.items()}
    (out / "vocab.txt").write_bytes((work / "vocab.txt").read_bytes())
    ones, zeros = np.ones(len(LABELS), np.float32), np.zeros(len(LABELS), np.float32)
    _write(out, version, graphs(weights, ones, zeros), {})
    groups = {name: told(Models(out.parent), found) for name, found in texts.items()}

    raw = measure.logits(score(FastScorer(out), texts["validation"]))
    rows = splits["validation"]
    scales, shifts = ones.copy(), zeros.copy()
    for place in range(len(LABELS)):
        mixed = measure.mixture(rows.labels[:, place], rows.weights[:, place])
        scales[place], shifts[place] = measure.platt(raw[:, place], rows.labels[:, place], mixed)
    odds = raw * scales + shifts
    english = np.array(groups["validation"]) == "en"
    for inside, share in ((english, _ENGLISH), (~english, _OTHERS)):
        down = calibrate.lower(odds, rows.labels, inside, ordinary["validation"], share)
        by = np.array([down[label] for label in LABELS], np.float32)
        shifts, odds = shifts - by, odds - by
    files = graphs(weights, scales, shifts)
    _write(out, version, files, {})

    test = splits["test"]
    scores = score(FastScorer(out), texts["test"])
    table = calibrate.support(scores, test.labels, groups["test"], ordinary["test"], counted)
    supported = calibrate.supported(table)
    languages = sorted(language for language, labels in supported.items() if "toxicity" in labels)
    _write(out, version, files, {"languages": languages, "supported": supported})
    thresholds = dict.fromkeys(LABELS, 0.5)
    of = {"languages": groups["test"], "sources": test.sources.tolist()}
    figures = measure.report(scores, test.labels, test.weights, of, thresholds)
    figures["english"] = english_figures(scores, test.labels, groups["test"])
    figures["support"] = table
    figures["supported"] = supported
    figures["ordinary"] = acted(scores, groups["test"], ordinary["test"], supported)
    jigsaw = np.char.startswith(test.sources, "jigsaw")
    figures["jigsaw"] = measure.ranking(scores[jigsaw, 0], test.labels[jigsaw, 0])
    messages = [text for text in texts["test"] if 150 <= len(text) <= 250 and text.isascii()][:512]
    figures["speed"] = {name: round(value, 1) for name, value in measure.speed(FastScorer(out), messages).items()}
    made = chain(written(examples), natural(examples), identities.rows(), plain.rows())
    known = {digest(row.text) for row in made}
    figures["probes"] = measure.probe(FastScorer(out), examples.parent / "probes.tsv", known)
    figures["sizes"] = {path.name: path.stat().st_size for path in sorted(out.iterdir()) if path.name in _FILES}
    figures["rows"] = {name: len(rows) for name, rows in splits.items()}
    figures["settings"] = {**settings, "window": WINDOW, "stride": STRIDE, **network.sizes()}
    (out / "metrics.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(card.write(figures, version), encoding="utf-8")
    return figures


def told(models: Models, texts: Sequence[str]) -> list[str]:
    """The language of each text as it is told at run time; `""` where it cannot be, or is another than those taught."""
    detector = models.detector()
    codes = [detector.detect(text).code for text in texts]
    return [code if code in LANGUAGES else "" for code in codes]


def count(rows: Iterable[Row]) -> Counter[tuple[str, str]]:
    """How many rows have each label, by language and label."""
    return Counter((row.language, label) for row in rows for label, value in row.labels.items() if value >= SURE[1])


def acted(
    scores: np.ndarray[Any, Any],
    groups: Sequence[str],
    ordinary: np.ndarray[Any, Any],
    supported: Mapping[str, Collection[str]],
) -> dict[str, float]:
    """By language, the share of ordinary rows in per cent that a label acts on which flags by default.

    Where the language cannot be told (`""`), every label flags.
    """
    found = {}
    for group in sorted(set(groups)):
        inside = ordinary & (np.array(groups) == group)
        able = [LABELS.index(label) for label in ACTING if not group or label in supported.get(group, ())]
        if inside.any():
            hit = (scores[inside][:, able] >= 0.5).any(axis=1) if able else np.zeros(1)
            found[group] = round(100 * float(hit.mean()), 2)
    return found


def english_figures(
    scores: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], groups: Sequence[str]
) -> dict[str, dict[str, float | int]]:
    """The ranking of every label on English rows."""
    inside = np.array(groups) == "en"
    found = {label: measure.ranking(scores[inside, at], labels[inside, at]) for at, label in enumerate(LABELS)}
    return {label: ranked for label, ranked in found.items() if ranked}


def score(scorer: Scorer, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A scorer's probabilities, [texts, labels], in batches."""
    halves = [0.5] * len(LABELS)
    parts = [scorer.score(texts[at : at + 512], LABELS, halves) for at in range(0, len(texts), 512)]
    return np.concatenate(parts).astype(np.float64)


def _write(out: Path, version: str, files: dict[str, bytes], more: dict[str, object]) -> None:
    for name, graph in files.items():
        (out / name).write_bytes(graph)
    manifest = {
        "format": FORMAT,
        "name": _NAME,
        "version": version,
        "labels": list(LABELS),
        "thresholds": dict.fromkeys(LABELS, 0.5),
        **more,
        "window": WINDOW,
        "stride": STRIDE,
        "tokenizer": {"kind": "wordpiece", "file": "vocab.txt", "lowercase": True},
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in _FILES},
    }
    (out / FILE).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
