"""What members may do in the console, by their role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from seemly.core.errors import ForbiddenError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Member
from seemly.service.management.keys import ActingKey

__all__ = ["ALLOWED", "Area", "acting_key", "may", "require"]

Area = Literal["review", "settings", "keys", "members"]
"""Queues, items, authors, decisions and reports; channels, webhooks and projects; keys; members and the audit log."""

ALLOWED: Mapping[str, frozenset[Area]] = {
    "member": frozenset({"review"}),
    "admin": frozenset({"review", "settings", "keys", "members"}),
    "owner": frozenset({"review", "settings", "keys", "members"}),
}
"""The areas of each role. Within `members`, owners alone may add, change or remove owners."""


def may(member: Member, area: Area) -> bool:
    """Whether a member may enter an area."""
    return area in ALLOWED[member.role]


def require(member: Member, area: Area) -> None:
    """Raise ForbiddenError unless a member may enter an area."""
    if not may(member, area):
        raise ForbiddenError("only owners and admins of the organization may do this")


def acting_key(env: Environment, member: Member) -> ActingKey:
    """The key that use cases of projects and channels are called with, in a member's name: it reads and writes where
    the member may change settings, else nothing."""
    level: Literal["none", "write"] = "write" if may(member, "settings") else "none"
    return ActingKey(
        id=member.id,
        organization_id=member.organization_id,
        project_id=None,
        name=member.name,
        digest="",
        hint="",
        created_ms=env.now(),
        projects=level,
        channels=level,
        member_id=member.id,
    )
