import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.channel import Calibration, Channel, Condition, PolicySettings, Rule, Triage, Wordlist
from seemly.core.content import Audio, Author, ClientAction, Image, Object, Submission, Text
from seemly.core.errors import ConfigError, DataError
from seemly.engine.engine import Engine
from seemly.evaluation import Example, calibrate, evaluate, replay
from seemly.evaluation.draft_replay import undo
from seemly.inference.cascade import CascadeScorer
from seemly.testing import FailingPolicy, FakeModels, FakePolicy
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread
from tests.support.strategies import actions, probabilities, triages

SCORES = {
    "one": {"toxicity": 0.95, "insult": 0.9, "spam": 0.2},
    "two": {"toxicity": 0.6, "threat": 0.7, "spam": 0.55},
    "three casino": {"toxicity": 0.3, "spam": 0.8, "hate": 0.45},
    "four phone phone": {"hate": 0.7, "identity_attack": 0.65},
    "five !": {"toxicity": 0.5},
    "six": {},
}
WORDS = Wordlist("bets", ("casino",))
POLICIES = ("toxicity", "hate", "spam", "number", "broken", "wordlist:bets")
FIELDS = st.sampled_from(
    [
        "policy.toxicity.probability", "policy.spam.probability", "policy.number.matches", "policy.wordlist:bets.matches",
        "label.toxicity.insult", "label.hate.identity_attack", "severity", "author.trust_level", "metadata.n",
        "policy.broken.probability",
    ]
)  # fmt: skip
CALIBRATIONS = st.sampled_from(
    [None, Calibration((0.0, 1.0), (0.1, 0.8)), Calibration((0.0, 0.5, 1.0), (0.0, 0.2, 1.0))]
)


@st.composite
def channels(draw: st.DrawFn, all_enabled: bool = False) -> Channel:
    named = [
        PolicySettings(
            each,
            enabled=all_enabled or draw(st.booleans()),
            flag=draw(st.none() | st.booleans()),
            threshold=draw(st.none() | probabilities),
            weight=draw(st.none() | probabilities),
            on_failure=draw(actions),
            calibration=draw(CALIBRATIONS),
        )
        for each in POLICIES
    ]
    bodies = draw(
        st.lists(
            st.tuples(
                st.lists(
                    st.builds(Condition, FIELDS, st.sampled_from(["at_least", "at_most"]), probabilities),
                    min_size=1,
                    max_size=2,
                ),
                actions,
            ),
            max_size=2,
        )
    )
    ruled = tuple(rule for i, (body, action) in enumerate(bodies) for rule in [Rule(f"r{i}", tuple(body), action)])
    return Channel(
        flagging_mode=draw(st.sampled_from(["ACTIVE", "ACTIVE", "DRY_RUN"])),
        policies=tuple(named),
        wordlists=(WORDS,),
        rules=ruled,
        triage=draw(triages()),
    )


SUBMISSIONS = [
    *(Submission(content=Text(text)) for text in SCORES),
    Submission(content=Text("one"), author=Author("ann", status="blocked")),
    Submission(content=Text("two"), author=Author("bob", trust_level=-1), metadata={"n": 0.5}),
    Submission(content=Text("two"), author=Author("cat", trust_level=3), client_action=ClientAction("review")),
    Submission(content=Text("one"), client_action=ClientAction("allow", "override")),
    Submission(content=Object({"title": "one", "body": "three casino"})),
]


def _build(channel: Channel) -> Engine:
    extra = FakePolicy.spec("number", "phone", 0.9), FailingPolicy.spec("broken", on="!")
    return build_engine(SCORES, channel, *extra)


def _wire(severity: object) -> dict[str, Any]:
    (result,) = build_engine(SCORES).moderate_many(["one"])
    wire = result.to_dict()
    wire["evaluation"]["severity_score"] = severity
    return wire


