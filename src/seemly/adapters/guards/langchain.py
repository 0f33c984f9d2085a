"""LangChain and LangGraph: a middleware of agents.

    agent = create_agent(model, tools, middleware=[SeemlyMiddleware(TextGuard(Engine()))])

Messages that the model has not read yet are moderated before each call, its answer after it. Arguments of tools are
not looked at, and reported as `tool_call`. Tokens that a graph streams while the model runs are not held back: stream
the values of the graph, or put the model's tokens through `Engine.astream`.
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from seemly.adapters.guards.text_guard import REFUSAL, Checked, Stage, TextGuard

__all__ = ["SeemlyMiddleware"]


class SeemlyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Masks what may go on, and ends the run with a refusal at what is blocked."""

    def __init__(self, guard: TextGuard, refusal: str = REFUSAL) -> None:
        super().__init__()
        self.guard = guard
        self.refusal = refusal

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Moderate the messages since the model's last answer."""
        changed: list[BaseMessage] = []
        for message in _find_new(state["messages"]):
            found, checked = self._check("input", message)
            if checked.blocked:
                # What is blocked does not stay in the conversation that the model reads next time.
                withheld = message.model_copy(update={"content": self.refusal})
                return {"messages": [withheld, AIMessage(self.refusal)], "jump_to": "end"}
            if found is not message:
                changed.append(found)
        return {"messages": changed} if changed else None

    @hook_config(can_jump_to=["end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Moderate the model's answer."""
        message = state["messages"][-1]
        if not isinstance(message, AIMessage):
            return None
        found, checked = self._check("output", message)
        if checked.blocked:
            return {"messages": [AIMessage(self.refusal, id=message.id)], "jump_to": "end"}
        return None if found is message else {"messages": [found]}

    def _check(self, stage: Stage, message: BaseMessage) -> tuple[BaseMessage, Checked]:
        """The message as it may go on: itself if nothing was masked."""
        content = message.content
        blocks: list[Any] = [content] if isinstance(content, str) else list(content)
        texts = {i: text for i, block in enumerate(blocks) if (text := _read_block(block)) is not None}
        unscanned = [_name_kind(block) for i, block in enumerate(blocks) if i not in texts]
        if getattr(message, "tool_calls", None):
            unscanned.append("tool_call")
        shown, checked = self.guard.check(stage, list(texts.values()), tuple(unscanned))
        if shown == list(texts.values()):
            return message, checked
        for i, text in zip(texts, shown, strict=True):
            blocks[i] = {**blocks[i], "text": text} if isinstance(blocks[i], dict) else text
        return message.model_copy(update={"content": blocks[0] if isinstance(content, str) else blocks}), checked


def _find_new(messages: list[BaseMessage]) -> list[BaseMessage]:
    """The messages of people and tools since the last answer."""
    new: list[BaseMessage] = []
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            break
        if isinstance(message, HumanMessage | ToolMessage):
            new.append(message)
    return new[::-1]


def _read_block(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _name_kind(block: Any) -> str:
    return str(block.get("type", "unknown")) if isinstance(block, dict) else type(block).__name__
