import asyncio
import os
import pickle
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.channel import Calibration, Channel, Condition, PolicySettings, Rule, Triage, Wordlist
from seemly.core.content import Audio, Author, ClientAction, Image, Object, Submission, Text, Turn, Video
from seemly.core.errors import ConfigError, ContentError, PolicyFailed
from seemly.core.span import Span
from seemly.engine.context import ConversationMemory
from seemly.engine.engine import Engine, Rejected
from seemly.media.decoding import Capture
from seemly.policies.builtin import BUILTIN
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.protocol import Defaults, Finding, Label, Match, Spec
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy, FakeModels, FakePolicy
from tests.support.strategies import hostile_texts

SCORES = {
    "you idiot": {"toxicity": 0.95, "insult": 0.9},
    "hmm, rude": {"toxicity": 0.6, "insult": 0.55},
}
SPECS = Registry(CLASSIFIERS)
TOPICS = {
    "illicit", "illicit_drugs", "illicit_firearms", "illicit_gambling", "illicit_alcohol", "illicit_tobacco",
    "cannabis", "adult", "crypto", "self_promotion", "political", "religion", "prompt_injection",
}  # fmt: skip


def _engine(channel: Channel | None = None, *extra: Spec, **how: Any) -> Engine:
    how.setdefault("models", FakeModels(SCORES))
    return Engine(channel, registry=SPECS | Registry(extra), **how)


def test_every_enabled_policy_reports_whatever_is_found() -> None:
    result = _engine().moderate("hello")
    assert [each.id for each in result.policies] == sorted(spec.id for spec in CLASSIFIERS)
    assert all(each.probability == 0.0 and not each.flagged for each in result.policies)
    assert (result.recommendation.action, result.recommendation.reason_codes) == ("allow", ())
    assert (result.meta.status, result.errors) == ("success", ())


def test_policies_are_sorted_by_probability_then_id() -> None:
    result = _engine().moderate("you idiot")
    assert result.policies[0].id == "toxicity"
    assert [each.id for each in result.policies[1:]] == sorted(each.id for each in result.policies[1:])


@pytest.mark.parametrize(
    ("languages", "flagged", "shadow", "action"), [(None, False, True, "allow"), ("any", True, False, "reject")]
)
def test_a_policy_does_not_flag_in_a_language_that_it_is_not_supported_for(
    languages: Any, flagged: bool, shadow: bool, action: str
) -> None:
    text = "Du bist wirklich ein dummer Idiot, lass mich endlich in Ruhe"
    models = FakeModels({text: {"toxicity": 0.95}}, unsupported=[("toxicity", "de")])
    channel = Channel(policies=(PolicySettings("toxicity", languages=languages),))
    result = _engine(channel, models=models).moderate(text)
    assert result.language == "de"
    assert result["toxicity"].probability == pytest.approx(0.95)
    assert result["toxicity"].data == {"language_supported": False}
    assert (result["toxicity"].flagged, result.evaluation.shadow_flagged) == (flagged, shadow)
    assert result.recommendation.action == action
    assert result["hate"].data is None


def test_a_field_in_a_supported_language_flags_beside_one_that_is_not() -> None:
    german = "Du bist wirklich ein dummer Idiot, lass mich endlich in Ruhe"
    english = "You are really such a stupid person, leave me alone at last"
    scores = {german: {"toxicity": 0.95}, english: {"toxicity": 0.8}}
    models = FakeModels(scores, unsupported=[("toxicity", "de")])
    result = _engine(models=models).moderate(Object({"a": Text(german), "b": Text(english)}))
    assert result["toxicity"].probability == pytest.approx(0.8)
    assert result["toxicity"].flagged_fields == ("b",)


def test_an_expected_language_settles_what_cannot_be_told() -> None:
    assert _engine().moderate("ok lol").language is None
    assert _engine(Channel(expected_languages=("sv",))).moderate("ok lol").language == "sv"
    assert _engine(Channel(expected_languages=("sv",))).moderate("Good morning to all of you").language == "en"


