"""Name the run of an action that caused a change, and give its wire form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seemly.service.base.times import to_iso

__all__ = ["AUTO_UNBLOCK", "Cause", "view_cause"]

AUTO_UNBLOCK = "auto_unblock"
"""The key of the action by which a suspension ends when its time is up."""


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
