"""Former settings of a channel: listed, and put back; and thresholds changed with a note."""

from __future__ import annotations

from dataclasses import replace

from seemly.core.frozen import thaw
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Transaction
from seemly.service.base.records import ChannelRecord, Key
from seemly.service.base.requests import Body
from seemly.service.base.review_records import ChannelVersion
from seemly.service.management.channels import Check, find_channel, put_part, touch, versions_of
from seemly.service.management.keys import find_within, log, require_permission

__all__ = ["list_versions", "put_thresholds", "roll_back"]


def list_versions(tx: Transaction, key: Key, channel_id: str) -> list[ChannelVersion]:
    """What a channel's settings were before, the latest first. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "channels", "read")
    return tx.find(ChannelVersion, versions_of(find_channel(tx, key, channel_id).id))


def roll_back(
    env: Environment, tx: Transaction, key: Key, version_id: str, *, check: Check | None = None
) -> ChannelRecord:
    """Give a channel the settings of a version again; those that it has become a version themselves.

    Raises ForbiddenError, NotFoundError, and ContentError where they cannot work any more.
    """
    require_permission(tx, key, "channels", "write")
    version = find_within(tx, key, ChannelVersion, version_id, "version")
    record = find_channel(tx, key, version.channel_id, lock=True)
    note = f"rolled back to revision {version.revision}"
    changed = touch(env, tx, replace(record, settings=version.settings), check, by=key.name, note=note)
    log(env, tx, key, "channel.rolled_back", record.id)
    return changed


def put_thresholds(
    env: Environment, tx: Transaction, key: Key, channel_id: str, wire: object, *, check: Check | None = None
) -> ChannelRecord:
    """Change the thresholds of some policies of a channel; the body: `thresholds`, by the policies' ids, and `note`.

    Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "channels", "write")
    record = find_channel(tx, key, channel_id, lock=True)
    body = Body(wire)
    thresholds = thaw(body.mapping("thresholds"))
    note = body.text("note", None, most=1_000) or None
    body.done()
    policies = [dict(each) for each in thaw(record.settings).get("policies", ())]
    for policy, threshold in thresholds.items():
        held = next((each for each in policies if each["id"] == policy), None)
        if held is None:
            policies.append({"id": policy, "threshold": threshold})
        else:
            held["threshold"] = threshold
    return put_part(env, tx, key, channel_id, "policies", policies, check=check, note=note)
