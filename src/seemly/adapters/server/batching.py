"""Concurrent requests moderated together, in one thread, so that the event loop never waits for a model."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from seemly.content import Content, Object, Submission, Text
from seemly.engine import Engine, Rejected
from seemly.errors import SeemlyError
from seemly.result import ModerationResult

__all__ = ["Batcher"]

_MOST = 64
"""The most submissions of a batch: beyond it nothing is gained, and the first would wait for the last."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    engine: Engine
    submission: Submission
    answer: Future[ModerationResult] = field(default_factory=Future)


class Batcher:
    """Moderates the texts that several threads hand in, as they come: what arrives while a batch runs is the next one.

    A request that comes alone is not kept waiting for others. Media are moderated in the thread that brings them: one
    that is slow to fetch would keep everybody else's texts waiting.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._arrived = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="seemly-batches", daemon=True)
        self._thread.start()

    def moderate(self, engine: Engine, submission: Submission) -> ModerationResult:
        """The engine's result for a submission. Raises what the engine raises."""
        if not _is_text(submission.content):
            return engine.moderate(submission)
        waiting = _Waiting(engine, submission)
        with self._arrived:
            if self._closed:
                return engine.moderate(submission)
            self._waiting.append(waiting)
            self._arrived.notify()
        return waiting.answer.result()

    def close(self) -> None:
        """Finish what was handed in, and end the thread."""
        with self._arrived:
            self._closed = True
            self._arrived.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._arrived:
                while not self._waiting and not self._closed:
                    self._arrived.wait()
                if not self._waiting:
                    return
                batch = [self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))]
            for engine in dict.fromkeys(each.engine for each in batch):
                _moderate(engine, [each for each in batch if each.engine is engine])


def _is_text(content: Content) -> bool:
    """Whether there is nothing but text in content."""
    parts = content.data.values() if isinstance(content, Object) else (content,)
    return all(isinstance(part, Text) for part in parts)


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
