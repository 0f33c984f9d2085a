"""Queues as the wire has them."""

from __future__ import annotations

from typing import Any

from seemly.frozen import thaw
from seemly.service.records import Queue

__all__ = ["view_queue"]


def view_queue(queue: Queue, *, resolved: int, unresolved: int) -> dict[str, Any]:
    """A queue, with how many of its items are resolved and how many are not."""
    return {
        "id": queue.id,
        "name": queue.name,
        "description": queue.description,
        "filter": thaw(queue.filter),
        "totalItemsCount": resolved + unresolved,
        "resolvedItemsCount": resolved,
        "unresolvedItemsCount": unresolved,
    }
