"""Scores as one array."""

from __future__ import annotations

import numpy as np
import pytest

from seemly import Channel, ContentError, Engine, PolicySettings
from seemly.testing import FakeModels

SCORES = {"you idiot": {"toxicity": 0.95, "insult": 0.9}, "hmm, rude": {"toxicity": 0.6}}


def _engine(channel: Channel | None = None) -> Engine:
    return Engine(channel, models=FakeModels(SCORES))


def test_scores_are_those_of_moderate() -> None:
    engine = _engine()
    texts = ["you idiot", "hello", "hmm, rude", ""] * 50
    scores = engine.score(iter(texts))
    assert scores.probabilities.shape == (200, len(scores.labels))
    assert scores.probabilities.dtype == np.float32
    assert len(scores) == 200
    results = [result["toxicity"].probability for result in engine.moderate_many(texts)]
    assert scores["toxicity"].tolist() == pytest.approx(results)
    assert scores.thresholds[scores.labels.index("toxicity")] == engine.thresholds["toxicity"]


def test_no_text_gives_no_row() -> None:
    assert _engine().score([]).probabilities.shape == (0, len(_engine().score([]).labels))


def test_the_array_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        _engine().score(["hello"]).probabilities[0, 0] = 1.0


def test_an_unknown_label_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="rudeness"):
        _engine().score(["hello"])["rudeness"]


def test_something_other_than_texts_is_refused() -> None:
    with pytest.raises(ContentError, match="iterable of str"):
        _engine().score(["hello", None])  # type: ignore[list-item]


def test_the_channels_thresholds_are_told() -> None:
    engine = _engine(Channel(policies=(PolicySettings("toxicity", threshold=0.8),)))
    scores = engine.score(["hello"])
    assert scores.thresholds[scores.labels.index("toxicity")] == 0.8