def test_a_toxic_text_is_rejected_and_its_labels_tell_of_what_sort_it_is() -> None:
    result = _engine().moderate("you idiot")
    assert result.recommendation.action == "reject"
    assert result["toxicity"].flagged
    labels = {label.id: label for label in result["toxicity"].labels}
    assert labels["insult"].probability == pytest.approx(0.9)
    assert labels["insult"].flagged
    assert not labels["threat"].flagged
    assert (result.trace.policy, result.trace.decided_by) == ("toxicity", "triage")


def test_the_built_in_policies_are_those_of_the_interface() -> None:
    assert {spec.id for spec in BUILTIN} == {
        "toxicity", "toxicity_severe", "hate", "profanity", "violence", "sexual", "flirtation", "personal_information",
        "url", "self_harm", "spam", "unicode_spoofing", "harassment", "grooming", *TOPICS,
    }  # fmt: skip
    quiet = {spec.id for spec in BUILTIN if not spec.defaults.flag}
    assert quiet == {"url", "flirtation", "unicode_spoofing", *TOPICS}
    light = {spec.id for spec in BUILTIN if spec.defaults.weight == 0.6}
    full = {"illicit", "illicit_drugs", "illicit_firearms", "prompt_injection"}
    assert light == {"personal_information", "url", "spam", "flirtation", "self_harm", *TOPICS} - full
    assert {spec.id for spec in BUILTIN if spec.defaults.max_action == "review"} == {"self_harm", "grooming"}


@pytest.mark.parametrize(
    ("change", "flagged", "severity"),
    [
        ({}, True, 0.6),
        ({"threshold": 0.7}, False, 0.5 * 0.6 / 0.7),
        ({"weight": 0.5}, True, 0.55),
        ({"flag": False}, False, 0.0),
        ({"calibration": Calibration((0.0, 0.6, 1.0), (0.0, 0.2, 1.0))}, False, 0.2),
    ],
)
def test_settings_of_a_policy(change: dict[str, Any], flagged: bool, severity: float) -> None:
    channel = Channel(policies=(PolicySettings("toxicity", **change),))
    result = _engine(channel).moderate("hmm, rude")
    assert result["toxicity"].flagged is flagged
    assert result.evaluation.flagged is flagged
    assert result.evaluation.severity_score == pytest.approx(severity, abs=1e-6)
    assert result.evaluation.shadow_flagged is (change.get("flag") is False)


def test_a_policy_can_be_turned_off() -> None:
    result = _engine(Channel(policies=(PolicySettings("toxicity", enabled=False),))).moderate("you idiot")
    assert "toxicity" not in result
    assert result.recommendation.action == "allow"


def test_in_a_dry_run_nothing_flags_but_probabilities_are_told() -> None:
    result = _engine(Channel(flagging_mode="DRY_RUN")).moderate(Object({"a": "you idiot"}))
    assert result["toxicity"].probability > 0.9
    assert not result["toxicity"].flagged
    assert not any(label.flagged for label in result["toxicity"].labels)
    assert result["toxicity"].flagged_fields == ()
    assert result.recommendation.reason_codes == ("dry_run",)
    assert result.trace.would_be is not None
    assert result.trace.would_be.action == "reject"


def test_an_object_tells_which_fields_flagged() -> None:
    result = _engine(None, FakePolicy.spec("fake", "bad")).moderate(
        Object({"name": "so bad", "bio": "you idiot", "city": "Rome"})
    )
    assert result["toxicity"].flagged_fields == ("bio",)
    assert result["fake"].flagged_fields == ("name",)
    assert [(match.field, match.span) for match in result["fake"].matches] == [("name", (3, 6))]
    assert result["hate"].flagged_fields == ()
    wire = result.to_dict()
    assert {each["id"]: each["flagged_fields"] for each in wire["policies"]}["toxicity"] == ["bio"]
    assert "flagged_fields" not in _engine().moderate("x").to_dict()["policies"][0]


