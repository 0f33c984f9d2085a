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
from seemly.inference.manifest import FILE, FORMAT, Manifest
from training import calibrate, measure
from training.accurate import card
from training.accurate.bands import bands, traffic
from training.accurate.export import graph
from training.codes import LANGUAGES
from training.dataset import arrays
from training.finish import acted, english_figures, score, told
from training.rows import LABELS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from training.accurate.network import Network
    from training.held import Held

    Array = NDArray[np.float64]

WINDOW = 192
"""Pieces that are read at once, start and end among them: a unit of 400 code points seldom has more."""

_EVERY = 5
"""Bands are fitted to every fifth row: they are searched for, step by step."""

_NAME = "text-accurate"
_FILES = ("weights.onnx", "vocab.txt")


def finish(
    network: Network,
    vocabulary: Sequence[str],
    held: Mapping[str, Sequence[Held]],
    out: Path,
    work: Path,
    *,
    version: str,
    settings: Mapping[str, int],
    counted: Counter[tuple[str, str]],
) -> dict[str, Any]:
    """Write the model's folder and return every figure of its card. The fast model must stand beside `out`.

    What the two models count where both read a text, by language, and the bands are fitted to the validation rows as
    the runtime scores them; the figures are those of the test rows. `counted` are the rows that people labelled or
    wrote, by language and label.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    weights = {name: value.detach().cpu().float().numpy() for name, value in network.state_dict().items()}
    weights["pieces.weight"] = np.concatenate([weights["pieces.weight"], weights.pop("foreign.weight")[1:]])
    _write(out, version, graph(weights, np.ones(len(LABELS), np.float32), np.zeros(len(LABELS), np.float32)))
    models = Models(out.parent)
    fast = models.scorer("fast")

    texts = {split: [each.row.text for each in rows] for split, rows in held.items()}
    groups = {split: told(models, found) for split, found in texts.items()}
    ordinary = {split: np.array([each.ordinary for each in rows]) for split, rows in held.items()}
    before = {split: score(fast, found) for split, found in texts.items()}
    own = {split: read_once(out, found, work / f"read-{split}.npy") for split, found in texts.items()}
    labels, trust = arrays([each.row for each in held["validation"]])
    found = np.stack([log_odds(before["validation"], LEAST), log_odds(own["validation"], LEAST)], axis=2)
    calibration = calibrate.fit(found, labels, trust, groups["validation"], ordinary["validation"], counted)
    blend = calibration.pop("")
    blended = Blend(blend, LABELS, calibration)
    after = {split: blended(before[split], own[split], groups[split]).astype(np.float64) for split in held}
    thresholds = dict.fromkeys(LABELS, 0.5)
    part = slice(None, None, _EVERY)
    weigh = traffic([each.row for each in held["validation"]][part], ordinary["validation"][part])
    more: dict[str, Any] = {
        "languages": list(LANGUAGES),
        "blend": blend,
        "calibration": calibration,
        "bands": bands(before["validation"][part], after["validation"][part], labels[part], weigh, thresholds),
    }
    test = [each.row for each in held["test"]]
    labels, trust = arrays(test)
    table = calibrate.support(
        np.concatenate([after["validation"], after["test"]]),
        np.concatenate([arrays([each.row for each in held["validation"]])[0], labels]),
        groups["validation"] + groups["test"],
        np.concatenate([np.zeros_like(ordinary["validation"]), ordinary["test"]]),
        counted,
    )
    more["supported"] = calibrate.supported(table)
    _write(out, version, None, thresholds=thresholds, **more)

    cascade = Models(out.parent).scorer("cascade")
    scores = score(cascade, texts["test"])
    figures = measure.report(
        scores, labels, trust, {"languages": groups["test"], "sources": [row.source for row in test]}, thresholds
    )
    figures["english"] = english_figures(scores, labels, groups["test"])
    figures["read"] = english_figures(after["test"], labels, groups["test"])
    figures["alone"] = english_figures(own["test"], labels, groups["test"])
    figures["fast"] = english_figures(before["test"], labels, groups["test"])
    figures["jigsaw"] = measure.jigsaw(after["test"], labels, [row.source for row in test])
    figures["support"] = table
    figures["supported"] = more["supported"]
    figures["ordinary"] = acted(scores, groups["test"], ordinary["test"], more["supported"])
    figures["ordinary_fast"] = acted(
        before["test"], groups["test"], ordinary["test"], Manifest.read(out.parent / "text-fast").supported or {}
    )
    asked = cascade.find_uncertain(texts["test"], LABELS, [0.5] * len(LABELS))
    weigh = traffic(test, ordinary["test"])
    figures["read_share"] = round(float(np.average(asked, weights=weigh)), 4)
    figures["sizes"] = {name: (out / name).stat().st_size for name in _FILES}
    figures["rows"] = {split: len(rows) for split, rows in held.items()}
    figures["settings"] = {**settings, "window": WINDOW, "pieces": len(vocabulary)}
    (out / "metrics.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "CARD.md").write_text(card.write(figures, version), encoding="utf-8")
    return figures


def read_once(folder: Path, texts: Sequence[str], kept: Path) -> Array:
    """The accurate model's probabilities, kept in a file once they were made."""
    if not kept.exists():
        np.save(kept, read(folder, texts))
    found: Array = np.load(kept)
    return found


def read(folder: Path, texts: Sequence[str]) -> Array:
    """The accurate model's probabilities, [texts, labels]: of a long text's units the largest."""
    model = AccurateModel(folder)
    scores = np.zeros((len(texts), len(LABELS)))
    units, owners = divide(texts)
    for at in range(0, len(units), 4_096):
        np.maximum.at(scores, owners[at : at + 4_096], np.array(model.read(units[at : at + 4_096])))
    return scores


def _write(out: Path, version: str, weights: bytes | None, **more: object) -> None:
    if weights is not None:
        (out / "weights.onnx").write_bytes(weights)
    manifest = {
        "format": FORMAT,
        "name": _NAME,
        "version": version,
        "labels": list(LABELS),
        "thresholds": dict.fromkeys(LABELS, 0.5),
        "window": WINDOW,
        "stride": WINDOW,
        **more,
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in _FILES},
    }
    (out / FILE).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
