"""The wire shape of webhooks."""

from __future__ import annotations

from typing import Any

from seemly.service.base.records import Webhook
from seemly.service.base.times import to_iso

__all__ = ["view_webhook"]


def view_webhook(webhook: Webhook) -> dict[str, Any]:
    """A webhook."""
    return {
        "id": webhook.id,
        "projectId": webhook.project_id,
        "name": webhook.name,
        "url": webhook.url,
        "eventTypes": list(webhook.event_types),
        "description": webhook.description,
        "enabled": webhook.enabled,
        "payloadVersion": "V2",
        "createdAt": to_iso(webhook.created_ms),
    }
