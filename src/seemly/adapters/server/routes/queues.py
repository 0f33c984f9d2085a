"""Review queues and their items, for project keys."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.routes.authors import PAGED
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import (
    BOOL,
    JSON,
    NUMBER,
    SHARE,
    TEXT,
    TIME,
    WHOLE,
    choice,
    items,
    maybe,
    record,
    text,
)
from seemly.service import queues, review

__all__ = ["ENDPOINTS"]

_WRITTEN: dict[str, Schema] = {"name": text(200, 1), "description": maybe(text(2_000)), "filter": JSON}
QUEUE = record(
    {
        "id": TEXT,
        "name": TEXT,
        "description": maybe(TEXT),
        "filter": JSON,
        "totalItemsCount": WHOLE,
        "resolvedItemsCount": WHOLE,
        "unresolvedItemsCount": WHOLE,
    }
)
ITEM = record(
    {
        "id": TEXT,
        "content": TEXT,
        "contentType": maybe(TEXT),
        "flagged": BOOL,
        "labels": items(record({"label": TEXT, "score": SHARE, "flagged": BOOL})),
        "language": maybe(TEXT),
        "authorId": maybe(TEXT),
        "conversationId": maybe(TEXT),
        "status": choice("pending", "resolved"),
        "timestamp": NUMBER,
        "actions": items(
            record({"id": TEXT, "name": TEXT, "timestamp": NUMBER, "comment": maybe(TEXT), "reviewer": maybe(TEXT)})
        ),
    }
)
_PAGINATION = record(
    {"currentPage": WHOLE, "totalPages": WHOLE, "totalItems": WHOLE, "hasNextPage": BOOL, "hasPreviousPage": BOOL}
)
_STATS = record({"actionStats": items(JSON), "reviewStats": JSON, "topReviewers": items(JSON), "trends": JSON})
_COMMENT = record({"comment": text(10_000)}, [])


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return queues.list_queues(call.env, tx, call.project_id)


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return {"queue": queues.read_queue(call.env, tx, call.project_id, call.id_of("queue_id"))}


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return queues.create_queue(call.env, tx, call.project_id, call.body)


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return queues.update_queue(call.env, tx, call.project_id, call.id_of("queue_id"), call.body)


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return queues.delete_queue(tx, call.project_id, call.id_of("queue_id"))


def _items(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return review.list_items(call.env, tx, call.project_id, call.id_of("queue_id"), call.query)


def _stats(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return review.measure_queue(call.env, tx, call.project_id, call.id_of("queue_id"), call.query)


def _resolve(call: Call) -> Answer:
    queue_id, item_id = call.id_of("queue_id"), call.id_of("item_id")
    with call.env.store.transaction() as tx:
        return review.resolve_item(call.env, tx, call.project_id, queue_id, item_id, call.body, reviewer=call.key.name)


def _unresolve(call: Call) -> Answer:
    queue_id, item_id = call.id_of("queue_id"), call.id_of("item_id")
    with call.env.store.transaction() as tx:
        return review.unresolve_item(call.env, tx, call.project_id, queue_id, item_id, call.body)


_OF: dict[str, Any] = {"tag": "queues", "key": "project"}
_ONE = "/queue/{queue_id}"
_ITEM = f"{_ONE}/items/{{item_id}}"
_CREATED = record(_WRITTEN, ["name"])
_SOUGHT = (
    *PAGED,
    Parameter("sortField", choice("createdAt", "severity", "reviewedAt")),
    Parameter("sortDirection", choice("asc", "desc")),
    Parameter("includeResolved", BOOL, "also what is resolved"),
    Parameter("labels", items(TEXT), "what flagged one of these"),
    Parameter("authorId", TEXT),
    Parameter("conversationIds", items(TEXT)),
    Parameter("filteredActionIds", items(TEXT), "what one of these actions ran on"),
    Parameter("beforeDate", TEXT, "ISO 8601"),
    Parameter("afterDate", TEXT, "ISO 8601"),
)
_DAYS = (Parameter("withinDays", {"type": "integer", "minimum": 1, "maximum": 365}, "30 unless given"),)
_PAGE_OF = record({"items": items(ITEM), "pagination": _PAGINATION})
_RESOLVED = record({"success": BOOL, "resolvedAt": TIME, "comment": TEXT}, ["success", "resolvedAt"])
_UNRESOLVED = record({"success": BOOL, "status": choice("pending"), "unresolvedAt": TIME})

ENDPOINTS = (
    Endpoint("GET", "/queue", "listQueues", "List queues", **_OF, run=_list, gives=items(QUEUE)),
    Endpoint("POST", "/queue", "createQueue", "Create a queue", **_OF, run=_create, takes=_CREATED, gives=QUEUE),
    Endpoint("GET", _ONE, "getQueue", "Get a queue", **_OF, run=_get, gives=record({"queue": QUEUE})),
    Endpoint("PUT", _ONE, "updateQueue", "Change one", **_OF, run=_update, takes=record(_WRITTEN, []), gives=QUEUE),
    Endpoint("DELETE", _ONE, "deleteQueue", "Delete a queue", **_OF, run=_delete, gives=DELETED),
    Endpoint("GET", f"{_ONE}/items", "listItems", "List items", **_OF, run=_items, parameters=_SOUGHT, gives=_PAGE_OF),
    Endpoint("GET", f"{_ONE}/stats", "getStats", "What was done", **_OF, run=_stats, parameters=_DAYS, gives=_STATS),
    Endpoint(
        "POST", f"{_ITEM}/resolve", "resolveItem", "Resolve", **_OF, run=_resolve, takes=_COMMENT, gives=_RESOLVED
    ),
    Endpoint(
        "POST",
        f"{_ITEM}/unresolve",
        "unresolveItem",
        "Open again",
        **_OF,
        run=_unresolve,
        takes=_COMMENT,
        gives=_UNRESOLVED,
    ),
)
