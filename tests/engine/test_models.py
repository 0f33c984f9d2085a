"""Where models are found, and what happens when one is missing or damaged."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import pytest

from seemly.core.errors import ConfigError, ModelError
from seemly.engine.models import Models
from seemly.inference.manifest import Manifest

CHECKOUT = Path(__file__).parents[2] / "models"
LABELS = ("toxicity", "spam")


def make(root: Path, **changes: object) -> Path:
    """A model's folder with a manifest and one file, and no weights."""
    folder = root / "text-fast"
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[NUM]\nhello")
    manifest = {
        "format": 1,
        "name": "text-fast",
        "version": "1",
        "labels": LABELS,
        "thresholds": {"toxicity": 0.5, "spam": 0.4},
        "window": 8,
        "stride": 6,
        "files": {
            "vocab.txt": "0" * 64,
            "rows.onnx": "0" * 64,
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))
    return folder


@pytest.fixture
def no_other_roots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SEEMLY_MODELS", raising=False)
    monkeypatch.setattr(
        "seemly.engine.models.__file__", str(tmp_path / "empty" / "src" / "seemly" / "engine" / "models.py")
    )


@pytest.mark.usefixtures("no_other_roots")
def test_an_explicit_root_comes_before_the_environment_and_that_before_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = make(tmp_path / "empty" / "src" / "seemly" / "weights")
    assert Models().path("text-fast") == package
    named = make(tmp_path / "named")
    monkeypatch.setenv("SEEMLY_MODELS", str(named.parent))
    assert Models().path("text-fast") == named
    given = make(tmp_path / "given")
    assert Models(given.parent).path("text-fast") == given


@pytest.mark.usefixtures("no_other_roots")
def test_the_checkout_is_searched_last(tmp_path: Path) -> None:
    folder = make(tmp_path / "empty" / "models")
    assert Models().path("text-fast") == folder


@pytest.mark.usefixtures("no_other_roots")
def test_a_model_that_is_nowhere_is_an_error_that_says_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="SEEMLY_MODELS"):
        Models(tmp_path).path("text-fast")


def test_an_unknown_tier_names_those_that_there_are(tmp_path: Path) -> None:
    make(tmp_path)
    for ask in (Models(tmp_path).scorer, Models(tmp_path).default_thresholds):
        with pytest.raises(ConfigError, match=r"'psychic'.*fast"):
            ask("psychic")


def test_labels_and_thresholds_come_from_the_manifest(tmp_path: Path) -> None:
    make(tmp_path)
    models = Models(tmp_path)
    assert models.scorer("fast").labels == LABELS
    assert models.default_thresholds("fast") == {"toxicity": 0.5, "spam": 0.4}
    assert models.scorer("fast") is models.scorer("fast")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": 2}, "format"),
        ({"labels": None}, "incomplete"),
        ({"thresholds": {"toxicity": "high"}}, "incomplete"),
        ({"thresholds": {"toxicity": 0.5}}, "contradicts"),
        ({"stride": 9}, "contradicts"),
        ({"blend": {"sarcasm": [0.5, 0.5, 0.0]}}, "contradicts"),
        ({"blend": {"toxicity": [0.5, 0.5]}}, "incomplete"),
        ({"files": []}, "incomplete"),
    ],
)
def test_a_manifest_that_is_not_right_is_refused(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    with pytest.raises(ModelError, match=why):
        Manifest.read(make(tmp_path, **changes))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_manifest_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    (make(tmp_path) / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError):
        Manifest.read(tmp_path / "text-fast")


def test_a_failed_load_is_remembered(tmp_path: Path) -> None:
    folder = make(tmp_path, format=2)
    models = Models(tmp_path)
    with pytest.raises(ModelError) as first:
        models.scorer("fast")
    shutil.rmtree(folder)
    with pytest.raises(ModelError) as second:
        models.scorer("fast")
    assert str(first.value) == str(second.value)


def test_a_changed_file_is_refused_and_stays_refused(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "text-fast", tmp_path / "text-fast")
    weights = tmp_path / "text-fast" / "rows.onnx"
    good = weights.read_bytes()
    weights.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    scorer = Models(tmp_path).scorer("fast")
    for _ in range(2):
        with pytest.raises(ModelError, match="sha256"):
            scorer.score(["hello"], ["toxicity"], [0.5])
        weights.write_bytes(good)
    assert Models(tmp_path).scorer("fast").score(["hello"], ["toxicity"], [0.5]).shape == (1, 1)


@pytest.mark.parametrize("name", ["vocab.txt", "rows.onnx", "head.onnx"])
def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    shutil.copytree(CHECKOUT / "text-fast", tmp_path / "text-fast")
    (tmp_path / "text-fast" / name).unlink()
    with pytest.raises(ModelError, match=name):
        Models(tmp_path).scorer("fast").score(["hello"], ["toxicity"], [0.5])


def test_models_pickle_as_their_root(tmp_path: Path) -> None:
    make(tmp_path)
    copy = pickle.loads(pickle.dumps(Models(tmp_path)))
    assert copy.root == tmp_path
    assert copy.scorer("fast").labels == LABELS


def test_the_shipped_manifest_names_every_file_of_its_model() -> None:
    folder = Models(CHECKOUT).path("text-fast")
    manifest = Manifest.read(folder)
    for name in manifest.files:
        assert manifest.load(folder, name)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 12_000_000
    assert all(0.3 <= threshold <= 0.7 for threshold in manifest.thresholds.values())
