"""Actions, and executing them, for project keys."""

from __future__ import annotations

from typing import Any, get_args

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import BOOL, TEXT, TIME, choice, items, maybe, record, taken, text
from seemly.service.base.records import ActionType
from seemly.service.review import actions
from seemly.service.review.action_execution import LONGEST_MS, MAX_TARGETS, execute

__all__ = ["ENDPOINTS"]

_TYPE = choice(*get_args(ActionType))
_VALUES = items(record({"value": text(1_000, 1)}), 100)
_WRITTEN: dict[str, Schema] = {
    "name": text(200, 1),
    "key": maybe(text(100, 1)),
    "description": maybe(text(1_000)),
    "position": choice("ALL_QUEUES", "SOME_QUEUES", "HIDDEN"),
    "filterInQueueIds": items(text(1_000, 1), 100),
    "queueBehaviour": choice("REMOVE", "ADD", "NO_CHANGE"),
    "possibleValues": _VALUES,
    "freeText": BOOL,
    "valueRequired": BOOL,
}
ACTION = record({"id": TEXT, "type": _TYPE, "builtIn": BOOL, **_WRITTEN, "createdAt": TIME})
_CREATED = taken({**_WRITTEN, "type": _TYPE}, ["name"])
_IDS = items(text(1_000, 1), MAX_TARGETS, 1)
_HOW: dict[str, Schema] = {
    "value": text(10_000),
    "queueId": text(1_000, 1),
    "duration": {"type": "number", "minimum": 0, "maximum": LONGEST_MS},
}
_ACTION_ID = {"actionId": text(1_000, 1)}


def _on_targets(fields: dict[str, Schema]) -> Schema:
    """A request that names content or authors."""
    ways = ("contentIds", "authorIds")
    return {"anyOf": [taken({**fields, way: _IDS}, [*fields.keys() & _ACTION_ID, way]) for way in ways]}


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return actions.list_actions(tx, call.project_id, call.query)


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return actions.read_action(tx, call.project_id, call.id_of("action_id"))


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return actions.create_action(call.env, tx, call.project_id, call.body)


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return actions.update_action(tx, call.project_id, call.id_of("action_id"), call.body)


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return actions.delete_action(tx, call.project_id, call.id_of("action_id"))


def _execute(call: Call) -> Answer:
    return execute(call.env, call.project_id, call.body, reviewer=call.key.name)


def _execute_named(call: Call) -> Answer:
    action_id = call.id_of("action_id")
    execute(call.env, call.project_id, {**call.body, "actionId": action_id}, reviewer=call.key.name)
    ids = call.body.get("contentIds") or call.body.get("authorIds") or []
    return {"actionId": action_id, "ids": list(ids), "success": True}


_OF: dict[str, Any] = {"tag": "actions", "key": "project"}
_ONE = "/actions/{action_id}"
_OF_QUEUE = (Parameter("queueId", text(500), "only those that are shown in this queue"),)
_DONE = record({"success": BOOL})

ENDPOINTS = (
    Endpoint(
        "POST",
        "/actions/execute",
        "executeAction",
        "Execute",
        **_OF,
        run=_execute,
        takes=_on_targets({**_ACTION_ID, **_HOW}),
        gives=_DONE,
    ),
    Endpoint(
        "GET", "/actions", "listActions", "List actions", **_OF, run=_list, parameters=_OF_QUEUE, gives=items(ACTION)
    ),
    Endpoint("POST", "/actions", "createAction", "Create an action", **_OF, run=_create, takes=_CREATED, gives=ACTION),
    Endpoint("GET", _ONE, "getAction", "Get an action", **_OF, run=_get, gives=ACTION),
    Endpoint("PUT", _ONE, "updateAction", "Change one", **_OF, run=_update, takes=taken(_WRITTEN), gives=ACTION),
    Endpoint("DELETE", _ONE, "deleteAction", "Delete an action", **_OF, run=_delete, gives=DELETED),
    Endpoint(
        "POST",
        f"{_ONE}/execute",
        "executeActionById",
        "Execute an action (the older address)",
        **_OF,
        run=_execute_named,
        takes=_on_targets(_HOW),
        gives=record({"actionId": TEXT, "ids": items(TEXT), "success": BOOL}),
    ),
)
