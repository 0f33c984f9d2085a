"""Decisions: on one item, on several at once, and undone."""

from __future__ import annotations

from typing import Any

from seemly.adapters.console.pages.items import choices_of
from seemly.adapters.console.pages.queues import tell_excerpt
from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import read_filter, read_sorting
from seemly.core.errors import ContentError, Issue
from seemly.service.base.ports import Query, Where
from seemly.service.base.records import Item
from seemly.service.review.action_execution import MAX_TARGETS
from seemly.service.review.browse import browse, find_alike, get_item
from seemly.service.review.decisions import Batch, decide, undo
from seemly.service.review.queues import find_queue

__all__ = ["PAGES"]

_SAMPLES = 3


def _decide(visit: Visit) -> Reply:
    project = visit.project
    batch = decide(visit.env, project.id, visit.who, _read(visit))
    return Redirect(_after(visit, project.id, batch))


def _read(visit: Visit) -> dict[str, Any]:
    """The body of a decision, from the fields of a form. What an action asks for bears its id."""
    action_id = visit.given("actionId")
    wire: dict[str, Any] = {"actionId": action_id}
    item_ids = [each for value in visit.form.get("itemIds", ()) for each in value.split()]
    if item_ids:
        wire["itemIds"] = item_ids
    texts = {
        "authorId": "authorId",
        "queueId": "queueId",
        "comment": "comment",
        "policy": "policy",
        "value": f"value:{action_id}",
    }
    wire |= {name: visit.given(field).strip() for name, field in texts.items() if visit.given(field).strip()}
    numbers = {"duration": f"duration:{action_id}", "spent": "spent", "seen": "seen"}
    wire |= {name: int(visit.given(field)[:15]) for name, field in numbers.items() if _is_whole(visit.given(field))}
    return wire


def _after(visit: Visit, project_id: str, batch: Batch) -> str:
    """Where a reviewer goes next: what was decided leaves its place to the next."""
    queue_id, at, query = visit.given("queueId"), visit.given("at"), visit.given("query")
    if queue_id and _is_whole(at) and batch.leaves:
        return f"/p/{project_id}/q/{queue_id}/review?at={at}{'&' if query else ''}{query}"
    if queue_id and (visit.given("then") == "list" or batch.leaves):
        return f"/p/{project_id}/q/{queue_id}?{query}"
    if batch.decisions[0].item_id is None:
        return f"/p/{project_id}/authors/{batch.decisions[0].author_id}"
    if queue_id and _is_whole(at):
        return f"/p/{project_id}/q/{queue_id}/review?at={at}{'&' if query else ''}{query}"
    return f"/p/{project_id}/items/{batch.decisions[0].item_id}"


def _confirm(visit: Visit) -> Reply:
    """What a decision on several items would be made on: how many, and some of them, before it is made."""
    project, queue_id = visit.project, visit.id_of("queue_id")
    with visit.env.store.read() as tx:
        queue = find_queue(tx, project.id, queue_id)
        choices = choices_of(tx, project.id, queue_id)
        if visit.given("all") == "yes":
            found = browse(
                visit.env, tx, project.id, queue_id, read_filter(visit), sorting=read_sorting(visit), limit=MAX_TARGETS
            )
            items, total = list(found.items), found.total
        elif visit.given("alike"):
            items = find_alike(tx, get_item(tx, project.id, visit.given("alike")))
            total = len(items)
        else:
            ids = tuple(each for value in visit.form.get("itemIds", ()) for each in value.split())[:MAX_TARGETS]
            items = tx.find(Item, Query((Where("project_id", "is", project.id), Where("id", "in", ids))))
            total = len(items)
    if not items:
        raise ContentError("choose at least one item first", [Issue("itemIds", "names nothing")])
    values = {
        "queue": queue,
        "choices": choices,
        "items": items,
        "total": total,
        "most": MAX_TARGETS,
        "samples": [tell_excerpt(each) for each in _spread(items)],
        "query": visit.query_but("page", "at"),
        "policies": sorted({label for each in items for label in each.labels}),
    }
    return Html("bulk.html", values)


def _spread(items: list[Item]) -> list[Item]:
    """The first, the middle and the last."""
    return [items[at] for at in sorted({0, len(items) // 2, len(items) - 1})][:_SAMPLES]


def _undo(visit: Visit) -> Reply:
    project = visit.project
    undo(visit.env, project.id, visit.who, visit.id_of("batch_id"))
    to = visit.given("to")
    # Only a page of this project: an address from outside must not lead away.
    inside = to.startswith(f"/p/{project.id}/") and to.isprintable()
    return Redirect(to if inside else f"/p/{project.id}/queues")


def _is_whole(given: str) -> bool:
    return given.isascii() and given.isdigit()


PAGES = (
    Page("POST", "/p/{project_id}/decide", _decide),
    Page("POST", "/p/{project_id}/q/{queue_id}/bulk", _confirm),
    Page("POST", "/p/{project_id}/undo/{batch_id}", _undo),
)