@settings(max_examples=25, deadline=None)
@given(channels(all_enabled=True), channels())
def test_a_replay_is_what_a_real_run_gives(old: Channel, new: Channel) -> None:
    results = list(_build(old).moderate_many(SUBMISSIONS))
    found = replay(_build(old), new, SUBMISSIONS, results=[each.to_dict(extended=True) for each in results])
    assert found.skipped == ()
    real = list(_build(new).moderate_many(SUBMISSIONS))
    for outcome, result, before in zip(found.outcomes, real, results, strict=True):
        now = {each.id for each in result.policies if each.flagged}
        was = {each.id for each in before.policies if each.flagged}
        assert outcome.new_severity == pytest.approx(result.evaluation.severity_score, abs=1e-6)
        assert (outcome.old_action, outcome.old_severity) == (
            before.recommendation.action,
            before.evaluation.severity_score,
        )
        if _is_rounded(old, new) and _is_on_edge(new, result):
            continue
        assert outcome.new_action == result.recommendation.action
        assert set(outcome.newly_flagged) | set(outcome.still_flagged) == now
        assert set(outcome.no_longer_flagged) == was - now


def _is_rounded(old: Channel, new: Channel) -> bool:
    """Whether a calibration is undone."""
    pairs = zip(old.policies, new.policies, strict=True)
    return any(a.calibration is not None and a.calibration != b.calibration for a, b in pairs)


def _is_on_edge(channel: Channel, result: Any) -> bool:
    """Whether something stands so near to a bound that undoing a calibration may round it to the other side."""
    bounds = [channel.triage.review, channel.triage.reject, channel.triage.untrusted_review]
    bounds += [condition.value for rule in channel.rules for condition in rule.conditions]
    bounds += [each.threshold for each in channel.policies] + [0.5]
    numbers = [each.probability for each in result.policies] + [result.evaluation.severity_score]
    numbers += [label.probability for each in result.policies for label in each.labels]
    return any(abs(a - b) < 1e-9 and a != 0.0 for a in numbers for b in bounds if b is not None)


def test_counts_and_what_changed() -> None:
    scores, examples = spread(draw_pairs(60))
    engine = build_engine(scores)
    new = Channel(key="draft", policies=(PolicySettings("toxicity", threshold=0.7),))
    found = replay(engine, new, evaluate(engine, examples, bootstrap=0))
    real = list(build_engine(scores, new).moderate_many(each.content for each in examples))
    assert [each.new_action for each in found.outcomes] == [each.recommendation.action for each in real]
    assert sum(each.count for each in found.transitions) == 60
    (policy,) = found.policies
    assert (policy.id, policy.newly_flagged, policy.no_longer_flagged) == ("toxicity", 0, len(found.changed))
    gaps = [abs(each.new_severity - each.old_severity) for each in found.changed]
    assert gaps == sorted(gaps, reverse=True)
    assert json.loads(json.dumps(found.to_dict()))["changed"] == len(found.changed)
    assert repr(found) == f"Replay('default' → 'draft', {len(found.changed)} of 60 examples change)"
    assert "text 1" not in repr(found.outcomes)


def test_a_page_escapes_the_texts() -> None:
    engine = build_engine({"<b>bad</b>": {"toxicity": 0.6}})
    new = Channel(policies=(PolicySettings("toxicity", enabled=False),))
    page = replay(engine, new, evaluate(engine, [("<b>bad</b>", {"toxicity": 1})], bootstrap=0))._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;bad" in page


def test_tables() -> None:
    pytest.importorskip("pandas", reason="tables are made with pandas, of the extra `notebook`")
    engine = build_engine(SCORES)
    found = replay(engine, Channel(triage=Triage(1.0, 1.0)), list(SCORES), results=list(engine.moderate_many(SCORES)))
    assert found.to_dataframe()["new_action"].unique().tolist() == ["allow"]
    assert found.to_dataframe(text=True)["text"].tolist() == list(SCORES)


@pytest.mark.parametrize(
    ("old", "new", "issues"),
    [
        ({}, {"unicode_spoof_detection_enabled": False}, ["unicode_spoof_detection_enabled"]),
        ({}, {"expected_scripts": ("Latin",), "context_enabled": True}, ["context_enabled", "expected_scripts"]),
        ({}, {"wordlists": (WORDS,)}, ["wordlists.bets", "policies.wordlist:bets"]),
        ({"wordlists": (WORDS,)}, {"wordlists": (replace(WORDS, words=("poker",)),)}, ["wordlists.bets"]),
        ({"wordlists": (replace(WORDS, mode="allow"),)}, {}, ["wordlists.bets"]),
        ({"policies": (PolicySettings("spam", enabled=False),)}, {}, ["policies.spam"]),
        (
            {"context_enabled": True},
            {"context_enabled": True, "policies": (PolicySettings("spam", calibration=Calibration((0.0, 1.0), (0.0, 0.5))),)},
            ["policies.spam.calibration"],
        ),
    ],
)  # fmt: skip
def test_what_must_be_run_again_is_named(old: dict[str, Any], new: dict[str, Any], issues: list[str]) -> None:
    engine = build_engine(SCORES, Channel(**old))
    with pytest.raises(DataError, match="run it again") as caught:
        replay(engine, Channel(**new), list(SCORES), results=list(engine.moderate_many(SCORES)))
    assert [each.path for each in caught.value.issues] == issues


