"""Keep a moderated submission: its item, author, queue entries and events."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from seemly.core.attempts import attempt
from seemly.core.channel import dump
from seemly.core.content import Content, Object, Part, Submission, Text
from seemly.core.errors import ConflictError, ContentError, NotFoundError, SeemlyError, TooManyRequestsError
from seemly.core.frozen import freeze
from seemly.engine.result import ModerationResult
from seemly.service.authors.authors import keep_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_projects
from seemly.service.base.ports import ContendedError, Query, Transaction, Where
from seemly.service.base.records import Author, ChannelRecord, Item, Placement
from seemly.service.management.accounts import add_usage
from seemly.service.moderation.lookup import Case, find_project, is_inline

__all__ = ["Done", "keep", "write"]


def keep(
    env: Environment,
    tx: Transaction,
    channel: ChannelRecord,
    submission: Submission,
    result: ModerationResult,
    external_id: str | None,
) -> Author | None:
    """Keep moderated content as an item, and answer with its author as they now are; None where it has none.

    The project must be held. `external_id` is the author's, who is made if they are new. Content whose id the project
    has already takes the place of the earlier; it counts once in its author's totals. Content that differs from what
    was reviewed is to be reviewed again.

    Raises ConflictError where another transaction made the same item or author, or gave the item another author: try
    again.
    """
    project_id = channel.project_id
    # An id that the engine made nobody had before.
    before = None if submission.content_id is None else _find_item(tx, project_id, result.content.id)
    former_id = None if before is None else before.author_id
    author, former = _lock_authors(env, tx, project_id, external_id, former_id)
    if before is not None:
        # Only now, because everyone locks authors before what they wrote: so nobody waits in a circle.
        before = _find_item(tx, project_id, result.content.id, lock="wait")
        if before is None or before.author_id != former_id:
            raise ConflictError("the content was changed or deleted meanwhile; try again")
    if before is not None and former is not None:
        _take_back(env, tx, former, before)
    if author is not None:
        counted = before if before is not None and before.author_id == author.id else None
        author = _count(env, tx, author, counted, flagged=result.evaluation.flagged)
    item = _make_item(env, channel, submission, result, author, before)
    if before is not None and before.content == item.content:
        item = _keep_review(item, before)
    elif before is not None:
        taken_out = (Where("item_id", "is", item.id), Where("present", "is", False))
        tx.remove(Placement, Query(taken_out))
    tx.put(item)
    return author


def _find_item(
    tx: Transaction, project_id: str, content_id: str, lock: Literal["none", "wait"] = "none"
) -> Item | None:
    conditions = (Where("project_id", "is", project_id), Where("content_id", "is", content_id))
    return next(iter(tx.find(Item, Query(conditions, lock=lock))), None)


def _lock_authors(
    env: Environment, tx: Transaction, project_id: str, external_id: str | None, former_id: str | None
) -> tuple[Author | None, Author | None]:
    """The author of an external id, made if they are new, and the one of an id where that is another; both locked."""
    if former_id is None:
        return None if external_id is None else _lock_author(env, tx, project_id, external_id), None
    known = None if external_id is None else _find_author(tx, project_id, external_id)
    # Both at once, and so in the order of their ids: where everyone locks in one order, nobody waits in a circle.
    ids = (former_id,) if known is None else (former_id, known.id)
    locked = {each.id: each for each in tx.find(Author, Query((Where("id", "in", ids),), lock="wait"))}
    former = locked.get(former_id)
    if external_id is None:
        return None, former
    author = (None if known is None else locked.get(known.id)) or _new_author(env, project_id, external_id)
    return author, None if former is author else former


def _lock_author(env: Environment, tx: Transaction, project_id: str, external_id: str) -> Author:
    return _find_author(tx, project_id, external_id, lock="wait") or _new_author(env, project_id, external_id)


def _find_author(
    tx: Transaction, project_id: str, external_id: str, lock: Literal["none", "wait"] = "none"
) -> Author | None:
    conditions = (Where("project_id", "is", project_id), Where("external_id", "is", external_id))
    return next(iter(tx.find(Author, Query(conditions, lock=lock))), None)


def _new_author(env: Environment, project_id: str, external_id: str) -> Author:
    now_ms = env.now()
    return Author(
        id=env.new_id("auth"),
        project_id=project_id,
        external_id=external_id,
        first_seen_ms=now_ms,
        last_seen_ms=now_ms,
    )


def _take_back(env: Environment, tx: Transaction, former: Author, item: Item) -> None:
    """Count an item no longer to the author that it had."""
    total, flagged = former.total_content - 1, former.flagged_content - item.flagged
    keep_author(env, tx, replace(former, total_content=total, flagged_content=flagged))


def _count(env: Environment, tx: Transaction, author: Author, counted: Item | None, *, flagged: bool) -> Author:
    """Count content to an author; `counted` is what they were counted for it before."""
    now_ms = env.now()
    return keep_author(
        env,
        tx,
        replace(
            author,
            last_seen_ms=now_ms,
            last_incident_ms=now_ms if flagged else author.last_incident_ms,
            total_content=author.total_content + (counted is None),
            flagged_content=author.flagged_content + flagged - (counted is not None and counted.flagged),
        ),
    )


def _make_item(
    env: Environment,
    channel: ChannelRecord,
    submission: Submission,
    result: ModerationResult,
    author: Author | None,
    before: Item | None,
) -> Item:
    now_ms = env.now()
    timestamp_ms = result.meta.timestamp
    if before is not None and submission.timestamp is None:
        # An edit stays where the content stood in its conversation.
        timestamp_ms = before.timestamp_ms
    client_action = submission.client_action
    media_type: Any = submission.content.type
    return Item(
        id=env.new_id("item") if before is None else before.id,
        project_id=channel.project_id,
        content_id=result.content.id,
        channel_id=channel.id,
        channel_key=channel.key,
        created_ms=now_ms if before is None else before.created_ms,
        updated_ms=now_ms,
        timestamp_ms=timestamp_ms,
        content=freeze(_content_dict(submission.content)),
        text=_tell_text(result),
        media_type=media_type,
        meta_type=submission.meta_type,
        author_id=None if author is None else author.id,
        conversation_id=submission.conversation_id,
        metadata=submission.metadata,
        client_action=None if client_action is None else freeze(dump(client_action)),
        flagged=result.evaluation.flagged,
        shadow_flagged=result.evaluation.shadow_flagged,
        severity=result.evaluation.severity_score,
        action=result.recommendation.action,
        language=result.language,
        labels=tuple(each.id for each in result.policies if each.flagged),
        result=freeze(_result_dict(result)),
    )


def _keep_review(item: Item, before: Item) -> Item:
    """The item, of which a moderator said something, with what they said."""
    if before.status == "pending":
        return item
    return replace(
        item,
        action=before.action,
        status=before.status,
        resolved_ms=before.resolved_ms,
        resolve_comment=before.resolve_comment,
        reviewer=before.reviewer,
    )


def _content_dict(content: Content) -> Mapping[str, Any]:
    """The wire's shape of content, as it was submitted but for the bytes of media."""
    if isinstance(content, Object):
        return {"type": "object", "data": {name: _part_dict(part) for name, part in content.data.items()}}
    return _part_dict(content)


