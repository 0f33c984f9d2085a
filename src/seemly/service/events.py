"""Events: what happened, written down in the transaction in which it happened, for webhooks to hear of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from seemly.frozen import thaw
from seemly.service.environment import Environment
from seemly.service.ports import Transaction, where
from seemly.service.records import Delivery, Event, Webhook

__all__ = ["API_VERSION", "EVENT_TYPES", "EventType", "emit", "to_iso"]

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


def to_iso(at_ms: int) -> str:
    """A time, in Unix milliseconds, as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def emit(
    env: Environment, tx: Transaction, project_id: str, kind: EventType, resource: Mapping[str, Any]
) -> Event | None:
    """Write an event and its deliveries into the transaction; None where no webhook of the project wants it.

    `resource` is what the envelope carries as `data.object`.
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
    event = Event(id=event_id, project_id=project_id, type=kind, created_ms=at_ms, body=json.dumps(body))
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
