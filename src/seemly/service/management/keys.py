"""Secret keys: who may call, what they may do, and how keys are made, rolled and deleted."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar, get_args

from seemly.core.errors import ConflictError, ForbiddenError, NotFoundError, UnauthorizedError
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Record, Transaction, Where, where
from seemly.service.base.records import Activity, Key, Level, Member, Organization, Project
from seemly.service.base.requests import Body
from seemly.service.base.times import DAY_MS

__all__ = [
    "DELAYS_MS", "LIFETIMES_DAYS", "ORGANIZATION_PREFIX", "PROJECT_PREFIX", "Issued", "authenticate", "delete_key",
    "find_key", "find_project", "find_within", "issue", "list_activity", "list_keys", "log", "make_organization_key",
    "make_project_key", "reaches", "record_use", "require_admin", "require_every_project", "require_management",
    "require_moderation", "require_permission", "require_plan", "roll_key",
]  # fmt: skip

Resource = Literal["projects", "channels"]

PROJECT_PREFIX = "proj_"
ORGANIZATION_PREFIX = "sk_org_"

LIFETIMES_DAYS = (30, 90, 365)
"""How long a key may live; it may also live for ever."""

DELAYS_MS: Mapping[str, int] = {"now": 0, "1h": 3_600_000, "24h": DAY_MS, "7d": 7 * DAY_MS}
"""How long a key that is rolled may still be used."""

USE_MS = 60_000
"""How exact the record of a key's last use is."""

LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Issued:
    """A new key with its secret, which is shown this once and kept nowhere."""

    key: Key
    secret: str = field(repr=False)


def find_key(env: Environment, tx: Transaction, secret: str | None) -> Key:
    """The key of a secret. Raises UnauthorizedError where none was given, or one that is unknown or ended."""
    if not secret:
        raise UnauthorizedError("no key was given; send the header Authorization: Bearer <API_KEY>")
    digest = _digest(secret)
    key = next(iter(tx.find(Key, where("digest", digest))), None)
    if key is None or not hmac.compare_digest(key.digest, digest):
        raise UnauthorizedError("this key is unknown or was deleted")
    if key.expires_ms is not None and key.expires_ms <= env.now():
        raise UnauthorizedError("this key has expired; make a new one")
    if key.stops_ms is not None and key.stops_ms <= env.now():
        raise UnauthorizedError("this key was rolled and has stopped; use the key that took its place")
    return key


def record_use(env: Environment, tx: Transaction, key: Key) -> Key:
    """Record that a key was used now; at most once a minute, so that reads do not become writes."""
    if not _is_due(env, key):
        return key
    # Read anew, and locked: a key that was deleted meanwhile must not come back.
    held = tx.get(Key, key.id, lock=True)
    if held is None:
        raise UnauthorizedError("this key is unknown or was deleted")
    used = replace(held, last_used_ms=env.now())
    tx.put(used)
    return used


def authenticate(env: Environment, secret: str | None) -> Key:
    """The key of a secret, with its use recorded, in transactions of its own. Raises UnauthorizedError."""
    with env.store.read() as tx:
        key = find_key(env, tx, secret)
    if not _is_due(env, key):
        return key
    with env.store.transaction() as tx:
        return record_use(env, tx, key)


def require_plan(tx: Transaction, key: Key) -> None:
    """Raise ForbiddenError unless the plan of the key's organization has the management API."""
    organization = tx.get(Organization, key.organization_id)
    if organization is None or organization.plan != "enterprise":
        raise ForbiddenError("the management API needs an Enterprise plan, which this organization does not have")


def require_management(tx: Transaction, key: Key) -> None:
    """Raise ForbiddenError unless the key is an organization's, and its plan has the management API."""
    if key.project_id is not None:
        raise ForbiddenError(
            f"a project secret key cannot call the management API; use an organization key ({ORGANIZATION_PREFIX}…)"
        )
    require_plan(tx, key)


def require_permission(tx: Transaction, key: Key, resource: Resource, level: Literal["read", "write"]) -> None:
    """Raise ForbiddenError unless the key may manage: it is an organization's, its plan and permissions allow it."""
    require_management(tx, key)
    held = key.projects if resource == "projects" else key.channels
    if LEVELS.index(held) < LEVELS.index(level):
        raise ForbiddenError(f"this key lacks the permission {resource}:{level}")


def require_every_project(key: Key) -> None:
    """Raise ForbiddenError for a key that is limited to some projects."""
    if key.project_ids:
        raise ForbiddenError("a key limited to some projects cannot create or duplicate projects")


