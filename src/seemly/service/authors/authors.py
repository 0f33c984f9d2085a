"""Authors: made, read, changed, deleted and listed. Their status changes in `blocks`, their level in `trust`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from seemly.core.channel import MetaType
from seemly.core.errors import NotFoundError
from seemly.service.authors.trust import settle_level
from seemly.service.authors.views import view_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Action, ActionRun, Author, Item
from seemly.service.base.requests import Body, read_page, read_time
from seemly.service.webhooks.events import delete_events, emit

__all__ = [
    "create_author", "delete_author", "drop_author", "find_author", "keep_author", "list_authors", "read_author",
    "update_author",
]  # fmt: skip

SortBy = Literal[
    "trustLevel", "violationCount", "reportCount", "memberSince", "lastActive", "contentCount",
    "flaggedContentRatio", "averageSentiment",
]  # fmt: skip

_FIELDS: Mapping[str, str] = {
    "trustLevel": "level",
    "violationCount": "flagged_content",
    "memberSince": "first_seen_ms",
    "lastActive": "last_seen_ms",
    "contentCount": "total_content",
}
"""What authors may be sorted by that is a field of theirs."""

_PUBLIC = ("name", "email", "company", "profile_picture", "external_link", "metadata")
"""What a change of is told as `author.updated`."""

MAX_SCANNED = 10_000
"""How many authors are sorted by what is no field of theirs, those that were last active; and how many of the newest
items are looked through for authors of some type of content."""

_BATCH = 500
_LATEST_MS = 8_640_000_000_000_000


def find_author(tx: Transaction, project_id: str, author_id: str, *, lock: bool = False) -> Author:
    """The author of that id, or of that external id. Raises NotFoundError where the project has none."""
    author = tx.get(Author, author_id, lock=lock)
    if author is not None and author.project_id == project_id:
        return author
    conditions = (Where("project_id", "is", project_id), Where("external_id", "is", author_id))
    found = tx.find(Author, Query(conditions, lock="wait" if lock else "none"))
    if not found:
        raise NotFoundError("there is no such author in this project")
    return found[0]


def keep_author(env: Environment, tx: Transaction, author: Author) -> Author:
    """Keep an author, new or changed, with the level that they now have; tells of a level that is another than the
    one they came with. Raises ConflictError where the project has another of that external id."""
    settled = settle_level(author, env.now())
    tx.put(settled)
    if settled.level != author.level:
        view = view_author(settled, env.now())
        emit(env, tx, author.project_id, "author.trust_level_changed", view, author_id=author.id)
    return settled


def create_author(env: Environment, tx: Transaction, project_id: str, wire: object) -> dict[str, Any]:
    """Make an author and answer with them.

    Raises ContentError, NotFoundError where the project was deleted, and ConflictError where it has one of that
    external id.
    """
    hold_project(tx, project_id)
    body, now_ms = Body(wire), env.now()
    author = Author(
        id=env.new_id("auth"),
        project_id=project_id,
        external_id=body.text("external_id", least=1),
        first_seen_ms=now_ms,
        last_seen_ms=now_ms,
    )
    author = _read_fields(body, author)
    body.done()
    return view_author(keep_author(env, tx, author), now_ms)


def read_author(env: Environment, tx: Transaction, project_id: str, author_id: str) -> dict[str, Any]:
    """The author of that id or external id. Raises NotFoundError."""
    return view_author(find_author(tx, project_id, author_id), env.now())


def update_author(env: Environment, tx: Transaction, project_id: str, author_id: str, wire: object) -> dict[str, Any]:
    """Change an author and answer with them. What is left out stays as it was; null empties.

    Raises ContentError and NotFoundError.
    """
    hold_project(tx, project_id)
    before = find_author(tx, project_id, author_id, lock=True)
    body = Body(wire)
    after = _read_fields(body, before)
    body.done()
    after = keep_author(env, tx, after)
    view = view_author(after, env.now())
    if any(getattr(before, name) != getattr(after, name) for name in _PUBLIC):
        emit(env, tx, project_id, "author.updated", view, author_id=after.id)
    return view


def delete_author(tx: Transaction, project_id: str, author_id: str) -> dict[str, Any]:
    """Delete an author, as `drop_author` does. Raises NotFoundError."""
    hold_project(tx, project_id)
    drop_author(tx, find_author(tx, project_id, author_id, lock=True))
    return {"success": True}


def drop_author(tx: Transaction, author: Author) -> None:
    """Remove an author, who is locked in a project that is held, and all that tells of them: events, what was sent of
    these, and what was done about them.

    What they wrote stays, without an author, and so does what was done about that alone; `retention.erase_author`
    deletes these too. That they were deleted stays written down, by their id, without a word of why.
    """
    of_project, of_author = Where("project_id", "is", author.project_id), Where("author_id", "is", author.id)
    while items := tx.find(Item, Query((of_project, of_author), limit=_BATCH, lock="wait")):
        for item in items:
            tx.put(replace(item, author_id=None))
    while delete_events(tx, Query((of_author,))):
        pass
    actions = tx.find(Action, where("project_id", author.project_id))
    of_items = tuple(each.id for each in actions if each.type.startswith("ITEM_"))
    deleting = tuple(each.id for each in actions if each.type == "AUTHOR_DELETE")
    while runs := tx.find(ActionRun, Query((of_author, Where("action_id", "in", of_items)), limit=_BATCH)):
        for run in runs:
            tx.put(replace(run, author_id=None))
    for run in tx.find(ActionRun, Query((of_author, Where("action_id", "in", deleting)))):
        tx.put(replace(run, value=None, comment=None))
    tx.remove(ActionRun, Query((of_author, Where("action_id", "not_in", deleting))))
    tx.remove(Author, where("id", author.id))


def list_authors(env: Environment, tx: Transaction, project_id: str, wire: object = None) -> dict[str, Any]:
    """A page of the project's authors, and where in the list it is.

    `wire` has the interface's query parameters: `pageSize`, `pageNumber`, `sortBy`, `sortDirection`, and of which
    authors, `memberSinceDate` and `lastActiveDate` (ISO 8601, those since then) and `contentTypes`. By
    `flaggedContentRatio` and `reportCount` the 10,000 that were last active are sorted; nothing measures sentiment,
    so that `averageSentiment` finds all alike. Raises ContentError.
    """
    body = Body(wire)
    page = read_page(body)
    sort: SortBy = body.choice("sortBy", get_args(SortBy), "lastActive")
    descending = body.choice("sortDirection", ("asc", "desc"), "desc") == "desc"
    since = (("first_seen_ms", read_time(body, "memberSinceDate")), ("last_seen_ms", read_time(body, "lastActiveDate")))
    meta_types = body.choices("contentTypes", get_args(MetaType), ())
    body.done()
    conditions = [Where("project_id", "is", project_id)]
    conditions += [Where(name, "at_least", at_ms) for name, at_ms in since if at_ms is not None]
    if meta_types:
        conditions.append(Where("id", "in", _writers_of(tx, project_id, meta_types)))
    query = Query(tuple(conditions))
    total = tx.count(Author, query)
    if sort in _FIELDS or sort == "averageSentiment":
        order = (Order(_FIELDS[sort], descending),) if sort in _FIELDS else ()
        authors = tx.find(Author, replace(query, order=order, limit=page.size, offset=page.offset))
    else:
        measure = _count_reports(tx, project_id) if sort == "reportCount" else _flagged_ratio
        recent = tx.find(Author, replace(query, order=(Order("last_seen_ms", descending=True),), limit=MAX_SCANNED))
        recent.sort(key=lambda author: author.id)
        recent.sort(key=measure, reverse=descending)
        authors = recent[page.offset : page.offset + page.size]
    return {"authors": [view_author(each, env.now()) for each in authors], "pagination": page.dump(total)}


def _read_fields(body: Body, author: Author) -> Author:
    """The author with the fields of a request in place of their own."""
    return replace(
        author,
        name=body.text("name", author.name, null=True),
        email=body.text("email", author.email, null=True),
        company=body.text("company", author.company, null=True),
        profile_picture=body.text("profile_picture", author.profile_picture, most=10_000, null=True),
        external_link=body.text("external_link", author.external_link, most=10_000, null=True),
        first_seen_ms=int(body.number("first_seen", author.first_seen_ms, most=_LATEST_MS)),
        last_seen_ms=int(body.number("last_seen", author.last_seen_ms, most=_LATEST_MS)),
        manual_level=body.integer("manual_trust_level", author.manual_level, least=-1, most=4, null=True),
        metadata=body.mapping("metadata", author.metadata),
    )


def _writers_of(tx: Transaction, project_id: str, meta_types: tuple[MetaType, ...]) -> tuple[str, ...]:
    conditions = (Where("project_id", "is", project_id), Where("meta_type", "in", meta_types))
    newest = Query(conditions, (Order("created_ms", descending=True),), limit=MAX_SCANNED)
    return tuple({item.author_id for item in tx.find(Item, newest) if item.author_id is not None})


def _flagged_ratio(author: Author) -> float:
    return author.flagged_content / max(1, author.total_content)


def _count_reports(tx: Transaction, project_id: str) -> Callable[[Author], float]:
    """What tells how often an author was reported, of the last 10,000 reports."""
    of_project = Where("project_id", "is", project_id)
    reporting = tuple(each.id for each in tx.find(Action, Query((of_project, Where("type", "is", "AUTHOR_REPORT")))))
    newest = (Order("at_ms", descending=True),)
    runs = tx.find(ActionRun, Query((of_project, Where("action_id", "in", reporting)), newest, limit=MAX_SCANNED))
    reports = Counter(run.author_id for run in runs)
    return lambda author: reports[author.id]
