from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.content import Image, Object, Submission, Text
from seemly.core.errors import ConflictError, ContentError, ForbiddenError, NotFoundError, TooManyRequestsError
from seemly.service.base.records import Author, ChannelRecord, Event, Item, Placement, Queue, Usage, WordlistRecord
from seemly.service.moderation.engine_cache import Engines
from seemly.service.review.queues import place
from tests.support.service_fakes import MODELS, START_MS, Service

BASE64 = "aGVsbG8="


def test_a_text_is_moderated_and_kept() -> None:
    service = Service()
    answer = service.submit("bad", contentId="c", authorId="jo", conversationId="room", metadata={"n": [1]})
    assert answer["content"]["id"] == "c"
    assert answer["recommendation"]["action"] == "reject"
    assert answer["author"] == {
        "id": service.author().id,
        "external_id": "jo",
        "status": "enabled",
        "block": None,
        "trust_level": {"level": -1, "manual": False},
    }
    (item,) = service.all(Item)
    assert item.content == {"type": "text", "text": "bad"}
    assert (item.text, item.flagged, item.action, item.labels) == ("bad", True, "reject", ("toxicity",))
    assert (item.author_id, item.conversation_id, item.metadata) == (service.author().id, "room", {"n": (1,)})
    assert item.result == {**item.result, "evaluation": answer["evaluation"], "author": None}
    assert (item.created_ms, item.timestamp_ms, item.status) == (START_MS, START_MS, "pending")
    assert service.types() == ["author.trust_level_changed"]


def test_an_answer_has_the_shape_of_the_engines() -> None:
    service = Service()
    engine = service.engines.find(service.all(ChannelRecord)[0])
    assert service.submit("bad").keys() == engine.moderate("bad").to_dict().keys()


@pytest.mark.parametrize(
    "request_",
    ["bad", Text("bad"), Submission(content=Text("bad")), {"type": "text", "text": "bad"}],
    ids=["str", "Text", "Submission", "content"],
)
def test_in_process_whatever_the_engine_takes(request_: Any) -> None:
    service = Service()
    assert service.moderation.submit(service.project_id, request_)["evaluation"]["flagged"]


@pytest.mark.parametrize(
    ("request_", "paths"),
    [
        ({}, ["content", "content.type"]),
        ({"content": {"type": "text", "text": "x"}, "contentId": "n\0"}, ["contentId"]),
        ({"content": {"type": "text", "text": "x"}, "authorId": 3, "contentId": "x" * 101}, ["authorId", "contentId"]),
        ({"content": {"type": "text", "text": "x"}, "conversationId": "\ud800"}, ["conversationId"]),
    ],
)
def test_what_cannot_be_moderated_is_told_of(request_: Any, paths: list[str]) -> None:
    service = Service()
    before = service.snapshot()
    with pytest.raises(ContentError) as caught:
        service.moderation.submit(service.project_id, request_)
    assert sorted(each.path for each in caught.value.issues) == sorted(paths)
    assert service.snapshot() == before


def test_a_channel_is_named_by_its_key_or_its_id() -> None:
    service = Service()
    other = ChannelRecord(
        id="chan_2", project_id=service.project_id, key="other", name="Other", created_ms=0, updated_ms=0
    )
    with service.store.transaction() as tx:
        tx.add(other)
    assert [service.submit(channel=each)["meta"]["channel_key"] for each in ("other", "chan_2", "default", None, "")] == [
        "other", "other", "default", "default", "default",
    ]  # fmt: skip
    assert [each.channel_id for each in service.all(Item)][:2] == ["chan_2", "chan_2"]
    with pytest.raises(NotFoundError):
        service.submit(channel="unknown")


def test_an_unknown_project_is_not_found() -> None:
    service = Service()
    with pytest.raises(NotFoundError):
        service.moderation.submit("unknown", "x")


def test_a_changed_channel_is_another_engine_at_once() -> None:
    service = Service()
    assert service.submit("so so")["evaluation"]["flagged"]
    service.change_channel(policies=[{"id": "toxicity", "threshold": 0.9}])
    assert not service.submit("so so")["evaluation"]["flagged"]
    words = WordlistRecord(
        id="w", project_id=service.project_id, channel_id=service.channel_id, key="w", created_ms=0, words=("so so",)
    )
    with service.store.transaction() as tx:
        tx.add(words)
    service.change_channel()
    assert service.submit("so so")["policies"][0]["id"] == "wordlist:w"