def _part_dict(part: Part) -> Mapping[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": part.type} if is_inline(part) else {"type": part.type, "url": str(part.source)}


def _result_dict(result: ModerationResult) -> Mapping[str, Any]:
    """The wire's shape of a result, but for its author, and for the bytes of media.

    The author is a record of their own, which may change, or be deleted without what they wrote.
    """
    wire = {**result.to_dict(), "author": None}
    modified = result.content.modified
    if isinstance(modified, Object):
        wire["content"] = {**wire["content"], "modified": _content_dict(modified)["data"]}
    return wire


def _tell_text(result: ModerationResult) -> str:
    """Every text in content, and those that were read or heard in its media."""
    content = result.submitted
    parts = content.data.values() if isinstance(content, Object) else (content,)
    texts = [part.text for part in parts if isinstance(part, Text)]
    texts += [text for media in result.media for text in media.texts]
    texts += [media.transcript for media in result.media if media.transcript]
    return "\n".join(texts)


_ATTEMPTS = 12
"""How often content is tried to be kept while others keep content of the same id, or of the same new author."""

_PAUSE_S = 0.005
"""How much longer each of these attempts waits, at most, than the one before."""

_DRAWN = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Done:
    """A case with its result, and its author as they are in the store."""

    case: Case
    result: ModerationResult
    author: Author | None


def write(env: Environment, done: Sequence[Done]) -> list[Done | SeemlyError]:
    """Write what is to be kept and counted in the store: for each, with its author as they are then, or what kept it
    from being written. All at once, or, where that fails for one, each by itself."""
    if len(done) > 1:
        try:
            return [*_write_together(env, done)]
        except (ConflictError, ContendedError, ContentError, NotFoundError, TooManyRequestsError):
            # What is wrong with one of them is told to that one alone.
            pass
    return [attempt(partial(_write_one, env, each)) for each in done]


def _write_one(env: Environment, done: Done) -> Done:
    for failed in range(_ATTEMPTS - 1):
        try:
            return _write_together(env, [done])[0]
        except (ConflictError, ContendedError):
            # Those who met once meet again, unless they wait for different times.
            time.sleep(_DRAWN.uniform(0.0, _PAUSE_S * failed))
    return _write_together(env, [done])[0]


def _write_together(env: Environment, done: Sequence[Done]) -> list[Done]:
    """What was done, written in one transaction."""
    units = Counter[str]()
    # Everyone locks projects, then authors, then items, each in one order, and makes new ones in one: so nobody waits
    # in a circle, unless content has another author than before, which is rare.
    order = sorted(range(len(done)), key=lambda at: _place(done[at]))
    authors = {each.case.author.id for each in done if each.case.is_kept and each.case.author is not None}
    closed = [*done]
    # A few units that are lost with a power cut cost nobody anything; content that was accepted would.
    with env.store.transaction(durable=any(each.case.is_kept for each in done)) as tx:
        _hold(tx, {each.case.project.id for each in done if each.case.is_kept})
        if len(done) > 1 and authors:
            tx.find(Author, Query((Where("id", "in", tuple(sorted(authors))),), lock="wait"))
        for at in order:
            case, result = done[at].case, done[at].result
            if case.is_kept:
                author = keep(env, tx, case.channel, case.submission, result, case.external_id)
                closed[at] = replace(done[at], author=author)
            if case.limited:
                units[case.project.organization_id] += result.meta.usage
        for organization_id in sorted(units):
            add_usage(env, tx, organization_id, units[organization_id])
    return closed


def _place(done: Done) -> tuple[str, str, str]:
    return done.case.project.id, done.case.external_id or "", done.result.content.id


def _hold(tx: Transaction, project_ids: set[str]) -> None:
    """Hold projects, without waiting for one that is being deleted: others' content waits behind this.

    Raises ContendedError for that, and NotFoundError for one that is gone.
    """
    held = hold_projects(tx, project_ids, wait=False)
    for project_id in sorted(project_ids.difference(held)):
        find_project(tx, project_id)
        raise ContendedError("the project is being deleted; try again")