def test_options_that_change_what_is_found_are_named() -> None:
    new = Channel(policies=(PolicySettings("url", options={"allow": ["example.com"]}),))
    engine = Engine(tier="fast")
    with pytest.raises(DataError, match=r"policies\.url\.options: changes what is found"):
        replay(Channel(), new, ["hello"], results=list(engine.moderate_many(["hello"])), tier="fast")


def test_lists_that_only_fall_away_or_change_in_name_are_no_obstacle() -> None:
    engine = build_engine(SCORES, Channel(wordlists=(WORDS,)))
    results = list(engine.moderate_many(SCORES))
    gone = replay(engine, Channel(), list(SCORES), results=results)
    assert [(each.id, each.no_longer_flagged) for each in gone.policies if each.no_longer_flagged] == [
        ("wordlist:bets", 1)
    ]
    renamed = Channel(wordlists=(replace(WORDS, name="Bets", mask=True),))
    assert replay(engine, renamed, list(SCORES), results=results).changed == ()


def test_rows_that_a_replay_cannot_tell_of_are_skipped_with_why() -> None:
    submissions = [
        Submission(content=Text("one"), policies=(PolicySettings("spam"),)),
        Submission(content=Object({"title": "one", "sound": Audio(b"")})),
        Submission(content=Text("one")),
    ]
    engine = build_engine(SCORES)
    found = replay(engine, Channel(), submissions, results=list(engine.moderate_many(submissions)))
    assert [str(each) for each in found.skipped] == [
        "row 1: came with policies of its own", "row 2: a policy or decoder failed on a part of it",
    ]  # fmt: skip
    assert [each.row for each in found.outcomes] == [3]


def test_results_of_another_channel_are_found_out() -> None:
    results = list(build_engine(SCORES, Channel(triage=Triage(0.1, 0.2))).moderate_many(SCORES))
    with pytest.raises(DataError, match="row 2: was not judged by the channel 'default' as it is"):
        replay(build_engine(SCORES), Channel(), list(SCORES), results=results)
    evaluation = evaluate(build_engine(SCORES), [("one", {"toxicity": 1})], bootstrap=0)
    with pytest.raises(DataError, match="made under another channel"):
        replay(build_engine(SCORES, Channel(key="other")), Channel(), evaluation)


def test_severities_tell_another_channel_apart_where_actions_and_flags_do_not() -> None:
    heavier = build_engine(SCORES, Channel(policies=(PolicySettings("toxicity", weight=0.2),)))
    results = list(heavier.moderate_many(["two"]))
    with pytest.raises(DataError, match="row 1: was not judged by the channel 'default' as it is"):
        replay(build_engine(SCORES), Channel(), ["two"], results=results)


class TieredModels(FakeModels):
    """Models whose tiers have thresholds of their own, and versions."""

    def __init__(self, released: str = "1") -> None:
        super().__init__(SCORES)
        self.released = released

    def default_thresholds(self, tier: str) -> dict[str, float]:
        return dict.fromkeys(self.LABELS, {"fast": 0.5, "accurate": 0.65}[tier])

    def versions(self, tier: str) -> dict[str, str]:
        return {f"text-{tier}": self.released}


def test_an_evaluation_is_replayed_on_the_tier_that_it_ran_on() -> None:
    registry, models = build_engine({}).registry, TieredModels()
    engine = Engine(registry=registry, models=models, tier="accurate")
    evaluation = evaluate(engine, [("two", {"toxicity": 1})], bootstrap=0)
    assert evaluation.scored.tier == "accurate"
    draft = Channel(policies=(PolicySettings("toxicity", threshold=0.6),))
    (outcome,) = replay(Channel(), draft, evaluation, registry=registry, models=models).outcomes
    assert (outcome.old_action, outcome.newly_flagged) == ("allow", ("toxicity",))
    with pytest.raises(DataError, match="tier: must be the same for all, not accurate and fast"):
        replay(Channel(), draft, evaluation, registry=registry, models=models, tier="fast")


