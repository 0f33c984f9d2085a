"""What the runs of `test_adapters_openapi` tell schemathesis: which key a request goes with.

Requests are free to delete projects and keys, also those that the requests go with. Such a key is made anew, straight
in the database, so that no part of a run is answered with 401 throughout.
"""

from __future__ import annotations

import os
from typing import Any

import schemathesis

from seemly.adapters.store.sql_store import SqlStore
from seemly.core.errors import UnauthorizedError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Organization
from seemly.service.base.requests import Body
from seemly.service.management import keys
from seemly.service.management.projects import add_project

_ENV = Environment(SqlStore(os.environ["SEEMLY_TEST_DATABASE"]))
_KEYS: dict[str, str] = {}


@schemathesis.auth(refresh_interval=None)
class Keys:
    """A project's key where an operation takes one, else an organization's."""

    def get(self, _case: Any, context: Any) -> str:
        schemes = {name for each in context.operation.definition.raw["security"] for name in each}
        kind = "projectKey" if "projectKey" in schemes else "organizationKey"
        if kind not in _KEYS or not _holds(_KEYS[kind]):
            _KEYS[kind] = _make(kind)
        return _KEYS[kind]

    def set(self, case: Any, data: str, _context: Any) -> None:
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


def _holds(secret: str) -> bool:
    with _ENV.store.read() as tx:
        try:
            keys.find_key(_ENV, tx, secret)
        except UnauthorizedError:
            return False
    return True


def _make(kind: str) -> str:
    with _ENV.store.transaction() as tx:
        organization = tx.find(Organization)[0]
        if kind == "projectKey":
            return add_project(_ENV, tx, organization.id, Body({"name": "Project"})).secret
        return keys.issue(_ENV, tx, organization.id, "A key", projects="write", channels="write").secret
