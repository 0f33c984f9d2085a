"""The organization: its members, what its plan allows, and what it has used of its quota this month."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from seemly.core.errors import ForbiddenError, NotFoundError, TooManyRequestsError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Key, Member, Organization, Project, Usage
from seemly.service.base.requests import Body
from seemly.service.management.keys import log, require_admin, require_permission, require_plan

__all__ = [
    "ROLES", "Account", "add_member", "add_usage", "count_units", "find_member", "find_organization", "find_principal",
    "get_account", "list_members", "month_of", "remove_member", "require_quota", "seconds_to_next_month",
    "update_member", "update_organization",
]  # fmt: skip

Role = Literal["owner", "admin", "member"]

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Account:
    """What a key can learn of its organization: the units used this month, and the key's project if it has one."""

    organization: Organization
    used: int
    project: Project | None = None


def get_account(env: Environment, tx: Transaction, key: Key) -> Account:
    """The account of a key. Raises ForbiddenError for an organization key whose plan has no management API."""
    if key.project_id is None:
        require_plan(tx, key)
    organization = find_organization(tx, key.organization_id)
    usage = tx.get(Usage, _usage_id(organization.id, month_of(env.now())))
    project = None if key.project_id is None else tx.get(Project, key.project_id)
    return Account(organization, 0 if usage is None else usage.units, project)


def find_organization(tx: Transaction, organization_id: str, *, lock: bool = False) -> Organization:
    """An organization; with `lock`, kept from others. Raises NotFoundError."""
    organization = tx.get(Organization, organization_id, lock=lock)
    if organization is None:
        raise NotFoundError("this organization does not exist")
    return organization


def find_principal(tx: Transaction, key: Key) -> Member:
    """The owner in whose name an organization key acts that may do everything else. Raises ForbiddenError."""
    require_permission(tx, key, "projects", "write")
    require_permission(tx, key, "channels", "write")
    if key.project_ids:
        raise ForbiddenError("a key limited to some projects cannot manage the organization, its members or its keys")
    owners = [each for each in list_members(tx, key.organization_id) if each.role == "owner"]
    if not owners:
        raise ForbiddenError("this organization has no owner in whose name it can be managed")
    return owners[0]


def update_organization(
    env: Environment, tx: Transaction, member: Member, wire: object, *, by: Key | None = None
) -> Organization:
    """Change the organization's `name`, for an owner or admin; `by` is the key that asks in their name, if one does.

    Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_admin(member)
    organization = find_organization(tx, member.organization_id, lock=True)
    body = Body(wire)
    changed = replace(organization, name=body.text("name", organization.name, least=1, most=200))
    body.done()
    tx.put(changed)
    log(env, tx, by or member, "organization.updated", changed.id)
    return changed


def add_usage(env: Environment, tx: Transaction, organization_id: str, units: int) -> Usage:
    """Count units as used this month. Raises NotFoundError, and TooManyRequestsError where the quota has not so many
    left; `retry_after` is then the time to the month's end (UTC), in seconds.
    """
    quota = find_organization(tx, organization_id).quota
    counted = count_units(tx, organization_id, month_of(env.now()), units)
    if quota is not None and counted.units > quota:
        raise _spent(env)
    return counted


def require_quota(env: Environment, tx: Transaction, organization: Organization) -> None:
    """Raise TooManyRequestsError where nothing is left of this month's quota, before anything is done for nothing."""
    if organization.quota is None:
        return
    usage = tx.get(Usage, _usage_id(organization.id, month_of(env.now())))
    if (0 if usage is None else usage.units) >= organization.quota:
        raise _spent(env)


def count_units(tx: Transaction, organization_id: str, month: str, units: int) -> Usage:
    """Count units as used in a calendar month (UTC) such as `2026-03`, whatever the quota. Raises NotFoundError."""
    usage_id = _usage_id(organization_id, month)
    usage = tx.get(Usage, usage_id, lock=True)
    if usage is None:
        # The organization is locked, so that two first requests of a month do not both begin its count.
        find_organization(tx, organization_id, lock=True)
        usage = tx.get(Usage, usage_id, lock=True) or Usage(id=usage_id, organization_id=organization_id, month=month)
    counted = replace(usage, units=usage.units + units)
    tx.put(counted)
    return counted