@pytest.mark.parametrize(("content", "kind"), [(Image(b"x"), "image"), (Video(b"x"), "video"), (Audio(b"x"), "audio")])
def test_media_that_nothing_installed_reads_is_a_failure_that_names_the_extra(content: Any, kind: str) -> None:
    result = _engine(decoders={kind: "not_installed_anywhere:Decoder"}).moderate(content)
    assert [failure.id for failure in result.errors] == [f"decode:{kind}"]
    assert "pip install" in result.errors[0].message
    assert result.meta.status == "partial_success"
    assert result.recommendation.action == "review"
    assert result.policies == ()
    with pytest.raises(PolicyFailed):
        result["toxicity"]


class _Captions:
    """Reads an image's bytes as its text, and a video as its frames."""

    def decode(self, part: Any, capture: Capture) -> Iterator[Any]:
        if isinstance(part, Video):
            yield from (Image(frame) for frame in part.source)
        else:
            yield Text(part.source.decode())


class _Endless:
    def decode(self, part: Any, capture: Capture) -> Iterator[Any]:
        yield part


def test_texts_that_a_decoder_finds_are_moderated_with_the_field_they_come_from() -> None:
    engine = _engine(decoders={"image": _Captions(), "video": _Captions()})
    assert engine.moderate(Image(b"you idiot")).recommendation.action == "reject"
    result = engine.moderate(Object({"bio": "hi", "clip": Video([b"hello", b"you idiot"]), "face": Image(b"\xff")}))
    assert result["toxicity"].flagged_fields == ("clip",)
    assert [(failure.id, failure.message) for failure in result.errors] == [
        ("decode:face", "raised UnicodeDecodeError")
    ]
    assert pickle.loads(pickle.dumps(engine)).moderate(Image(b"you idiot")).recommendation.action == "reject"


def test_a_decoder_that_finds_no_end_is_a_failure() -> None:
    result = _engine(decoders={"image": _Endless()}).moderate(Image(b"x"))
    assert [failure.id for failure in result.errors] == ["decode:image"]


def test_media_that_the_channel_does_not_moderate_is_not_called_clean() -> None:
    channel = Channel(enable_image_moderation=False)
    result = _engine(channel).moderate(Object({"face": Image(b"x"), "bio": "you idiot"}))
    assert [failure.id for failure in result.errors] == ["decode:face"]
    assert result["toxicity"].flagged_fields == ("bio",)
    assert _engine(channel).moderate(Object({"face": Image(b"x"), "bio": "hi"})).recommendation.action == "review"
    alone = _engine(channel).moderate(Image(b"x"))
    assert (alone.recommendation.action, alone.meta.status, alone.policies) == ("review", "partial_success", ())


def test_media_that_nobody_saw_is_allowed_where_every_reader_may_fail() -> None:
    readers = [spec.id for spec in BUILTIN if "image" in spec.leaves]
    policies = tuple(PolicySettings(each, on_failure="allow") for each in readers)
    channel = Channel(enable_image_moderation=False, policies=policies)
    assert readers
    result = Engine(channel, models=FakeModels(SCORES)).moderate(Object({"a": Image(b"x"), "b": "hi"}))
    assert (result.recommendation.action, result.meta.status) == ("allow", "partial_success")


def test_a_field_that_cannot_be_read_leaves_the_others_whole() -> None:
    result = _engine().moderate(Object({"face": Image(b"x"), "bio": "you idiot"}))
    assert [failure.id for failure in result.errors] == ["decode:face"]
    assert result["toxicity"].flagged_fields == ("bio",)
    assert result.meta.usage == 4


class _WrongCount:
    def check(self, items: Any) -> list[Finding]:
        return [Finding(0.5)] * (len(items) + 1)


class _WrongValue:
    def __init__(self, *finding: Any) -> None:
        self.finding = finding

    def check(self, items: Any) -> list[Any]:
        return [Finding(*self.finding) for _ in items]


WRONG_FINDINGS = (
    (float("nan"),), (1.5,), (True,), ("0.5",), (0.5, None), (0.5, ("a",)), (0.5, [], ()), (0.5, (), ("a",)),
    (0.5, (), (Label("x", 7.0),)), (0.5, (Match(Span(0, 99), "x", 0.5),)), (0.5, (Match(Span(3, 1), "x", 0.5),)),
    (0.5, (Match(Span(0, 1), "other", 0.5),)), (0.5, (Match(Span(0, 1), "y", 2.0),)),
    (0.5, (Match(Span(0, 1), "y", 0.5, mask=5),)),  # type: ignore[arg-type]
)  # fmt: skip