def require_moderation(key: Key) -> str:
    """The id of the project that a key moderates. Raises ForbiddenError for an organization key."""
    if key.project_id is None:
        raise ForbiddenError(f"an organization key cannot moderate content; use a project key ({PROJECT_PREFIX}…)")
    return key.project_id


def require_admin(member: Member) -> None:
    """Raise ForbiddenError unless a member is an owner or an admin."""
    if member.role not in ("owner", "admin"):
        raise ForbiddenError("only owners and admins of the organization may do this")


def reaches(key: Key, project: Project) -> bool:
    """Whether a project lies within a key's limits."""
    if key.organization_id != project.organization_id:
        return False
    if key.project_id is not None:
        return key.project_id == project.id
    return not key.project_ids or project.id in key.project_ids


def find_project(tx: Transaction, key: Key, project_id: str, *, lock: bool = False) -> Project:
    """A project within a key's limits; with `lock`, kept from others. Raises NotFoundError."""
    project = tx.get(Project, project_id, lock=lock)
    if project is None or not reaches(key, project):
        raise NotFoundError("this project does not exist, or lies outside the key's project limit")
    return project


class Owned(Record, Protocol):
    """A record of a project."""

    @property
    def project_id(self) -> str:
        """The project's id."""
        ...


R = TypeVar("R", bound=Owned)


def find_within(tx: Transaction, key: Key, kind: type[R], id: str, name: str) -> R:  # noqa: A002  (the records' own)
    """A record of a project within a key's limits. Raises NotFoundError, which says `name`."""
    record = tx.get(kind, id)
    project = None if record is None else tx.get(Project, record.project_id)
    if record is None or project is None or not reaches(key, project):
        raise NotFoundError(f"this {name} does not exist, or lies outside the key's project limit")
    return record


def issue(
    env: Environment,
    tx: Transaction,
    organization_id: str,
    name: str,
    *,
    project_id: str | None = None,
    projects: Level = "none",
    channels: Level = "none",
    project_ids: tuple[str, ...] = (),
    lifetime_ms: int | None = None,
    maker: Key | None = None,
) -> Issued:
    """Make a key, a project's where `project_id` is given. It ends with its `maker`, the key that asked for it, at the
    latest; a new project's first key has none. The caller has seen to it that this is allowed.
    """
    secret = env.new_secret(ORGANIZATION_PREFIX if project_id is None else PROJECT_PREFIX)
    at_ms = env.now()
    ends = [] if lifetime_ms is None else [at_ms + lifetime_ms]
    if maker is not None:
        ends += [each for each in (maker.expires_ms, maker.stops_ms) if each is not None]
    key = Key(
        id=env.new_id("key"),
        organization_id=organization_id,
        project_id=project_id,
        name=name,
        digest=_digest(secret),
        hint=secret[-4:],
        created_ms=at_ms,
        projects=projects,
        channels=channels,
        project_ids=project_ids,
        expires_ms=min(ends, default=None),
    )
    tx.add(key)
    return Issued(key, secret)


def make_organization_key(
    env: Environment, tx: Transaction, member: Member, wire: object, *, by: Key | None = None
) -> Issued:
    """Make an organization key, for an owner or admin; `by` is the key that asks in their name, if one does.

    The body: `name`, `projects` and `channels` (none, read or write; none where left out), `projectIds` (empty for
    all) and `expiresInDays` (30, 90, 365, or null for never). Raises ForbiddenError, ContentError.
    """
    require_admin(member)
    body = Body(wire)
    name = body.text("name", least=1, most=200)
    projects = body.choice("projects", LEVELS, LEVELS[0])
    channels = body.choice("channels", LEVELS, LEVELS[0])
    project_ids = body.texts("projectIds", (), most=1000)
    days = body.choice("expiresInDays", LIFETIMES_DAYS, None)
    for i, project_id in enumerate(project_ids):
        project = tx.get(Project, project_id)
        if project is None or project.organization_id != member.organization_id:
            body.wrong(f"projectIds.{i}", "is not a project of this organization")
    body.done()
    issued = issue(
        env,
        tx,
        member.organization_id,
        name,
        projects=projects,
        channels=channels,
        project_ids=project_ids,
        lifetime_ms=None if days is None else days * DAY_MS,
        maker=by,
    )
    log(env, tx, by or member, "key.created", issued.key.id)
    return issued


