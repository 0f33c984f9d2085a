"""Events: what happened, written down in the transaction in which it happened, for webhooks to hear of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from seemly.core.frozen import thaw
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Query, Transaction, Where, where
from seemly.service.base.records import Attempt, Delivery, Event, Webhook
from seemly.service.base.times import to_iso

__all__ = ["API_VERSION", "EVENT_TYPES", "EventType", "delete_events", "emit"]

API_VERSION = "v2"
"""The version of the envelope."""

EventType = Literal[
    "queue_item.resolved",
    "queue_item.action",
    "queue_item.rejected",
    "queue_item.allowed",
    "author.blocked",
    "author.unblocked",
    "author.suspended",
    "author.updated",
    "author.trust_level_changed",
    "author.action",
]

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
"""The interface's ten types."""


_BATCH = 500


def emit(
    env: Environment,
    tx: Transaction,
    project_id: str,
    kind: EventType,
    resource: Mapping[str, Any],
    *,
    item_id: str | None = None,
    author_id: str | None = None,
) -> Event | None:
    """Write an event and its deliveries into the transaction; None where no webhook of the project wants it.

    `resource` is what the envelope carries as `data.object`; `item_id` and `author_id` are the ids of the item's and
    the author's records that it tells of, with either of which the event is deleted.
    """
    webhooks = [
        each for each in tx.find(Webhook, where("project_id", project_id)) if each.enabled and kind in each.event_types
    ]
    if not webhooks:
        return None
    at_ms = env.now()
    event_id = env.new_id("evt")
    body = {
        "id": event_id,
        "type": kind,
        "api_version": API_VERSION,
        "created": to_iso(at_ms),
        "data": {"object": thaw(resource)},
    }
    event = Event(
        id=event_id,
        project_id=project_id,
        type=kind,
        created_ms=at_ms,
        body=json.dumps(body),
        item_id=item_id,
        author_id=author_id,
    )
    tx.add(event)
    tx.add_all(
        [
            Delivery(
                id=env.new_id("del"),
                project_id=project_id,
                event_id=event_id,
                webhook_id=each.id,
                created_ms=at_ms,
                next_ms=at_ms,
            )
            for each in webhooks
        ]
    )
    return event


def delete_events(tx: Transaction, query: Query) -> int:
    """Delete the events that a query asks for, some 500 at most, with all that was sent of them. Returns how many
    there were: none is left when that is 0, but what the query is to skip."""
    lock: Literal["skip", "wait"] = "skip" if query.lock == "skip" else "wait"
    events = tuple(each.id for each in tx.find(Event, replace(query, limit=_BATCH, lock=lock)))
    of_events = Query((Where("event_id", "in", events),), limit=_BATCH, lock="wait")
    # Locked before their attempts are looked for: a worker that is writing one down ends first, and later ones find
    # no delivery. And again until there are none, since one may be ordered by hand meanwhile.
    while deliveries := tuple(each.id for each in tx.find(Delivery, of_events)):
        tx.remove(Attempt, Query((Where("delivery_id", "in", deliveries),)))
        tx.remove(Delivery, Query((Where("id", "in", deliveries),)))
    tx.remove(Event, Query((Where("id", "in", events),)))
    return len(events)
