"""Keys and the activity log. An organization key that may write projects and channels everywhere acts as an admin."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter
from seemly.adapters.server.schema import BOOL, TEXT, TIME, choice, items, maybe, record, taken, text
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Member
from seemly.service.management import accounts, keys
from seemly.service.management.views import view_activity, view_issued, view_key

__all__ = ["ENDPOINTS"]

_LEVEL = choice("none", "read", "write")
_DAYS = {"type": "integer", "enum": list(keys.LIFETIMES_DAYS)}
_FIELDS = {
    "id": TEXT,
    "name": TEXT,
    "hint": TEXT,
    "projectId": maybe(TEXT),
    "projects": _LEVEL,
    "channels": _LEVEL,
    "projectIds": items(TEXT),
    "createdAt": TIME,
    "expiresAt": maybe(TIME),
    "stopsAt": maybe(TIME),
    "lastUsedAt": maybe(TIME),
}
KEY = record(_FIELDS)
ISSUED = record({**_FIELDS, "secret": TEXT})
_CREATED = taken(
    {
        "name": text(200, 1),
        "projects": _LEVEL,
        "channels": _LEVEL,
        "projectIds": items(text(1_000, 1), 1_000),
        "expiresInDays": _DAYS,
    },
    ["name"],
)
_OF_PROJECT = taken({"name": text(200, 1), "expiresInDays": _DAYS}, ["name"])
_ROLLED = taken({"delay": choice(*keys.DELAYS_MS)})
_ACTIVITY = record({"id": TEXT, "keyId": maybe(TEXT), "what": TEXT, "targetId": TEXT, "at": TIME})


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return [view_key(each) for each in keys.list_keys(tx, _find(call, tx))]


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_issued(keys.make_organization_key(call.env, tx, _find(call, tx), call.body, by=call.key))


def _create_of_project(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        project = keys.find_project(tx, call.key, call.id_of("project_id"))
        return view_issued(keys.make_project_key(call.env, tx, _find(call, tx), project.id, call.body, by=call.key))


def _roll(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_issued(keys.roll_key(call.env, tx, _find(call, tx), call.id_of("key_id"), call.body, by=call.key))


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        keys.delete_key(call.env, tx, _find(call, tx), call.id_of("key_id"), by=call.key)
        return {"deleted": True, "id": call.id_of("key_id")}


def _log(call: Call) -> Answer:
    limit, offset = call.query.get("limit", 100), call.query.get("offset", 0)
    with call.env.store.read() as tx:
        found = keys.list_activity(tx, _find(call, tx), limit=limit, offset=offset)
        return [view_activity(each) for each in found]


def _find(call: Call, tx: Transaction) -> Member:
    return accounts.find_principal(tx, call.key)


_OF: dict[str, Any] = {"tag": "keys", "key": "organization"}
_PAGE = (
    Parameter("limit", {"type": "integer", "minimum": 1, "maximum": 1_000}, "how many, 100 unless given"),
    Parameter("offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, "how many to pass over"),
)

ENDPOINTS = (
    Endpoint("GET", "/keys", "listKeys", "List keys", **_OF, run=_list, gives=items(KEY)),
    Endpoint(
        "POST", "/keys", "createKey", "Create an organization key", **_OF, run=_create, takes=_CREATED, gives=ISSUED
    ),
    Endpoint(
        "POST",
        "/projects/{project_id}/keys",
        "createProjectKey",
        "Create a project key",
        **_OF,
        run=_create_of_project,
        takes=_OF_PROJECT,
        gives=ISSUED,
    ),
    Endpoint("POST", "/keys/{key_id}/roll", "rollKey", "Roll a key", **_OF, run=_roll, takes=_ROLLED, gives=ISSUED),
    Endpoint(
        "DELETE",
        "/keys/{key_id}",
        "deleteKey",
        "Revoke a key",
        **_OF,
        run=_delete,
        gives=record({"deleted": BOOL, "id": TEXT}),
    ),
    Endpoint(
        "GET",
        "/activity",
        "listActivity",
        "The activity log",
        **_OF,
        run=_log,
        parameters=_PAGE,
        gives=items(_ACTIVITY),
    ),
)
