from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tokenizers", reason="needs the extra onnx-text")
pytest.importorskip("onnx", reason="the tests make their model with the onnx package")

from seemly.adapters.onnx_text import OnnxTextModel
from seemly.adapters.onnx_text_check import check_folder
from seemly.core.channel import Channel, PolicySettings
from seemly.core.errors import ConfigError, ModelError
from seemly.engine.engine import Engine
from seemly.engine.models import Models
from seemly.inference.scorer import Scorer
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import Registry
from seemly.testing import check_policy
from tests.support.cli_console import seemly
from tests.support.strategies import hostile_texts
from tests.support.tiny_text_model import make_model

LABELS = {"rude": "toxicity", "bait": "clickbait"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("own") / "plain")


@pytest.fixture(scope="module")
def tier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = {
        "name": "own", "version": "7", "labels": {"rude": "toxicity"}, "output": "sigmoid", "base": "fast",
        "thresholds": {"toxicity": 0.8},
    }  # fmt: skip
    return make_model(tmp_path_factory.mktemp("own") / "tier", manifest=manifest)


def test_it_is_a_scorer_of_its_labels(folder: Path) -> None:
    model = OnnxTextModel(folder, LABELS, output="sigmoid")
    assert isinstance(model, Scorer)
    assert model.labels == ("toxicity", "clickbait")
    scores = model.score(["you idiot", "hello", "Click HERE", ""], ("clickbait", "toxicity"), (0.5, 0.5))
    assert scores.dtype == np.float32
    high, low = 1 / (1 + np.exp(-4.0)), 1 / (1 + np.exp(4.0))
    assert np.allclose(scores, [[low, high], [low, low], [high, low], [0, 0]], atol=1e-6)
    assert (model.sketch(["hello"], ("toxicity",)) == scores[1, 1]).all()
    assert model.find_uncertain(["hello", "idiot"], ("toxicity",), (0.5,)) == [False, False]
    assert model.weigh("you idiot", ["you"], ("toxicity",), (0.5,))[:, 0].tolist() == [scores[0, 1], scores[1, 1]]


def test_softmax_classes_for_one_label_add_up(folder: Path) -> None:
    model = OnnxTextModel(folder, {"rude": "toxicity", "bait": "toxicity"})
    odds = np.exp([0.0, 4.0, -4.0])
    assert model.score(["idiot"], ("toxicity",), (0.5,))[0, 0] == pytest.approx((odds[1] + odds[2]) / odds.sum())
    largest = OnnxTextModel(folder, {"rude": "toxicity", "bait": "toxicity"}, output="sigmoid")
    assert largest.score(["idiot"], ("toxicity",), (0.5,))[0, 0] == pytest.approx(1 / (1 + np.exp(-4.0)))


def test_a_long_text_is_read_to_its_end(folder: Path) -> None:
    model = OnnxTextModel(folder, LABELS, max_length=16, overlap=4)
    texts = ["day " * 500 + "idiot", "idiot " + "day " * 500, "day " * 501]
    assert [score > 0.9 for score in model.score(texts, ("toxicity",), (0.5,))[:, 0]] == [True, True, False]


@settings(max_examples=40)
@given(texts=st.lists(hostile_texts | st.sampled_from(["you idiot", "click here", "fine " * 40]), max_size=8))
def test_a_texts_scores_depend_on_it_alone(folder: Path, texts: list[str]) -> None:
    model = _MODELS.setdefault(folder, OnnxTextModel(folder, LABELS, max_length=16, overlap=4))
    together = model.score(texts, model.labels, (0.5, 0.5))
    assert together.shape == (len(texts), 2)
    for text, scores in zip(texts, together, strict=True):
        assert np.allclose(model.score([text], model.labels, (0.5, 0.5))[0], scores, atol=1e-6)


_MODELS: dict[Path, OnnxTextModel] = {}


def test_it_pickles_and_serves_several_threads(folder: Path) -> None:
    model = pickle.loads(pickle.dumps(OnnxTextModel(folder, LABELS, output="sigmoid")))
    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(lambda _: model.score(["idiot day"], ("toxicity",), (0.5,))[0, 0], range(40)))
    assert set(scores) == {scores[0]}
    assert scores[0] > 0.9


def test_a_policy_of_its_own_stands_beside_the_engines_models(folder: Path) -> None:
    model = OnnxTextModel(folder, LABELS, output="sigmoid", thresholds={"clickbait": 0.9})
    spec = model.policy("clickbait")
    check_policy(spec, texts=["click here", "hello"])
    engine = Engine(registry=BUILTIN | Registry([spec]), tier="fast")
    result = engine.moderate("CLICK here")
    assert result["clickbait"].flagged
    assert result["toxicity"].probability < 0.5
    assert not engine.moderate("hello")["clickbait"].flagged
    assert pickle.loads(pickle.dumps(engine)).moderate("CLICK here")["clickbait"].flagged
    assert model.policy("toxicity", "rudeness").id == "rudeness"
    with pytest.raises(ConfigError, match="does not score 'spam'; it scores toxicity, clickbait"):
        model.policy("spam")


