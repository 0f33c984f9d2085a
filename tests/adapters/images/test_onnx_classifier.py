"""Image classifiers of one's own: a manifest and an ONNX file, and nothing else."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from seemly.core.errors import ModelError
from tests.support.tiny_onnx import colours

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from seemly.adapters.images.onnx_classifier import ImageClassifier
from seemly.media.image import ImageModel

INPUT = {"size": [8, 6], "layout": "NCHW"}


def make(folder: Path, weights: bytes | None = None, **changes: object) -> Path:
    manifest = {
        "format": 1,
        "name": "colours",
        "version": "1",
        "file": "model.onnx",
        "input": INPUT,
        "output": "none",
        "classes": ["red", "green", "blue"],
        "labels": {"red": "gore", "blue": "nudity"},
    }
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(colours(8, 6) if weights is None else weights)
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))
    return folder


def picture(red: int, green: int, blue: int, height: int = 20, width: int = 30) -> np.ndarray:
    return np.full((height, width, 3), (red, green, blue), np.uint8)


def test_a_folder_is_all_there_is_to_write(tmp_path: Path) -> None:
    model = ImageClassifier(make(tmp_path / "m"))
    assert isinstance(model, ImageModel)
    assert model.labels == ("nudity", "gore")
    (red, blue) = model.look([picture(255, 0, 0), picture(0, 51, 204)])
    assert red.scores == pytest.approx({"nudity": 0.0, "gore": 1.0})
    assert blue.scores == pytest.approx({"nudity": 0.8, "gore": 0.0})
    copy = pickle.loads(pickle.dumps(model))
    assert copy.look([picture(255, 0, 0)]) == [red]


@pytest.mark.parametrize(
    ("changes", "nudity"),
    [
        ({"output": "softmax"}, np.exp(0.8) / (np.exp(0.8) + np.exp(0.2) + 1)),
        ({"output": "sigmoid"}, 1 / (1 + np.exp(-0.8))),
        ({"input": INPUT | {"colour": "BGR"}}, 0.0),
        ({"input": INPUT | {"mean": [0.0, 0.0, 0.3]}}, 0.5),
        ({"input": INPUT | {"std": [1.0, 1.0, 2.0]}}, 0.4),
        ({"input": INPUT | {"mean": [0.0, 0.0, 0.9]}}, 0.0),
        ({"labels": {"green": "nudity", "blue": "nudity"}}, 0.8),
        ({"labels": {"green": "nudity"}}, 0.2),
    ],
)
def test_the_manifest_says_how_a_picture_is_read(tmp_path: Path, changes: dict[str, object], nudity: float) -> None:
    (seen,) = ImageClassifier(make(tmp_path / "m", **changes)).look([picture(0, 51, 204)])
    assert seen.scores["nudity"] == pytest.approx(nudity, abs=1e-5)


def test_channels_may_come_last(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", colours(8, 6, layout="NHWC"), input=INPUT | {"layout": "NHWC"})
    assert ImageClassifier(folder).look([picture(0, 0, 102)])[0].scores["nudity"] == pytest.approx(0.4)


@pytest.mark.parametrize(("resize", "share"), [("stretch", 0.5), ("crop", 0.0), ("fit", 0.125)])
def test_a_picture_of_another_shape_is_made_to_fit(tmp_path: Path, resize: str, share: float) -> None:
    wide = picture(0, 0, 0, 20, 80)
    wide[:, :20, 2] = wide[:, 60:, 2] = 255
    folder = make(tmp_path / "m", colours(8, 8), input={"size": [8, 8], "resize": resize})
    assert ImageClassifier(folder).look([wide])[0].scores["nudity"] == pytest.approx(share, abs=0.02)


def test_the_file_may_be_pinned(tmp_path: Path) -> None:
    weights = colours(8, 6)
    assert ImageClassifier(make(tmp_path / "a", sha256=hashlib.sha256(weights).hexdigest())).warm_up() is None
    with pytest.raises(ModelError, match="not what its manifest names"):
        ImageClassifier(make(tmp_path / "b", sha256="0" * 64)).warm_up()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"format": 2}, "format"),
        ({"file": "../model.onnx"}, "file"),
        ({"input": {}}, "input.size"),
        ({"input": INPUT | {"size": [8]}}, "input.size.1"),
        ({"input": INPUT | {"size": [0, 8]}}, "input.size.0"),
        ({"input": INPUT | {"layout": "CHW"}}, "input.layout"),
        ({"input": INPUT | {"std": [1.0, 0.0, 1.0]}}, "input.std"),
        ({"labels": {}}, "labels"),
        ({"labels": {"purple": "gore"}}, "labels.purple"),
        ({"labels": {"red": "sarcasm"}}, "labels.red"),
        ({"output": "argmax"}, "output"),
    ],
)
def test_a_manifest_that_cannot_work_is_refused_at_once(tmp_path: Path, changes: dict[str, object], path: str) -> None:
    with pytest.raises(ModelError) as caught:
        ImageClassifier(make(tmp_path / "m", **changes))
    assert path in [issue.path for issue in caught.value.issues]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = make(tmp_path / "m")
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError, match="manifest of the image model 'm'"):
        ImageClassifier(folder)


def test_weights_that_do_not_work_are_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be opened"):
        ImageClassifier(make(tmp_path / "a", b"not a model")).warm_up()
    missing = make(tmp_path / "b")
    (missing / "model.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        ImageClassifier(missing).warm_up()
    with pytest.raises(ModelError, match="one number for each"):
        ImageClassifier(make(tmp_path / "c", classes=["red", "green"], labels={"red": "gore"})).look([picture(0, 0, 0)])
