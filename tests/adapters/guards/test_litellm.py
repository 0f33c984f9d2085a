import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # nothing is fetched when it is imported
pytest.importorskip("litellm", reason="needs the extra guard-litellm")

from litellm.exceptions import GuardrailRaisedException
from litellm.types.utils import Choices, Delta, Message, ModelResponse, ModelResponseStream, StreamingChoices

from seemly.adapters.guards.litellm import SeemlyGuardrail
from seemly.adapters.guards.text_guard import REFUSAL
from tests.support.guarded import BAD, MAIL, MASKED, make_guard

# Of LiteLLM's own types, as pydantic reads them.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*ReadOnly:UserWarning", "ignore:Pydantic serializer:UserWarning")


def _guardrail(**how: Any) -> tuple[SeemlyGuardrail, list[Any]]:
    guard, seen = make_guard(**how)
    return SeemlyGuardrail(guard, event_hook="pre_call", default_on=True), seen


def _ask(guardrail: SeemlyGuardrail, content: Any) -> Any:
    data = {"messages": [{"role": "user", "content": content}]}
    return asyncio.run(guardrail.async_pre_call_hook(None, None, data, "completion"))["messages"][0]["content"]


def test_a_request_goes_on_with_its_masks() -> None:
    guardrail, seen = _guardrail()
    assert _ask(guardrail, MAIL) == MASKED
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    assert _ask(guardrail, [{"type": "text", "text": MAIL}, picture]) == [{"type": "text", "text": MASKED}, picture]
    assert _ask(guardrail, None) is None
    assert seen[1].unscanned == ("image_url",)


def test_a_blocked_request_raises() -> None:
    guardrail, _ = _guardrail()
    with pytest.raises(GuardrailRaisedException) as raised:
        _ask(guardrail, BAD)
    assert raised.value.blocked_content
    assert "forbidden" not in str(raised.value)
    data = {"messages": [{"role": "user", "content": BAD}]}
    with pytest.raises(GuardrailRaisedException):
        asyncio.run(guardrail.async_moderation_hook(data, None, "completion"))


def test_an_answer_is_masked_or_blocked() -> None:
    guardrail, seen = _guardrail()
    response = ModelResponse(choices=[Choices(message=Message(content=MAIL))])
    found = asyncio.run(guardrail.async_post_call_success_hook({}, None, response))
    assert found.choices[0].message.content == MASKED
    assert seen[0].stage == "output"
    bad = ModelResponse(choices=[Choices(message=Message(content=BAD))])
    with pytest.raises(GuardrailRaisedException):
        asyncio.run(guardrail.async_post_call_success_hook({}, None, bad))


def _stream(guardrail: SeemlyGuardrail, pieces: list[str], finish: str | None = "stop") -> tuple[list[str], Any]:
    async def answer() -> AsyncIterator[ModelResponseStream]:
        for piece in pieces:
            yield ModelResponseStream(choices=[StreamingChoices(index=0, delta=Delta(content=piece))])
        if finish is not None:
            yield ModelResponseStream(choices=[StreamingChoices(index=0, delta=Delta(), finish_reason=finish)])

    async def collect() -> list[Any]:
        return [chunk async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, answer(), {})]

    chunks = asyncio.run(collect())
    return [chunk.choices[0].delta.content or "" for chunk in chunks], chunks[-1].choices[0].finish_reason


def test_a_stream_is_shown_sentence_by_sentence() -> None:
    guardrail, seen = _guardrail()
    shown, finish = _stream(guardrail, ["All is well ", "here. ", "So ", "write to jo@", "example.org"])
    assert shown == ["", "", "All is well here. ", "", "", "So write to {{ email hidden }}"]
    assert finish == "stop"
    assert [each.blocked for each in seen] == [False]


def test_a_stream_ends_at_what_is_blocked() -> None:
    guardrail, seen = _guardrail()
    shown, finish = _stream(guardrail, ["All is well here. ", "This is forb", "idden, you know. ", "More ", "of it. "])
    assert "".join(shown) == f"All is well here. {REFUSAL}"
    assert finish == "content_filter"
    assert [each.blocked for each in seen] == [True]
    strict, _ = _guardrail(block_from="review")
    assert "".join(_stream(strict, [MAIL])[0]) == REFUSAL


def test_what_is_held_of_a_stream_that_breaks_off_is_shown() -> None:
    guardrail, _ = _guardrail()
    assert "".join(_stream(guardrail, ["Write to jo@", "example.org"], finish=None)[0]) == MASKED