def _spec_of(policy: Any) -> Spec:
    return Spec("broken", "classifier", lambda _options, _channel: policy)


@pytest.mark.parametrize(
    "policy",
    [
        FailingPolicy(),
        FailingPolicy(TimeoutError("the secret text")),
        _WrongCount(),
        *(_WrongValue(*each) for each in WRONG_FINDINGS),
    ],
)
def test_a_policy_that_fails_leaves_the_rest_of_the_result(policy: Any) -> None:
    result = _engine(None, _spec_of(policy)).moderate("you idiot")
    assert result.meta.status == "partial_success"
    assert [failure.id for failure in result.errors] == ["broken"]
    assert "secret" not in result.errors[0].message
    assert result["toxicity"].flagged
    assert result.recommendation.action == "reject"
    with pytest.raises(PolicyFailed, match="broken"):
        result["broken"]
    with pytest.raises(KeyError):
        result["nonsense"]


@pytest.mark.parametrize(("on_failure", "action"), [("allow", "allow"), ("review", "review"), ("reject", "reject")])
def test_a_failure_has_the_floor_that_the_channel_set(on_failure: Any, action: str) -> None:
    channel = Channel(policies=(PolicySettings("broken", on_failure=on_failure),))
    assert _engine(channel, _spec_of(FailingPolicy())).moderate("hello").recommendation.action == action


def test_one_bad_item_of_a_batch_fails_alone() -> None:
    engine = _engine(None, FailingPolicy.spec("broken", on="boom"))
    results = list(engine.moderate_many(["fine", "boom", "fine too"]))
    assert [result.meta.status for result in results] == ["success", "partial_success", "success"]


class _NoModel(FakeModels):
    def scorer(self, tier: str, share: float = 0.2) -> Any:
        return _BrokenScorer(self.scores, self.LABELS)


class _BrokenScorer:
    def __init__(self, _scores: Any, labels: Any) -> None:
        self.labels, self.languages = labels, frozenset({"en"})

    def supported(self, _label: str, _language: str) -> bool:
        return True

    def score(self, *_: Any) -> Any:
        raise OSError("no such file")


def test_a_scorer_that_fails_fails_the_policies_that_need_it_and_no_other() -> None:
    result = _engine(None, FakePolicy.spec("fake", "idiot"), models=_NoModel()).moderate("you idiot")
    assert {failure.id for failure in result.errors} == {spec.id for spec in CLASSIFIERS}
    assert result["fake"].flagged
    assert result.recommendation.action == "reject"


def test_if_everything_fails_there_is_still_a_result() -> None:
    result = Engine(registry=Registry([_spec_of(FailingPolicy())]), models=FakeModels()).moderate("x")
    assert result.policies == ()
    assert result.recommendation.action == "review"
    assert result.to_dict()["errors"][0]["id"] == "broken"


def test_strict_raises_in_place_of_a_partial_result() -> None:
    with pytest.raises(PolicyFailed):
        _engine(None, _spec_of(FailingPolicy()), strict=True).moderate("x")
    with pytest.raises(PolicyFailed):
        _engine(strict=True).moderate(Image(b"x"))


