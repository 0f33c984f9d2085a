import base64
from typing import Any

import pytest
from hypothesis import given

from seemly.core.content import Audio, Author, ClientAction, Image, Object, Submission, Text, Turn, Video
from seemly.core.errors import ContentError
from seemly.core.submission import parse_submission
from tests.support.strategies import hostile_texts, json_values

SECRET = "do-not-repeat-me"
DEEP: dict[str, Any] = {}
for _ in range(5000):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("given", "content"),
    [
        ("hi", Text("hi")),
        (Text("hi"), Text("hi")),
        (Submission(content=Text("hi")), Text("hi")),
        ({"type": "text", "text": "hi"}, Text("hi")),
        ({"content": {"type": "text", "text": "hi"}}, Text("hi")),
        ({"content": "hi"}, Text("hi")),
        ({"content": Text("hi")}, Text("hi")),
        ({"type": "image", "url": "https://example.com/a.png"}, Image("https://example.com/a.png")),
        ({"type": "image", "data": base64.b64encode(b"png").decode()}, Image(b"png")),
        ({"type": "image", "data": "data:image/png;base64," + base64.b64encode(b"png").decode()}, Image(b"png")),
        ({"type": "video", "url": "https://example.com/a.mp4"}, Video("https://example.com/a.mp4")),
        ({"type": "audio", "url": "https://example.com/a.mp3"}, Audio("https://example.com/a.mp3")),
        (Object({"bio": "hi"}), Object({"bio": Text("hi")})),
        (
            {
                "type": "object",
                "data": {"bio": {"type": "text", "text": "hi"}, "face": {"type": "image", "url": "https://u"}},
            },
            Object({"bio": Text("hi"), "face": Image("https://u")}),
        ),
    ],
)
def test_every_form_of_content_is_taken(given: object, content: object) -> None:
    assert parse_submission(given).content == content


