"""Projects: list, get, create, update, duplicate, delete, and what a new one comes with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from seemly.core.frozen import EMPTY, freeze, thaw
from seemly.service.base.causes import AUTO_UNBLOCK
from seemly.service.base.environment import Environment
from seemly.service.base.locking import take_project
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import KINDS, Action, ActionType, ChannelRecord, Key, Project, Queue
from seemly.service.base.requests import REQUIRED, Body
from seemly.service.management.channels import MAX_NAME, add_channel, copy_channel, copy_name
from seemly.service.management.keys import find_project, issue, log, reaches, require_every_project, require_permission
from seemly.service.management.policy_presets import suggest_policies

__all__ = [
    "BUILT_IN_ACTIONS", "REVIEW_FILTER", "NewProject", "add_project", "create_project",
    "delete_project", "duplicate_project", "get_project", "list_projects", "update_project",
]  # fmt: skip

FlaggingMode = Literal["ACTIVE", "DRY_RUN"]

FLAGGING_MODES: tuple[FlaggingMode, ...] = get_args(FlaggingMode)

WEBHOOK_SECRET_PREFIX = "whsec_"  # noqa: S105  (how secrets begin, not one of them)

REVIEW_FILTER: Mapping[str, Any] = EMPTY
"""What a new project's review queue shows: everything that was stored."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An action that every project has."""

    key: str
    name: str
    type: ActionType
    queue_behaviour: Literal["REMOVE", "NO_CHANGE"] = "NO_CHANGE"
    position: Literal["ALL_QUEUES", "HIDDEN"] = "ALL_QUEUES"


BUILT_IN_ACTIONS: tuple[BuiltIn, ...] = (
    BuiltIn("reject", "Reject", "ITEM_REJECT", "REMOVE"),
    BuiltIn("allow", "Allow", "ITEM_ALLOW", "REMOVE"),
    BuiltIn("block", "Block author", "AUTHOR_BLOCK"),
    BuiltIn("suspend", "Suspend author", "AUTHOR_BLOCK_TEMP"),
    BuiltIn("unblock", "Unblock author", "AUTHOR_UNBLOCK"),
    BuiltIn(AUTO_UNBLOCK, "Suspension expired", "AUTHOR_UNBLOCK", position="HIDDEN"),
)


@dataclass(frozen=True, slots=True)
class NewProject:
    """A project that was made, its default channel, and its secret key, which is shown this once.

    The key does not end with the one that made the project: what is made by a key that lives for a month, or is rolled
    a minute later, works on. Nor does it carry that key's powers on, for it opens nothing but this project, and an
    admin can delete it. A key to what was there before does end with its maker, as `keys.issue` says.
    """

    project: Project
    channel: ChannelRecord
    secret: str = field(repr=False)


def list_projects(tx: Transaction, key: Key) -> list[Project]:
    """The projects within a key's limits, the oldest first. Raises ForbiddenError."""
    require_permission(tx, key, "projects", "read")
    conditions = (Where("organization_id", "is", key.organization_id),)
    found = tx.find(Project, Query(conditions, (Order("created_ms"),)))
    return [each for each in found if reaches(key, each)]


def get_project(tx: Transaction, key: Key, project_id: str) -> Project:
    """One project. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "projects", "read")
    return find_project(tx, key, project_id)


def create_project(env: Environment, tx: Transaction, key: Key, wire: object) -> NewProject:
    """Make a project: `name`, and what its default channel's policies are suggested by, `domain`, `context`, `brief`
    and `usedByMinors`.

    Raises ForbiddenError, ContentError.
    """
    require_permission(tx, key, "projects", "write")
    require_every_project(key)
    body = Body(wire)
    made = add_project(env, tx, key.organization_id, body)
    log(env, tx, key, "project.created", made.project.id)
    return made


def update_project(env: Environment, tx: Transaction, key: Key, project_id: str, wire: object) -> Project:
    """Change a project; what is left out stays as it is.

    The body: `name`, `description`, `domain`, `context`, `globalFlaggingMode`, `enableRequestLogging`,
    `casebookEnabled`, `rateLimit` (moderations a minute, null for no limit) and `retentionDays` (after which content
    is deleted, null for never). Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "projects", "write")
    project = find_project(tx, key, project_id, lock=True)
    body = Body(wire)
    changed = replace(
        project,
        name=body.text("name", project.name, least=1, most=MAX_NAME),
        description=body.text("description", project.description, most=2000, null=True),
        domain=body.text("domain", project.domain, most=500, null=True),
        context=body.text("context", project.context, most=5000, null=True),
        global_flagging_mode=body.choice("globalFlaggingMode", FLAGGING_MODES, project.global_flagging_mode),
        enable_request_logging=body.flag("enableRequestLogging", project.enable_request_logging),
        casebook_enabled=body.flag("casebookEnabled", project.casebook_enabled),
        rate_limit=body.integer("rateLimit", project.rate_limit, least=1, null=True),
        retention_days=body.integer("retentionDays", project.retention_days, least=1, most=36_500, null=True),
        updated_ms=env.now(),
    )
    body.done()
    tx.put(changed)
    log(env, tx, key, "project.updated", project.id)
    return changed


