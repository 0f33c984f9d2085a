"""Perspective API's requests, answered in process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly import BUILTIN, Channel, Engine, PolicySettings
from seemly.adapters.compat import perspective
from seemly.adapters.compat.perspective import (
    ATTRIBUTES,
    MAX_BYTES,
    MAX_SPANS,
    MAX_TURNS,
    PerspectiveError,
    analyze,
    suggest_score,
)
from seemly.adapters.compat.perspective_markup import Comment, find_sentences
from seemly.engine.context import ConversationMemory
from seemly.policies.registry import Registry
from seemly.testing import HOSTILE_TEXTS, FailingPolicy, FakeModels

LABELS = (
    "toxicity", "toxicity_severe", "hate", "insult", "profanity", "threat", "sexual", "flirtation", "spam",
)  # fmt: skip
RUDE = "You fool."
SCORES: Mapping[str, Mapping[str, float]] = {
    RUDE: {"toxicity": 0.9, "insult": 0.8, "hate": 0.1},
    f"Good day! {RUDE}": {"toxicity": 0.7, "insult": 0.6},
    "every attribute": {label: 0.05 * at for at, label in enumerate(LABELS, start=1)},
}


def make(channel: Channel | None = None, **given: Any) -> Engine:
    return Engine(channel, models=FakeModels(SCORES), **given)


def ask(text: object, *attributes: str, **more: Any) -> dict[str, Any]:
    return {"comment": {"text": text}, "requestedAttributes": {each: {} for each in attributes or ["TOXICITY"]}, **more}


def refused(request: Any, engine: Engine | None = None) -> dict[str, Any]:
    with pytest.raises(PerspectiveError) as caught:
        analyze(request, engine or make())
    body = caught.value.to_dict()
    assert body["error"]["code"] == caught.value.status
    error: dict[str, Any] = body["error"]
    return error


def kind_of(error: Mapping[str, Any]) -> str:
    (detail,) = error["details"]
    assert detail["@type"] == "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
    kind: str = detail["errorType"]
    return kind


def test_a_response_has_the_documented_shape() -> None:
    request = ask(RUDE, "TOXICITY", "INSULT", languages=["en"], clientToken="t-1", doNotStore=True, sessionId="s")
    score = {"value": pytest.approx(0.9), "type": "PROBABILITY"}
    insult = {"value": pytest.approx(0.8), "type": "PROBABILITY"}
    assert analyze(request, make()) == {
        "attributeScores": {
            "TOXICITY": {"spanScores": [{"begin": 0, "end": 9, "score": score}], "summaryScore": score},
            "INSULT": {"spanScores": [{"begin": 0, "end": 9, "score": insult}], "summaryScore": insult},
        },
        "languages": ["en"],
        "detectedLanguages": ["und"],
        "clientToken": "t-1",
    }


def test_each_attribute_is_that_of_the_table() -> None:
    attributes = (
        "TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT", "SEXUALLY_EXPLICIT",
        "FLIRTATION", "SPAM",
    )  # fmt: skip
    assert set(attributes) == set(ATTRIBUTES)
    scores = analyze(ask("every attribute", *attributes), make())["attributeScores"]
    assert [scores[each]["summaryScore"]["value"] for each in attributes] == [
        pytest.approx(0.05 * at) for at in range(1, len(attributes) + 1)
    ]


def test_the_language_is_detected_where_none_is_given() -> None:
    response = analyze(ask("Je ne sais pas ce que vous voulez dire par là, mon ami."), make())
    assert response["languages"] == response["detectedLanguages"] == ["fr"]
    assert "clientToken" not in response


def test_every_sentence_has_a_span_on_request() -> None:
    text = f"Good day! {RUDE}"
    scores = analyze(ask(text, spanAnnotations=True), make())["attributeScores"]["TOXICITY"]
    assert [(each["begin"], each["end"], each["score"]["value"]) for each in scores["spanScores"]] == [
        (0, 9, 0.0),
        (10, 19, pytest.approx(0.9)),
    ]
    assert scores["summaryScore"]["value"] == pytest.approx(0.7)


def test_spans_count_utf16_units_of_the_submitted_text() -> None:
    text = f"🎈🎈! {RUDE}"
    (_, span) = analyze(ask(text, spanAnnotations=True), make())["attributeScores"]["TOXICITY"]["spanScores"]
    assert text.encode("utf-16-le")[2 * span["begin"] : 2 * span["end"]].decode("utf-16-le") == RUDE
    (whole,) = analyze(ask(text), make())["attributeScores"]["TOXICITY"]["spanScores"]
    assert (whole["begin"], whole["end"]) == (0, len(text) + 2)


def test_html_is_read_without_its_markup_and_spans_refer_to_it() -> None:
    text = "<p>Good&nbsp;day!</p><!-- 😀 --><p class='a>b'>You f<b>oo</b>l.</p>"
    request = ask(text, spanAnnotations=True)
    request["comment"]["type"] = "HTML"
    spans = analyze(request, make())["attributeScores"]["TOXICITY"]["spanScores"]
    units = text.encode("utf-16-le")
    assert [units[2 * each["begin"] : 2 * each["end"]].decode("utf-16-le") for each in spans] == [
        "Good&nbsp;day!",
        "You f<b>oo</b>l.",
    ]
    assert spans[1]["score"]["value"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a &lt;b&gt; &amp; &#99; &#x64; &nosuchentity; &", "a <b> & c d &nosuchentity; &"),
        ("<script>if (a < b) x()</script>seen<style>p{}</style>", "seen"),
        ("I <3 you, 1 < 2 > 0", "I <3 you, 1 < 2 > 0"),
        ("one<br/>two<LI>three", "one\ntwo\nthree"),
        ("<!DOCTYPE html><?xml version='1'?>text<!-- never closed", "text"),
        ('<a title="x > y">link</a>', "link"),
        ("<a title=\"unclosed>link</a>", "link"),
        ("<![if x]>kept", "<![if x]>kept"),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_markup_is_left_out(html: str, text: str) -> None:
    assert Comment.html(html).text == text


@given(st.text(st.sampled_from("<>!/?&;#x'\"=ab -\n😀"), max_size=60))
def test_any_markup_is_read_and_placed(html: str) -> None:
    comment = Comment.html(html)
    assert len(comment.text) == len(comment.starts) == len(comment.ends)
    assert list(comment.starts) == sorted(comment.starts)
    for at, char in enumerate(comment.text):
        begin, end = comment.starts[at], comment.ends[at]
        assert begin < end
        assert html[begin:end] == char or html[begin] in "<&"


@pytest.mark.parametrize("unit", ["<!-", "<a", "<a '", '<a b="', "<a b=", "<a\n", "</script ", "<![", "&a", "&#", "<"])
def test_markup_costs_no_more_than_its_length(unit: str) -> None:
    html = unit * (500_000 // len(unit))
    began = time.perf_counter()
    Comment.html(html)
    assert time.perf_counter() - began < 5.0


@given(st.text(st.sampled_from("ab.!?。\"') \n😀"), max_size=60), st.integers(1, 5))
def test_sentences_hold_every_word_in_order(text: str, most: int) -> None:
    spans = find_sentences(text, most)
    assert len(spans) <= most
    assert "".join("".join(span.of(text).split()) for span in spans) == "".join(text.split())
    assert all(span.of(text) == span.of(text).strip() != "" for span in spans)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('He said "Go!" Then left…  Why?', ['He said "Go!"', "Then left…", "Why?"]),
        ("no end\nnew line\n\nthird", ["no end", "new line", "third"]),
        ("今日は。元気？はい", ["今日は。", "元気？", "はい"]),
        ("see example.com now", ["see example.com now"]),
    ],
)
def test_sentences_end_where_they_seem_to(text: str, sentences: list[str]) -> None:
    assert [span.of(text) for span in find_sentences(text, 100)] == sentences


def test_no_more_spans_are_scored_than_the_limit() -> None:
    text = "a.\n" * (MAX_BYTES // 3)
    spans = analyze(ask(text, spanAnnotations=True), make())["attributeScores"]["TOXICITY"]["spanScores"]
    assert 1 < len(spans) <= MAX_SPANS
    assert (spans[0]["begin"], spans[-1]["end"]) == (0, len(text) - 1)


def test_scores_below_a_threshold_are_left_out() -> None:
    request = ask(f"Good day! {RUDE}", spanAnnotations=True)
    request["requestedAttributes"] = {"TOXICITY": {"scoreThreshold": 0.65}, "INSULT": {"scoreThreshold": 0.65}}
    scores = analyze(request, make())["attributeScores"]
    assert list(scores) == ["TOXICITY"]
    assert [each["begin"] for each in scores["TOXICITY"]["spanScores"]] == [10]


def test_parameters_of_an_attribute_may_be_empty() -> None:
    for wanted in ({}, None, {"scoreType": "PROBABILITY"}, {"scoreType": "SCORE_TYPE_UNSPECIFIED"}):
        assert analyze({**ask(RUDE), "requestedAttributes": {"TOXICITY": wanted}}, make())["attributeScores"]


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ([], "INVALID_REQUEST"),
        ({"requestedAttributes": {"TOXICITY": {}}}, "COMMENT_EMPTY"),
        (ask(""), "COMMENT_EMPTY"),
        (ask(" \n"), "COMMENT_EMPTY"),
        (ask(None), "COMMENT_EMPTY"),
        ({**ask(""), "comment": {"text": "<p></p>", "type": "HTML"}}, "COMMENT_EMPTY"),
        (ask(5), "INVALID_REQUEST"),
        ({**ask(RUDE), "comment": RUDE}, "INVALID_REQUEST"),
        (ask("é" * (MAX_BYTES // 2) + "x"), "COMMENT_TOO_LONG"),
        ({**ask(RUDE), "comment": {"text": RUDE, "type": "RTF"}}, "INVALID_REQUEST"),
        ({"comment": {"text": RUDE}}, "NO_REQUESTED_ATTRIBUTES"),
        ({**ask(RUDE), "requestedAttributes": {}}, "NO_REQUESTED_ATTRIBUTES"),
        ({**ask(RUDE), "requestedAttributes": ["TOXICITY"]}, "INVALID_REQUEST"),
        ({**ask(RUDE), "requestedAttributes": {"TOXICITY": 1}}, "INVALID_REQUEST"),
        (ask(RUDE, "TOXICITY_EXPERIMENTAL"), "INVALID_REQUEST"),
        (ask(RUDE, "ATTACK_ON_COMMENTER"), "INVALID_REQUEST"),
        ({**ask(RUDE), "requestedAttributes": {"SPAM": {"scoreType": "PERCENTILE"}}}, "INVALID_REQUEST"),
        ({**ask(RUDE), "requestedAttributes": {"SPAM": {"scoreThreshold": True}}}, "INVALID_REQUEST"),
        ({**ask(RUDE), "requestedAttributes": {"SPAM": {"scoreThreshold": "0.5"}}}, "INVALID_REQUEST"),
        (ask(RUDE, languages="en"), "INVALID_REQUEST"),
        (ask(RUDE, languages=[1]), "INVALID_REQUEST"),
        (ask(RUDE, spanAnnotations="yes"), "INVALID_REQUEST"),
        (ask(RUDE, clientToken=1), "INVALID_REQUEST"),
        (ask(RUDE, context={"entries": "x"}), "INVALID_REQUEST"),
        (ask(RUDE, context={"entries": ["x"]}), "INVALID_REQUEST"),
        (ask(RUDE, context={"entries": [{"text": 1}]}), "INVALID_REQUEST"),
        (
            ask(RUDE, context={"entries": [{"text": "x"}], "articleAndParentComment": {"article": {"text": "x"}}}),
            "INVALID_REQUEST",
        ),
    ],
)  # fmt: skip
def test_a_request_that_cannot_be_answered_is_refused_in_googles_shape(request_: Any, kind: str) -> None:
    error = refused(request_)
    assert (error["code"], error["status"], kind_of(error)) == (400, "INVALID_ARGUMENT", kind)
    assert RUDE not in error["message"]


def test_the_longest_comment_is_scored() -> None:
    assert analyze(ask("é" * (MAX_BYTES // 2)), make())["attributeScores"]


@pytest.mark.parametrize("text", [text for text in HOSTILE_TEXTS if text.strip()])
@pytest.mark.parametrize("kind", ["PLAIN_TEXT", "HTML"])
def test_any_text_is_scored(text: str, kind: str) -> None:
    request = ask(text, spanAnnotations=True)
    request["comment"]["type"] = kind
    assert analyze(request, make())["attributeScores"]["TOXICITY"]["spanScores"]


def test_a_policy_that_is_switched_off_is_named() -> None:
    without = make(Channel(policies=(PolicySettings("spam", enabled=False), PolicySettings("hate", enabled=False))))
    error = refused(ask(RUDE, "TOXICITY", "SPAM"), without)
    assert "SPAM" in error["message"]
    assert "policy spam" in error["message"]
    assert analyze(ask(RUDE, "IDENTITY_ATTACK"), without)["attributeScores"]["IDENTITY_ATTACK"]


def test_a_policy_of_some_languages_refuses_others() -> None:
    spam = next(spec for spec in BUILTIN if spec.id == "spam")
    engine = make(registry=Registry([replace(spam, languages=frozenset({"en"}))]))
    french = ask("Je ne sais pas ce que vous voulez dire par là, mon ami.", "SPAM")
    error = refused(french, engine)
    assert kind_of(error) == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    detail = error["details"][0]["languageNotSupportedByAttributeError"]
    assert detail == {"detectedLanguages": ["fr"], "attribute": "SPAM"}
    assert kind_of(refused(ask("Hm.", "SPAM", languages=["de"]), engine)) == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    assert analyze(ask("Hm.", "SPAM", languages=["en-GB"]), engine)["attributeScores"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_policy_that_fails_is_an_error_of_the_server(strict: bool) -> None:
    engine = make(registry=Registry([FailingPolicy.spec("spam", RuntimeError(RUDE))]), strict=strict)
    error = refused(ask(RUDE, "SPAM"), engine)
    assert (error["code"], error["status"]) == (500, "INTERNAL")
    assert "details" not in error
    assert RUDE not in error["message"]


def test_context_counts_where_the_channel_reads_it() -> None:
    said = "and you are one"
    windowed = {f"fools are bad\n{said}": {"toxicity": 0.9}}
    context = {
        "entries": [{"text": "before"}] * MAX_TURNS + [{"text": ""}] * (MAX_TURNS - 1) + [{"text": "fools are bad"}]
    }
    parent = {"articleAndParentComment": {"article": {"text": "news"}, "parentComment": {"text": "fools are bad"}}}
    for enabled, expected in ((True, 0.9), (False, 0.0)):
        engine = Engine(Channel(context_enabled=enabled), models=FakeModels(windowed))
        for each in (context, parent):
            score = analyze(ask(said, context=each), engine)["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
            assert score == pytest.approx(expected)


def test_nothing_enters_the_memory() -> None:
    memory = ConversationMemory()
    analyze(ask(f"Good day! {RUDE}", spanAnnotations=True), make(Channel(context_enabled=True), memory=memory))
    assert not memory.recall(None, None, 0.0).conversation


def test_without_an_engine_one_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Engine] = []

    def build() -> Engine:
        made.append(make())
        return made[-1]

    perspective._make_engine.cache_clear()
    monkeypatch.setattr(perspective, "Engine", build)
    try:
        for _ in range(2):
            assert analyze(ask(RUDE))["attributeScores"]["TOXICITY"]["summaryScore"]["value"] == pytest.approx(0.9)
    finally:
        perspective._make_engine.cache_clear()
    assert len(made) == 1


def test_a_suggested_score_is_accepted() -> None:
    suggestion = {
        "comment": {"text": RUDE},
        "attributeScores": {"TOXICITY": {"summaryScore": {"value": 1}}},
        "languages": ["en"],
        "clientToken": "t",
    }
    assert suggest_score(suggestion) == {"requestedLanguages": ["en"], "clientToken": "t"}
    for wrong in (
        {"comment": {"text": RUDE}},
        {**suggestion, "attributeScores": {}},
        {"attributeScores": {"A": {}}},
        [],
    ):
        with pytest.raises(PerspectiveError):
            suggest_score(wrong)  # type: ignore[arg-type]


def test_the_real_model_tells_rude_from_kind() -> None:
    engine = Engine(tier="fast")
    values = [
        analyze(ask(text), engine)["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
        for text in ("You are a worthless idiot.", "Thanks, that was a lovely game.")
    ]
    assert values[0] > 0.5 > values[1]