def test_engines_share_models_and_are_bounded() -> None:
    service = Service()
    engines = Engines(service.env, models=MODELS, size=2)
    record = service.all(ChannelRecord)[0]
    first, dry = engines.find(record), engines.find(record, dry_run=True)
    assert engines.find(record) is first
    assert first.models is dry.models is MODELS
    assert (first.channel.flagging_mode, dry.channel.flagging_mode) == ("ACTIVE", "DRY_RUN")
    service.change_channel()
    engines.find(service.all(ChannelRecord)[0])
    assert engines.find(record, dry_run=True) is not dry


def test_a_project_in_dry_run_flags_nothing() -> None:
    service = Service()
    service.change_project(global_flagging_mode="DRY_RUN")
    answer = service.submit("bad", authorId="jo")
    assert answer["recommendation"] == {"action": "allow", "reason_codes": ["dry_run"]}
    assert not service.all(Item)[0].flagged
    assert service.author().flagged_content == 0


@pytest.mark.parametrize("status", ["blocked", "suspended"])
def test_content_of_an_author_who_may_not_write_is_rejected(status: Any) -> None:
    service = Service()
    service.submit(authorId="jo")
    until = START_MS + 1000 if status == "suspended" else None
    service.change(Author, service.author().id, status=status, block_until_ms=until, block_reason="spam")
    answer = service.submit(authorId="jo", doNotStore=True)
    assert answer["recommendation"]["reason_codes"] == ["author_block"]
    assert answer["author"]["block"] == {"until": until, "reason": "spam"}
    service.clock.ms += 1000
    answer = service.submit(authorId="jo")
    assert answer["recommendation"]["action"] == ("reject" if status == "blocked" else "allow")
    assert answer["author"]["status"] == ("blocked" if status == "blocked" else "enabled")


def test_what_an_author_was_given_by_hand_decides() -> None:
    service = Service()
    service.change_channel(triage={"review": 0.5, "reject": 0.9, "trustedFrom": 4})
    service.submit(authorId="jo")
    assert service.submit("so so", authorId="jo")["recommendation"]["action"] == "review"
    service.change(Author, service.author().id, manual_level=4)
    answer = service.submit("so so", authorId="jo")
    assert answer["recommendation"]["reason_codes"] == ["trusted_allow"]
    assert answer["author"]["trust_level"] == {"level": 4, "manual": True}


@pytest.mark.parametrize(
    ("earlier", "more", "flagged"),
    [
        ({"conversationId": "room"}, {"conversationId": "room"}, True),
        ({"conversationId": "room"}, {"conversationId": "hall"}, False),
        ({"authorId": "jo"}, {"authorId": "jo"}, True),
        ({"authorId": "jo"}, {"authorId": "al"}, False),
        ({"authorId": "jo"}, {"authorId": "jo", "conversationId": "room"}, False),
        ({"conversationId": "room", "doNotStore": True}, {"conversationId": "room"}, False),
        ({"conversationId": "room", "contentId": "same"}, {"conversationId": "room", "contentId": "same"}, False),
        ({"conversationId": "room", "timestamp": START_MS - 3_600_000}, {"conversationId": "room"}, True),
        ({"conversationId": "room", "timestamp": START_MS - 3_600_001}, {"conversationId": "room"}, False),
        ({"conversationId": "room", "timestamp": START_MS + 1}, {"conversationId": "room"}, False),
    ],
)
def test_earlier_turns_come_from_the_store(earlier: dict[str, Any], more: dict[str, Any], flagged: bool) -> None:
    service = Service()
    service.change_channel(contextEnabled=True)
    service.submit("you", **earlier)
    assert service.submit("are bad", **more)["evaluation"]["flagged"] == flagged


def test_turns_are_read_only_where_the_channel_has_context() -> None:
    service = Service()
    service.submit("you", conversationId="room")
    assert not service.submit("are bad", conversationId="room")["evaluation"]["flagged"]


