"""What was submitted to a project in the last day, week, month or quarter: totals, volumes, and who and what flagged.

Only content that was stored counts. Counts are the database's; what needs an item's result, or its author, is told of
the newest 10,000 items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from seemly.policies.builtin import BUILTIN
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Action, ActionRun, Author, ChannelRecord, Item, WordlistRecord
from seemly.service.base.requests import Body
from seemly.service.base.times import DAY_MS, to_iso
from seemly.service.moderation.lookup import find_channel

__all__ = [
    "MAX_LISTED", "RANGES_MS", "measure_authors", "measure_automation", "measure_channels", "measure_policies",
    "measure_volumes", "summarize",
]  # fmt: skip

_HOUR_MS = DAY_MS // 24

RANGES_MS = {"24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS}
"""The periods, each up to now, in milliseconds."""

MAX_LISTED = 100
"""The most policies or authors that are listed."""

_MOST = 10_000
_NEWEST = Order("created_ms", descending=True)

_SPIKE_FLAGGED = 10
_SPIKE_MULTIPLE = 2.0
"""The flag rate spikes if it is at least twice the rate before, and at least ten items flagged."""


@dataclass(frozen=True, slots=True)
class _Period:
    """A part of time in a project, or in one channel of it, from `start_ms` until before `end_ms`."""

    tx: Transaction
    project_id: str
    channel: ChannelRecord | None
    name: str
    start_ms: int
    end_ms: int

    def between(self, start_ms: int, end_ms: int) -> _Period:
        return replace(self, start_ms=start_ms, end_ms=end_ms)

    def before(self) -> _Period:
        """The period of the same length before this one."""
        return self.between(2 * self.start_ms - self.end_ms, self.start_ms)

    def conditions(self, *more: Where) -> tuple[Where, ...]:
        of_channel = () if self.channel is None else (Where("channel_id", "is", self.channel.id),)
        return (
            Where("project_id", "is", self.project_id),
            Where("created_ms", "at_least", self.start_ms),
            Where("created_ms", "below", self.end_ms),
            *of_channel,
            *more,
        )

    def count(self, *more: Where) -> int:
        return self.tx.count(Item, Query(self.conditions(*more)))

    def find(self, *more: Where) -> list[Item]:
        """The newest items."""
        return self.tx.find(Item, Query(self.conditions(*more), (_NEWEST,), limit=_MOST))

    def count_actions(self) -> Counter[str]:
        """How many items each action was recommended for, before anybody reviewed them."""
        pending = Where("status", "is", "pending")
        counted = Counter({each: self.count(pending, Where("action", "is", each)) for each in _ACTIONS})
        # A review may change an item's action; what was recommended stands in its result.
        counted.update(_recommended(item) for item in self.find(Where("status", "is", "resolved")))
        return counted

    def view(self, **more: Any) -> dict[str, Any]:
        return {"range": self.name, "channelId": None if self.channel is None else self.channel.id, **more}


_ACTIONS = ("allow", "review", "reject")
_FLAGGED = Where("flagged", "is", True)


def summarize(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """The totals of a `range` and of the one before, in a `channel` (id or key) if one is named. Raises ContentError,
    NotFoundError."""
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    body.done()
    pending = (Where("status", "is", "pending"), Where("action", "is", "review"))
    return period.view(
        totals={**_total(period), "distinctAuthors": _count_authors(period)},
        previousPeriod=_total(period.before()),
        pendingReview=tx.count(Item, Query((*replace(period, start_ms=0).conditions(), *pending))),
        flagRateSpike=_find_spike(period),
    )


def measure_volumes(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """How much was submitted an hour, for `24h`, or else a day. Raises ContentError, NotFoundError."""
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    body.done()
    step_ms, bucket = (_HOUR_MS, "hour") if period.name == "24h" else (DAY_MS, "day")
    first_ms = period.start_ms // step_ms * step_ms
    starts = range(max(0, first_ms), period.end_ms, step_ms)
    parts = [
        period.between(max(start_ms, period.start_ms), min(start_ms + step_ms, period.end_ms)) for start_ms in starts
    ]
    volumes = []
    for start_ms, part in zip(starts, parts, strict=True):
        actions = part.count_actions()
        volumes.append(
            {
                "start": to_iso(start_ms),
                "requests": part.count(),
                "flagged": part.count(_FLAGGED),
                "rejected": actions["reject"],
                "sentToReview": actions["review"],
            }
        )
    return period.view(bucket=bucket, volumes=volumes)


def measure_automation(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """How much was decided without a reviewer, and what reviewers decided. Raises ContentError, NotFoundError."""
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    body.done()
    items = period.find()
    rules = Counter(rule["name"] for item in items for rule in _recommendation(item).get("matched_rules", ()))
    reviewed = [item for item in items if _recommended(item) == "review"]
    resolved = [item for item in items if item.status == "resolved"]
    decided = _find_decided(tx, project_id, resolved)
    verdicts = Counter(item.action for item in resolved if item.id in decided)
    return period.view(
        flagged=sum(item.flagged for item in items),
        handledByRules=sum("rule_match" in _recommendation(item).get("reason_codes", ()) for item in items),
        handledByCasebook=0,
        sentToReview=len(reviewed),
        mergedDuplicates=0,
        automationRate=1 - len(reviewed) / len(items) if items else None,
        reviewsAllowed=verdicts["allow"],
        reviewsRejected=verdicts["reject"],
        reviewsResolvedWithoutDecision=len(resolved) - verdicts["allow"] - verdicts["reject"],
        reviewsUnresolved=sum(item.status == "pending" for item in reviewed),
        casebookOverrulings=0,
        rules=[{"name": name, "count": count} for name, count in rules.most_common()],
    )


def measure_policies(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """Which policies flagged most, and how often in the period before; the first `limit` (8 unless given).

    Raises ContentError, NotFoundError.
    """
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    limit = body.integer("limit", 8, least=1, most=MAX_LISTED)
    body.done()
    lists = tx.find(WordlistRecord, where("project_id", project_id))
    ids = dict.fromkeys([*(spec.id for spec in BUILTIN), *(f"wordlist:{each.key}" for each in lists)])
    counted = Counter({each: period.count(Where("labels", "holds_any", (each,))) for each in ids})
    return period.view(
        policies=[
            {
                "label": label,
                "flagged": count,
                "previousFlagged": period.before().count(Where("labels", "holds_any", (label,))),
            }
            for label, count in counted.most_common(limit)
            if count
        ]
    )


def measure_channels(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """How much was submitted to each channel, and how much of it flagged. Raises ContentError."""
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    body.done()
    channels = []
    for channel in tx.find(ChannelRecord, replace(where("project_id", project_id), order=(Order("created_ms"),))):
        of_channel = replace(period, channel=channel)
        requests, flagged = of_channel.count(), of_channel.count(_FLAGGED)
        told = {"id": channel.id, "name": channel.name, "requests": requests, "flagged": flagged}
        channels.append({**told, "flagRate": flagged / requests if requests else 0.0})
    return {"range": period.name, "channels": channels}


def measure_authors(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """Whose content flagged most; the first `limit` (6 unless given). Raises ContentError, NotFoundError."""
    body = Body(wire)
    period = _read_period(env, tx, project_id, body)
    limit = body.integer("limit", 6, least=1, most=MAX_LISTED)
    body.done()
    counted = Counter(item.author_id for item in period.find(_FLAGGED) if item.author_id is not None)
    ranked = counted.most_common(limit)
    ids = tuple(author_id for author_id, _ in ranked)
    known = {each.id: each for each in tx.find(Author, Query((Where("id", "in", ids),)))}
    return period.view(
        authors=[
            {"authorId": known[each].external_id, "name": known[each].name, "flagged": count}
            for each, count in ranked
            if each in known
        ]
    )


def _read_period(env: Environment, tx: Transaction, project_id: str, body: Body) -> _Period:
    name = body.choice("range", tuple(RANGES_MS), "30d")
    named = body.text("channel", None)
    channel = None if named is None else find_channel(tx, project_id, named)
    # What is submitted now counts, too.
    end_ms = env.now() + 1
    return _Period(tx, project_id, channel, name, end_ms - RANGES_MS[name], end_ms)


def _total(period: _Period) -> dict[str, Any]:
    requests, flagged, actions = period.count(), period.count(_FLAGGED), period.count_actions()
    passed = period.count(_FLAGGED, Where("status", "is", "pending"), Where("action", "is", "allow"))
    reviewed = period.find(_FLAGGED, Where("status", "is", "resolved"))
    return {
        "requests": requests,
        "flagged": flagged,
        "flagRate": flagged / requests if requests else 0.0,
        "allowed": actions["allow"],
        "rejected": actions["reject"],
        "sentToReview": actions["review"],
        "handledAutomatically": requests - actions["review"],
        "flaggedButAllowed": passed + sum(_recommended(item) == "allow" for item in reviewed),
    }


def _count_authors(period: _Period) -> int:
    if period.channel is not None:
        return len({item.author_id for item in period.find() if item.author_id is not None})
    seen = (Where("project_id", "is", period.project_id), Where("last_seen_ms", "at_least", period.start_ms))
    return period.tx.count(Author, Query(seen))


def _find_spike(period: _Period) -> dict[str, Any] | None:
    """How much more flags now, in the last day (of `24h` in the last hour), than in the rest of the period; None if it
    is not much more."""
    recent_ms = period.end_ms - (_HOUR_MS if period.name == "24h" else DAY_MS)
    recent, rest = period.between(recent_ms, period.end_ms), period.between(period.start_ms, recent_ms)
    requests, flagged = recent.count(), recent.count(_FLAGGED)
    baseline, total = rest.count(_FLAGGED), rest.count()
    if flagged < _SPIKE_FLAGGED or not baseline:
        return None
    multiple = (flagged / requests) / (baseline / total)
    if multiple < _SPIKE_MULTIPLE:
        return None
    return {
        "multiple": multiple,
        "recentFlagRate": flagged / requests,
        "baselineFlagRate": baseline / total,
        "recentFlagged": flagged,
        "recentRequests": requests,
    }


def _find_decided(tx: Transaction, project_id: str, items: Sequence[Item]) -> set[str | None]:
    """The ids of those items that an action rejected or allowed."""
    kinds = (Where("project_id", "is", project_id), Where("type", "in", ("ITEM_REJECT", "ITEM_ALLOW")))
    actions = tuple(action.id for action in tx.find(Action, Query(kinds)))
    ids = tuple(item.id for item in items)
    ran = (Where("item_id", "in", ids), Where("action_id", "in", actions))
    return {run.item_id for run in tx.find(ActionRun, Query(ran))}


def _recommendation(item: Item) -> Any:
    return item.result.get("recommendation", {})


def _recommended(item: Item) -> str:
    action: str = _recommendation(item).get("action", item.action)
    return action