def test_a_folder_with_a_manifest_is_a_tier(tier: Path) -> None:
    engine = Engine(tier=f"folder:{tier}")
    plain = Engine(tier="fast")
    result = engine.moderate("hello idiot day")
    assert result["toxicity"].probability == pytest.approx(1 / (1 + np.exp(-4.0)), abs=1e-6)
    assert result["spam"].probability == plain.moderate("hello idiot day")["spam"].probability
    assert dict(result.meta.versions)["own"] == "7"
    assert "text-fast" in result.meta.versions
    assert engine.models.default_thresholds(f"folder:{tier}")["toxicity"] == 0.8
    assert pickle.loads(pickle.dumps(engine)).moderate("hello idiot day").policies == result.policies


def test_a_tier_without_a_base_runs_the_policies_that_it_scores(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "alone", manifest={"labels": {"rude": "spam"}})
    with pytest.raises(ConfigError, match=r"does not score .*toxicity"):
        Engine(tier=f"folder:{folder}")
    others = [spec.id for spec in BUILTIN if set(spec.labels) - {"spam"}]
    channel = Channel(policies=tuple(PolicySettings(each, enabled=False) for each in others))
    assert Engine(channel, tier=f"folder:{folder}").moderate("idiot")["spam"].flagged


@pytest.mark.parametrize(
    ("how", "wrong"),
    [
        ({"labels": {}}, "labels: names no class"),
        ({"labels": {"nice": "toxicity"}}, "labels.nice: is none of the classes; the classes are fine, rude, bait"),
        ({"labels": {"rude": "toxicity"}, "thresholds": {"spam": 0.4}}, "thresholds.spam: is none of the labels"),
        ({"labels": {"rude": "toxicity"}, "thresholds": {"toxicity": 2.0}}, "thresholds.toxicity: "),
        ({"labels": {"rude": "toxicity"}, "max_length": 16, "overlap": 14}, "overlap: must be less than max_length"),
        ({"labels": {"rude": "toxicity"}, "output": "argmax"}, "output: "),
    ],
)
def test_what_cannot_work_is_refused(folder: Path, how: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ModelError) as raised:
        OnnxTextModel(folder, **how)
    assert any(str(issue).startswith(wrong) for issue in raised.value.issues), raised.value.issues


def test_every_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as raised:
        OnnxTextModel(tmp_path, {"a": "toxicity"})
    assert [issue.path for issue in raised.value.issues] == ["classes", "model.onnx", "tokenizer.json"]
    with pytest.raises(ModelError, match=r"has no manifest\.json"):
        Engine(tier=f"folder:{tmp_path}")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"inputs": ("input_ids", "pixels")}, "wants inputs that a text does not give: pixels"),
        ({"classes": ("fine", "rude")}, "gives other than one number for each of its classes"),
        ({"file": "other.onnx"}, "model.onnx: is not in the folder"),
        ({"manifest": {"labels": {"rude": "toxicity"}, "sha256": {"model.onnx": "0" * 64}}}, "is not the one that its"),
        ({"manifest": {"labels": {"rude": "toxicity"}, "output": "none"}}, "must be softmax or sigmoid"),
        ({"manifest": {"labels": {"rude": "toxicity"}, "colour": "red"}}, "colour: is not known"),
    ],
)
def test_a_check_says_what_is_wrong(tmp_path: Path, change: dict[str, Any], wrong: str) -> None:
    folder = make_model(tmp_path / "model", **change)
    report = check_folder(folder, None if "manifest" in change else {"rude": "toxicity"})
    assert any(wrong in str(issue) for issue in report.issues), report
    outcome = seemly("models", "check", str(folder), *(() if "manifest" in change else ("--labels", "rude=toxicity")))
    assert outcome.code == 2
    assert wrong in outcome.stdout


def test_files_that_are_damaged_are_named(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    (folder / "tokenizer.json").write_text("{}")
    assert "tokenizer.json cannot be read" in str(check_folder(folder, {"rude": "toxicity"}).issues[0])
    make_model(folder)
    (folder / "model.onnx").write_bytes(b"no model")
    assert "cannot be opened by onnxruntime" in str(check_folder(folder, {"rude": "toxicity"}).issues[0])
    (folder / "config.json").write_text("[")
    assert "config.json cannot be read as JSON" in str(check_folder(folder, {"rude": "toxicity"}).issues[0])


def test_a_folder_that_works_is_said_to(folder: Path, tier: Path) -> None:
    plain = seemly("models", "check", str(folder), "--labels", "rude=toxicity,bait=clickbait")
    assert plain.code == 0
    assert plain.stdout.splitlines()[-1] == "the model works"
    assert "note: manifest.json: is missing" in plain.stdout
    outcome = seemly("models", "check", str(tier), "--json")
    found = json.loads(outcome.stdout)
    assert found["works"]
    assert found["labels"] == ["toxicity"]
    assert [each["path"] for each in found["remarks"]] == ["languages"]
    assert seemly("models", "check", str(folder), "--labels", "rude").code == 2
    assert seemly("models", "check", str(folder / "nowhere")).code == 2


def test_a_tier_is_the_same_in_every_engine(tier: Path) -> None:
    models = Models()
    assert models.scorer(f"folder:{tier}") is models.scorer(f"folder:{tier}")