def test_only_the_last_ten_turns_count() -> None:
    service = Service()
    service.change_channel(contextEnabled=True)
    service.submit("you", conversationId="room", timestamp=START_MS - 100)
    for at in range(10):
        service.submit("", content={"type": "text", "text": f"turn {at}"}, conversationId="room")
    assert not service.submit("are bad", conversationId="room")["evaluation"]["flagged"]


def test_resubmission_updates_what_was_kept() -> None:
    service = Service()
    service.submit("bad", contentId="c", authorId="jo", timestamp=START_MS - 5)
    service.clock.ms += 7
    service.submit("fine", contentId="c", authorId="jo", conversationId="room")
    (item,) = service.all(Item)
    assert (item.text, item.flagged, item.conversation_id) == ("fine", False, "room")
    assert (item.created_ms, item.updated_ms, item.timestamp_ms) == (START_MS, START_MS + 7, START_MS - 5)
    assert (service.author().total_content, service.author().flagged_content) == (1, 0)


@pytest.mark.parametrize(
    ("authors", "totals"),
    [
        (["jo", "al"], {"jo": (0, 0), "al": (1, 1)}),
        (["jo", None], {"jo": (0, 0)}),
        ([None, "jo", "jo"], {"jo": (1, 1)}),
        (["jo", "al", "jo"], {"jo": (1, 1), "al": (0, 0)}),
    ],
)
def test_content_counts_once_and_to_its_last_author(
    authors: list[str | None], totals: dict[str, tuple[int, int]]
) -> None:
    service = Service()
    for author in authors:
        service.submit("bad", contentId="c", authorId=author)
    assert {each.external_id: (each.total_content, each.flagged_content) for each in service.all(Author)} == totals


@pytest.mark.parametrize(("again", "status"), [("bad", "resolved"), ("fine", "pending")])
def test_what_a_moderator_said_holds_until_the_content_changes(again: str, status: str) -> None:
    service = Service()
    service.submit("bad", contentId="c")
    with service.store.transaction() as tx:
        place(service.env, tx, tx.find(Queue)[0], service.item("c"), present=False)
    service.change(Item, service.item("c").id, status="resolved", action="allow", reviewer="mo", resolved_ms=START_MS)
    service.submit(again, contentId="c")
    assert service.item("c").status == status
    assert service.item("c").action == "allow"
    assert service.item("c").reviewer == ("mo" if status == "resolved" else None)
    assert len(service.all(Placement)) == (status == "resolved")


def test_policies_of_a_request_are_for_enterprise_plans() -> None:
    service = Service()
    policies = [{"id": "toxicity", "flag": True, "threshold": 0.99}]
    assert not service.submit("bad", policies=policies)["evaluation"]["flagged"]
    service.change_organization(plan="standard")
    with pytest.raises(ForbiddenError):
        service.submit("bad", policies=policies)


@pytest.mark.parametrize("given", [None, "review"])
def test_the_kind_of_content_is_the_requests_or_the_channels(given: str | None) -> None:
    service = Service()
    service.change_channel(contentType="comment")
    service.submit(metaType=given)
    assert service.all(Item)[0].meta_type == (given or "comment")


def test_a_month_whose_quota_is_spent_keeps_nothing_more() -> None:
    service = Service()
    service.change_organization(quota=1)
    service.submit()
    before = service.snapshot()
    with pytest.raises(TooManyRequestsError):
        service.submit(authorId="jo")
    assert service.snapshot() == before


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ({"type": "image", "url": "https://example.com/a.png"}, {"type": "image", "url": "https://example.com/a.png"}),
        ({"type": "image", "data": BASE64}, None),
        ({"type": "image", "url": f"data:image/png;base64,{BASE64}"}, None),
        (Image(b"bytes"), None),
        (
            {"type": "object", "data": {"a": {"type": "image", "data": BASE64}, "b": {"type": "text", "text": "x"}}},
            {"type": "object", "data": {"a": {"type": "image"}, "b": {"type": "text", "text": "x"}}},
        ),
        (Object({"a": Image("DATA:x"), "b": Text("x")}), {"type": "object", "data": {"a": {"type": "image"}, "b": {"type": "text", "text": "x"}}}),
    ],
)  # fmt: skip
def test_the_bytes_of_media_are_not_kept(content: Any, stored: dict[str, Any] | None) -> None:
    service = Service()
    before = service.snapshot(Usage)
    answer = service.submit(content=content, authorId="jo")
    assert [item.content for item in service.all(Item)] == ([] if stored is None else [stored])
    if stored is None:
        assert service.snapshot(Usage) == before
    assert answer["evaluation"]["flagged"]
    assert service.used() == answer["meta"]["usage"]


