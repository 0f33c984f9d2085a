"""Moderation as the service does it: the channel's engine, what is known of the author, and what is kept of it all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from seemly.content import MAX_BASE64, Block, Submission, Turn, is_url
from seemly.content import Author as Writer
from seemly.context import MAX_WINDOW
from seemly.engine import Engine
from seemly.errors import ConflictError, ForbiddenError, NotFoundError
from seemly.result import ModerationResult
from seemly.service.accounts import add_usage, find_organization, require_quota
from seemly.service.bodies import Body
from seemly.service.engines import Engines
from seemly.service.environment import Environment
from seemly.service.intake import is_kept, keep
from seemly.service.metering import Meter
from seemly.service.ports import ContendedError, Order, Query, Transaction, Where
from seemly.service.records import Author, ChannelRecord, Item, Project
from seemly.service.views.authors import as_of, view_brief_author
from seemly.submission import parse_submission

__all__ = ["HISTORY_MS", "HISTORY_TURNS", "Moderate", "Moderation"]

HISTORY_TURNS = 10
"""The most earlier turns that content is read with."""
HISTORY_MS = 3_600_000
"""How old, in milliseconds, the oldest of them may be."""

_ATTEMPTS = 8
"""How often content is tried to be kept while others keep content of the same id, or of the same new author."""

Moderate = Callable[[Engine, Submission], ModerationResult]
"""What has an engine moderate a submission: `Engine.moderate`, or what gathers submissions of many callers first."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A submission with all that the store says of it. `external_id` is the author's, `author` their record if there
    is one; `limited` says whether the organization has a quota."""

    project: Project
    channel: ChannelRecord
    submission: Submission
    external_id: str | None
    author: Author | None
    limited: bool


class Moderation:
    """Moderates content in a project, as `POST /moderate` does: with the stored author and the earlier turns, and the
    outcome kept for review. Safe to share between threads.

    What was used is counted by the `meter`; but for an organization with a quota in the transaction that keeps the
    content, so that it is counted if and only if the caller has an answer. Flush the meter before the process ends.
    Keys and rates are for the caller to check.
    """

    def __init__(self, env: Environment, engines: Engines, *, moderate: Moderate = Engine.moderate) -> None:
        self.env = env
        self.engines = engines
        self.meter = Meter(env)
        self._moderate = moderate

    def submit(self, project_id: str, request: object) -> dict[str, Any]:
        """Moderate what `Engine.moderate` takes, or the body of `POST /moderate`, and answer with its result.

        Nothing is left of content with `doNotStore`, nor of media that was submitted as its bytes, but that it is
        counted. Raises ContentError, NotFoundError for an unknown project or channel, ForbiddenError for `policies`
        without an enterprise plan, and TooManyRequestsError where the month's quota is spent.
        """
        result, author = self._run(project_id, _read(request))
        return {**result.to_dict(), "author": None if author is None else view_brief_author(author, self.env.now())}

    def moderate(self, project_id: str, request: object) -> ModerationResult:
        """As `submit`, for who wants the result itself; its author is as they were before. Raises as `submit` does."""
        return self._run(project_id, _read(request))[0]

    def find_engine(self, project_id: str, channel: str | None = None) -> Engine:
        """The engine of a project's channel, named by its key or id; of its default channel where none is named.

        Raises NotFoundError for an unknown project or channel, and ConfigError where the channel cannot work.
        """
        with self.env.store.read() as tx:
            project = _find_project(tx, project_id)
            record = _find_channel(tx, project_id, channel)
        return self._engine_of(record, project)

    def submit_image(self, project_id: str, request: object) -> dict[str, Any]:
        """Moderate the image of a body of `POST /moderate/image` by the default channel.

        Raises as `submit` does.
        """
        submission = _read_image(request)
        result, _ = self._run(project_id, submission)
        media = result.media[0] if result.media else None
        answer: dict[str, Any] = {
            "status": result.meta.status,
            "request": {"timestamp": result.meta.timestamp, "quota_usage": result.meta.usage},
            "flagged": result.evaluation.flagged,
            "labels": [{"label": each.label, "score": each.score} for each in media.labels] if media else [],
        }
        if is_kept(submission):
            answer["contentId"] = result.content.id
        if result.errors:
            answer["errors"] = [{"id": each.id, "message": each.message} for each in result.errors]
        # Of an image that was not looked at nobody can say that it has no words.
        if media is not None and media.pictures and "text" not in media.uncovered:
            answer["texts"] = list(media.texts)
        return answer

    def count(self, project: Project, units: int) -> None:
        """Count units that a project's organization used otherwise than by what is submitted here.

        Raises TooManyRequestsError where the month's quota is spent.
        """
        with self.env.store.read() as tx:
            limited = find_organization(tx, project.organization_id).quota is not None
        if not limited:
            self.meter.add(project.organization_id, units)
            return
        with self.env.store.transaction(durable=False) as tx:
            add_usage(self.env, tx, project.organization_id, units)

    def _run(self, project_id: str, submission: Submission) -> tuple[ModerationResult, Author | None]:
        """The result, and the author as they now are in the store."""
        with self.env.store.read() as tx:
            case = self._open(tx, project_id, submission)
        engine = self._engine_of(case.channel, case.project)
        if engine.channel.context_enabled and case.submission.history is None:
            with self.env.store.read() as tx:
                case = replace(case, submission=replace(case.submission, history=self._recall(tx, case)))
        meta_type = case.submission.meta_type or engine.channel.content_type
        if meta_type != case.submission.meta_type:
            case = replace(case, submission=replace(case.submission, meta_type=meta_type))
        result = self._moderate(engine, case.submission)
        return result, self._close(case, result)

    def _engine_of(self, channel: ChannelRecord, project: Project) -> Engine:
        return self.engines.find(channel, dry_run=project.global_flagging_mode == "DRY_RUN")

    def _open(self, tx: Transaction, project_id: str, submission: Submission) -> _Case:
        project = _find_project(tx, project_id)
        organization = find_organization(tx, project.organization_id)
        if submission.policies is not None and organization.plan != "enterprise":
            raise ForbiddenError("policies can be given with a request on an enterprise plan only; leave them out")
        require_quota(self.env, tx, organization)
        channel = _find_channel(tx, project_id, submission.channel)
        external_id = submission.author_id
        author = None if external_id is None else _find_author(tx, project_id, external_id)
        seen_as = None if external_id is None else self._see(external_id, author)
        submission = replace(
            submission, channel=None, author=seen_as, author_id=None if seen_as is None else seen_as.id
        )
        return _Case(project, channel, submission, external_id, author, organization.quota is not None)

    def _see(self, external_id: str, author: Author | None) -> Writer:
        """An author as the engine knows authors; one that the store does not know is new."""
        if author is None:
            return Writer(external_id, external_id)
        now_ms = self.env.now()
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

    def _recall(self, tx: Transaction, case: _Case) -> tuple[Turn, ...]:
        """The turns before a submission, oldest first: of its conversation, and where it names none, of its author."""
        submission = case.submission
        if submission.conversation_id is not None:
            stream = Where("conversation_id", "is", submission.conversation_id)
        elif case.author is not None:
            stream = Where("author_id", "is", case.author.id)
        else:
            return ()
        at_ms = self.env.now() if submission.timestamp is None else int(submission.timestamp)
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

    def _close(self, case: _Case, result: ModerationResult) -> Author | None:
        """Keep what is to be kept, and count what was used."""
        author = case.author
        if case.limited or is_kept(case.submission):
            author = self._write(case, result)
        if not case.limited:
            self.meter.add(case.project.organization_id, result.meta.usage)
        return author

    def _write(self, case: _Case, result: ModerationResult) -> Author | None:
        left = _ATTEMPTS
        kept = is_kept(case.submission)
        while True:
            left -= 1
            try:
                # A few units that are lost with a power cut cost nobody anything; content that was accepted would.
                with self.env.store.transaction(durable=kept) as tx:
                    author = case.author
                    if kept:
                        author = keep(self.env, tx, case.channel, case.submission, result, case.external_id)
                    if case.limited:
                        add_usage(self.env, tx, case.project.organization_id, result.meta.usage)
                    return author
            except (ConflictError, ContendedError):
                if not left:
                    raise


def _read(request: object) -> Submission:
    """A checked submission, whose ids a database can hold; ids that are empty are none."""
    submission = parse_submission(request)
    body = Body(
        {
            "contentId": submission.content_id,
            "channel": submission.channel,
            "authorId": submission.author_id,
            "conversationId": submission.conversation_id,
        }
    )
    submission = replace(
        submission,
        content_id=body.text("contentId", None, most=100) or None,
        channel=body.text("channel", None) or None,
        author=None,
        author_id=body.text("authorId", None) or None,
        conversation_id=body.text("conversationId", None) or None,
    )
    body.done()
    return submission


def _read_image(request: object) -> Submission:
    body = Body(request)
    url = body.text("url", least=1, most=MAX_BASE64)
    if url and not is_url(url):
        body.wrong("url", "must begin with http:// or https://")
    author_id = body.text("authorId", None)
    context_id = body.text("contextId", None)
    metadata = body.mapping("metadata", None)
    do_not_store = body.flag("doNotStore", False)
    body.done()
    return _read(
        {
            "content": {"type": "image", "url": url},
            "authorId": author_id,
            "conversationId": context_id,
            "metadata": metadata,
            "doNotStore": do_not_store,
        }
    )


def _find_project(tx: Transaction, project_id: str) -> Project:
    project = tx.get(Project, project_id)
    if project is None:
        raise NotFoundError("there is no such project")
    return project


def _find_channel(tx: Transaction, project_id: str, named: str | None) -> ChannelRecord:
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


def _find_author(tx: Transaction, project_id: str, external_id: str) -> Author | None:
    conditions = (Where("project_id", "is", project_id), Where("external_id", "is", external_id))
    return next(iter(tx.find(Author, Query(conditions))), None)
