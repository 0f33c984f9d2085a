from typing import Any

import pytest

pytest.importorskip("langchain", reason="needs the extra guard-langchain")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from seemly.adapters.guards.langchain import SeemlyMiddleware
from seemly.adapters.guards.text_guard import REFUSAL
from tests.support.guarded import BAD, MAIL, MASKED, make_guard


def _run(given: Any, answer: str, **how: Any) -> tuple[list[Any], list[Any]]:
    guard, seen = make_guard(**how)
    model = GenericFakeChatModel(messages=iter([AIMessage(answer)]))
    agent = create_agent(model, [], middleware=[SeemlyMiddleware(guard)])
    return agent.invoke({"messages": [HumanMessage(given)]})["messages"], seen


def test_masks_go_to_the_model_and_come_back() -> None:
    messages, seen = _run(MAIL, MAIL)
    assert [message.content for message in messages] == [MASKED, MASKED]
    assert [each.stage for each in seen] == ["input", "output"]


def test_a_blocked_question_is_never_answered() -> None:
    messages, seen = _run(BAD, "an answer")
    assert [message.content for message in messages] == [REFUSAL, REFUSAL]
    assert [(each.stage, each.blocked) for each in seen] == [("input", True)]


def test_a_blocked_answer_is_withheld() -> None:
    messages, _ = _run("hello", BAD)
    assert [message.content for message in messages] == ["hello", REFUSAL]


def test_parts_that_are_no_text_are_reported() -> None:
    picture = {"type": "image", "url": "https://example.com/a.png"}
    messages, seen = _run([{"type": "text", "text": MAIL}, picture], "fine")
    assert messages[0].content == [{"type": "text", "text": MASKED}, picture]
    assert seen[0].unscanned == ("image",)
    messages, _ = _run([picture], "fine", block_unscanned=True)
    assert messages[-1].content == REFUSAL
