"""`seemly demo`: a database with a community in it, and the console over it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from seemly.cli.demo_messages import ASIDES, AUTHORS, DISTURBANCES, OPENINGS
from seemly.cli.serve import ServeJob, link_of, open_store, run_serve
from seemly.core.errors import ConfigError
from seemly.service.access.sign_in import invite
from seemly.service.authors.authors import create_author
from seemly.service.base.environment import Environment, now
from seemly.service.base.ports import Query, Where
from seemly.service.base.records import Item, Member, Organization
from seemly.service.base.times import DAY_MS
from seemly.service.management.setup import set_up
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.service.review.decisions import UNDO_MS, decide, release_due
from seemly.service.review.notes import add_note
from seemly.service.review.reports import report_content
from seemly.service.review.second_reviews import appeal, ask_second_opinion

if TYPE_CHECKING:
    from seemly.adapters.store.sql_store import SqlStore
    from seemly.cli.streams import Console
    from seemly.engine.models import Models

__all__ = ["ITEMS", "Clock", "fill", "run_demo"]

ITEMS = 400
"""How many messages the community has written."""

_DAYS = 12
_SEED = 17
_DISTURBED = 0.16


class Clock:
    """A time that begins some days ago and is set forward by hand."""

    def __init__(self, at_ms: int) -> None:
        self.at_ms = at_ms

    def __call__(self) -> int:
        """The time, in Unix milliseconds."""
        return self.at_ms


def run_demo(job: ServeJob, console: Console, models: Models | None = None) -> int:
    """Fill the database where it is new, print the link to the console, and serve until interrupted.

    Raises ConfigError for a database that holds something else.
    """
    store = open_store(job.database)
    store.migrate()
    env = Environment(store)
    with store.read() as tx:
        is_new = not tx.find(Organization)
        others = tx.count(Item) if not is_new else 0
    if is_new:
        console.tell(f"{ITEMS} messages are written, moderated and reviewed; this takes some seconds")
        fill(store, models=models, tier=job.tier or "fast")
    elif not others:
        raise ConfigError("this database is set up for something else: name another by --database")
    with store.transaction() as tx:
        owner = next(each for each in tx.find(Member) if each.role == "owner")
        invited = invite(env, tx, owner)
    console.write(f"open {link_of(job.console_url or f'http://{job.host}:{job.port}', invited)}")
    store.close()
    return run_serve(job, console)


def fill(
    store: SqlStore,
    *,
    models: Models | None = None,
    tier: str = "fast",
    items: int = ITEMS,
    clock: Callable[[], int] = now,
) -> None:
    """Set up a new database and let a community of gardeners write, for some days up to now, and be moderated.

    The same messages every time, and the same decisions about them.
    """
    drawn = random.Random(_SEED)  # noqa: S311  (a story, no secret)
    ends_ms = clock()
    time = Clock(ends_ms - _DAYS * DAY_MS)
    env = Environment(store, now=time)
    with store.transaction() as tx:
        made = set_up(env, tx, {"organization": {"name": "The Plot Society"}, "project": {"name": "Plot talk"}})
        reviewers = [
            Member(id=env.new_id("mem"), organization_id=made.organization.id, created_ms=env.now(), name=name)
            for name in ("Ruth", "Malik")
        ]
        tx.add_all([replace(each, email=f"{each.name.lower()}@example.org") for each in reviewers])
        for external_id, name in AUTHORS:
            create_author(env, tx, made.project_id, {"external_id": external_id, "name": name})
    moderation = Moderation(env, Engines(env, models=models, tier=tier))
    step_ms = (_DAYS * DAY_MS - 3_600_000) // items
    for number in range(items):
        time.at_ms += step_ms
        moderation.submit(made.project_id, _message(drawn, number))
        if number % 4 == 3 and number < items * 3 // 4:
            _decide(env, made.project_id, drawn.choice(reviewers), drawn, time)
    _disagree(env, made.project_id, reviewers, drawn)
    time.at_ms = ends_ms
    moderation.meter.flush()


def _message(drawn: random.Random, number: int) -> dict[str, object]:
    disturbs = drawn.random() < _DISTURBED
    author_id, _ = drawn.choice(AUTHORS[-4:] if disturbs else AUTHORS[:-4])
    first = number % 8 == 0
    text = drawn.choice(DISTURBANCES if disturbs else OPENINGS if first else ASIDES)
    return {
        "content": {"type": "text", "text": text},
        "contentId": f"m{number:04}",
        "authorId": author_id,
        "conversationId": f"thread-{number // 8:03}",
        "metadata": {"plot": drawn.randint(1, 40)},
    }


def _decide(env: Environment, project_id: str, member: Member, drawn: random.Random, time: Clock) -> None:
    """Decide on the newest items that flagged, and on some that did not."""
    conditions = (Where("project_id", "is", project_id), Where("status", "is", "pending"))
    with env.store.read() as tx:
        pending = tx.find(Item, Query(conditions, limit=40))
    for item in pending[:3]:
        follows = drawn.random() < 0.93
        action = "reject" if (item.action != "allow") == follows else "allow"
        wire: dict[str, object] = {"actionId": action, "itemIds": [item.id], "spent": drawn.randint(1_500, 20_000)}
        if item.labels and action == "reject":
            wire["policy"] = item.labels[0]
        decide(env, project_id, member, wire)
    time.at_ms += UNDO_MS
    release_due(env)


def _disagree(env: Environment, project_id: str, reviewers: list[Member], drawn: random.Random) -> None:
    """Reports, appeals, notes and a question: what makes moderation work."""
    of_project = (Where("project_id", "is", project_id),)
    with env.store.read() as tx:
        rejected = tx.find(
            Item, Query((*of_project, Where("status", "is", "resolved"), Where("action", "is", "reject")))
        )
        pending = tx.find(Item, Query((*of_project, Where("status", "is", "pending"), Where("flagged", "is", True))))
    with env.store.transaction() as tx:
        for item in pending[:6]:
            for reporter, _ in drawn.sample(AUTHORS[:-4], drawn.randint(1, 4)):
                reason = drawn.choice(("insult", "spam", "privacy"))
                report_content(
                    env, tx, project_id, {"contentId": item.content_id, "reporterId": reporter, "reason": reason}
                )
        for item in pending[:1]:
            add_note(env, tx, project_id, reviewers[0], item.id, {"text": "The third of this kind today."})
        for item in pending[6:7]:
            ask_second_opinion(env, tx, project_id, reviewers[1], item, {"message": "Is this meant as a joke?"})
        for item in rejected[:2]:
            appeal(
                env,
                tx,
                project_id,
                {"contentId": item.content_id, "authorId": item.author_id, "message": "I was quoting somebody else."},
            )
