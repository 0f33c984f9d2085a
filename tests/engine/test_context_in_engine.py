"""Evasion that is split over messages, with the real policies and the real model."""

import pytest

from seemly.core.channel import Channel
from seemly.engine.context import ConversationMemory
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult

ENGINE = Engine(Channel(context_enabled=True))


def _converse(*messages: str, authors: str = "") -> list[ModerationResult]:
    engine = Engine(Channel(context_enabled=True), models=ENGINE.models, memory=ConversationMemory())
    return [
        engine.moderate({"content": text, "conversationId": "c", "authorId": (authors or "a" * len(messages))[i]})
        for i, text in enumerate(messages)
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ("my number is +44 20", "7946", "0958"),
        ("call me: +1 415", "555", "2671"),
        ("+49 30", "901820", "ok?"),
    ],
)
def test_a_phone_number_over_three_messages_is_found(parts: tuple[str, ...]) -> None:
    results = _converse(*parts)
    found = [
        match for result in results for match in result["personal_information"].matches if match.entity_type == "phone"
    ]
    assert found
    assert results[-2]["personal_information"].flagged or results[-1]["personal_information"].flagged


def test_spans_never_leave_the_message() -> None:
    for result, text in zip(_converse("+44 20", "7946", "0958 ok"), ("+44 20", "7946", "0958 ok"), strict=True):
        for policy in result.policies:
            for match in policy.matches:
                assert text[match.span.start : match.span.end] == match.match


def test_a_phone_number_of_two_authors_alternating_is_found_in_the_authors_own_turns() -> None:
    results = _converse("my number is +44 20", "nice weather today", "7946 0958", authors="aba")
    assert results[2]["personal_information"].flagged


@pytest.mark.parametrize("parts", [("you are such a fucking", "idiot"), ("what a stupid worthless", "piece of shit")])
def test_an_insult_finished_in_the_next_message_is_flagged(parts: tuple[str, str]) -> None:
    assert _converse(*parts)[1].evaluation.flagged


@pytest.mark.parametrize("reply", ["please stop that", "ok", "let's all calm down", "I disagree, but fine", "thanks!"])
def test_an_innocent_reply_after_a_toxic_message_is_not_flagged(reply: str) -> None:
    first, second = _converse("you are a fucking idiot", reply, authors="ab")
    assert first.evaluation.flagged
    assert not second.evaluation.flagged


def test_a_threat_completed_by_the_next_message_is_scored_with_what_came_before() -> None:
    first, second = _converse("tomorrow after work I am going to", "kill you and your whole family")
    assert not first["violence"].flagged
    assert second["violence"].flagged
