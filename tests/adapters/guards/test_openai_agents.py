import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs the extra guard-openai-agents")

from agents import (
    Agent,
    InputGuardrailTripwireTriggered,
    Model,
    ModelResponse,
    OutputGuardrailTripwireTriggered,
    Runner,
)
from agents.run import RunConfig
from agents.usage import Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from seemly.adapters.guards.openai_agents import input_guardrail, output_guardrail
from tests.support.guarded import BAD, MAIL, make_guard


class Fake(Model):
    """Answers always the same, and counts how often it was asked."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked = 0

    async def get_response(self, *given: Any, **more: Any) -> ModelResponse:
        self.asked += 1
        text = ResponseOutputText(annotations=[], text=self.answer, type="output_text")
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **more: Any) -> Any:
        raise NotImplementedError


def _run(given: Any, answer: str, **how: Any) -> tuple[str, Fake, list[Any]]:
    guard, seen = make_guard(**how)
    model = Fake(answer)
    agent = Agent(
        name="agent",
        model=model,
        input_guardrails=[input_guardrail(guard)],
        output_guardrails=[output_guardrail(guard)],
    )
    found = asyncio.run(Runner.run(agent, given, run_config=RunConfig(tracing_disabled=True)))
    return found.final_output, model, seen


def test_what_is_fine_goes_through() -> None:
    answer, model, seen = _run("hello", MAIL)
    assert (answer, model.asked) == (MAIL, 1)
    assert [(each.stage, each.blocked) for each in seen] == [("input", False), ("output", False)]


def test_a_blocked_question_stops_the_run_before_the_model() -> None:
    with pytest.raises(InputGuardrailTripwireTriggered) as raised:
        _run(BAD, "an answer")
    checked = raised.value.guardrail_result.output.output_info
    assert checked.results[0].recommendation.action == "reject"


def test_a_blocked_answer_stops_the_run() -> None:
    with pytest.raises(OutputGuardrailTripwireTriggered):
        _run("hello", BAD)


def test_pictures_are_reported_as_not_scanned() -> None:
    parts = [{"type": "input_text", "text": "hello"}, {"type": "input_image", "image_url": "https://example.com/a.png"}]
    _, _, seen = _run([{"role": "user", "content": parts}], "fine")
    assert seen[0].unscanned == ("input_image",)
    assert len(seen[0].results) == 1


@dataclass
class Answer:
    title: str
    lines: list[str]
    score: float


def test_every_text_of_a_structured_output_is_read() -> None:
    guard, seen = make_guard()
    check = output_guardrail(guard).guardrail_function
    found: Any = check(None, None, Answer("fine", ["hello", BAD], 0.5))  # type: ignore[arg-type]
    assert found.tripwire_triggered
    assert len(seen[0].results) == 3
    assert check(None, None, object()).output_info.unscanned == ("object",)  # type: ignore[arg-type, union-attr]
