"""The worker: delivers events to webhooks and runs periodic jobs, beside any number of others of its kind."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from seemly.service.base.environment import Environment
from seemly.service.webhooks.delivery import Mail, Mailer, Sender, record, send
from seemly.service.webhooks.schedule import HOLD_MS, Schedule, claim

__all__ = ["Job", "Worker"]

_LOG = logging.getLogger("seemly.worker")
_DOUBLINGS = 6
"""How often the wait between tries doubles while the store is away: to about a minute."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be done every so many seconds. Several workers may do it at once, so that must do no harm."""

    name: str
    every_s: float
    run: Callable[[], object]


class Worker:
    """Delivers what is due, with a few threads, each of which holds one delivery at a time.

    So a worker that is stopped has nothing to hand back but what it is just sending, which it finishes. Webhooks take
    turns, however much each of them is to hear of, and one that hangs costs two threads at most, for its 5 seconds.
    Without a mailer nobody is told of deliveries that failed.

    `threads` is how many deliver at once, `poll_s` how many seconds one waits when nothing is due, `hold_ms` how many
    milliseconds a delivery stays with a worker that died.
    """

    def __init__(
        self,
        env: Environment,
        sender: Sender,
        mailer: Mailer | None = None,
        schedule: Schedule | None = None,
        *,
        jobs: Sequence[Job] = (),
        threads: int = 4,
        poll_s: float = 1.0,
        hold_ms: int = HOLD_MS,
    ) -> None:
        self._env = env
        self._sender = sender
        self._mailer = mailer
        self._schedule = schedule or Schedule()
        self._jobs = tuple(jobs)
        self._threads = threads
        self._poll_s = poll_s
        self._hold_ms = hold_ms
        self._due_ms = dict.fromkeys(self._jobs, 0)
        self._served: frozenset[str] = frozenset()

    def run_once(self) -> int:
        """Run the jobs that are due, then deliver until nothing is due any more. Returns how many attempts that took.

        Raises what the store raises.
        """
        self._run_jobs()
        with ThreadPoolExecutor(self._threads) as pool:
            return sum(pool.map(lambda _: self._drain(), range(self._threads)))

    def run(self, stop: threading.Event) -> None:
        """Deliver and run jobs until `stop` is set; then finish what is being sent and return.

        While the store is away it waits, longer each time up to about a minute, and goes on. Sets `stop` itself where
        it is interrupted.
        """
        with ThreadPoolExecutor(self._threads, "seemly-worker") as pool:
            for _ in range(self._threads):
                pool.submit(self._repeat, self._deliver, stop)
            try:
                self._repeat(self._run_jobs, stop)
            finally:
                stop.set()

    def _repeat(self, step: Callable[[], bool], stop: threading.Event) -> None:
        failures = 0
        while not stop.is_set():
            try:
                idle = not step()
                failures = 0
            except Exception as error:  # noqa: BLE001  (a thread that dies would leave deliveries lying)
                idle = True
                failures = min(failures + 1, _DOUBLINGS)
                # The type alone: what a database says of an error may quote what it was to keep.
                kind = type(error).__name__
                _LOG.error("the worker waits and tries again: %s", kind, extra={"error": kind})
            if idle:
                stop.wait(self._poll_s * 2**failures)

    def _drain(self) -> int:
        done = 0
        while self._deliver():
            done += 1
        return done

    def _deliver(self) -> bool:
        """Whether there was something to deliver."""
        claims = claim(self._env, 1, self._hold_ms, served=self._served)
        for held in claims:
            self._end_turn(held.webhook.id)
            outcome = send(self._env, self._sender, held)
            recorded = record(self._env, self._schedule, held, outcome)
            if recorded is None:
                continue
            delivery = recorded.delivery
            ids = {"delivery_id": delivery.id, "event_id": delivery.event_id, "webhook_id": delivery.webhook_id}
            _LOG.log(
                logging.WARNING if delivery.state == "failed" else logging.INFO,
                "delivery %s: attempt %d, status %s, %s",
                delivery.id,
                delivery.attempts,
                outcome.status,
                delivery.state,
                extra={**ids, "attempt": delivery.attempts, "status": outcome.status, "state": delivery.state},
            )
            if recorded.mail is not None:
                self._mail(recorded.mail, ids)
        return bool(claims)

    def _end_turn(self, webhook_id: str) -> None:
        # One that had its turn gets another only where nobody else waits for theirs: then all begin anew.
        others = frozenset() if webhook_id in self._served else self._served
        self._served = others | {webhook_id}

    def _mail(self, mail: Mail, ids: dict[str, str]) -> None:
        if self._mailer is None:
            _LOG.warning("delivery %s: nobody is told, there is no mailer", ids["delivery_id"], extra=ids)
            return
        try:
            self._mailer.send(mail)
        except Exception as error:  # noqa: BLE001  (a mail server that is away must not keep events back)
            extra = {**ids, "error": type(error).__name__}
            _LOG.error("delivery %s: the mail failed: %s", ids["delivery_id"], type(error).__name__, extra=extra)

    def _run_jobs(self) -> bool:
        for job, due_ms in self._due_ms.items():
            now = self._env.now()
            # Where the clock was set back, what seems far from due is due.
            if due_ms - job.every_s * 1000.0 <= now < due_ms:
                continue
            self._due_ms[job] = now + round(job.every_s * 1000.0)
            try:
                job.run()
            except Exception as error:  # noqa: BLE001  (one job that fails must not keep the others back)
                extra = {"job": job.name, "error": type(error).__name__}
                _LOG.error("the job %s failed: %s", job.name, type(error).__name__, extra=extra)
        return False
