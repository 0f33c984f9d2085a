"""Authors blocked, suspended and let back in: each change of their status, with the event that tells of it."""

from __future__ import annotations

from dataclasses import replace

from seemly.service.authors.views import view_author
from seemly.service.base.causes import AUTO_UNBLOCK, Cause, view_cause
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_projects
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Action, ActionRun, Author
from seemly.service.webhooks.events import EventType, emit

__all__ = ["block", "lift_expired", "suspend", "unblock"]

_BATCH = 100


def block(env: Environment, tx: Transaction, author: Author, cause: Cause) -> Author:
    """Block an author for good; the cause's value is the reason. One who is blocked already stays as they are."""
    if author.status == "blocked":
        return author
    blocked = replace(author, status="blocked", block_until_ms=None, block_reason=cause.value)
    return _change(env, tx, blocked, "author.blocked", cause)


def suspend(env: Environment, tx: Transaction, author: Author, until_ms: int, cause: Cause) -> Author:
    """Block an author until a time, in Unix milliseconds; the cause's value is the reason.

    An author who is suspended or blocked already is from now on suspended until then.
    """
    suspended = replace(author, status="suspended", block_until_ms=until_ms, block_reason=cause.value)
    return _change(env, tx, suspended, "author.suspended", cause)


def unblock(env: Environment, tx: Transaction, author: Author, cause: Cause) -> Author:
    """Let an author write again. One who may already stays as they are."""
    if author.status == "enabled":
        return author
    enabled = replace(author, status="enabled", block_until_ms=None, block_reason=None)
    return _change(env, tx, enabled, "author.unblocked", cause)


def lift_expired(env: Environment) -> int:
    """End every suspension whose time is up. Returns how many were.

    Several workers may do so at once: each author is let back in by one of them.
    """
    lifted = 0
    while batch := _lift_batch(env):
        lifted += batch
    return lifted


def _lift_batch(env: Environment) -> int:
    now_ms = env.now()
    conditions = (Where("status", "is", "suspended"), Where("block_until_ms", "below", now_ms + 1))
    expired = Query(conditions, (Order("block_until_ms"),), limit=_BATCH)
    # Most often there are none, and to write, even nothing, has the disk confirm it.
    with env.store.read() as tx:
        named = {author.project_id for author in tx.find(Author, expired)}
    if not named:
        return 0
    with env.store.transaction() as tx:
        held = hold_projects(tx, named)
        of_held = Where("project_id", "in", held)
        authors = tx.find(Author, replace(expired, conditions=(*conditions, of_held), lock="skip"))
        causes = {project_id: _find_cause(tx, project_id, now_ms) for project_id in held}
        for author in authors:
            cause = causes[author.project_id]
            unblock(env, tx, author, cause)
            run = ActionRun(
                id=env.new_id("run"),
                project_id=author.project_id,
                action_id=cause.id,
                at_ms=now_ms,
                author_id=author.id,
            )
            tx.add(run)
    return len(authors)


def _find_cause(tx: Transaction, project_id: str, now_ms: int) -> Cause:
    """The run of the project's own action that ends suspensions, or, where there is none, of one that stands for it."""
    conditions = (Where("project_id", "is", project_id), Where("key", "is", AUTO_UNBLOCK))
    for action in tx.find(Action, Query(conditions)):
        return Cause(action.id, action.key, action.name, now_ms)
    return Cause(AUTO_UNBLOCK, AUTO_UNBLOCK, "Suspension expired", now_ms)


def _change(env: Environment, tx: Transaction, author: Author, kind: EventType, cause: Cause) -> Author:
    tx.put(author)
    view = view_cause(cause, author=view_author(author, env.now()))
    emit(env, tx, author.project_id, kind, view, author_id=author.id)
    return author
