"""The policies that are read from the models' labels."""

from __future__ import annotations

import pytest

from seemly import Channel, Engine, PolicySettings
from seemly.adapters.compat.openai import moderate
from seemly.policies.classifier import CLASSIFIERS
from seemly.testing import FakeModels

SCORED_ONLY = {
    "flirtation", "illicit", "illicit_drugs", "illicit_firearms", "illicit_gambling", "illicit_alcohol",
    "illicit_tobacco", "cannabis", "adult", "crypto", "self_promotion", "political", "religion", "prompt_injection",
}  # fmt: skip


def _engine(channel: Channel | None = None, **scores: float) -> Engine:
    return Engine(channel, models=FakeModels({"text": scores}))


def test_topics_are_scored_and_flag_only_if_the_channel_says_so() -> None:
    assert {spec.id for spec in CLASSIFIERS if not spec.defaults.flag} == SCORED_ONLY


@pytest.mark.parametrize("policy", sorted(spec.id for spec in CLASSIFIERS))
def test_each_reports_its_label_and_flags_as_the_channel_says(policy: str) -> None:
    result = _engine(**{policy: 0.9}).moderate("text")
    assert result[policy].probability == pytest.approx(0.9)
    assert result[policy].flagged is (policy not in SCORED_ONLY)
    told = _engine(Channel(policies=(PolicySettings(policy, flag=True),)), **{policy: 0.9}).moderate("text")
    assert told[policy].flagged
    assert told.recommendation.action in ("review", "reject")


@pytest.mark.parametrize("policy", ["self_harm", "grooming"])
def test_self_harm_and_grooming_are_reviewed_and_never_rejected(policy: str) -> None:
    heavy = Channel(policies=(PolicySettings(policy, weight=1.0),))
    result = _engine(heavy, **{policy: 1.0}).moderate("text")
    assert result.recommendation.action == "review"
    assert result.recommendation.reason_codes == ("severity_review", "severity_capped")
    lifted = Channel(policies=(PolicySettings(policy, weight=1.0, max_action="reject"),))
    assert _engine(lifted, **{policy: 1.0}).moderate("text").recommendation.action == "reject"


def test_labels_of_illicit_have_names_of_their_own() -> None:
    result = _engine(illicit=0.9, illicit_firearms=0.8, cannabis=0.1).moderate("text")
    labels = {label.id: label.probability for label in result["illicit"].labels}
    assert set(labels) == {"drugs", "weapons", "gambling", "alcohol", "tobacco", "cannabis"}
    assert labels["weapons"] == pytest.approx(0.8)
    assert result["illicit_firearms"].probability == pytest.approx(0.8)


@pytest.mark.parametrize("policy", ["toxicity", "hate", "self_harm", "violence"])
def test_a_mention_never_flags(policy: str) -> None:
    result = _engine(mention=0.99, **{policy: 0.9}).moderate("text")
    (mention,) = [label for label in result[policy].labels if label.id == "mention"]
    assert (mention.probability, mention.flagged) == (pytest.approx(0.99), False)


@pytest.mark.parametrize(
    ("scores", "value", "probability"),
    [
        ({"positive": 0.8, "negative": 0.1}, "positive", 0.8),
        ({"positive": 0.2, "negative": 0.7}, "negative", 0.7),
        ({"positive": 0.2, "negative": 0.1}, "neutral", 0.8),
    ],
)
def test_sentiment_is_an_insight(scores: dict[str, float], value: str, probability: float) -> None:
    insights = {each.id: each for each in _engine(**scores).moderate("text").insights}
    assert insights["sentiment"].value == value
    assert insights["sentiment"].probability == pytest.approx(probability)


def test_openais_categories_are_true_at_a_policys_threshold_whether_it_flags_or_not() -> None:
    engine = _engine(illicit=0.9, illicit_firearms=0.6, self_harm=0.3, self_harm_intent=0.7, harassment=0.8)
    (result,) = moderate({"input": "text"}, engine)["results"]
    true = {name for name, its in result["categories"].items() if its}
    assert true == {"illicit", "illicit/violent", "self-harm/intent", "harassment"}