def duplicate_project(env: Environment, tx: Transaction, key: Key, project_id: str, wire: object) -> NewProject:
    """Copy a project with its settings, channels, actions and queues; neither webhooks, keys nor content.

    The copy has a secret key and a webhook secret of its own. The body: `name` ("<name> (copy)" where left out).
    Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "projects", "write")
    require_every_project(key)
    original = find_project(tx, key, project_id, lock=True)
    body = Body(wire)
    name = body.text("name", copy_name(original.name), least=1, most=MAX_NAME)
    body.done()
    at_ms = env.now()
    project = replace(
        original,
        id=env.new_id("prj"),
        name=name,
        created_ms=at_ms,
        updated_ms=at_ms,
        webhook_secret=env.new_secret(WEBHOOK_SECRET_PREFIX),
    )
    tx.add(project)
    channels = {
        each.id: copy_channel(env, tx, each, project.id, each.key, each.name, is_default=each.is_default)
        for each in tx.find(ChannelRecord, _of(original.id))
    }
    _copy_review(env, tx, original.id, project.id, {old: copy.id for old, copy in channels.items()})
    issued = issue(env, tx, project.organization_id, "Secret key", project_id=project.id)
    log(env, tx, key, "project.duplicated", project.id)
    return NewProject(project, next(each for each in channels.values() if each.is_default), issued.secret)


def delete_project(env: Environment, tx: Transaction, key: Key, project_id: str) -> Project:
    """Delete a project and everything in it, its keys and content too. What it was is returned.

    Raises ForbiddenError, NotFoundError.
    """
    require_permission(tx, key, "projects", "write")
    project = take_project(tx, find_project(tx, key, project_id).id)
    for kind in reversed(KINDS):
        if any(each.name == "project_id" for each in fields(kind)):
            tx.remove(kind, where("project_id", project.id))
    tx.remove(Project, where("id", project.id))
    log(env, tx, key, "project.deleted", project.id)
    return project


def add_project(
    env: Environment, tx: Transaction, organization_id: str, body: Body, *, unnamed: str = REQUIRED
) -> NewProject:
    """Keep a new project of an organization, with all that it comes with, from the body of a request to create one.

    `unnamed` is its name where the body has none, which is an issue otherwise. Raises ContentError.
    """
    name = body.text("name", unnamed, least=1, most=MAX_NAME)
    domain = body.text("domain", None, most=500)
    context = body.text("context", None, most=5000)
    brief = body.text("brief", None, most=5000)
    used_by_minors = body.flag("usedByMinors", False)
    body.done()
    at_ms = env.now()
    project = Project(
        id=env.new_id("prj"),
        organization_id=organization_id,
        name=name,
        created_ms=at_ms,
        updated_ms=at_ms,
        domain=domain,
        context=context,
        brief=brief,
        used_by_minors=used_by_minors,
        webhook_secret=env.new_secret(WEBHOOK_SECRET_PREFIX),
    )
    tx.add(project)
    policies = suggest_policies(domain, context, brief, used_by_minors=used_by_minors)
    channel = add_channel(env, tx, project.id, "default", "Default", policies=policies, is_default=True)
    tx.add(
        Queue(
            id=env.new_id("que"),
            project_id=project.id,
            name="Review",
            created_ms=at_ms,
            updated_ms=at_ms,
            filter=REVIEW_FILTER,
        )
    )
    tx.add_all([_add_built_in(env, project.id, each) for each in BUILT_IN_ACTIONS])
    issued = issue(env, tx, organization_id, "Secret key", project_id=project.id)
    return NewProject(project, channel, issued.secret)


def _add_built_in(env: Environment, project_id: str, action: BuiltIn) -> Action:
    return Action(
        id=env.new_id("act"),
        project_id=project_id,
        key=action.key,
        name=action.name,
        created_ms=env.now(),
        type=action.type,
        built_in=True,
        position=action.position,
        queue_behaviour=action.queue_behaviour,
    )


def _copy_review(env: Environment, tx: Transaction, original: str, copy: str, channels: Mapping[str, str]) -> None:
    """Copy the actions and queues of one project into another, each naming copies where the original named originals.

    `channels` are the ids of the copied channels by those of the originals.
    """
    actions, queues = tx.find(Action, _of(original)), tx.find(Queue, _of(original))
    action_ids = {each.id: env.new_id("act") for each in actions}
    queue_ids = {each.id: env.new_id("que") for each in queues}
    tx.add_all(
        [
            replace(
                each,
                id=action_ids[each.id],
                project_id=copy,
                created_ms=env.now(),
                filter_in_queue_ids=tuple(queue_ids[old] for old in each.filter_in_queue_ids if old in queue_ids),
            )
            for each in actions
        ]
    )
    named = {"filteredActionIds": action_ids, "filteredChannelIds": dict(channels)}
    tx.add_all(
        [
            replace(
                each,
                id=queue_ids[each.id],
                project_id=copy,
                created_ms=env.now(),
                updated_ms=env.now(),
                filter=_rename(each.filter, named),
            )
            for each in queues
        ]
    )


def _rename(filters: Mapping[str, Any], named: Mapping[str, Mapping[str, str]]) -> Mapping[str, Any]:
    """A queue's filter with the ids of copies in place of those of the originals."""
    wire = thaw(filters)
    for name, ids in named.items():
        if name in wire:
            # An id that is no original's stays: without it the filter might be empty, and show everything.
            wire[name] = [ids.get(each, each) for each in wire[name]]
    renamed: Mapping[str, Any] = freeze(wire)
    return renamed


def _of(project_id: str) -> Query:
    return Query((Where("project_id", "is", project_id),), (Order("created_ms"),))
