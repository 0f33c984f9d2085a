"""How a project fares: what came in, what is recommended and decided, and what waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Item
from seemly.service.base.review_records import Decision
from seemly.service.base.times import DAY_MS

__all__ = ["Day", "Overview", "measure_project"]

_MOST_DECISIONS = 10_000


@dataclass(frozen=True, slots=True)
class Day:
    """A day (UTC), and how many items came in, by the action that was recommended or decided."""

    date: str
    allow: int
    review: int
    reject: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.allow + self.review + self.reject


@dataclass(frozen=True, slots=True)
class Overview:
    """The last days of a project. `policies` are those that flagged, with how many items each; `pending` are the items
    to review, of which the oldest came `oldest_ms` ago; `decisions` by member, `median_ms` the median time that a
    reviewer looked at an item before they decided."""

    days: tuple[Day, ...]
    policies: tuple[tuple[str, int], ...]
    pending: int
    oldest_ms: int | None
    decisions: tuple[tuple[str, int], ...]
    median_ms: int | None


def measure_project(
    env: Environment, tx: Transaction, project_id: str, policies: tuple[str, ...], days: int = 14
) -> Overview:
    """Measure the last days of a project, today included; `policies` are those that are counted."""
    now_ms = env.now()
    today = now_ms - now_ms % DAY_MS
    of_project = Where("project_id", "is", project_id)
    since = today - (days - 1) * DAY_MS
    told = []
    for number in range(days):
        start = since + number * DAY_MS
        within = (of_project, Where("created_ms", "at_least", start), Where("created_ms", "below", start + DAY_MS))
        counts = [
            tx.count(Item, Query((*within, Where("action", "is", action)))) for action in ("allow", "review", "reject")
        ]
        told.append(Day(datetime.fromtimestamp(start / 1000, UTC).date().isoformat(), *counts))
    recent = (of_project, Where("created_ms", "at_least", since))
    flagged = [(each, tx.count(Item, Query((*recent, Where("labels", "holds_any", (each,)))))) for each in policies]
    pending = (of_project, Where("status", "is", "pending"))
    oldest = tx.find(Item, Query(pending, (Order("created_ms"),), limit=1))
    decided = tx.find(
        Decision,
        Query((of_project, Where("at_ms", "at_least", since)), (Order("at_ms", descending=True),), _MOST_DECISIONS),
    )
    counted = [each for each in decided if each.state in ("released", "waiting")]
    spent = sorted(each.spent_ms for each in counted if each.spent_ms is not None)
    return Overview(
        tuple(told),
        tuple(sorted((each for each in flagged if each[1]), key=lambda each: -each[1])),
        tx.count(Item, Query(pending)),
        now_ms - oldest[0].created_ms if oldest else None,
        tuple(Counter(each.member_id for each in counted).most_common()),
        spent[len(spent) // 2] if spent else None,
    )
