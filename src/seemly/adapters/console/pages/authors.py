"""Authors: the list, and one with what they wrote and what was done about them."""

from __future__ import annotations

from seemly.adapters.console.pages.items import DURATIONS, choices_of, fitting
from seemly.adapters.console.pages.queues import name_members, tell_excerpt
from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import read_place
from seemly.service.authors.authors import find_author, list_authors, update_author
from seemly.service.authors.views import as_of
from seemly.service.base.ports import Order, Query, Where
from seemly.service.base.records import Action, ActionRun, Item
from seemly.service.management.keys import log

__all__ = ["PAGES"]

_SIZE = 50
_SORTS = {
    "lastActive": "last active",
    "violationCount": "flagged most",
    "flaggedContentRatio": "largest share flagged",
    "contentCount": "wrote most",
    "memberSince": "newest",
    "trustLevel": "most trusted",
}


def _list(visit: Visit) -> Reply:
    project, number = visit.project, read_place(visit, "page", 1)
    sort = visit.asked("sort") if visit.asked("sort") in _SORTS else "lastActive"
    wire = {"pageNumber": number, "pageSize": _SIZE, "sortBy": sort, "sortDirection": "desc"}
    with visit.env.store.read() as tx:
        found = list_authors(visit.env, tx, project.id, wire)
    return Html("authors.html", {**found, "sort": sort, "sorts": _SORTS, "number": number})


def _show(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        author = find_author(tx, project.id, visit.id_of("author_id"))
        theirs = (Where("author_id", "is", author.id),)
        written = tx.find(
            Item,
            Query(
                (Where("project_id", "is", project.id), *theirs), (Order("timestamp_ms", descending=True),), limit=_SIZE
            ),
        )
        runs = tx.find(ActionRun, Query(theirs, (Order("at_ms", descending=True),), limit=_SIZE))
        actions = {each.id: each.name for each in tx.find(Action, Query((Where("project_id", "is", project.id),)))}
        choices = [each for each in choices_of(tx, project.id, None) if each.type.startswith("AUTHOR_")]
        names = name_members(tx, visit.who.organization_id)
    author = as_of(author, visit.env.now())
    values = {
        "author": author,
        "written": written,
        "excerpt": tell_excerpt,
        "runs": [(run, actions.get(run.action_id, run.action_id)) for run in runs],
        "choices": fitting(choices, author),
        "durations": DURATIONS,
        "names": names,
    }
    return Html("author.html", values)


def _set_level(visit: Visit) -> Reply:
    project, author_id = visit.project, visit.id_of("author_id")
    given = visit.given("level")
    level = int(given) if given in ("-1", "0", "1", "2", "3", "4") else None
    with visit.env.store.transaction() as tx:
        update_author(visit.env, tx, project.id, author_id, {"manual_trust_level": level})
        log(visit.env, tx, visit.who, "author.trust_level_set", author_id)
    return Redirect(f"/p/{project.id}/authors/{author_id}")


_ONE = "/p/{project_id}/authors/{author_id}"
PAGES = (
    Page("GET", "/p/{project_id}/authors", _list),
    Page("GET", _ONE, _show),
    Page("POST", f"{_ONE}/level", _set_level),
)
