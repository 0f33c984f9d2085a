"""Moderation as the service does it: the channel's engine, what is known of the author, and what is kept of it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from seemly.core.attempts import attempt, go_on
from seemly.core.content import MAX_BASE64, Submission, is_url
from seemly.core.errors import SeemlyError
from seemly.core.submission import parse_submission
from seemly.engine.engine import Engine, Rejected
from seemly.engine.result import ModerationResult
from seemly.service.authors.views import view_brief_author
from seemly.service.base.environment import Environment
from seemly.service.base.records import ChannelRecord, Project
from seemly.service.base.requests import Body
from seemly.service.management.accounts import add_usage, find_organization
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.lookup import Asked, Case, find_channel, find_project, is_kept, open_cases, recall
from seemly.service.moderation.metering import Meter
from seemly.service.moderation.persistence import Done, write

__all__ = ["Moderation"]

T = TypeVar("T")


class Moderation:
    """Moderates content in a project, as `POST /moderate` does: with the stored author and the earlier turns, and the
    outcome kept for review. Safe to share between threads.

    What was used is counted by the `meter`; but for an organization with a quota in the transaction that keeps the
    content, so that it is counted if and only if the caller has an answer. Flush the meter before the process ends.
    Keys and rates are for the caller to check.
    """

    def __init__(self, env: Environment, engines: Engines) -> None:
        self.env = env
        self.engines = engines
        self.meter = Meter(env)

    def submit(self, project_id: str, request: object) -> dict[str, Any]:
        """Moderate what `Engine.moderate` takes, or the body of `POST /moderate`, and answer with its result.

        Nothing is left of content with `doNotStore`, nor of media that was submitted as its bytes, but that it is
        counted. Raises ContentError, NotFoundError for an unknown project or channel, ForbiddenError for `policies`
        without an enterprise plan, TooManyRequestsError where the month's quota is spent, ConfigError for a channel
        that cannot work, ConflictError or ContendedError where others kept on changing the same content or author, and
        what a store raises that cannot serve.
        """
        (found,) = self.submit_many([(project_id, request)])
        return _or_raise(found)

    def submit_many(self, requests: Sequence[tuple[str, object]]) -> list[dict[str, Any] | SeemlyError]:
        """`submit` of several requests together, each in the project of an id, which is quicker: for each, in order,
        its answer, or what `submit` would raise. They are kept at once, or, where that fails for one, each by
        itself; what a store that cannot serve raises comes of each."""
        asked = [attempt(partial(_ask, project_id, request)) for project_id, request in requests]
        done = self._run(asked)
        now_ms = self.env.now()
        return [each if isinstance(each, SeemlyError) else _view(each, now_ms) for each in done]

    def moderate(self, project_id: str, request: object) -> ModerationResult:
        """As `submit`, for who wants the result itself; its author is as they were before. Raises as `submit` does."""
        return self._run_one(_ask(project_id, request)).result

    def find_engine(self, project_id: str, channel: str | None = None) -> Engine:
        """The engine of a project's channel, named by its key or id; of its default channel where none is named.

        Raises NotFoundError for an unknown project or channel, and ConfigError where the channel cannot work.
        """
        with self.env.store.read() as tx:
            project = find_project(tx, project_id)
            record = find_channel(tx, project_id, channel)
        return self._engine_of(record, project)

    def submit_image(self, project_id: str, request: object) -> dict[str, Any]:
        """Moderate the image of a body of `POST /moderate/image` by the default channel.

        Raises as `submit` does.
        """
        submission = _read_image(request)
        result = self._run_one(Asked(project_id, submission)).result
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

    def _run_one(self, asked: Asked) -> Done:
        (found,) = self._run([asked])
        return _or_raise(found)

    def _run(self, asked: Sequence[Asked | SeemlyError]) -> list[Done | SeemlyError]:
        return go_on(go_on(go_on(asked, partial(open_cases, self.env)), self._moderate), self._close)

    def _engine_of(self, channel: ChannelRecord, project: Project) -> Engine:
        return self.engines.find(channel, dry_run=project.global_flagging_mode == "DRY_RUN")

    def _moderate(self, cases: Sequence[Case]) -> list[Done | SeemlyError]:
        return go_on([attempt(partial(self._prepare, case)) for case in cases], _moderate)

    def _prepare(self, case: Case) -> tuple[Engine, Case]:
        """The engine of a case, and the case with all that the engine is to know."""
        engine = self._engine_of(case.channel, case.project)
        submission = case.submission
        if engine.channel.context_enabled and submission.history is None:
            with self.env.store.read() as tx:
                submission = replace(submission, history=recall(self.env, tx, case))
        meta_type = submission.meta_type or engine.channel.content_type
        if meta_type != submission.meta_type:
            submission = replace(submission, meta_type=meta_type)
        return engine, case if submission is case.submission else replace(case, submission=submission)

    def _close(self, done: Sequence[Done]) -> list[Done | SeemlyError]:
        """Keep what is to be kept, and count what was used: what was done, with its author as they are then."""
        written = iter(go_on([each for each in done if each.case.is_written], partial(write, self.env)))
        closed = [next(written) if each.case.is_written else each for each in done]
        for each in closed:
            if isinstance(each, Done) and not each.case.limited:
                self.meter.add(each.case.project.organization_id, each.result.meta.usage)
        return closed


def _moderate(prepared: Sequence[tuple[Engine, Case]]) -> list[Done | SeemlyError]:
    """What the engines say of their cases, those of each engine together."""
    found: dict[int, ModerationResult | SeemlyError] = {}
    for engine in dict.fromkeys(engine for engine, _ in prepared):
        mine = [at for at, (own, _) in enumerate(prepared) if own is engine]
        results = _moderate_by(engine, [prepared[at][1].submission for at in mine])
        found.update(zip(mine, results, strict=True))
    return [
        result if isinstance(result := found[at], SeemlyError) else Done(case, result, case.author)
        for at, (_, case) in enumerate(prepared)
    ]


def _moderate_by(engine: Engine, submissions: Sequence[Submission]) -> list[ModerationResult | SeemlyError]:
    if len(submissions) == 1:
        return [attempt(partial(engine.moderate, submissions[0]))]
    results = attempt(lambda: [*engine.moderate_many(submissions, on_error="return")])
    if isinstance(results, SeemlyError):
        return [attempt(partial(engine.moderate, each)) for each in submissions]
    return [each.error if isinstance(each, Rejected) else each for each in results]


def _view(done: Done, now_ms: int) -> dict[str, Any]:
    author = None if done.author is None else view_brief_author(done.author, now_ms)
    return {**done.result.to_dict(), "author": author}


def _or_raise(found: T | SeemlyError) -> T:
    if isinstance(found, SeemlyError):
        raise found
    return found


def _ask(project_id: str, request: object) -> Asked:
    return Asked(project_id, _read(request))


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
