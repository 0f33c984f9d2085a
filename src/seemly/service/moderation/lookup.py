"""Submissions to the service, with all that the store says of them before they are moderated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from seemly.core.attempts import attempt
from seemly.core.content import Author as Writer
from seemly.core.content import Block, Content, Object, Submission, Text, Turn
from seemly.core.errors import ForbiddenError, NotFoundError, SeemlyError
from seemly.engine.context import MAX_WINDOW
from seemly.service.authors.views import as_of
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Author, ChannelRecord, Item, Project
from seemly.service.management.accounts import find_organization, require_quota

__all__ = ["Asked", "Case", "find_channel", "find_project", "is_inline", "is_kept", "open_cases", "recall"]

HISTORY_TURNS = 10
"""The most earlier turns that content is read with."""
HISTORY_MS = 3_600_000
"""How old, in milliseconds, the oldest of them may be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A submission to a project."""

    project_id: str
    submission: Submission


@dataclass(frozen=True, slots=True)
class Case:
    """A submission with all that the store says of it. `external_id` is the author's, `author` their record if there
    is one; `limited` says whether the organization has a quota."""

    project: Project
    channel: ChannelRecord
    submission: Submission
    external_id: str | None
    author: Author | None
    limited: bool

    @property
    def is_kept(self) -> bool:
        """Whether the submission is stored."""
        return is_kept(self.submission)

    @property
    def is_written(self) -> bool:
        """Whether something is written for it in a transaction of the store."""
        return self.limited or self.is_kept


def open_cases(env: Environment, asked: Sequence[Asked]) -> list[Case | SeemlyError]:
    """The case of each submission.

    Or what is wrong with it: NotFoundError for an unknown project or channel, ForbiddenError for `policies` without an
    enterprise plan, TooManyRequestsError where the month's quota is spent.
    """
    with env.store.read() as tx:
        authors = _find_authors(tx, asked)
        return [attempt(partial(_open, env, tx, each, authors)) for each in asked]


def recall(env: Environment, tx: Transaction, case: Case) -> tuple[Turn, ...]:
    """The turns before a submission, oldest first: of its conversation, and where it names none, of its author."""
    submission = case.submission
    if submission.conversation_id is not None:
        stream = Where("conversation_id", "is", submission.conversation_id)
    elif case.author is not None:
        stream = Where("author_id", "is", case.author.id)
    else:
        return ()
    at_ms = env.now() if submission.timestamp is None else int(submission.timestamp)
    conditions = (
        Where("project_id", "is", case.project.id),
        stream,
        Where("timestamp_ms", "at_least", at_ms - HISTORY_MS),
        Where("timestamp_ms", "below", at_ms + 1),
        Where("content_id", "is_not", submission.content_id),
        Where("text", "is_not", ""),
    )
    newest = (Order("timestamp_ms", descending=True), Order("created_ms", descending=True))
    items = tx.find(Item, Query(conditions, newest, limit=HISTORY_TURNS))
    return tuple(Turn(each.text[-MAX_WINDOW:], each.author_id, each.timestamp_ms) for each in reversed(items))


def find_project(tx: Transaction, project_id: str) -> Project:
    """The project of an id. Raises NotFoundError."""
    project = tx.get(Project, project_id)
    if project is None:
        raise NotFoundError("there is no such project")
    return project


def find_channel(tx: Transaction, project_id: str, named: str | None) -> ChannelRecord:
    """The channel of a key or id, or the project's default channel. Raises NotFoundError."""
    of_project = Where("project_id", "is", project_id)
    if named is None:
        found = tx.find(ChannelRecord, Query((of_project, Where("is_default", "is", True)), limit=1))
    else:
        found = tx.find(ChannelRecord, Query((of_project, Where("key", "is", named))))
        found = found or tx.find(ChannelRecord, Query((of_project, Where("id", "is", named))))
    if not found:
        raise NotFoundError("there is no such channel in this project" if named else "this project has no channel")
    return found[0]


def _open(env: Environment, tx: Transaction, asked: Asked, authors: Mapping[tuple[str, str], Author]) -> Case:
    project_id, submission = asked.project_id, asked.submission
    project = find_project(tx, project_id)
    organization = find_organization(tx, project.organization_id)
    if submission.policies is not None and organization.plan != "enterprise":
        raise ForbiddenError("policies can be given with a request on an enterprise plan only; leave them out")
    require_quota(env, tx, organization)
    channel = find_channel(tx, project_id, submission.channel)
    external_id = submission.author_id
    author = None if external_id is None else authors.get((project_id, external_id))
    seen_as = None if external_id is None else _see(env, external_id, author)
    submission = replace(submission, channel=None, author=seen_as, author_id=None if seen_as is None else seen_as.id)
    return Case(project, channel, submission, external_id, author, organization.quota is not None)


def _see(env: Environment, external_id: str, author: Author | None) -> Writer:
    """An author as the engine knows authors; one that the store does not know is new."""
    if author is None:
        return Writer(external_id, external_id)
    now_ms = env.now()
    author = as_of(author, now_ms)
    held = author.status != "enabled"
    return Writer(
        author.id,
        author.external_id,
        author.status,
        Block(author.block_until_ms, author.block_reason) if held else None,
        author.level,
        author.manual_level is not None,
    )


def _find_authors(tx: Transaction, asked: Sequence[Asked]) -> dict[tuple[str, str], Author]:
    """The authors that are known, by their project and external id."""
    named: dict[str, set[str]] = {}
    for each in asked:
        if each.submission.author_id is not None:
            named.setdefault(each.project_id, set()).add(each.submission.author_id)
    return {
        (project_id, author.external_id): author
        for project_id, external_ids in named.items()
        for author in tx.find(
            Author,
            Query((Where("project_id", "is", project_id), Where("external_id", "in", tuple(sorted(external_ids))))),
        )
    }


def is_kept(submission: Submission) -> bool:
    """Whether a submission is stored: not where it says so, nor where it is media whose bytes came with it."""
    return not submission.do_not_store and not is_inline(submission.content)


def is_inline(content: Content) -> bool:
    """Whether content is media that was given as its bytes."""
    if isinstance(content, Text | Object):
        return False
    source = content.source
    return not isinstance(source, str | Path) or str(source)[:5].lower() == "data:"
