"""The wire shape of webhooks."""

from __future__ import annotations

from typing import Any

from seemly.service.base.records import Webhook
from seemly.service.base.times import to_iso
from seemly.service.webhooks.events import EVENT_TYPES

__all__ = ["view_webhook"]


def view_webhook(webhook: Webhook) -> dict[str, Any]:
    """A webhook. The actions that it hears of stand with those actions."""
    return {
        "id": webhook.id,
        "projectId": webhook.project_id,
        "name": webhook.name,
        "url": webhook.url,
        "eventTypes": [each for each in webhook.event_types if each in EVENT_TYPES],
        "description": webhook.description,
        "enabled": webhook.enabled,
        "payloadVersion": "V2",
        "createdAt": to_iso(webhook.created_ms),
    }
