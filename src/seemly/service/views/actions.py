"""Actions, and what events tell of their runs, as the wire has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seemly.service.events import to_iso
from seemly.service.records import Action

__all__ = ["Cause", "view_action", "view_cause"]


@dataclass(frozen=True, slots=True)
class Cause:
    """The run of an action that something happened by: which action, the value that came with it, when (Unix
    milliseconds), and from which queue."""

    id: str
    key: str | None
    name: str
    at_ms: int
    value: str | None = field(default=None, repr=False)
    queue_id: str | None = None


def view_cause(cause: Cause, **related: Any) -> dict[str, Any]:
    """The `data.object` of an action's event; `related` are the `item` and `author` that it is about."""
    queue = {} if cause.queue_id is None else {"queue": {"id": cause.queue_id}}
    return {
        "id": cause.id,
        "key": cause.key,
        "name": cause.name,
        "value": cause.value,
        "created_at": to_iso(cause.at_ms),
        **queue,
        **{name: each for name, each in related.items() if each is not None},
    }


def view_action(action: Action) -> dict[str, Any]:
    """An action."""
    return {
        "id": action.id,
        "key": action.key,
        "name": action.name,
        "description": action.description,
        "type": action.type,
        "builtIn": action.built_in,
        "position": action.position,
        "filterInQueueIds": list(action.filter_in_queue_ids),
        "queueBehaviour": action.queue_behaviour,
        "possibleValues": [{"value": value} for value in action.possible_values],
        "freeText": action.free_text,
        "valueRequired": action.value_required,
        "createdAt": to_iso(action.created_ms),
    }
