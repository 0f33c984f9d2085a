"""OpenAI Agents SDK: guardrails of an agent's input and output.

    guard = TextGuard(Engine())
    agent = Agent(name="…", input_guardrails=[input_guardrail(guard)], output_guardrails=[output_guardrail(guard)])

A guardrail of this SDK can stop a run and change nothing: masks are not applied. What was found out stands in
`output_info`, a `Checked`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from agents import GuardrailFunctionOutput, InputGuardrail, OutputGuardrail

from seemly.adapters.guards.text_guard import TextGuard

__all__ = ["input_guardrail", "output_guardrail"]

_TEXTS = ("input_text", "output_text", "text")


def input_guardrail(guard: TextGuard, name: str = "seemly") -> InputGuardrail[Any]:
    """A guardrail of the messages that a run starts with. It ends before the model is called."""

    def check(_context: Any, _agent: Any, given: Any) -> GuardrailFunctionOutput:
        texts: list[str] = []
        unscanned: list[str] = []
        for item in [given] if isinstance(given, str) else given:
            _read_item(item, texts, unscanned)
        _, checked = guard.check("input", texts, tuple(unscanned))
        return GuardrailFunctionOutput(checked, checked.blocked)

    return InputGuardrail(check, name=name, run_in_parallel=False)


def output_guardrail(guard: TextGuard, name: str = "seemly") -> OutputGuardrail[Any]:
    """A guardrail of what a run ends with: a text, or every text of a structured output."""

    def check(_context: Any, _agent: Any, output: Any) -> GuardrailFunctionOutput:
        texts: list[str] = []
        unscanned: list[str] = []
        _read_output(output, texts, unscanned)
        _, checked = guard.check("output", texts, tuple(unscanned))
        return GuardrailFunctionOutput(checked, checked.blocked)

    return OutputGuardrail(check, name=name)


def _read_item(item: Any, texts: list[str], unscanned: list[str]) -> None:
    """The texts of one item of an input, and the kinds of what else it holds."""
    if isinstance(item, str):
        texts.append(item)
        return
    if not isinstance(item, dict):
        unscanned.append(type(item).__name__)
        return
    content = item.get("content", item.get("output"))
    if item.get("type") in _TEXTS and isinstance(item.get("text"), str):
        texts.append(item["text"])
    elif isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        for part in content:
            _read_item(part, texts, unscanned)
    else:
        unscanned.append(str(item.get("type", "unknown")))


def _read_output(value: Any, texts: list[str], unscanned: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for each in dataclasses.fields(value):
            _read_output(getattr(value, each.name), texts, unscanned)
    elif hasattr(value, "model_dump"):
        _read_output(value.model_dump(), texts, unscanned)
    elif isinstance(value, dict):
        for key, each in value.items():
            _read_output(key, texts, unscanned)
            _read_output(each, texts, unscanned)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            _read_output(each, texts, unscanned)
    elif not isinstance(value, int | float | None):
        unscanned.append(type(value).__name__)
