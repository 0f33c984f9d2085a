import json
import re

import jsonschema
import pytest
from hypothesis import given, settings

from seemly.core.channel import Channel, PolicySettings
from seemly.core.content import Author, Block, Object, Submission, Text
from seemly.core.errors import PolicyFailed
from seemly.core.span import Span
from seemly.engine.engine import Engine
from seemly.engine.masking import mask_text
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.protocol import Match
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy, FakeModels, FakePolicy
from tests.support.strategies import hostile_texts
from tests.support.wire_schema import RESULT

VALIDATOR = jsonschema.validators.validator_for(RESULT)(RESULT)
ENGINE = Engine(
    registry=Registry([*CLASSIFIERS, FakePolicy.spec("fake", "bad"), FailingPolicy.spec("broken", on="boom")]),
    models=FakeModels({"<b>bad</b>": {"toxicity": 0.97}}),
)


@pytest.mark.parametrize(
    "content",
    [
        "hello",
        "bad boom",
        Object({"a": "bad", "b": "fine"}),
        {"type": "image", "url": "https://example.com/x.png"},
        Submission(content=Text("x"), author=Author("a", "ext", "suspended", Block(1700000000000, "spam"), 2, True)),
    ],
)
def test_the_wire_form_is_that_of_the_spec(content: object) -> None:
    wire = json.loads(ENGINE.moderate(content).to_json())
    assert list(VALIDATOR.iter_errors(wire)) == []


@settings(deadline=None)
@given(hostile_texts)
def test_any_text_makes_valid_json(text: str) -> None:
    result = ENGINE.moderate(text)
    assert list(VALIDATOR.iter_errors(json.loads(result.to_json().encode("ascii")))) == []


def test_extended_adds_what_only_the_library_has() -> None:
    wire = ENGINE.moderate(Object({"a": "bad"})).to_dict(extended=True)
    match = next(each for each in wire["policies"] if each["id"] == "fake")["matches"][0]
    assert (match["field"], match["span"]) == ("a", [0, 3])
    assert wire["trace"]["decided_by"] == "triage"
    assert wire["meta"]["versions"]["text-fake"] == "fake"


def test_the_repr_of_a_result_holds_nothing_of_the_content() -> None:
    result = ENGINE.moderate("a bad secret")
    assert "secret" not in repr(result)
    assert "'bad'" not in repr(result["fake"])


def test_html_is_escaped_and_marks_what_was_found() -> None:
    page = ENGINE.moderate("<script>alert(1)</script> bad <b>")._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert re.search(r"<mark[^>]*>bad</mark>", page)


def test_html_of_an_object_and_of_a_failure() -> None:
    page = ENGINE.moderate(Object({"<i>": "bad boom"}))._repr_html_()
    assert "<i><i></i>" not in page
    assert "broken" in page


@pytest.mark.parametrize("text", ["\ud800", "\x00", "‮abc", "a\ud83d"])
def test_html_of_hostile_text_can_be_encoded(text: str) -> None:
    assert ENGINE.moderate(text)._repr_html_().encode("utf-8")


def test_spans_in_utf16_units() -> None:
    text = "😀 bad 😀"
    span = ENGINE.moderate(text)["fake"].matches[0].span
    assert span == Span(2, 5)
    assert span.utf16(text) == (3, 6)
    assert span.of(text) == "bad"


def _match(start: int, end: int, mask: str | None) -> Match:
    return Match(Span(start, end), "x" * (end - start), 0.9, mask=mask)


@pytest.mark.parametrize(
    ("matches", "masked"),
    [
        ([], None),
        ([_match(0, 3, None)], None),
        ([_match(0, 3, "#")], "#defghij"),
        ([_match(7, 10, "!"), _match(0, 3, "#")], "#defg!"),
        ([_match(0, 5, "#"), _match(3, 7, "!")], "#hij"),
        ([_match(2, 4, "#"), _match(2, 8, "!")], "ab!ij"),
        ([_match(2, 8, "!"), _match(3, 5, "#")], "ab!ij"),
        ([_match(0, 3, "#"), _match(3, 6, "#")], "##ghij"),
        ([_match(0, 10, "")], ""),
    ],
)
def test_masking(matches: list[Match], masked: str | None) -> None:
    assert mask_text("abcdefghij", matches) == masked


def test_explanations_name_the_words_and_the_decision() -> None:
    words = {
        "you are an idiot": 0.9,
        " are an idiot": 0.85,
        "you  an idiot": 0.88,
        "you are  idiot": 0.88,
        "you are an ": 0.1,
    }
    models = FakeModels({text: {"toxicity": probability} for text, probability in words.items()})
    engine = Engine(registry=Registry([*CLASSIFIERS, FakePolicy.spec("fake", "an")]), models=models)
    explanation = engine.explain("you are an idiot")
    toxicity = next(each for each in explanation.policies if each.policy == "toxicity")
    assert toxicity.words[0].text == "idiot"
    assert toxicity.words[0].span == Span(11, 16)
    assert toxicity.words[0].drop == pytest.approx(0.8, abs=1e-6)
    assert sum(word.share for word in toxicity.words) == pytest.approx(1.0, abs=0.05)
    fake = next(each for each in explanation.policies if each.policy == "fake")
    assert [word.text for word in fake.words] == ["an"]
    assert "fake" in explanation.decision
    assert "reject" in explanation.decision
    assert json.dumps(explanation.to_dict())
    assert "<mark" in explanation._repr_html_()


@settings(max_examples=30, deadline=None)
@given(hostile_texts)
def test_any_text_can_be_explained(text: str) -> None:
    for policy in ENGINE.explain(text).policies:
        for word in policy.words:
            assert word.span.of(text) == word.text


def test_a_long_text_is_explained_in_few_pieces() -> None:
    text = "word " * 20_000
    explanation = ENGINE.explain(text)
    assert all(len(policy.words) <= 120 for policy in explanation.policies)


def test_explaining_an_object_names_the_field() -> None:
    explanation = ENGINE.explain(Object({"a": "<b>bad</b>", "b": "x"}))
    toxicity = next(each for each in explanation.policies if each.policy == "toxicity")
    assert {word.field for word in toxicity.words} == {"a"}


def test_results_look_up_policies_by_id() -> None:
    result = ENGINE.moderate("boom")
    assert "toxicity" in result
    assert "broken" not in result
    with pytest.raises(PolicyFailed, match="RuntimeError"):
        result["broken"]


def test_a_threshold_of_the_channel_is_the_one_in_the_explanation() -> None:
    channel = Channel(policies=(PolicySettings("toxicity", threshold=0.33),))
    explanation = ENGINE.with_channel(channel).explain("x")
    assert {each.policy: each.threshold for each in explanation.policies}["toxicity"] == 0.33