def test_every_field_of_the_wire_is_read() -> None:
    submission = parse_submission(
        {
            "content": {"type": "text", "text": "hi"},
            "contentId": "c1",
            "channel": "comments",
            "authorId": "a1",
            "conversationId": "v1",
            "metaType": "comment",
            "metadata": {"lang": "en", "nested": {"n": [1, 2]}},
            "timestamp": 1700000000000,
            "doNotStore": True,
            "clientAction": {"action": "review", "behavior": "override", "source": "s", "reason": "r"},
            "policies": [{"id": "url", "flag": True, "threshold": 0.3, "allow": ["example.com"]}],
            "somethingNew": 1,
        }
    )
    assert (submission.content_id, submission.channel, submission.author_id) == ("c1", "comments", "a1")
    assert (submission.conversation_id, submission.meta_type, submission.do_not_store) == ("v1", "comment", True)
    assert submission.metadata == {"lang": "en", "nested": {"n": (1, 2)}}
    assert submission.timestamp == 1700000000000
    assert submission.client_action == ClientAction("review", "override", "s", "r")
    assert submission.policies is not None
    assert submission.policies[0].options == {"allow": ("example.com",)}
    assert (submission.policies[0].flag, submission.policies[0].threshold) == (True, 0.3)


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (3, {"content"}),
        (None, {"content"}),
        (b"bytes", {"content"}),
        ([SECRET], {"content"}),
        ({}, {"content", "content.type"}),
        ({"content": 3}, {"content"}),
        ({"content": {"type": SECRET}}, {"content.type"}),
        ({"content": {"type": ["text"]}}, {"content.type"}),
        ({"content": {"type": "text"}}, {"content.text"}),
        ({"content": {"type": "text", "text": 5}}, {"content.text"}),
        ({"content": {"type": "image"}}, {"content.url"}),
        ({"content": {"type": "image", "data": SECRET + "!"}}, {"content.data"}),
        ({"content": {"type": "image", "data": "A" * 5_500_004}}, {"content.data"}),
        ({"content": {"type": "video", "data": "AAAA"}}, {"content.url"}),
        ({"content": {"type": "object"}}, {"content.data"}),
        ({"content": {"type": "object", "data": {}}}, {"content.data"}),
        ({"content": {"type": "object", "data": {"a": 3}}}, {"content.data.a"}),
        ({"content": {"type": "object", "data": {"a": {"type": "object", "data": {}}}}}, {"content.data.a.type"}),
        ({"content": {"type": "object", "data": {"a": {"type": "text", "text": "x" * 100_001}}}}, {"content.data.a.text"}),
        ("x" * 100_001, {"content.text"}),
        (Text("x" * 100_001), {"content.text"}),
        (Text(5), {"content.text"}),  # type: ignore[arg-type]
        (Image(None), {"content.source"}),
        (Object({}), {"content.data"}),
        (Object({"a": 3}), {"content.data.a"}),  # type: ignore[dict-item]
        (Object({"a": Object({"b": "c"})}), {"content.data.a"}),  # type: ignore[dict-item]
        ({"content": "hi", "contentId": "x" * 101}, {"contentId"}),
        ({"content": "hi", "contentId": 5}, {"contentId"}),
        ({"content": "hi", "metaType": SECRET}, {"metaType"}),
        ({"content": "hi", "metadata": [1]}, {"metadata"}),
        ({"content": "hi", "metadata": {"a": object()}}, {"metadata"}),
        ({"content": "hi", "metadata": DEEP}, {"metadata"}),
        ({"content": "hi", "timestamp": float("inf")}, {"timestamp"}),
        ({"content": "hi", "timestamp": True}, {"timestamp"}),
        ({"content": "hi", "timestamp": 10**400}, {"timestamp"}),
        ({"content": "hi", "conversationId": [5]}, {"conversationId"}),
        ({"content": {"type": "object", "data": {5: "a", "5": "b"}}}, {"content.data"}),
        (Object({str(n): "x" for n in range(1001)}), {"content.data"}),
        (Submission(content=Text("hi"), timestamp=float("nan")), {"timestamp"}),
        (Submission(content=Text("hi"), client_action=ClientAction("ban")), {"clientAction.action"}),  # type: ignore[arg-type]
        (Submission(content=Text("hi"), author=Author("a", status="banned")), {"author.status"}),  # type: ignore[arg-type]
        (Submission(content=Text("hi"), author=Author("a", trust_level=9)), {"author.trustLevel"}),
        (Submission(content=Text("hi"), author=Author("a"), author_id="b"), {"authorId"}),
        (Submission(content=Text("hi"), history=(Turn(5),)), {"history.0.text"}),  # type: ignore[arg-type]
        (Submission(content=Text("hi"), do_not_store="no"), {"doNotStore"}),  # type: ignore[arg-type]
        (Submission(content=Text("hi"), meta_type="tweet"), {"metaType"}),  # type: ignore[arg-type]
        ({"content": "hi", "timestamp": "today"}, {"timestamp"}),
        ({"content": "hi", "doNotStore": "no"}, {"doNotStore"}),
        ({"content": "hi", "clientAction": "allow"}, {"clientAction"}),
        ({"content": "hi", "clientAction": {}}, {"clientAction.action"}),
        ({"content": "hi", "clientAction": {"action": "ban", "behavior": "force"}}, {"clientAction.action", "clientAction.behavior"}),
        ({"content": "hi", "clientAction": {"action": "allow", "source": "s" * 101}}, {"clientAction.source"}),
        ({"content": "hi", "policies": {"id": "url"}}, {"policies"}),
        ({"content": "hi", "policies": [{"flag": True}, {"id": "url", "threshold": 3}]}, {"policies.0.id", "policies.1.threshold"}),
        (Submission(content=Text("hi"), history=("hi",)), {"history"}),  # type: ignore[arg-type]
        (Submission(content=Text("hi"), author="me"), {"author"}),  # type: ignore[arg-type]
        ({"content": {"type": "text", "text": 5}, "contentId": "x" * 101, "metaType": 3}, {"content.text", "contentId", "metaType"}),
    ],
)  # fmt: skip
def test_what_cannot_be_moderated_is_refused_by_field(given: object, paths: set[str]) -> None:
    with pytest.raises(ContentError) as caught:
        parse_submission(given)
    assert {issue.path for issue in caught.value.issues} == paths
    assert caught.value.code == "BAD_REQUEST"
    assert SECRET not in str(caught.value)
    assert caught.value.to_dict()["issues"]


@given(hostile_texts)
def test_any_text_is_fine(text: str) -> None:
    assert parse_submission({"content": {"type": "text", "text": text}}).content == Text(text)


@given(json_values)
def test_any_json_is_taken_or_refused_with_issues(value: Any) -> None:
    try:
        parse_submission(value)
    except ContentError as error:
        assert error.issues


def test_names_of_fields_are_shortened_and_made_printable() -> None:
    with pytest.raises(ContentError) as caught:
        parse_submission({"type": "object", "data": {"a\nb" + "x" * 1000: 3}})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_lists_are_taken_for_tuples() -> None:
    submission = Submission(content=Text("hi"), history=[Turn("a")])  # type: ignore[arg-type]
    assert parse_submission(submission).history == (Turn("a"),)


def test_the_longest_text_is_taken() -> None:
    assert parse_submission("x" * 100_000).content == Text("x" * 100_000)


def test_what_a_submission_holds_does_not_show_in_its_repr() -> None:
    submission = Submission(content=Text(SECRET), history=(Turn(SECRET),), author=Author("a"))
    assert SECRET not in repr(submission)
