"""Authors, for project keys."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.routes.channels import CONTENT_TYPE
from seemly.adapters.server.schema import (
    BOOL,
    JSON,
    MOMENT,
    NUMBER,
    TEXT,
    WHOLE,
    choice,
    items,
    maybe,
    record,
    taken,
    text,
    whole,
)
from seemly.service.authors import authors
from seemly.service.retention import erase_author, export_author

__all__ = ["ENDPOINTS"]

_LEVEL = whole(-1, 4)
AUTHOR = record(
    {
        "id": TEXT,
        "external_id": TEXT,
        "status": choice("enabled", "suspended", "blocked"),
        "block": maybe(record({"until": maybe(NUMBER), "reason": maybe(TEXT)})),
        "trust_level": record({"level": _LEVEL, "manual": BOOL}),
        "name": maybe(TEXT),
        "email": maybe(TEXT),
        "company": maybe(TEXT),
        "profile_picture": maybe(TEXT),
        "external_link": maybe(TEXT),
        "first_seen": NUMBER,
        "last_seen": NUMBER,
        "last_incident": maybe(NUMBER),
        "risk_evaluation": {},
        "metrics": record({"total_content": WHOLE, "flagged_content": WHOLE, "average_sentiment": maybe(NUMBER)}),
        "metadata": JSON,
    }
)
_MOMENT: Schema = {"type": "number", "minimum": 0, "maximum": 8.64e15}
_WRITTEN: dict[str, Schema] = {
    "name": text(1_000),
    "email": text(1_000),
    "company": text(1_000),
    "profile_picture": text(10_000),
    "external_link": text(10_000),
    "first_seen": _MOMENT,
    "last_seen": _MOMENT,
    "manual_trust_level": _LEVEL,
    "metadata": JSON,
}
_CREATED = taken({"external_id": text(1_000, 1), **_WRITTEN}, ["external_id"])
_PAGINATION = record(
    {"total": WHOLE, "pageSize": WHOLE, "pageNumber": WHOLE, "hasNextPage": BOOL, "hasPreviousPage": BOOL}
)
_PAGE, _SIZE = whole(1, 1_000_000), whole(1, 100)
_SORTS = choice(
    "trustLevel",
    "violationCount",
    "reportCount",
    "memberSince",
    "lastActive",
    "contentCount",
    "flaggedContentRatio",
    "averageSentiment",
)
PAGED = (Parameter("pageNumber", _PAGE, "from 1"), Parameter("pageSize", _SIZE, "20 unless given"))


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return authors.list_authors(call.env, tx, call.project_id, call.query)


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return authors.read_author(call.env, tx, call.project_id, call.id_of("author_id"))


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return authors.create_author(call.env, tx, call.project_id, call.body)


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return authors.update_author(call.env, tx, call.project_id, call.id_of("author_id"), call.body)


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return authors.delete_author(tx, call.project_id, call.id_of("author_id"))


def _erase(call: Call) -> Answer:
    return {"success": True, "erasedContent": erase_author(call.env, call.project_id, call.id_of("author_id"))}


def _export(call: Call) -> Answer:
    return {"lines": list(export_author(call.env, call.project_id, call.id_of("author_id")))}


_OF: dict[str, Any] = {"tag": "authors", "key": "project"}
_ONE = "/authors/{author_id}"
_LISTED = (
    *PAGED,
    Parameter("sortBy", _SORTS),
    Parameter("sortDirection", choice("asc", "desc")),
    Parameter("memberSinceDate", MOMENT, "ISO 8601; without an offset it is UTC"),
    Parameter("lastActiveDate", MOMENT, "ISO 8601; without an offset it is UTC"),
    Parameter("contentTypes", items(CONTENT_TYPE, 9)),
)
_PAGE_OF = record({"authors": items(AUTHOR), "pagination": _PAGINATION})
_DONE = record({"success": BOOL})

ENDPOINTS = (
    Endpoint("GET", "/authors", "listAuthors", "List authors", **_OF, run=_list, parameters=_LISTED, gives=_PAGE_OF),
    Endpoint("POST", "/authors", "createAuthor", "Create an author", **_OF, run=_create, takes=_CREATED, gives=AUTHOR),
    Endpoint("GET", _ONE, "getAuthor", "Get an author, by id or external id", **_OF, run=_get, gives=AUTHOR),
    Endpoint("PUT", _ONE, "updateAuthor", "Change one", **_OF, run=_update, takes=taken(_WRITTEN), gives=AUTHOR),
    Endpoint("DELETE", _ONE, "deleteAuthor", "Delete an author", **_OF, run=_delete, gives=_DONE),
    Endpoint(
        "POST",
        f"{_ONE}/erase",
        "eraseAuthor",
        "Erase an author with everything of theirs",
        **_OF,
        run=_erase,
        gives=record({"success": BOOL, "erasedContent": WHOLE}),
    ),
    Endpoint(
        "GET",
        f"{_ONE}/export",
        "exportAuthor",
        "Everything kept of an author, as lines of JSON",
        **_OF,
        run=_export,
        gives=record({"lines": items(TEXT)}),
    ),
)
