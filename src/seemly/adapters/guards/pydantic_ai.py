"""pydantic-ai: a capability of agents.

    agent = Agent(model, capabilities=[SeemlyCapability(TextGuard(Engine()))])

Prompts and results of tools are moderated before each call of the model, its answers after it. What is blocked raises
`GuardBlocked`. Arguments of tools are not looked at, and reported as `tool-call`. Events that a run streams while the
model answers are not held back: put the text through `Engine.astream`.
"""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart

from seemly.adapters.guards.text_guard import Checked, TextGuard

__all__ = ["GuardBlocked", "SeemlyCapability"]


class GuardBlocked(AgentRunError):  # noqa: N818  (named as pydantic-ai's own stops are read: what happened)
    """A message was blocked. `checked` holds the verdicts."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(f"the {checked.stage} was blocked by seemly")
        self.checked = checked


@dataclass
class SeemlyCapability(AbstractCapability[Any]):
    """Masks what may go on, and raises GuardBlocked at what is blocked."""

    guard: TextGuard = field(kw_only=False)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:  # noqa: ARG002
        """Moderate what the model has not answered yet; the messages keep their masks."""
        messages = request_context.messages
        for at in range(len(messages) - 1, -1, -1):
            if not isinstance(messages[at], ModelRequest):
                break
            messages[at] = await to_thread(self._check_request, messages[at])
        return request_context

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:  # noqa: ARG002
        """Moderate the model's answer."""
        parts = list(response.parts)
        texts = {i: part.content for i, part in enumerate(parts) if isinstance(part, TextPart)}
        unscanned = tuple(part.part_kind for i, part in enumerate(parts) if i not in texts)
        shown, checked = await to_thread(self.guard.check, "output", list(texts.values()), unscanned)
        if checked.blocked:
            raise GuardBlocked(checked)
        for i, text in zip(texts, shown, strict=True):
            parts[i] = replace(parts[i], content=text)
        found: ModelResponse = replace(response, parts=parts)
        return found

    def _check_request(self, request: Any) -> Any:
        parts = list(request.parts)
        places: list[tuple[int, int | None]] = []
        texts: list[str] = []
        unscanned: list[str] = []
        for i, part in enumerate(parts):
            if not isinstance(part, UserPromptPart | ToolReturnPart):
                continue
            content = part.content
            if isinstance(content, str):
                places.append((i, None))
                texts.append(content)
                continue
            for j, each in enumerate(content if isinstance(content, list | tuple) else [content]):
                if isinstance(each, str) and isinstance(content, list | tuple):
                    places.append((i, j))
                    texts.append(each)
                else:
                    unscanned.append(getattr(each, "kind", type(each).__name__))
        shown, checked = self.guard.check("input", texts, tuple(unscanned))
        if checked.blocked:
            raise GuardBlocked(checked)
        for (i, within), text in zip(places, shown, strict=True):
            content = parts[i].content
            content = text if within is None else [*content[:within], text, *content[within + 1 :]]
            parts[i] = replace(parts[i], content=content)
        return replace(request, parts=parts)
