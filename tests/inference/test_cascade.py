"""Two tiers in one: which texts the accurate model reads, and that nothing else decides on it."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.channel import Calibration, Channel, PolicySettings
from seemly.core.errors import ConfigError, ModelError
from seemly.engine.engine import Engine
from seemly.engine.models import Models
from seemly.engine.plan import compile_plan
from seemly.inference.blend import Blend
from seemly.inference.cascade import EVERYTHING, UNIT, CascadeScorer, divide
from seemly.inference.language import Language
from seemly.inference.manifest import Manifest
from seemly.inference.scorer import Scorer
from seemly.policies.builtin import BUILTIN
from seemly.testing import FakeModels

LABELS = ("toxicity", "spam")
BANDS = MappingProxyType(
    {0.1: {"toxicity": (1.0, 1.0), "spam": (0.5, 0.5)}, 0.3: {"toxicity": (3.0, 2.0), "spam": (1.5, 0.5)}}
)


class Fast:
    """Scores a text by the largest number in it, in per cent, for toxicity; spam is unheard of."""

    labels = LABELS
    languages = frozenset({"en", "de"})

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> np.ndarray:
        rows = [[_percent(text) if label == "toxicity" else 0.001 for label in labels] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), len(labels))


class Accurate:
    """Says the same of everything, and remembers what it read."""

    def __init__(
        self, said: float = 0.9, blend: Mapping[str, tuple[float, float, float]] = MappingProxyType({})
    ) -> None:
        self.manifest = Manifest("a", "1", LABELS, {}, 8, 8, {}, frozenset({"en"}), BANDS, blend)
        self.said = said
        self.seen: list[str] = []

    def read(self, texts: Sequence[str]) -> list[np.ndarray]:
        self.seen += texts
        return [np.array([self.said, 0.2], np.float32) for _ in texts]


class Detector:
    """Knows German by its umlauts, and Russian by its letters."""

    def may_be(self, text: str, languages: frozenset[str]) -> bool:
        return self.detect(text).code in languages

    def detect(self, text: str) -> Language:
        return Language("de" if "ü" in text else "ru" if "я" in text else "en", 1.0)


def _percent(text: str) -> float:
    return max((int(number) / 100 for number in re.findall(r"\b\d\d?\b", text)), default=0.001)


def test_what_is_read_is_calibrated_by_language_and_flags_where_that_was_measured() -> None:
    accurate = Accurate(0.5)
    accurate.manifest = replace(
        accurate.manifest,
        languages=frozenset({"en", "de"}),
        calibration={"de": {"toxicity": (0.0, 1.0, -2.0)}},
        supported={"en": frozenset(LABELS), "de": frozenset({"toxicity"})},
    )
    cascade = CascadeScorer(Fast(), accurate, Detector(), EVERYTHING)
    assert ask(cascade, "50", "50 für", "50 я") == [0.5, 0.119, 0.5]
    asked = [(label, code) for label in LABELS for code in ("en", "de", "ru", None)]
    assert [cascade.supported(*each) for each in asked] == [True, True, False, True, True, False, False, True]


def make(share: float, said: float = 0.9) -> CascadeScorer:
    return CascadeScorer(Fast(), Accurate(said), Detector(), share)


def ask(cascade: CascadeScorer, *texts: str, threshold: float = 0.5) -> list[float]:
    return [round(score, 3) for score in cascade.score(texts, ("toxicity",), (threshold,))[:, 0].tolist()]


@pytest.mark.parametrize(
    ("share", "text", "read"),
    [
        (0.1, "50 a", True),
        (0.1, "30 a", True),
        (0.1, "26 a", False),
        (0.1, "73 a", True),
        (0.1, "74 a", False),
        (0.3, "5 a", True),
        (0.3, "4 a", False),
        (0.3, "88 a", True),
        (0.3, "89 a", False),
        (0.2, "13 a", True),
        (0.2, "11 a", False),
        (0.0, "50 a", False),
        (EVERYTHING, "0 a", True),
        (EVERYTHING, "99 a", True),
        (EVERYTHING, "50 für", False),
        (EVERYTHING, "50 я", False),
    ],
)
def test_the_accurate_model_reads_what_lies_within_the_band(share: float, text: str, read: bool) -> None:
    cascade = make(share)
    assert ask(cascade, text) == [0.9 if read else _percent(text)]
    assert cascade.accurate.seen == ([text] if read else [])
    assert cascade.find_uncertain([text], ("toxicity",), (0.5,)) == [read]


@pytest.mark.parametrize(
    ("blend", "expected"),
    [
        ((0.0, 1.0, 0.0), 0.8),
        ((1.0, 0.0, 0.0), 0.2),
        ((0.5, 0.5, 0.0), 0.5),
        ((1.0, 1.0, 0.0), 0.5),
        ((0.0, 1.0, -4 * math.log(2)), 0.2),
    ],
)
def test_what_both_models_read_is_scored_by_both(blend: tuple[float, float, float], expected: float) -> None:
    cascade = CascadeScorer(Fast(), Accurate(0.8, {"toxicity": blend}), Detector(), EVERYTHING)
    assert ask(cascade, "20 a") == [expected]
    assert cascade.score(["20 a"], ("spam",), (0.5,)).tolist() == [[pytest.approx(0.2)]]
    assert cascade.weigh("20 a", ["a"], ("toxicity",), (0.5,))[0, 0] == pytest.approx(expected)
    assert ask(cascade, "20 für") == [0.2]


def test_certainty_beyond_float32_does_not_outweigh_the_other_model() -> None:
    blend = Blend({"toxicity": (0.5, 0.5, 0.0)}, ("toxicity",))
    sure, unsure = np.array([[1.0], [0.0]], np.float32), np.array([[0.5], [0.5]], np.float32)
    assert blend(sure, unsure)[:, 0].tolist() == pytest.approx([0.990, 0.010], abs=1e-3)


def test_the_band_moves_with_the_threshold() -> None:
    cascade = make(0.1)
    assert ask(cascade, "80 a", threshold=0.5) == [0.8]
    assert ask(cascade, "80 a", threshold=0.8) == [0.9]


def test_labels_that_nobody_asks_for_make_nothing_uncertain() -> None:
    cascade = make(0.3)
    assert cascade.score(["50 a"], ("spam",), (0.5,)).tolist() == [[pytest.approx(0.001)]]
    assert cascade.score(["50 a"], ("spam", "toxicity"), (0.5, 0.5)).tolist() == [pytest.approx([0.2, 0.9])]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 99).map(lambda n: f"{n} word"), max_size=12))
def test_a_text_scores_the_same_alone_and_beside_any_others(texts: list[str]) -> None:
    assert ask(make(0.1), *texts) == [score for text in texts for score in ask(make(0.1), text)]


LONG = " ".join(f"{percent} {'word ' * 85}" for percent in (10, 55, 70, 20, 60, 50, 40, 80, 30, 45, 15, 65))


def test_of_a_long_text_the_worst_units_are_read() -> None:
    cascade = make(EVERYTHING)
    assert ask(cascade, LONG) == [0.9]
    read = sorted(_percent(unit) for unit in cascade.accurate.seen)
    assert len(read) == 8
    assert read[-5:] == [0.55, 0.6, 0.65, 0.7, 0.8]
    assert all(len(unit) <= UNIT for unit in cascade.accurate.seen)


def test_what_the_worst_units_are_cleared_of_is_not_held_against_the_others() -> None:
    assert ask(make(EVERYTHING, said=0.05), LONG) == [0.05]


def test_a_unit_that_is_beyond_doubt_counts_whatever_others_say() -> None:
    assert ask(make(0.1, said=0.05), LONG + " 99") == [0.99]


@given(st.integers(1, 3_000))
def test_units_cover_the_text_break_between_words_and_are_bounded(words: int) -> None:
    text = " ".join(str(number) for number in range(1_000, 1_000 + words))
    units, owners = divide(["x", text])
    at = 0
    for unit, owner in zip(units[1:], owners[1:], strict=True):
        place = text.index(unit)
        assert owner == 1
        assert place <= at
        assert len(unit) <= UNIT
        assert unit.strip().split(" ") == [word for word in unit.split(" ") if len(word) == 4]
        at = place + len(unit)
    assert at == len(text)


@pytest.mark.parametrize("unit", ["a", " ", "ab ", "a" * 399 + " "])
def test_dividing_is_linear(unit: str) -> None:
    units, _ = divide([(unit * 100_000)[:100_000]])
    assert len(units) <= 100_000 / (UNIT - 90) + 2


def test_a_model_without_bands_cannot_be_asked_for_a_share() -> None:
    accurate = Accurate()
    accurate.manifest = Manifest("a", "1", LABELS, {}, 8, 8, {})
    with pytest.raises(ModelError, match="bands"):
        CascadeScorer(Fast(), accurate, Detector(), 0.2)
    assert CascadeScorer(Fast(), accurate, Detector(), EVERYTHING).share == EVERYTHING


def test_the_band_lies_around_the_threshold_before_calibration() -> None:
    calibration = Calibration((0.0, 0.9, 1.0), (0.0, 0.5, 1.0))
    settings = PolicySettings("toxicity", threshold=0.5, calibration=calibration)
    plan = compile_plan(Channel(policies=(settings,)), BUILTIN, FakeModels(), "cascade")
    assert dict(zip(plan.labels, plan.thresholds, strict=True))["toxicity"] == pytest.approx(0.9)


def test_models_of_different_labels_do_not_go_together() -> None:
    accurate = Accurate()
    accurate.manifest = Manifest("a", "1", ("toxicity",), {}, 8, 8, {})
    with pytest.raises(ConfigError, match="different labels"):
        CascadeScorer(Fast(), accurate, Detector(), 0.2)


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(ConfigError, match="sarcasm"):
        make(0.2).score(["a"], ("sarcasm",), (0.5,))


def test_explaining_has_the_accurate_model_read_the_copy_that_differs_most() -> None:
    cascade = make(0.3)
    copies = [f"{percent} a" for percent in (50, 10, 49, 30, 48, 20)]
    scores = cascade.weigh("50 a", copies, ("toxicity",), (0.5,))
    assert scores.shape == (7, 1)
    assert cascade.accurate.seen == ["50 a", "10 a"]
    assert make(0.1).weigh("99 a", ["1 a"], ("toxicity",), (0.5,))[:, 0].tolist() == pytest.approx([0.99, 0.01])


MODELS = Models(Path(__file__).parents[2] / "models")
TEXTS = [
    "!" * 200 + " you are a worthless idiot, kill yourself",
    "hello",
    "",
    "you are an idiot",
    "I don't think people like them belong anywhere near our children, do you?",
    "win a free prize, click here " * 3,
    "a long and harmless sentence about the weather in the north of the country " * 30,
    "你好，今天天气很好",
    "😀",
    "x" * 500,
]


@pytest.mark.parametrize("tier", ["cascade", "accurate"])
def test_real_scores_are_the_same_alone_together_and_from_eight_threads(tier: str) -> None:
    scorer = MODELS.scorer(tier)
    assert isinstance(scorer, Scorer)
    halves = [0.5] * len(scorer.labels)
    together = scorer.score(TEXTS, scorer.labels, halves)
    alone = np.concatenate([scorer.score([text], scorer.labels, halves) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-4
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: scorer.score(TEXTS, scorer.labels, halves), range(16)):
            assert np.abs(found - together).max() < 1e-4
    copy = pickle.loads(pickle.dumps(scorer))
    assert np.abs(copy.score(TEXTS, scorer.labels, halves) - together).max() < 1e-4


def test_each_share_has_a_scorer_of_its_own_over_the_same_models() -> None:
    few, many = MODELS.scorer("cascade", 0.05), MODELS.scorer("cascade", 0.5)
    assert few is MODELS.scorer("cascade", 0.05)
    assert few is not many
    assert few.fast is many.fast
    assert few.accurate is many.accurate


def test_a_larger_share_reads_what_a_smaller_one_does() -> None:
    read = [
        MODELS.scorer("cascade", share).find_uncertain(TEXTS, ("toxicity", "hate"), (0.5, 0.5))
        for share in (0.0, 0.02, 0.1, 0.2, 0.5, 1.0)
    ]
    assert not any(read[0])
    for fewer, more in pairwise(read):
        assert all(b for a, b in zip(fewer, more, strict=True) if a)


def test_a_channel_says_how_much_is_read() -> None:
    text = "I don't think people like them belong anywhere near our children, do you?"
    none = Engine(Channel(accurate_share=0.0), tier="cascade", models=MODELS).moderate(text)
    fast = Engine(tier="fast", models=MODELS).moderate(text)
    every = Engine(Channel(accurate_share=1.0), tier="cascade", models=MODELS).moderate(text)
    accurate = Engine(tier="accurate", models=MODELS).moderate(text)
    assert [p.probability for p in none.policies] == [p.probability for p in fast.policies]
    assert [p.probability for p in every.policies] == [p.probability for p in accurate.policies]


def test_a_language_that_the_accurate_model_does_not_know_is_said() -> None:
    engine = Engine(tier="cascade", models=MODELS)
    assert engine.moderate("Сегодня прекрасная погода, пойдём гулять в парк.")["hate"].data == {
        "language_supported": False
    }
    english = engine.moderate("What a lovely day, shall we go for a walk in the park?")["hate"]
    assert english.data is None or "language_supported" not in english.data


@pytest.mark.parametrize("tier", ["fast", "cascade", "accurate"])
@pytest.mark.parametrize(
    "text",
    [
        "you are a complete idiot and nobody likes you",
        "what a lovely garden. " * 60 + "you are a complete idiot, y0u f u c k e r",
    ],
)
def test_explaining_names_words_of_the_text(tier: str, text: str) -> None:
    told = Engine(tier=tier, models=MODELS).explain(text)
    toxicity = next(each for each in told.policies if each.policy == "toxicity")
    assert toxicity.words
    assert sum(word.share for word in toxicity.words) == pytest.approx(1.0, abs=0.35)
    assert all(text[slice(*word.span)] == word.text for word in toxicity.words)
