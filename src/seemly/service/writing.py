"""What moderated submissions leave in the store."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from seemly.attempts import attempt
from seemly.errors import ConflictError, ContentError, NotFoundError, SeemlyError, TooManyRequestsError
from seemly.result import ModerationResult
from seemly.service.accounts import add_usage
from seemly.service.cases import Case, find_project
from seemly.service.environment import Environment
from seemly.service.holding import hold_projects
from seemly.service.intake import keep
from seemly.service.ports import ContendedError, Query, Transaction, Where
from seemly.service.records import Author

__all__ = ["Done", "write"]

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
