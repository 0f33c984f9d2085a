"""Deliveries: what an attempt sends and brought, what follows from it, and the log of it all.

An attempt is `claim`, `send`, `record`, in this order. Where it is stopped between two of them another attempts the
same: every event arrives at least once, and its id tells a receiver what came twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from seemly.core.errors import NotFoundError, SeemlyError
from seemly.core.frozen import EMPTY, FrozenMapping
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Attempt, Delivery, Member, Webhook
from seemly.service.webhooks.events import API_VERSION
from seemly.service.webhooks.schedule import Claim, Schedule
from seemly.service.webhooks.signatures import sign

__all__ = [
    "Answer", "Mail", "Mailer", "Outcome", "Recorded", "Sender", "list_attempts", "list_deliveries", "record",
    "redeliver", "send",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What a webhook answered: the HTTP status, and as much of the body as was read."""

    status: int
    body: bytes = field(default=b"", repr=False)


class Sender(Protocol):
    """Posts a body to a URL."""

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """The answer, whatever its status; a redirect is an answer too.

        Gives up after the time that a webhook has, 5 seconds. Raises where no answer came; the message of a SeemlyError
        is shown in the log, of any other exception only its type.
        """
        ...


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail in plain text. `to` are addresses."""

    to: tuple[str, ...] = field(repr=False)
    subject: str
    text: str = field(repr=False)


class Mailer(Protocol):
    """Sends e-mail."""

    def send(self, mail: Mail) -> None:
        """Hand a mail over. May raise where that cannot be done."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt brought: a status, or an error. It began at `at_ms` and took `duration_ms`."""

    at_ms: int
    duration_ms: int
    headers: Mapping[str, str] = field(default=EMPTY, repr=False)
    status: int | None = None
    body: bytes | None = field(default=None, repr=False)
    error: str | None = None

    @property
    def acknowledged(self) -> bool:
        """Whether the webhook took the event: only a status of 2xx says so."""
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Recorded:
    """A delivery after an attempt, and the mail that is to tell of it, if one is."""

    delivery: Delivery
    mail: Mail | None = None


def send(env: Environment, sender: Sender, held: Claim) -> Outcome:
    """Make one attempt. Raises nothing: what the sender raises is an outcome."""
    body = held.event.body.encode()
    headers = FrozenMapping(
        {
            "webhook-version": API_VERSION,
            "webhook-event-id": held.event.id,
            "svc-signature": sign(body, held.project.webhook_secret),
            "User-Agent": "Svc/1.0",
            "Content-Type": "application/json",
        }
    )
    answer, problem = None, None
    began = env.now()
    try:
        answer = sender.send(held.webhook.url, headers, body)
    except SeemlyError as error:
        problem = error.message
    except Exception as error:  # noqa: BLE001  (an attempt that raises is one that failed, or it would never end)
        problem = f"the request could not be sent: {type(error).__name__}"
    # The system's clock may be set back meanwhile.
    took = max(0, env.now() - began)
    if answer is None:
        return Outcome(began, took, headers, error=problem)
    return Outcome(began, took, headers, answer.status, answer.body)


def record(env: Environment, schedule: Schedule, held: Claim, outcome: Outcome) -> Recorded | None:
    """Write an attempt down, and what follows: delivered, attempted again later, or, after the last, failed.

    None, and nothing is written, where the delivery or its project was deleted meanwhile.
    """
    with suppress(NotFoundError), env.store.transaction() as tx:
        hold_project(tx, held.project.id)
        current = tx.get(Delivery, held.delivery.id, lock=True)
        if current is None:
            return None
        now = env.now()
        number = current.attempts + 1
        tx.add(_log(env, held, number, outcome))
        changed = replace(current, attempts=number, next_ms=now)
        # A claim that ran out may be another's now: its hold is left alone, and what it decided stands.
        if current.held_until_ms == held.delivery.held_until_ms:
            changed = replace(changed, held_until_ms=0)
        mail = None
        if outcome.acknowledged:
            changed = replace(changed, state="delivered")
        elif current.state == "waiting" and number >= schedule.attempts:
            changed = replace(changed, state="failed")
            mail = _tell(tx, schedule, held, outcome, now)
        elif current.state == "waiting":
            changed = replace(changed, next_ms=now + schedule.wait_ms(number, current.id))
        tx.put(changed)
        return Recorded(changed, mail)
    return None


def _log(env: Environment, held: Claim, number: int, outcome: Outcome) -> Attempt:
    return Attempt(
        id=env.new_id("att"),
        project_id=held.project.id,
        delivery_id=held.delivery.id,
        number=number,
        at_ms=outcome.at_ms,
        duration_ms=outcome.duration_ms,
        url=held.webhook.url,
        headers=outcome.headers,
        payload=held.event.body,
        status=outcome.status,
        # Not every database keeps the character 0, and an attempt that cannot be written down would be made again.
        body=None if outcome.body is None else outcome.body.decode(errors="replace").replace("\0", "\ufffd"),
        error=outcome.error,
    )


