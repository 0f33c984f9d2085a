"""Which records cannot be without another, and by which field they name it. Every store keeps to this.

A store refuses a record that names what is not there, and to remove what is named still. It removes nothing of its own
accord: what goes with a record is for the use cases to say, and what they forget is to be found, not to vanish.

Not here is what names something that it may outlive, or that was never a record: an item's channel; an activity's key
and target; of an action's run the action, the queue, and the author, of whom it tells that they were deleted; a
delivery's webhook; and the lists of ids that keys and actions have.
"""

from __future__ import annotations

from collections.abc import Mapping

from seemly.core.errors import NotFoundError
from seemly.service.base.records import (
    Action,
    ActionRun,
    Activity,
    Attempt,
    Author,
    ChannelRecord,
    Delivery,
    Event,
    Item,
    Key,
    Member,
    Organization,
    Placement,
    Project,
    Queue,
    Usage,
    Webhook,
    WordlistRecord,
)  # fmt: skip

__all__ = ["REFERENCES", "needed", "unfounded"]

REFERENCES: Mapping[type, Mapping[str, type]] = {
    Member: {"organization_id": Organization},
    Project: {"organization_id": Organization},
    ChannelRecord: {"project_id": Project},
    WordlistRecord: {"project_id": Project, "channel_id": ChannelRecord},
    Key: {"organization_id": Organization, "project_id": Project},
    Activity: {"organization_id": Organization},
    Usage: {"organization_id": Organization},
    Author: {"project_id": Project},
    Item: {"project_id": Project, "author_id": Author},
    Queue: {"project_id": Project},
    Placement: {"project_id": Project, "queue_id": Queue, "item_id": Item},
    Action: {"project_id": Project},
    ActionRun: {"project_id": Project, "item_id": Item},
    Webhook: {"project_id": Project},
    Event: {"project_id": Project, "item_id": Item, "author_id": Author},
    Delivery: {"project_id": Project, "event_id": Event},
    Attempt: {"project_id": Project, "delivery_id": Delivery},
}
"""By kind, the fields that name a record, and of which kind that is. Where one is None, it names none."""


def unfounded(kind: type) -> NotFoundError:
    """What a store raises for a new record of a kind that names what is not there."""
    return NotFoundError(f"what this {kind.__name__} belongs to does not exist, or was deleted meanwhile")


def needed(kind: type) -> RuntimeError:
    """What a store raises for removing a record of a kind that others name: the caller was to remove those before."""
    return RuntimeError(f"other records need this {kind.__name__}: remove those first")
