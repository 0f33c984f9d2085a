"""Engines with known scores, and examples for them, that the tests of evaluation share."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.evaluation.examples import Example
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.protocol import Spec
from seemly.policies.registry import Registry
from seemly.testing import FakeModels

Scores = Mapping[str, Mapping[str, float]]


def build_engine(scores: Scores, channel: Channel | None = None, *extra: Spec, **how: Any) -> Engine:
    return Engine(channel, registry=Registry(CLASSIFIERS) | Registry(extra), models=FakeModels(scores), **how)


def spread(
    pairs: list[tuple[float, float]], policy: str = "toxicity"
) -> tuple[dict[str, dict[str, float]], list[Example]]:
    """Scores and examples for (probability, truth) pairs, a text each."""
    scores = {f"text {i}": {policy: score} for i, (score, _) in enumerate(pairs)}
    return scores, [Example(f"text {i}", {policy: truth}) for i, (_, truth) in enumerate(pairs)]


def draw_pairs(count: int = 200, seed: int = 0) -> list[tuple[float, float]]:
    """Pairs in which positives score higher, mostly."""
    source = random.Random(seed)
    pairs = []
    for _ in range(count):
        truth = source.random() < 0.4
        pairs.append((min(1.0, max(0.0, source.gauss(0.6 if truth else 0.35, 0.2))), float(truth)))
    return pairs
