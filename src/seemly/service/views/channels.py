"""The wire shape of channels."""

from __future__ import annotations

from typing import Any

from seemly.frozen import thaw
from seemly.service.channels import SETTINGS
from seemly.service.events import to_iso
from seemly.service.records import ChannelRecord

__all__ = ["view_channel"]


def view_channel(record: ChannelRecord) -> dict[str, Any]:
    """A channel: the interface's fields, all of them and no others."""
    return {
        "id": record.id,
        "projectId": record.project_id,
        "key": record.key,
        "name": record.name,
        "isDefault": record.is_default,
        **{name: thaw(record.settings.get(name, default)) for name, default in SETTINGS.items()},
        "createdAt": to_iso(record.created_ms),
        "updatedAt": to_iso(record.updated_ms),
    }
