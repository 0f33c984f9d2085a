"""Review queues and their items, for project keys."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.routes.authors import PAGED
from seemly.adapters.server.routes.channels import CONTENT_TYPE
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import (
    BOOL,
    JSON,
    MOMENT,
    NUMBER,
    SHARE,
    TEXT,
    TIME,
    WHOLE,
    choice,
    items,
    maybe,
    record,
    taken,
    text,
    whole,
)
from seemly.service.review import items as review_items
from seemly.service.review import queues

__all__ = ["ENDPOINTS"]

_ID = text(1_000, 1)
_SEVERITY = whole(0, 100)
_FILTER = taken(
    {
        "afterDate": MOMENT,
        "beforeDate": MOMENT,
        "within": whole(1, 1_000_000),
        "withinUnit": choice("MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "YEARS"),
        "authorID": text(1_000),
        "authorTrustLevels": items(whole(-1, 4), 6),
        "checkStatus": choice("all", "checked", "unchecked"),
        "contentID": text(1_000),
        "contentTypes": items(CONTENT_TYPE, 9),
        "conversationIds": items(_ID, 100),
        "filteredActionIds": items(_ID, 100),
        "filteredChannelIds": items(_ID, 100),
        "filterLabels": items(
            taken(
                {
                    "label": _ID,
                    "type": choice("FLAGGED", "NOT_FLAGGED", "THRESHOLDS", "MATCHED"),
                    "minThreshold": SHARE,
                    "maxThreshold": SHARE,
                },
                ["label", "type"],
            ),
            100,
        ),
        "isFlagged": choice("ALL", "FLAGGED", "NOT_FLAGGED", "SHADOW_FLAGGED"),
        "labels": items(_ID, 100),
        "languages": items(_ID, 100),
        "mediaTypes": items(choice("text", "image", "video", "audio", "object"), 5),
        "minSeverity": _SEVERITY,
        "maxSeverity": _SEVERITY,
        "recommendationActions": items(choice("allow", "review", "reject"), 3),
        "search": items(_ID, 100),
    }
)
_WRITTEN: dict[str, Schema] = {"name": text(200, 1), "description": text(1_000), "filter": _FILTER}
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
_COMMENT = taken({"comment": text(10_000)})


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return queues.list_queues(call.env, tx, call.project_id)


def _get(call: Call) -> Answer:
    return {"queue": _read(call, call.id_of("queue_id"))}


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        queue = queues.create_queue(call.env, tx, call.project_id, call.body)
    return _read(call, queue.id)


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        queue = queues.update_queue(call.env, tx, call.project_id, call.id_of("queue_id"), call.body)
    # Others need not wait while its items are counted.
    return _read(call, queue.id)


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return queues.delete_queue(tx, call.project_id, call.id_of("queue_id"))


def _items(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return review_items.list_items(call.env, tx, call.project_id, call.id_of("queue_id"), call.query)


def _read(call: Call, queue_id: str) -> Answer:
    with call.env.store.read() as tx:
        return queues.read_queue(call.env, tx, call.project_id, queue_id)


def _stats(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return review_items.measure_queue(call.env, tx, call.project_id, call.id_of("queue_id"), call.query)


def _resolve(call: Call) -> Answer:
    queue_id, item_id = call.id_of("queue_id"), call.id_of("item_id")
    with call.env.store.transaction() as tx:
        return review_items.resolve_item(
            call.env, tx, call.project_id, queue_id, item_id, call.body, reviewer=call.key.name
        )


def _unresolve(call: Call) -> Answer:
    queue_id, item_id = call.id_of("queue_id"), call.id_of("item_id")
    with call.env.store.transaction() as tx:
        return review_items.unresolve_item(call.env, tx, call.project_id, queue_id, item_id, call.body)


_OF: dict[str, Any] = {"tag": "queues", "key": "project"}
_ONE = "/queue/{queue_id}"
_ITEM = f"{_ONE}/items/{{item_id}}"
_CREATED = taken(_WRITTEN, ["name"])
_SOUGHT_ID = text(500, 1) | {"pattern": "^[^,]+$"}
_SOUGHT = (
    *PAGED,
    Parameter("sortField", choice("createdAt", "severity", "reviewedAt")),
    Parameter("sortDirection", choice("asc", "desc")),
    Parameter("includeResolved", BOOL, "also what is resolved"),
    Parameter("labels", items(_SOUGHT_ID, 100), "what flagged one of these"),
    Parameter("authorId", text(500)),
    Parameter("conversationIds", items(_SOUGHT_ID, 100)),
    Parameter("filteredActionIds", items(_SOUGHT_ID, 100), "what one of these actions ran on"),
    Parameter("beforeDate", MOMENT, "ISO 8601; without an offset it is UTC"),
    Parameter("afterDate", MOMENT, "ISO 8601; without an offset it is UTC"),
)
_DAYS = (Parameter("withinDays", {"type": "integer", "minimum": 1, "maximum": 365}, "30 unless given"),)
_PAGE_OF = record({"items": items(ITEM), "pagination": _PAGINATION})
_RESOLVED = record({"success": BOOL, "resolvedAt": TIME, "comment": TEXT}, ["success", "resolvedAt"])
_UNRESOLVED = record({"success": BOOL, "status": choice("pending"), "unresolvedAt": TIME})

ENDPOINTS = (
    Endpoint("GET", "/queue", "listQueues", "List queues", **_OF, run=_list, gives=items(QUEUE)),
    Endpoint("POST", "/queue", "createQueue", "Create a queue", **_OF, run=_create, takes=_CREATED, gives=QUEUE),
    Endpoint("GET", _ONE, "getQueue", "Get a queue", **_OF, run=_get, gives=record({"queue": QUEUE})),
    Endpoint("PUT", _ONE, "updateQueue", "Change one", **_OF, run=_update, takes=taken(_WRITTEN), gives=QUEUE),
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