def _tell(tx: Transaction, schedule: Schedule, held: Claim, outcome: Outcome, now: int) -> Mail | None:
    if _is_told(tx, schedule, held.webhook.id, now):
        return None
    admins = Query(
        (
            Where("organization_id", "is", held.project.organization_id),
            Where("role", "in", ("owner", "admin")),
            Where("email", "is_not", None),
        )
    )
    to = tuple(each.email for each in tx.find(Member, admins) if each.email)
    if not to:
        return None
    answer = outcome.error or f"status {outcome.status}"
    text = f"""\
The webhook "{held.webhook.name}" of the project "{held.project.name}" did not take an event,
in {schedule.attempts} attempts.

Event:        {held.event.id} ({held.event.type})
Webhook:      {held.webhook.id}
Last attempt: {answer}

The event is not sent again by itself. Make sure that the webhook answers with a 2xx status within 5 seconds, then
deliver the event again from the events log, which shows every attempt.
"""
    if schedule.mail_ms:
        text += f"\nAt most one mail in {schedule.mail_ms / 60_000:g} minutes tells of this webhook.\n"
    return Mail(to, f"A webhook failed after {schedule.attempts} attempts", text)


def _is_told(tx: Transaction, schedule: Schedule, webhook_id: str, now: int) -> bool:
    """Whether a mail of this period told of the webhook already."""
    if not schedule.mail_ms:
        return False
    began = now - now % schedule.mail_ms
    conditions = (
        Where("webhook_id", "is", webhook_id),
        Where("state", "is", "failed"),
        # Without attempts to the last, it failed because the webhook was off, and nobody was told.
        Where("attempts", "at_least", schedule.attempts),
        Where("next_ms", "at_least", began),
        # What failed later than now failed by a clock that ran ahead.
        Where("next_ms", "below", began + schedule.mail_ms),
    )
    return bool(tx.find(Delivery, Query(conditions, limit=1)))


def redeliver(env: Environment, project_id: str, delivery_id: str) -> Delivery:
    """Deliver the event of a delivery again, by hand: the same event and id, to the same webhook, with new attempts.

    One that still waits is due now instead; returns that, or the new one. Raises NotFoundError where the project has no
    such delivery, and where its webhook was deleted or is disabled.
    """
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        former = tx.get(Delivery, delivery_id, lock=True)
        if former is None or former.project_id != project_id:
            raise NotFoundError("the delivery does not exist")
        webhook = tx.get(Webhook, former.webhook_id)
        if webhook is None or not webhook.enabled:
            raise NotFoundError("the webhook of the delivery was deleted or is disabled; enable it first")
        now = env.now()
        if former.state == "waiting":
            again = replace(former, next_ms=min(now, former.next_ms))
        else:
            again = Delivery(
                id=env.new_id("del"),
                project_id=project_id,
                event_id=former.event_id,
                webhook_id=former.webhook_id,
                created_ms=now,
                next_ms=now,
            )
        tx.put(again)
    return again


def list_deliveries(
    env: Environment,
    project_id: str,
    *,
    webhook_id: str | None = None,
    event_id: str | None = None,
    state: Literal["waiting", "delivered", "failed"] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Delivery]:
    """The deliveries of a project, those of one webhook, event or state where that is given; the newest first."""
    # What is of one event or webhook is of one project: asked for by both, SQLite would look at all of the project's.
    of_project = project_id if webhook_id is None and event_id is None else None
    asked = {"project_id": of_project, "webhook_id": webhook_id, "event_id": event_id, "state": state}
    conditions = tuple(Where(name, "is", value) for name, value in asked.items() if value is not None)
    with env.store.read() as tx:
        found = tx.find(Delivery, Query(conditions, (Order("created_ms", descending=True),), limit, offset))
    return [each for each in found if each.project_id == project_id]


def list_attempts(
    env: Environment, project_id: str, *, delivery_id: str | None = None, limit: int = 50, offset: int = 0
) -> list[Attempt]:
    """The events log of a project: every attempt, or those of one delivery, with what was sent and what came back.

    The newest first.
    """
    asked = {"project_id": project_id, "delivery_id": delivery_id}
    conditions = tuple(Where(name, "is", value) for name, value in asked.items() if value is not None)
    newest = (Order("at_ms", descending=True), Order("number", descending=True))
    # Those of one delivery are found by its own index, which is in this order.
    order = newest if delivery_id is None else newest[1:]
    with env.store.read() as tx:
        return tx.find(Attempt, Query(conditions, order, limit, offset))