@pytest.mark.parametrize(
    ("other", "issue"),
    [
        ({"tier": "accurate"}, "tier: must be the same for all, not accurate and fast"),
        ({"registry": build_engine({}, None, FakePolicy.spec("more", "x")).registry}, "registry: must be the same"),
        ({"models": TieredModels("2")}, "models: must be the same"),
    ],
)
def test_engines_that_differ_in_more_than_their_channels(other: dict[str, Any], issue: str) -> None:
    how: dict[str, Any] = {"registry": build_engine({}).registry, "models": TieredModels(), "tier": "fast"}
    engine = Engine(**how)
    results = list(engine.moderate_many(["two"]))
    assert replay(engine, Engine(**{**how, "models": TieredModels()}), ["two"], results=results).changed == ()
    with pytest.raises(DataError, match=f"run it again; {issue}"):
        replay(engine, Engine(**{**how, **other}), ["two"], results=results)


def test_an_evaluation_by_another_registry_is_found_out() -> None:
    evaluation = evaluate(build_engine(SCORES), [("one", {"toxicity": 1})], bootstrap=0)
    more = build_engine(SCORES, None, FakePolicy.spec("more", "x"))
    with pytest.raises(DataError, match="under another channel or registry"):
        replay(more, Channel(policies=(PolicySettings("more", enabled=False),)), evaluation)


def test_what_a_policy_was_not_asked_is_not_calibrated() -> None:
    only_german = replace(FakePolicy.spec("fake", "the"), languages=frozenset({"de"}))
    calibrated = Channel(policies=(PolicySettings("fake", calibration=Calibration((0.0, 1.0), (0.2, 0.6))),))
    texts = ["this is the house that was built by the river", "the", "it"]
    media = Submission(content=Image(b""))
    old = Channel(enable_image_moderation=False)
    engines = [
        build_engine({}, replace(each, enable_image_moderation=False), only_german) for each in (old, calibrated)
    ]
    for one, other in (engines, engines[::-1]):
        found = replay(one, other.channel, [*texts, media], results=list(one.moderate_many([*texts, media])))
        real = [each.evaluation.severity_score for each in other.moderate_many([*texts, media])]
        # The picture, which nobody looked at, is left out of the replay.
        assert [each.new_severity for each in found.outcomes] == pytest.approx(real[: len(texts)])


