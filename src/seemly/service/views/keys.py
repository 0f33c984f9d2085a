"""The wire shape of keys and of the activity log."""

from __future__ import annotations

from typing import Any

from seemly.service.events import to_iso
from seemly.service.keys import Issued
from seemly.service.records import Activity, Key

__all__ = ["view_activity", "view_issued", "view_key"]


def view_key(key: Key) -> dict[str, Any]:
    """A key, of whose secret there is nothing but the last four letters."""
    return {
        "id": key.id,
        "name": key.name,
        "hint": key.hint,
        "projectId": key.project_id,
        "projects": key.projects,
        "channels": key.channels,
        "projectIds": list(key.project_ids),
        "createdAt": to_iso(key.created_ms),
        "expiresAt": _iso(key.expires_ms),
        "stopsAt": _iso(key.stops_ms),
        "lastUsedAt": _iso(key.last_used_ms),
    }


def view_issued(issued: Issued) -> dict[str, Any]:
    """A key that was just made or rolled, with its secret."""
    return {**view_key(issued.key), "secret": issued.secret}


def view_activity(activity: Activity) -> dict[str, Any]:
    """A change, and the key that made it; None where a member did."""
    return {
        "id": activity.id,
        "keyId": activity.key_id,
        "what": activity.what,
        "targetId": activity.target_id,
        "at": to_iso(activity.at_ms),
    }


def _iso(at_ms: int | None) -> str | None:
    return None if at_ms is None else to_iso(at_ms)