@pytest.mark.parametrize(
    ("channel", "paths"),
    [
        (Channel(policies=(PolicySettings("toxicty"),)), {"policies.0.id"}),
        (Channel(expected_scripts=("Latin", "Klingon")), {"expectedScripts.1"}),
        (Channel(policies=(PolicySettings("hate", options={"x": 1}),)), {"policies.hate.options.x"}),
        (Channel(rules=(Rule("r", (Condition("policy.none.flagged", "is", True),), "allow"),)), {"rules.0.conditions.0.field"}),
        (Channel(wordlists=(Wordlist("w", ("*",)),)), {"policies.wordlist:w.wordlists.w.words[0]"}),
    ],
)  # fmt: skip
def test_a_channel_that_cannot_work_is_refused_when_the_engine_is_built(channel: Channel, paths: set[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        _engine(channel)
    assert {issue.path for issue in caught.value.issues} == paths


def test_all_that_is_wrong_with_a_channel_is_told_at_once() -> None:
    channel = Channel(
        policies=(PolicySettings("nope"), PolicySettings("hate", options={"x": 1})),
        rules=(Rule("r", (Condition("nonsense", "is", 1),), "allow"),),
    )
    with pytest.raises(ConfigError) as caught:
        _engine(channel)
    assert len(caught.value.issues) == 3


def test_an_unknown_tier_is_refused() -> None:
    with pytest.raises(ConfigError, match="tier"):
        Engine(tier="psychic")


def test_a_channel_must_be_a_channel() -> None:
    with pytest.raises(ConfigError, match="channel"):
        Engine({"key": "x"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("argument", "value"),
    [("tier", 1), ("registry", list(BUILTIN)), ("models", "/x"), ("memory", {}), ("clock", 5), ("new_id", "x")],
)
def test_arguments_of_another_kind_are_refused_at_once(argument: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        Engine(**{argument: value})
    assert [issue.path for issue in caught.value.issues] == [argument]


def test_a_submission_for_another_channel_is_refused() -> None:
    engine = _engine(Channel(key="comments"))
    assert engine.moderate({"content": "hi", "channel": "comments"}).meta.channel_key == "comments"
    with pytest.raises(ContentError) as caught:
        engine.moderate({"content": "hi", "channel": "posts"})
    assert caught.value.issues[0].path == "channel"


def test_a_policy_that_fails_on_one_field_has_no_result() -> None:
    engine = _engine(None, FailingPolicy.spec("broken", on="boom"))
    result = engine.moderate(Object({"a": "fine", "b": "boom"}))
    assert "broken" not in result
    with pytest.raises(PolicyFailed):
        result["broken"]


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\x00", "x", "7", "...", "5551234", "\u3000"])
def test_a_text_without_words_flags_no_classifier(text: str) -> None:
    for content in (text, Object({"name": "Anna Smith", "bio": text})):
        result = Engine(models=ENGINE.models).moderate(content)
        flagged = [each.id for each in result.policies if each.flagged and each.id != "personal_information"]
        assert flagged == []


def test_the_empty_field_name_is_a_field() -> None:
    result = _engine().moderate(Object({"": "you idiot", "b": Image(b"x")}))
    assert result["toxicity"].flagged_fields == ("",)


def test_a_policy_for_other_languages_is_not_asked() -> None:
    only_german = replace(FakePolicy.spec("fake", "the"), languages=frozenset({"de"}))
    result = _engine(None, only_german).moderate("this is the house that was built by the river")
    assert result["fake"].probability == 0.0
    assert result["fake"].data == {"language_supported": False}


def test_what_a_policy_is_not_asked_is_not_calibrated() -> None:
    only_german = replace(FakePolicy.spec("fake", "the"), languages=frozenset({"de"}))
    calibration = Calibration((0.0, 1.0), (0.2, 0.6))
    engine = _engine(Channel(policies=(PolicySettings("fake", calibration=calibration),)), only_german)
    text = "this is the house that was built by the river"
    foreign, unsure = engine.moderate_many([text, "the"])
    assert (foreign["fake"].probability, unsure["fake"].probability) == (0.0, 0.6)


def test_a_policy_for_images_is_not_shown_texts() -> None:
    for_images = replace(FakePolicy.spec("fake", "the"), leaves=frozenset({"image"}))
    assert _engine(None, for_images).moderate("the house")["fake"].probability == 0.0


def test_a_rule_sees_the_channels_content_type_where_the_submission_has_none() -> None:
    rule = Rule("r", (Condition("meta_type", "is", "comment"),), "reject")
    engine = _engine(Channel(content_type="comment", rules=(rule,)))
    assert engine.moderate("hello").recommendation.action == "reject"
    assert engine.moderate({"content": "hello", "metaType": "post"}).recommendation.action == "allow"


def test_masking_keeps_what_else_an_object_holds() -> None:
    content = Object(
        {"bio": "write to jo@example.com", "face": Image("https://example.com/a.png"), "raw": Image(b"png")}
    )
    wire = Engine(models=ENGINE.models).moderate(content).to_dict()
    assert wire["content"]["modified"] == {
        "bio": {"type": "text", "text": "write to {{ email hidden }}"},
        "face": {"type": "image", "url": "https://example.com/a.png"},
        "raw": {"type": "image", "data": "cG5n"},
    }


def test_an_author_given_alone_has_context() -> None:
    engine = Engine(Channel(context_enabled=True), models=ENGINE.models, memory=ConversationMemory())
    engine.moderate(Submission(content=Text("my number is +44 20"), author=Author("a")))
    assert engine.moderate(Submission(content=Text("7946 0958"), author=Author("a")))["personal_information"].flagged


def test_explaining_reads_the_memory_and_adds_nothing_to_it() -> None:
    engine = Engine(Channel(context_enabled=True), models=ENGINE.models, memory=ConversationMemory())
    engine.moderate({"content": "my number is +44 20", "authorId": "a"})
    later = {"content": "7946 0958", "authorId": "a"}
    assert engine.explain(later).result["personal_information"].flagged
    assert engine.explain(later).result["personal_information"].flagged


def test_ids_are_echoed_or_made() -> None:
    engine = _engine(new_id=lambda: "made")
    assert engine.moderate({"content": "hi", "contentId": "mine"}).content.id == "mine"
    assert engine.moderate("hi").content.id == "made"


def test_a_request_may_bring_its_own_policies() -> None:
    engine = _engine(Channel(rules=(Rule("r", (Condition("policy.hate.flagged", "is", True),), "reject"),)))
    result = engine.moderate({"content": "hmm, rude", "policies": [{"id": "toxicity", "flag": True, "threshold": 0.7}]})
    assert [each.id for each in result.policies] == ["toxicity"]
    assert not result["toxicity"].flagged
    assert len(engine.moderate("hmm, rude").policies) == len(CLASSIFIERS)
    with pytest.raises(ContentError):
        engine.moderate({"content": "x", "policies": [{"id": "nonsense"}]})


def test_an_override_keeps_the_channels_own_settings_but_for_what_it_changes() -> None:
    own = PolicySettings("toxicity", threshold=0.9, weight=0.1, on_failure="reject")
    result = _engine(Channel(policies=(own,))).moderate(
        {"content": "you idiot", "policies": [{"id": "toxicity", "flag": True}]}
    )
    assert result.trace.threshold == 0.9
    assert result.evaluation.severity_score == pytest.approx(0.5 + 0.5 * 0.1 * 0.5, abs=1e-6)


def test_an_empty_override_is_none() -> None:
    result = _engine().moderate({"content": "you idiot", "policies": []})
    assert len(result.policies) == len(CLASSIFIERS)
    assert result.recommendation.action == "reject"


def test_many_items_come_back_in_order_and_lazily() -> None:
    def endless() -> Iterator[str]:
        n = 0
        while True:
            yield f"message {n}" if n % 3 else "you idiot"
            n += 1

    actions = [result.recommendation.action for result in islice(_engine().moderate_many(endless(), batch_size=7), 30)]
    assert actions == ["allow" if n % 3 else "reject" for n in range(30)]


def test_bad_items_come_back_in_their_place_or_raise_after_those_before() -> None:
    items: list[object] = ["a", 3, "you idiot", "x" * 100_001]
    results = list(_engine().moderate_many(items, on_error="return"))
    assert [type(each).__name__ for each in results] == ["ModerationResult", "Rejected", "ModerationResult", "Rejected"]
    assert isinstance(results[3], Rejected)
    assert results[3].index == 3
    stream = _engine().moderate_many(items)
    assert next(stream).recommendation.action == "allow"
    with pytest.raises(ContentError):
        next(stream)


def test_what_the_iterable_raises_loses_none_of_the_items_before_it() -> None:
    def broken() -> Iterator[str]:
        yield "hello"
        yield "you idiot"
        raise OSError("the disk is gone")

    stream = _engine().moderate_many(broken())
    assert [next(stream).recommendation.action, next(stream).recommendation.action] == ["allow", "reject"]
    with pytest.raises(OSError, match="disk"):
        next(stream)


@pytest.mark.parametrize("how", [{"batch_size": 2.5}, {"batch_size": 0}, {"on_error": "ignore"}])
def test_wrong_arguments_of_a_batch_are_refused_at_once(how: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        _engine().moderate_many(["a"], **how)


@settings(max_examples=40, deadline=None)
@given(st.lists(hostile_texts, max_size=6))
def test_alone_and_in_a_batch_the_same_is_found(texts: list[str]) -> None:
    alone = [ENGINE.moderate(text) for text in texts]
    batched = list(ENGINE.moderate_many(texts))
    for one, other in zip(alone, batched, strict=True):
        assert [(each.id, each.flagged, each.matches) for each in sorted(one.policies, key=lambda p: p.id)] == [
            (each.id, each.flagged, each.matches) for each in sorted(other.policies, key=lambda p: p.id)
        ]
        for each in one.policies:
            assert each.probability == pytest.approx(other[each.id].probability, abs=1e-4)
        assert one.recommendation == other.recommendation
        assert one.errors == other.errors == ()


@settings(max_examples=60, deadline=None)
@given(hostile_texts)
def test_every_match_is_exactly_what_its_span_covers(text: str) -> None:
    result = ENGINE.moderate(text)
    for policy in result.policies:
        for match in policy.matches:
            assert 0 <= match.span.start < match.span.end <= len(text)
            assert text[match.span.start : match.span.end] == match.match
    assert result.errors == ()
    result.to_json(extended=True)


def test_threads_find_the_same() -> None:
    texts = [f"message {n} of a thread, you idiot" for n in range(40)]
    expected = [result["toxicity"].probability for result in ENGINE.moderate_many(texts)]
    found: dict[int, list[float]] = {}

    def run(worker: int) -> None:
        found[worker] = [ENGINE.moderate(text)["toxicity"].probability for text in texts]

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for scores in found.values():
        assert scores == pytest.approx(expected, abs=1e-4)


def test_an_engine_survives_pickling() -> None:
    engine = pickle.loads(
        pickle.dumps(_engine(Channel(key="k"), FakePolicy.spec("fake", "bad"), memory=ConversationMemory()))
    )
    assert engine.policies == _engine(None, FakePolicy.spec("fake", "bad")).policies
    assert engine.moderate("you idiot").meta.channel_key == "k"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_an_engine_works_on_after_a_fork() -> None:
    before = ENGINE.moderate("you stupid idiot")["toxicity"].probability
    child = os.fork()
    if child == 0:
        same = abs(ENGINE.moderate("you stupid idiot")["toxicity"].probability - before) < 1e-4
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_with_channel_shares_models_and_memory() -> None:
    engine = _engine(memory=ConversationMemory())
    other = engine.with_channel(Channel(key="other", triage=Triage(0.1, 0.2)))
    assert other.models is engine.models
    assert other.memory is engine.memory
    assert other.moderate("x").meta.channel_key == "other"


def test_with_own_memory_remembers_apart() -> None:
    engine = _engine(Channel(context_enabled=True), memory=ConversationMemory(turns=3), strict=True)
    engine.moderate({"content": "hello", "conversationId": "c"})
    other = engine.with_own_memory()
    assert (engine.memory, other.memory) != (None, None)
    assert other.memory is not engine.memory
    assert other.memory is not None
    assert other.memory.limits == ConversationMemory(turns=3).limits
    assert len(other.memory) == 0
    assert (other.channel, other.models, other.tier) == (engine.channel, engine.models, engine.tier)
    assert other._around.strict
    assert _engine().with_own_memory().memory is None


def test_the_event_loop_goes_on_while_an_engine_moderates() -> None:
    async def main() -> list[str]:
        engine = _engine()
        results = await asyncio.gather(*(engine.amoderate(text) for text in ["hi", "you idiot"]))
        return [result.recommendation.action for result in results]

    assert asyncio.run(main()) == ["allow", "reject"]


def test_warm_up_leaves_nothing_in_memory() -> None:
    memory = ConversationMemory()
    assert _engine(memory=memory).warm_up().moderate("hi").recommendation.action == "allow"
    assert len(memory) == 0


TURNS = {"you are such an\nidiot": {"toxicity": 0.9}, "you are such an": {"toxicity": 0.1}, "idiot": {"toxicity": 0.3}}


def test_an_insult_finished_by_the_next_message_is_found_in_context() -> None:
    engine = _engine(Channel(context_enabled=True), models=FakeModels(TURNS), memory=ConversationMemory())
    first, second = (
        engine.moderate({"content": text, "conversationId": "c", "authorId": "a"})
        for text in ("you are such an", "idiot")
    )
    assert not first["toxicity"].flagged
    assert second["toxicity"].probability == pytest.approx(0.9)
    assert second["toxicity"].flagged


def test_without_context_messages_stand_alone() -> None:
    engine = _engine(Channel(), models=FakeModels(TURNS), memory=ConversationMemory())
    results = [engine.moderate({"content": text, "conversationId": "c"}) for text in ("you are such an", "idiot")]
    assert results[1]["toxicity"].probability == pytest.approx(0.3)


def test_an_innocent_reply_to_a_toxic_message_is_not_flagged() -> None:
    scores = {
        "you idiot": {"toxicity": 0.95},
        "you idiot\nplease stop": {"toxicity": 0.96},
        "please stop": {"toxicity": 0.05},
    }
    engine = _engine(Channel(context_enabled=True), models=FakeModels(scores), memory=ConversationMemory())
    results = [engine.moderate({"content": text, "conversationId": "c"}) for text in ("you idiot", "please stop")]
    assert [result["toxicity"].flagged for result in results] == [True, False]


def test_neighbours_in_a_batch_see_each_other() -> None:
    engine = _engine(Channel(context_enabled=True), models=FakeModels(TURNS), memory=ConversationMemory())
    items = [{"content": text, "conversationId": "c"} for text in ("you are such an", "idiot")]
    assert [result["toxicity"].flagged for result in engine.moderate_many(items)] == [False, True]


def test_history_of_the_submission_comes_before_memory() -> None:
    engine = _engine(Channel(context_enabled=True), models=FakeModels(TURNS), memory=ConversationMemory())
    told = Submission(content=Text("idiot"), history=(Turn("you are such an"),), conversation_id="c")
    assert engine.moderate(told)["toxicity"].flagged
    assert not engine.moderate(replace(told, history=(), conversation_id="d"))["toxicity"].flagged


def test_what_must_not_be_stored_is_not_remembered() -> None:
    memory = ConversationMemory()
    engine = _engine(Channel(context_enabled=True), memory=memory)
    engine.moderate({"content": "secret", "conversationId": "c", "doNotStore": True})
    assert len(memory) == 0


def test_a_rule_reads_author_and_metadata_of_the_submission() -> None:
    rules = (
        Rule("vip", (Condition("author.trust_level", "at_least", 3), Condition("metadata.plan", "is", "pro")), "allow"),
    )
    engine = _engine(Channel(rules=rules))
    vip = Submission(content=Text("you idiot"), author=Author("a", trust_level=4), metadata={"plan": "pro"})
    assert engine.moderate(vip).recommendation.reason_codes == ("rule_match", "rule:vip")
    assert engine.moderate(replace(vip, metadata={})).recommendation.action == "reject"
    assert engine.moderate(replace(vip, client_action=ClientAction("reject"))).recommendation.action == "reject"


def test_a_third_party_policy_has_its_own_defaults() -> None:
    quiet = FakePolicy.spec("fake", "bad", 0.8, Defaults(flag=False, threshold=0.9))
    result = _engine(None, quiet).moderate("so bad")
    assert (result["fake"].probability, result["fake"].flagged, result.evaluation.shadow_flagged) == (0.8, False, False)


ENGINE = Engine(Channel(wordlists=(Wordlist("own", ("sparrow",)),)))