@pytest.mark.parametrize(
    ("results", "error", "problem"),
    [
        (None, ConfigError, "give the examples' results"),
        ([], DataError, "0 results for 1 examples"),
        ([{"policies": []}], DataError, "row 1: must be a ModerationResult"),
        ([7], DataError, "row 1: must be a ModerationResult"),
        ([_wire(severity="high")], DataError, "row 1: must be a ModerationResult"),
    ],
)
def test_results_that_cannot_be_used(results: Any, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        replay(build_engine(SCORES), Channel(), ["one"], results=results)


def test_a_new_channel_that_cannot_work_says_so() -> None:
    engine = build_engine(SCORES)
    new = Channel(rules=(Rule("r", (Condition("policy.rude.flagged", "is", True),), "reject"),))
    with pytest.raises(ConfigError, match="no policy has the id 'rude'"):
        replay(engine, new, ["one"], results=list(engine.moderate_many(["one"])))


def test_a_flat_calibration_is_undone_only_where_nothing_hangs_on_it() -> None:
    flat = Calibration((0.0, 0.25, 0.75, 1.0), (0.0, 0.5, 0.5, 1.0))
    scores = {"low": {"toxicity": 0.125}, "mid": {"toxicity": 0.625}}
    engine = build_engine(scores, Channel(policies=(PolicySettings("toxicity", calibration=flat),)))
    results = list(engine.moderate_many(scores))
    with pytest.raises(DataError, match="cannot be undone for 1 examples, the first is row 2"):
        replay(engine, Channel(), list(scores), results=results)
    assert replay(engine, Channel(), ["low"], results=results[:1]).outcomes[0].new_severity == pytest.approx(0.125)
    coarser = Channel(policies=(PolicySettings("toxicity", calibration=Calibration((0.2, 0.8), (0.5, 0.5))),))
    assert replay(engine, coarser, list(scores), results=results).outcomes[1].new_severity == pytest.approx(0.5)


def test_from_and_to_a_fitted_calibration() -> None:
    scores, examples = spread(draw_pairs(150))
    plain = build_engine(scores)
    fitted = plain.with_channel(calibrate(plain, examples))
    for old, new in ((plain, fitted), (fitted, plain)):
        found = replay(old, new, evaluate(old, examples, bootstrap=0))
        real = [each.evaluation.severity_score for each in new.moderate_many(each.content for each in examples)]
        assert [each.new_severity for each in found.outcomes] == pytest.approx(real, abs=1e-6)


KNOTS = st.lists(st.sampled_from([i / 10 for i in range(11)]), min_size=2, max_size=6).map(sorted)


@given(KNOTS, KNOTS, st.lists(probabilities, min_size=1, max_size=10))
def test_undoing_gives_the_ends_of_what_a_calibration_maps_there(
    xs: list[float], ys: list[float], raw: list[float]
) -> None:
    size = min(len(xs), len(ys))
    calibration = Calibration(tuple(xs[:size]), tuple(ys[:size]))
    low, high = undo(calibration, np.array([calibration(each) for each in raw]))
    for a, each, b in zip(low, raw, high, strict=True):
        assert a - 1e-6 <= each <= b + 1e-6
        if b - a > 1e-6:
            inside = (a + b) / 2
            assert calibration(inside) == pytest.approx(calibration(each), abs=1e-9)


class CascadeModels(FakeModels):
    """Models whose scorer is a cascade, which is built but never run."""

    def scorer(self, tier: str, *how: Any) -> Any:
        manifest = SimpleNamespace(
            labels=self.LABELS,
            band=lambda _: {},
            languages=frozenset(),
            blend={},
            calibration={},
            supports=lambda *_: True,
        )
        fast = SimpleNamespace(labels=self.LABELS)
        return CascadeScorer(fast, SimpleNamespace(manifest=manifest), None, 0.2)  # type: ignore[arg-type]


def test_a_cascade_would_choose_other_texts_for_its_accurate_model() -> None:
    registry = build_engine({}).registry
    results = list(build_engine(SCORES).moderate_many(SCORES))
    for new, exact in (
        (Channel(triage=Triage(0.1, 0.2)), True),
        (Channel(policies=(PolicySettings("spam", threshold=0.4),)), False),
    ):
        found = replay(
            Channel(), new, list(SCORES), results=results, registry=registry, models=CascadeModels(), tier="cascade"
        )
        assert found.exact is exact


def test_an_evaluation_needs_no_results_beside_it_and_a_refused_example_has_none() -> None:
    engine = build_engine(SCORES)
    evaluation = evaluate(engine, [("one", {"toxicity": 1})], bootstrap=0)
    with pytest.raises(ConfigError, match="has results of its own"):
        replay(engine, Channel(), evaluation, results=[])
    (result,) = engine.moderate_many(["one"])
    found = replay(engine, Channel(), [{"text": "x" * 100_001}, "one"], results=[None, result])
    assert ([each.row for each in found.outcomes], [each.path for each in found.skipped]) == (
        [2],
        ["row 1.content.text"],
    )


def test_what_the_engine_refused_is_left_out_and_told() -> None:
    engine = build_engine(SCORES)
    submissions = [Submission(content=Text("two")), Submission(content=Text("one"), channel="another"), "one"]
    results = list(engine.moderate_many(submissions, on_error="return"))
    found = replay(engine, Channel(), submissions, results=results)
    assert [each.row for each in found.outcomes] == [1, 3]
    assert [each.path for each in found.skipped] == ["row 2.channel"]


def test_examples_may_be_rows_with_labels() -> None:
    engine = build_engine(SCORES)
    rows = [{"text": "one", "toxicity": 1}, Example("two")]
    found = replay(engine, Channel(), rows, results=list(engine.moderate_many(["one", "two"])))
    assert [each.new_action for each in found.outcomes] == ["reject", "review"]


def test_what_a_language_does_not_support_is_replayed() -> None:
    """A mild word that the model scores above the threshold, in a language in which only strong words flag."""
    engine = Engine(Channel(key="comments"))
    evaluation = evaluate(engine, [("i am so damn proud of you", {"profanity": 0.0})], bootstrap=0)
    (outcome,) = replay(engine, Channel(key="draft"), evaluation).outcomes
    assert (outcome.old_action, outcome.old_severity) == (outcome.new_action, outcome.new_severity)
