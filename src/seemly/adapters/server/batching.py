"""Concurrent requests moderated together, each batch by the thread of one of them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from seemly.content import Content, Object, Submission, Text
from seemly.engine import Engine, Rejected
from seemly.errors import SeemlyError
from seemly.result import ModerationResult

__all__ = ["Batcher"]

_MOST = 64
"""The most submissions of a batch: beyond it nothing is gained, and the first would wait for the last."""

_LONG = 5_000
"""How many characters are too many for a batch."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A submission, and what its thread is told: the answer, or, by None, that it is its turn to lead."""

    engine: Engine
    submission: Submission
    answer: Future[Any] = field(default_factory=Future)


class Batcher:
    """Moderates the texts that several threads hand in, as they come: what arrives while a batch runs is the next one.

    Who comes alone moderates at once, in its own thread, and so does the first of those who wait, for all of them.
    Media and long texts are moderated by the thread that brings them: they would keep everybody else's waiting.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._lock = threading.Lock()
        self._busy = False

    def moderate(self, engine: Engine, submission: Submission) -> ModerationResult:
        """The engine's result for a submission. Raises what the engine raises."""
        if not _is_brief(submission.content):
            return engine.moderate(submission)
        with self._lock:
            alone, self._busy = not self._busy, True
            mine = _Waiting(engine, submission)
            if not alone:
                self._waiting.append(mine)
        if alone:
            try:
                return engine.moderate(submission)
            finally:
                self._pass_on()
        answer: ModerationResult | None = mine.answer.result()
        return self._lead(engine, submission) if answer is None else answer

    def _lead(self, engine: Engine, submission: Submission) -> ModerationResult:
        """Moderate a submission, and those that wait, with it."""
        mine = _Waiting(engine, submission)
        with self._lock:
            batch = [mine, *(self._waiting.popleft() for _ in range(min(_MOST - 1, len(self._waiting))))]
        try:
            for each_engine in dict.fromkeys(each.engine for each in batch):
                _moderate(each_engine, [each for each in batch if each.engine is each_engine])
        finally:
            self._pass_on()
        answer: ModerationResult = mine.answer.result()
        return answer

    def _pass_on(self) -> None:
        """Have the first who waits lead; nobody, where nobody waits."""
        with self._lock:
            following = self._waiting.popleft() if self._waiting else None
            self._busy = following is not None
        if following is not None:
            following.answer.set_result(None)


def _is_brief(content: Content) -> bool:
    """Whether there is nothing but text in content, and not much of it."""
    parts = content.data.values() if isinstance(content, Object) else (content,)
    return sum(len(part.text) if isinstance(part, Text) else _LONG for part in parts) < _LONG


def _moderate(engine: Engine, batch: Sequence[_Waiting]) -> None:
    try:
        results = list(engine.moderate_many([each.submission for each in batch], on_error="return"))
    except SeemlyError:
        # A strict engine raises for one of them: each gets its own answer.
        for each in batch:
            _answer_alone(each)
        return
    except BaseException as error:  # noqa: BLE001  (whoever waits must hear of it)
        for each in batch:
            each.answer.set_exception(error)
        return
    for each, result in zip(batch, results, strict=True):
        if isinstance(result, Rejected):
            each.answer.set_exception(result.error)
        else:
            each.answer.set_result(result)


def _answer_alone(waiting: _Waiting) -> None:
    try:
        waiting.answer.set_result(waiting.engine.moderate(waiting.submission))
    except BaseException as error:  # noqa: BLE001  (whoever waits must hear of it)
        waiting.answer.set_exception(error)
