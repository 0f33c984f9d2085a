from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the extra guard-pydantic-ai")

from pydantic_ai import Agent, ImageUrl
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from seemly.adapters.guards.pydantic_ai import GuardBlocked, SeemlyCapability
from tests.support.guarded import BAD, MAIL, MASKED, make_guard


def _run(given: Any, answer: str, **how: Any) -> tuple[str, list[Any], list[Any]]:
    guard, seen = make_guard(**how)
    asked: list[Any] = []

    def reply(messages: Any, _info: Any) -> ModelResponse:
        asked.append(messages[-1].parts[-1].content)
        return ModelResponse(parts=[TextPart(answer)])

    agent = Agent(FunctionModel(reply), capabilities=[SeemlyCapability(guard)])
    return agent.run_sync(given).output, asked, seen


def test_masks_go_to_the_model_and_come_back() -> None:
    answer, asked, seen = _run(MAIL, MAIL)
    assert (answer, asked) == (MASKED, [MASKED])
    assert [each.stage for each in seen] == ["input", "output"]


@pytest.mark.parametrize(("given", "answer", "stage"), [(BAD, "fine", "input"), ("hello", BAD, "output")])
def test_what_is_blocked_raises(given: str, answer: str, stage: str) -> None:
    with pytest.raises(GuardBlocked) as raised:
        _run(given, answer)
    assert raised.value.checked.stage == stage
    assert raised.value.checked.results[0].recommendation.action == "reject"
    assert "forbidden" not in str(raised.value)


def test_parts_that_are_no_text_are_reported() -> None:
    picture = ImageUrl(url="https://example.com/a.png")
    _, asked, seen = _run([MAIL, picture], "fine")
    assert list(asked[0]) == [MASKED, picture]
    assert seen[0].unscanned == ("image-url",)
    with pytest.raises(GuardBlocked):
        _run([picture], "fine", block_unscanned=True)
