"""Wire forms of queues, items and actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seemly.core.frozen import thaw
from seemly.service.base.records import Action, ActionRun, Author, Item, Queue
from seemly.service.base.times import to_iso

__all__ = ["view_action", "view_event_item", "view_item", "view_queue"]


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


def view_item(item: Item, external_id: str | None, runs: Sequence[tuple[ActionRun, str]] = ()) -> dict[str, Any]:
    """An item of a queue. Its id is the content's, its author's the caller's own, `external_id`; `runs` are the
    actions that were executed on it, each with the action's name. Times are in Unix milliseconds."""
    return {
        "id": item.content_id,
        "content": item.text or item.content.get("url", ""),
        "contentType": item.meta_type,
        "flagged": item.flagged,
        "labels": [
            {"label": each["id"], "score": each["probability"], "flagged": each["flagged"]}
            for each in item.result.get("policies", ())
        ],
        "language": item.language,
        "authorId": external_id,
        "conversationId": item.conversation_id,
        "status": item.status,
        "timestamp": item.timestamp_ms,
        "actions": [
            {
                "id": run.action_id,
                "name": name,
                "timestamp": run.at_ms,
                "comment": run.comment,
                "reviewer": run.reviewer,
            }
            for run, name in runs
        ],
    }


def view_event_item(item: Item, author: Author | None) -> dict[str, Any]:
    """An item within an event."""
    policies = item.result.get("policies", ())
    return {
        "id": item.content_id,
        "flagged": item.flagged,
        "labels": [_view_label(each) for each in policies],
        "flagged_fields": list(dict.fromkeys(field for each in policies for field in each.get("flagged_fields", ()))),
        "language": item.language,
        "content": thaw(item.content),
        "timestamp": to_iso(item.timestamp_ms),
        "metadata": thaw(item.metadata),
        "client_action": thaw(item.client_action),
        "conversation_id": item.conversation_id,
        "author_id": None if author is None else author.external_id,
        "channel_key": item.channel_key,
        "meta_type": item.meta_type,
    }


def _view_label(policy: Any) -> dict[str, Any]:
    view = {"label": policy["id"], "score": policy["probability"], "flagged": policy["flagged"]}
    return {**view, "matches": thaw(policy["matches"])} if "matches" in policy else view


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