def month_of(at_ms: int) -> str:
    """The calendar month (UTC) of a time in Unix milliseconds, such as `2026-03`."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y-%m")


def seconds_to_next_month(at_ms: int) -> int:
    """How many seconds, rounded up, a calendar month (UTC) still has at a time in Unix milliseconds."""
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    year, month = (at.year + 1, 1) if at.month == 12 else (at.year, at.month + 1)
    end_ms = int(datetime(year, month, 1, tzinfo=UTC).timestamp()) * 1000
    return -((at_ms - end_ms) // 1000)


def find_member(tx: Transaction, member_id: str) -> Member:
    """A member. Raises NotFoundError."""
    member = tx.get(Member, member_id)
    if member is None:
        raise NotFoundError("this member does not exist")
    return member


def list_members(tx: Transaction, organization_id: str) -> list[Member]:
    """An organization's members, the first first."""
    return tx.find(Member, Query((Where("organization_id", "is", organization_id),), (Order("created_ms"),)))


def add_member(env: Environment, tx: Transaction, member: Member, wire: object, *, by: Key | None = None) -> Member:
    """Add a member, for an owner or admin: `name`, `email` and `role` (member where left out; an owner by owners only).
    `by` is the key that asks in their name, if one does.

    Raises ForbiddenError, ContentError.
    """
    require_admin(member)
    blank = Member(id=env.new_id("mem"), organization_id=member.organization_id, created_ms=env.now())
    added = _read(Body(wire), blank)
    _require_rank(member, added)
    tx.add(added)
    log(env, tx, by or member, "member.added", added.id)
    return added


def update_member(
    env: Environment, tx: Transaction, member: Member, member_id: str, wire: object, *, by: Key | None = None
) -> Member:
    """Change a member, for an owner or admin; what is left out stays as it is. Owners are changed by owners only.
    `by` is the key that asks in their name, if one does.

    Raises ForbiddenError, NotFoundError, and ContentError where no owner would be left.
    """
    require_admin(member)
    held = _held(tx, member, member_id)
    _require_rank(member, held)
    body = Body(wire)
    changed = _read(body, held)
    _require_rank(member, changed)
    if held.role == "owner" and changed.role != "owner" and _is_last_owner(tx, held):
        body.wrong("role", "must stay owner, as this is the only one; make another member an owner first")
        body.done()
    tx.put(changed)
    log(env, tx, by or member, "member.updated", changed.id)
    return changed


def remove_member(
    env: Environment, tx: Transaction, member: Member, member_id: str, *, by: Key | None = None
) -> Member:
    """Remove a member, for an owner or admin. Owners are removed by owners only. Who it was is returned.
    `by` is the key that asks in their name, if one does.

    Raises ForbiddenError, NotFoundError, and ContentError where no owner would be left.
    """
    require_admin(member)
    held = _held(tx, member, member_id)
    _require_rank(member, held)
    if held.role == "owner" and _is_last_owner(tx, held):
        body = Body({})
        body.wrong("id", "is the only owner; make another member an owner first")
        body.done()
    tx.remove(Member, where("id", held.id))
    log(env, tx, by or member, "member.removed", held.id)
    return held


def _read(body: Body, held: Member) -> Member:
    changed = replace(
        held,
        name=body.text("name", held.name, most=200),
        email=body.text("email", held.email, least=3, most=320, null=True),
        role=body.choice("role", ROLES, held.role),
    )
    email = changed.email
    # A line break would end the address in the mail's head, and begin what somebody else says there.
    if email is not None and ("@" not in email[1:-1] or not email.isprintable() or " " in email):
        body.wrong("email", "must be an e-mail address")
    body.done()
    return changed


def _require_rank(member: Member, other: Member) -> None:
    if other.role == "owner" and member.role != "owner":
        raise ForbiddenError("only owners of the organization may do this")


def _held(tx: Transaction, member: Member, member_id: str) -> Member:
    # The organization is locked: that it keeps an owner is said of all its members together.
    find_organization(tx, member.organization_id, lock=True)
    held = tx.get(Member, member_id, lock=True)
    if held is None or held.organization_id != member.organization_id:
        raise NotFoundError("this member does not exist")
    return held


def _is_last_owner(tx: Transaction, member: Member) -> bool:
    conditions = (Where("organization_id", "is", member.organization_id), Where("role", "is", "owner"))
    return tx.count(Member, Query(conditions)) == 1


def _spent(env: Environment) -> TooManyRequestsError:
    return TooManyRequestsError("the quota of this month is spent", seconds_to_next_month(env.now()))


def _usage_id(organization_id: str, month: str) -> str:
    return f"{organization_id}:{month}"
