"""Projects, for organization keys."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Schema
from seemly.adapters.server.schema import BOOL, TEXT, TIME, WHOLE, choice, items, maybe, record, taken, text, whole
from seemly.service.base.requests import MAX_INTEGER
from seemly.service.management import projects
from seemly.service.management.views import view_new_project, view_project

__all__ = ["ENDPOINTS"]

_FIELDS: dict[str, Schema] = {
    "id": TEXT,
    "name": TEXT,
    "description": maybe(TEXT),
    "domain": maybe(TEXT),
    "context": maybe(TEXT),
    "globalFlaggingMode": choice("ACTIVE", "DRY_RUN"),
    "enableRequestLogging": BOOL,
    "casebookEnabled": BOOL,
    "rateLimit": maybe(WHOLE),
    "retentionDays": maybe(WHOLE),
    "createdAt": TIME,
    "updatedAt": TIME,
}
PROJECT = record(_FIELDS)
NEW_PROJECT = record({**_FIELDS, "secretKey": TEXT})
CREATED = taken(
    {
        "name": text(200, 1),
        "domain": text(500),
        "context": text(5_000),
        "brief": text(5_000),
        "usedByMinors": BOOL,
    },
    ["name"],
)
CHANGED = taken(
    {
        "name": text(200, 1),
        "description": text(2_000),
        "domain": text(500),
        "context": text(5_000),
        "globalFlaggingMode": choice("ACTIVE", "DRY_RUN"),
        "enableRequestLogging": BOOL,
        "casebookEnabled": BOOL,
        "rateLimit": whole(1, MAX_INTEGER),
        "retentionDays": whole(1, 36_500),
    }
)
DELETED: Schema = record({"deleted": BOOL, "id": TEXT})


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return [view_project(each) for each in projects.list_projects(tx, call.key)]


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_project(projects.get_project(tx, call.key, call.id_of("project_id")))


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_new_project(projects.create_project(call.env, tx, call.key, call.body))


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_project(projects.update_project(call.env, tx, call.key, call.id_of("project_id"), call.body))


def _duplicate(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        made = projects.duplicate_project(call.env, tx, call.key, call.id_of("project_id"), call.body)
        return view_new_project(made)


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return {"deleted": True, "id": projects.delete_project(call.env, tx, call.key, call.id_of("project_id")).id}


_OF: dict[str, Any] = {"tag": "projects", "key": "organization"}
_ONE = "/projects/{project_id}"

ENDPOINTS = (
    Endpoint("GET", "/projects", "listProjects", "List projects", **_OF, run=_list, gives=items(PROJECT)),
    Endpoint(
        "POST", "/projects", "createProject", "Create a project", **_OF, run=_create, takes=CREATED, gives=NEW_PROJECT
    ),
    Endpoint("GET", _ONE, "getProject", "Get a project", **_OF, run=_get, gives=PROJECT),
    Endpoint("PUT", _ONE, "updateProject", "Update a project", **_OF, run=_update, takes=CHANGED, gives=PROJECT),
    Endpoint("DELETE", _ONE, "deleteProject", "Delete a project", **_OF, run=_delete, gives=DELETED),
    Endpoint(
        "POST",
        f"{_ONE}/duplicate",
        "duplicateProject",
        "Duplicate a project",
        **_OF,
        run=_duplicate,
        takes=taken({"name": text(200, 1)}),
        gives=NEW_PROJECT,
    ),
)
