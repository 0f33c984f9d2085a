"""Queues, and the lists of their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import FILTERS, describe_filter, read_filter, read_place, read_sorting
from seemly.service.base.ports import Query, Transaction, Where
from seemly.service.base.records import Author, Item, Member
from seemly.service.management.keys import log
from seemly.service.review.browse import browse
from seemly.service.review.claims import find_claims
from seemly.service.review.queues import create_queue, delete_queue, find_queue, list_queues, update_queue
from seemly.service.review.reports import count_reports
from seemly.service.review.second_reviews import find_requests

__all__ = ["PAGES", "PAGE_SIZE", "name_members"]

PAGE_SIZE = 50
_EXCERPT = 240
_ASKED = {"appeal": "appeal", "second_opinion": "second opinion asked"}


@dataclass(frozen=True, slots=True)
class Row:
    """An item in a list."""

    item: Item
    excerpt: str
    author: Author | None
    claimed_by: str | None
    reports: int
    asked: tuple[str, ...]


def name_members(tx: Transaction, organization_id: str) -> dict[str, str]:
    """What the members of an organization are called, by their ids."""
    found = tx.find(Member, Query((Where("organization_id", "is", organization_id),)))
    return {each.id: each.name or each.email or each.id for each in found}


def _list(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        return Html("queues.html", {"queues": list_queues(visit.env, tx, project.id)})


def _create(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.transaction() as tx:
        wire = {"name": visit.given("name").strip(), "description": visit.given("description") or None}
        queue = create_queue(visit.env, tx, project.id, {**wire, "filter": _read_own_filter(visit)})
        log(visit.env, tx, visit.who, "queue.created", queue.id)
    return Redirect(f"/p/{project.id}/q/{queue.id}")


def _update(visit: Visit) -> Reply:
    project, queue_id = visit.project, visit.id_of("queue_id")
    with visit.env.store.transaction() as tx:
        queue = update_queue(visit.env, tx, project.id, queue_id, {"name": visit.given("name").strip()})
        log(visit.env, tx, visit.who, "queue.updated", queue.id)
    return Redirect(f"/p/{project.id}/q/{queue_id}")


def _delete(visit: Visit) -> Reply:
    project, queue_id = visit.project, visit.id_of("queue_id")
    with visit.env.store.transaction() as tx:
        delete_queue(tx, project.id, queue_id)
        log(visit.env, tx, visit.who, "queue.deleted", queue_id)
    return Redirect(f"/p/{project.id}/queues")


def _show(visit: Visit) -> Reply:
    project, queue_id = visit.project, visit.id_of("queue_id")
    number = read_place(visit, "page", 1)
    sorting, wanted = read_sorting(visit), read_filter(visit)
    start = (number - 1) * PAGE_SIZE
    with visit.env.store.read() as tx:
        queue = find_queue(tx, project.id, queue_id)
        found = browse(visit.env, tx, project.id, queue_id, wanted, sorting=sorting, limit=PAGE_SIZE, offset=start)
        rows = _rows(visit, tx, found.items)
    values = {
        "queue": queue,
        "rows": rows,
        "total": found.total,
        "start": start,
        "number": number,
        "pages": max(1, -(-found.total // PAGE_SIZE)),
        "sorting": sorting,
        "filters": describe_filter(visit),
        "asked": {name: visit.asked(name) for name in FILTERS},
        "query": visit.query_but("page", "at"),
        "page_query": visit.query_but("page"),
    }
    return Html("queue.html", values)


def _rows(visit: Visit, tx: Transaction, items: Sequence[Item]) -> list[Row]:
    author_ids = tuple({each.author_id for each in items if each.author_id is not None})
    authors = {each.id: each for each in tx.find(Author, Query((Where("id", "in", author_ids),)))}
    claims = find_claims(visit.env, tx, [each.id for each in items])
    names = name_members(tx, visit.who.organization_id) if claims else {}
    ids = [each.id for each in items]
    reports, requests = count_reports(tx, ids), find_requests(tx, ids)
    return [
        Row(
            each,
            tell_excerpt(each),
            authors.get(each.author_id or ""),
            None
            if each.id not in claims or claims[each.id].member_id == visit.who.id
            else names.get(claims[each.id].member_id, "another reviewer"),
            reports.get(each.id, 0),
            tuple(_ASKED[request.kind] for request in requests if request.item_id == each.id),
        )
        for each in items
    ]


def tell_excerpt(item: Item) -> str:
    """The beginning of an item's text, or what else it is, on one line."""
    text = " ".join((item.text or str(item.content.get("url", ""))).split())
    text = text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 1]}…"
    return text or f"{item.media_type} {item.content_id}"


def _read_own_filter(visit: Visit) -> dict[str, object]:
    """The filter of a new queue, from the fields of a form."""
    labels = [each.strip() for each in visit.given("policies").split(",") if each.strip()]
    actions = [each for each in visit.form.get("action", ()) if each]
    filters: dict[str, object] = {}
    if labels:
        filters["labels"] = labels
    if actions:
        filters["recommendationActions"] = actions
    if visit.given("severity").isdigit():
        filters["minSeverity"] = int(visit.given("severity"))
    return filters


_OF = "/p/{project_id}"
PAGES = (
    Page("GET", f"{_OF}/queues", _list),
    Page("POST", f"{_OF}/queues", _create),
    Page("GET", f"{_OF}/q/{{queue_id}}", _show),
    Page("POST", f"{_OF}/q/{{queue_id}}", _update),
    Page("POST", f"{_OF}/q/{{queue_id}}/delete", _delete),
)
