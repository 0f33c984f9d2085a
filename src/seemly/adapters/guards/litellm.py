"""LiteLLM: a custom guardrail of its proxy and library, before, during and after a call, and on streams.

    guardrail = SeemlyGuardrail(TextGuard(Engine()), guardrail_name="seemly", event_hook="pre_call", default_on=True)

A streamed answer is shown sentence by sentence, as `Engine.open_stream` releases it, and ends with the finish reason
`content_filter` if it is blocked. Parts of messages that are not text are not looked at, and reported by their type.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail

from seemly.adapters.guards.text_guard import REFUSAL, Checked, TextGuard

if TYPE_CHECKING:
    from seemly.engine.stream import Released

__all__ = ["SeemlyGuardrail"]


class SeemlyGuardrail(CustomGuardrail):
    """Masks what may go on, and raises GuardrailRaisedException at what is blocked. Options are LiteLLM's own."""

    def __init__(self, guard: TextGuard, guardrail_name: str = "seemly", **options: Any) -> None:
        super().__init__(guardrail_name=guardrail_name, **options)
        self.guard = guard

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Any, call_type: Any) -> Any:  # noqa: ARG002
        """Moderate the messages of a request, and put masks into them."""
        for message in data.get("messages") or ():
            message["content"] = await to_thread(self._check_content, message.get("content"))
        return data

    async def async_moderation_hook(self, data: Any, user_api_key_dict: Any, call_type: Any) -> None:  # noqa: ARG002
        """Moderate the messages of a request while the model answers; masks come too late, and are left out."""
        for message in data.get("messages") or ():
            await to_thread(self._check_content, message.get("content"))

    async def async_post_call_success_hook(self, data: Any, user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002
        """Moderate the texts of a whole answer, and put masks into them."""
        for choice in getattr(response, "choices", ()):
            message = choice.message
            unscanned = ("tool_calls",) if getattr(message, "tool_calls", None) else ()
            texts = [message.content] if isinstance(message.content, str) else []
            shown, checked = await to_thread(self.guard.check, "output", texts, unscanned)
            self._stop(checked)
            if shown:
                message.content = shown[0]
        return response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
        request_data: Any,  # noqa: ARG002
    ) -> AsyncIterator[Any]:
        """Hold the pieces of an answer until they are judged, each choice on its own."""
        answers: dict[int, _Answer] = {}
        latest: Any = None
        async for chunk in response:
            latest = chunk
            for choice in chunk.choices:
                answer = answers.setdefault(choice.index, _Answer(self.guard))
                await to_thread(answer.read, choice)
            yield chunk
            if any(answer.blocked for answer in answers.values()):
                break
        else:
            # An answer that broke off has no finish reason: what is held of it is shown all the same.
            if latest is not None and any(answer.holds for answer in answers.values()):
                last = latest.model_copy(deep=True)
                for choice in last.choices:
                    choice.delta.content = None
                    await to_thread(answers[choice.index].end, choice)
                yield last
        if self.guard.report is not None:
            for answer in answers.values():
                self.guard.report(answer.describe())

    def _check_content(self, content: Any) -> Any:
        """The content of a message as it may go on. Raises GuardrailRaisedException if it is blocked."""
        parts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
        texts = {i: text for i, part in enumerate(parts) if (text := _read_part(part)) is not None}
        unscanned = tuple(_name_kind(part) for i, part in enumerate(parts) if i not in texts)
        shown, checked = self.guard.check("input", list(texts.values()), unscanned)
        self._stop(checked)
        if isinstance(content, str):
            return shown[0]
        if not isinstance(content, list):
            return content
        changed = list(content)
        for i, text in zip(texts, shown, strict=True):
            changed[i] = {**changed[i], "text": text} if isinstance(changed[i], dict) else text
        return changed

    def _stop(self, checked: Checked) -> None:
        if checked.blocked:
            judged = any(map(self.guard.blocks, checked.results))
            raise GuardrailRaisedException(self.guardrail_name, REFUSAL, blocked_content=judged)


class _Answer:
    """One choice of a streamed answer. Its text is always shown with masks."""

    def __init__(self, guard: TextGuard) -> None:
        self.blocked = False
        self.holds = False
        self._guard = guard
        self._stream = guard.engine.open_stream()
        self._unscanned: tuple[str, ...] = ()

    def read(self, choice: Any) -> None:
        """Put what may be shown in the place of the text of a piece."""
        text = choice.delta.content
        if getattr(choice.delta, "tool_calls", None):
            self._unscanned = ("tool_calls",)
        if isinstance(text, str):
            self.holds = True
        self._show(choice, self._stream.push(text) if isinstance(text, str) else [])
        if choice.finish_reason is not None and self.holds:
            self.end(choice)

    def end(self, choice: Any) -> None:
        """Add what is held to the last piece."""
        self.holds = False
        self._show(choice, self._stream.finish(), choice.delta.content or "")

    def describe(self) -> Checked:
        return Checked("output", (self._stream.result,), self.blocked, self._unscanned)

    def _show(self, choice: Any, released: list[Released], shown: str = "") -> None:
        for part in released:
            self.blocked = self.blocked or self._guard.blocks(part.result)
            shown += "" if self.blocked else part.text
        self.blocked = self.blocked or self._stream.blocked
        if self.blocked:
            self.holds = False
            choice.finish_reason = "content_filter"
            shown += "" if shown.endswith(REFUSAL) else REFUSAL
        choice.delta.content = shown or None


def _read_part(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _name_kind(part: Any) -> str:
    return str(part.get("type", "unknown")) if isinstance(part, dict) else type(part).__name__