@pytest.mark.parametrize("kept", [True, False])
def test_an_image_is_answered_in_its_own_shape(kept: bool) -> None:
    service = Service()
    answer = service.moderation.submit_image(
        service.project_id,
        {"url": "https://example.com/a.png", "doNotStore": not kept, "authorId": "jo", "contextId": "room"},
    )
    assert answer["status"] == "success"
    assert answer["flagged"]
    assert answer["request"] == {"timestamp": START_MS, "quota_usage": 3}
    assert {"label": "nudity", "score": 0.9} in answer["labels"]
    assert [item.content_id for item in service.all(Item)] == ([answer["contentId"]] if kept else [])
    assert ("contentId" in answer) == kept
    assert [item.conversation_id for item in service.all(Item)] == ["room"] * kept


@pytest.mark.parametrize("request_", [None, {}, {"url": "/etc/passwd"}, {"url": "https://a.example", "metadata": 1}])
def test_an_image_needs_a_url(request_: Any) -> None:
    with pytest.raises(ContentError):
        Service().moderation.submit_image("any", request_)


requests = st.fixed_dictionaries(
    {"text": st.sampled_from(["bad", "so so", "fine", ""])},
    optional={
        "contentId": st.sampled_from(["a", "b"]),
        "authorId": st.sampled_from(["jo", "al"]),
        "conversationId": st.sampled_from(["room", "hall"]),
        "metadata": st.just({"k": "v"}),
    },
)


@given(st.lists(requests, max_size=6), requests)
@settings(max_examples=30)
def test_what_is_not_to_be_stored_leaves_no_trace(earlier: list[dict[str, Any]], last: dict[str, Any]) -> None:
    service = Service()
    service.change_channel(contextEnabled=True)
    for each in earlier:
        service.submit(**each)
    before, used = service.snapshot(Usage), service.used()
    service.submit(**last, doNotStore=True)
    assert service.snapshot(Usage) == before
    assert service.used() == used + 1


@given(st.lists(requests, max_size=12))
@settings(max_examples=30)
def test_totals_are_those_of_the_items(submitted: list[dict[str, Any]]) -> None:
    service = Service()
    for each in submitted:
        service.submit(**each)
    items = service.all(Item)
    assert len({item.content_id for item in items}) == len(items)
    for author in service.all(Author):
        theirs = [item for item in items if item.author_id == author.id]
        assert author.total_content == len(theirs)
        assert author.flagged_content == sum(item.flagged for item in theirs)


@given(st.lists(st.sampled_from(["bad", "fine"]), min_size=1, max_size=8), st.booleans())
@settings(max_examples=15)
def test_one_content_from_many_clients_at_once_is_one_item(texts: list[str], known: bool) -> None:
    service = Service()
    if known:
        service.submit(authorId="jo", contentId="other")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: service.submit(text, contentId="c", authorId="jo"), texts))
    (item,) = [each for each in service.all(Item) if each.content_id == "c"]
    author = service.author()
    assert (author.total_content, author.flagged_content) == (1 + known, int(item.flagged))
    assert service.used() == len(texts) + known
    assert len(service.all(Event)) == service.types().count("author.trust_level_changed")


@pytest.mark.parametrize("conflicts", [0, 1, 11, 12])
def test_a_conflict_is_tried_again(conflicts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    transaction, left = service.store.transaction, [None] * conflicts

    @contextmanager
    def busy(**how: Any) -> Iterator[Any]:
        with transaction(**how) as tx:
            yield tx
            if left:
                left.pop()
                raise ConflictError("another has this key")

    monkeypatch.setattr(service.store, "transaction", busy)
    before = service.snapshot()
    if conflicts < 12:
        service.submit("bad", contentId="c", authorId="jo")
        assert (len(service.all(Item)), service.author().total_content, service.used()) == (1, 1, 1)
    else:
        with pytest.raises(ConflictError):
            service.submit("bad", contentId="c", authorId="jo")
        assert service.snapshot() == before
