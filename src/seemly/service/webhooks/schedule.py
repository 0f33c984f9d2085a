"""When deliveries are attempted: which are due, who holds them meanwhile, and how long after a failure is the next.

Whoever is stopped while it holds one loses it after a while, and another attempts the same.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from seemly.core.errors import ConfigError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Delivery, Event, Project, Webhook

__all__ = ["HOLD_MS", "MOST_AT_ONCE", "Claim", "Schedule", "claim"]

HOLD_MS = 60_000
"""How long a claim lasts, in milliseconds: far longer than an attempt takes, so that only a dead worker loses one."""

MOST_AT_ONCE = 2
"""How many deliveries of one webhook are attempted at the same time, so that one that hangs leaves room for others."""

FAR_MS = 3_600_000
"""How far off, in milliseconds, no attempt is put off and no claim lasts. What is due or held later than that is so by
a clock that ran ahead and was corrected since."""

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Schedule:
    """When an attempt that failed is followed by the next, and how often people hear of the last.

    `waits_ms` are the milliseconds after the first attempt, the second and so on: there is one attempt more than there
    are waits. Each wait is up to `jitter` (a share, 0 to 1) shorter or longer, so that what failed together does not
    come back together. None is longer than an hour. Of one webhook at most one mail tells in each period of `mail_ms`
    milliseconds, counted from the Unix epoch; 0 sends one for each event. Raises ConfigError for values outside these
    ranges.
    """

    waits_ms: tuple[int, ...] = (5_000, 30_000, 120_000, 600_000)
    jitter: float = 0.2
    mail_ms: int = 3_600_000

    def __post_init__(self) -> None:
        if not (0.0 <= self.jitter <= 1.0 and self.mail_ms >= 0 and all(each >= 0 for each in self.waits_ms)):
            raise ConfigError("a schedule's times must be 0 or more, and its jitter from 0 to 1")
        if any(each * (1.0 + self.jitter) > FAR_MS for each in self.waits_ms):
            raise ConfigError("a schedule's waits must be an hour or less, with their jitter")

    @property
    def attempts(self) -> int:
        """How many attempts there are in all."""
        return len(self.waits_ms) + 1

    def wait_ms(self, attempts: int, seed: str) -> int:
        """How many milliseconds after that many attempts (1 or more, fewer than all) the next is due.

        The jitter is drawn from the seed.
        """
        drawn = zlib.crc32(f"{seed} {attempts}".encode()) / 2**32
        return round(self.waits_ms[attempts - 1] * (1.0 + self.jitter * (2.0 * drawn - 1.0)))


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery that nobody else attempts before its `held_until_ms`, and what is to be sent, where, signed how."""

    delivery: Delivery
    event: Event
    webhook: Webhook
    project: Project


def claim(env: Environment, most: int, hold_ms: int = HOLD_MS, *, served: frozenset[str] = frozenset()) -> list[Claim]:
    """Take up to `most` of the deliveries that are due, those first that are due longest, for `hold_ms` milliseconds
    (an hour at most). Of the webhooks `served`, by their ids, it takes none while others have something due.

    However many workers claim at once, none gets what another holds, and of a webhook hardly more than `MOST_AT_ONCE`
    are held. Deliveries of a webhook that was deleted or disabled are not attempted any more: they fail here, and no
    mail tells of it.
    """
    while True:
        # Most often nothing is due, and to write, even nothing, has the disk confirm it.
        with env.store.read() as tx:
            now = env.now()
            if not _find_due(tx, now, served) and not any(tx.find(Delivery, each) for each in _far(now)):
                return []
        found: list[Claim | None] = []
        with env.store.transaction() as tx:
            # Asked for in here, because to begin may take a while, which a hold is not to lose.
            now = env.now()
            _bring_near(tx, now)
            while len(found) < most and (due := _find_due(tx, now, served, "skip")):
                found.append(_hold(tx, due[0], now, hold_ms))
        claims = [each for each in found if each is not None]
        # Where all that was found has failed here, something that can be attempted may be due behind it.
        if claims or not found:
            return claims


def _find_due(
    tx: Transaction, now: int, served: frozenset[str], lock: Literal["none", "skip"] = "none"
) -> list[Delivery]:
    """The delivery that is to be attempted next, or none."""
    held = tx.find(Delivery, _held_until(now + 1))
    counted = Counter(each.webhook_id for each in held)
    busy = frozenset(webhook_id for webhook_id, count in counted.items() if count >= MOST_AT_ONCE)
    for passed in dict.fromkeys((busy | served, busy)):
        conditions = (
            Where("state", "is", "waiting"),
            Where("next_ms", "below", now + 1),
            Where("held_until_ms", "below", now + 1),
            Where("webhook_id", "not_in", tuple(passed)),
        )
        if found := tx.find(Delivery, Query(conditions, (Order("next_ms"),), limit=1, lock=lock)):
            return found
    return []


def _far(now: int) -> tuple[Query, ...]:
    """What is due, or held, so late that only a clock that ran ahead can have said so."""
    late = now + FAR_MS + 1
    return (
        Query((Where("state", "is", "waiting"), Where("next_ms", "at_least", late)), limit=_BATCH),
        replace(_held_until(late), limit=_BATCH),
    )


def _held_until(least_ms: int) -> Query:
    # In the order of its index: in that of the ids, SQLite would look at every delivery there is.
    return Query((Where("held_until_ms", "at_least", least_ms),), (Order("held_until_ms"),))


def _bring_near(tx: Transaction, now: int) -> None:
    """Have what is far off be due, or free, now."""
    for query in _far(now):
        for each in tx.find(Delivery, replace(query, lock="skip")):
            late = now + FAR_MS
            tx.put(
                replace(
                    each,
                    next_ms=now if each.next_ms > late else each.next_ms,
                    held_until_ms=0 if each.held_until_ms > late else each.held_until_ms,
                )
            )


def _hold(tx: Transaction, delivery: Delivery, now: int, hold_ms: int) -> Claim | None:
    event = tx.get(Event, delivery.event_id)
    webhook = tx.get(Webhook, delivery.webhook_id)
    project = tx.get(Project, delivery.project_id)
    if event is None or project is None or webhook is None or not webhook.enabled:
        tx.put(replace(delivery, state="failed", next_ms=now))
        return None
    held = replace(delivery, held_until_ms=now + hold_ms)
    tx.put(held)
    return Claim(held, event, webhook, project)