def make_project_key(
    env: Environment, tx: Transaction, member: Member, project_id: str, wire: object, *, by: Key | None = None
) -> Issued:
    """Make one more secret key of a project, for an owner or admin; `by` is as for an organization's.

    The body: `name`, and `expiresInDays` (30, 90, 365, or null for never). Raises ForbiddenError, NotFoundError,
    ContentError.
    """
    require_admin(member)
    project = tx.get(Project, project_id, lock=True)
    if project is None or project.organization_id != member.organization_id:
        raise NotFoundError("this project does not exist")
    body = Body(wire)
    name = body.text("name", least=1, most=200)
    days = body.choice("expiresInDays", LIFETIMES_DAYS, None)
    body.done()
    lifetime_ms = None if days is None else days * DAY_MS
    issued = issue(env, tx, member.organization_id, name, project_id=project_id, lifetime_ms=lifetime_ms, maker=by)
    log(env, tx, by or member, "key.created", issued.key.id)
    return issued


def list_keys(tx: Transaction, member: Member) -> list[Key]:
    """The organization's keys, for an owner or admin, the oldest first. Raises ForbiddenError."""
    require_admin(member)
    return tx.find(Key, Query(_of(member.organization_id), (Order("created_ms"),)))


def roll_key(
    env: Environment, tx: Transaction, member: Member, key_id: str, wire: object, *, by: Key | None = None
) -> Issued:
    """Make a key of the same access and lifetime; the old one stops after the body's `delay`, or at its own end.

    `delay` is `now` (where left out), `1h`, `24h` or `7d`; `by` is as for a new key, and may be the old one. Raises
    ForbiddenError, NotFoundError, ContentError, and ConflictError for a key that was rolled or has expired.
    """
    require_admin(member)
    old = _held(tx, member, key_id)
    body = Body(wire)
    delay = body.choice("delay", tuple(DELAYS_MS), "now")
    body.done()
    at_ms = env.now()
    # Else whoever has an old key could make a new one of it for ever.
    if old.stops_ms is not None:
        raise ConflictError("this key was rolled already; roll the key that took its place")
    if old.expires_ms is not None and old.expires_ms <= at_ms:
        raise ConflictError("this key has expired; make a new one")
    ends = (at_ms + DELAYS_MS[delay], old.expires_ms)
    tx.put(replace(old, stops_ms=min(each for each in ends if each is not None)))
    issued = issue(
        env,
        tx,
        old.organization_id,
        old.name,
        project_id=old.project_id,
        projects=old.projects,
        channels=old.channels,
        project_ids=old.project_ids,
        lifetime_ms=None if old.expires_ms is None else old.expires_ms - old.created_ms,
        maker=by,
    )
    log(env, tx, by or member, "key.rolled", old.id)
    return issued


def delete_key(env: Environment, tx: Transaction, member: Member, key_id: str, *, by: Key | None = None) -> None:
    """Revoke a key at once, for an owner or admin; `by` is the key that asks in their name, if one does.

    Raises ForbiddenError, NotFoundError.
    """
    require_admin(member)
    key = _held(tx, member, key_id)
    tx.remove(Key, where("id", key.id))
    log(env, tx, by or member, "key.deleted", key.id)


def log(env: Environment, tx: Transaction, who: Key | Member, what: str, target_id: str) -> None:
    """Write into the activity log who changed what, in the transaction of the change."""
    key_id = who.id if isinstance(who, Key) else None
    tx.add(
        Activity(
            id=env.new_id("act"),
            organization_id=who.organization_id,
            key_id=key_id,
            what=what,
            target_id=target_id,
            at_ms=env.now(),
        )
    )


def list_activity(tx: Transaction, member: Member, *, limit: int = 100, offset: int = 0) -> list[Activity]:
    """The organization's activity log, for an owner or admin, the newest first. Raises ForbiddenError."""
    require_admin(member)
    return tx.find(Activity, Query(_of(member.organization_id), (Order("at_ms", True),), limit, offset))


def _of(organization_id: str) -> tuple[Where, ...]:
    return (Where("organization_id", "is", organization_id),)


def _held(tx: Transaction, member: Member, key_id: str) -> Key:
    key = tx.get(Key, key_id)
    if key is not None and key.project_id is not None:
        hold_project(tx, key.project_id)
    key = tx.get(Key, key_id, lock=True)
    if key is None or key.organization_id != member.organization_id:
        raise NotFoundError("this key does not exist")
    return key


def _is_due(env: Environment, key: Key) -> bool:
    return key.last_used_ms is None or env.now() - key.last_used_ms >= USE_MS


def _digest(secret: str) -> str:
    # The secret is 256 random bits, so that a slow hash would protect nothing.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
