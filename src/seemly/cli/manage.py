"""`seemly keys`, `channels`, `wordlists` and what else manages a service: the interface's own endpoints, on a database.

Who can open the database may do everything in it, so that no key is asked for. What is changed is in the activity log
as the key `cli`'s. A server that runs sees it within a second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from seemly.cli.exit_codes import DONE
from seemly.cli.serve import MISSING, open_store
from seemly.core.errors import ConfigError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Key, Organization
from seemly.service.management.keys import log
from seemly.service.management.views import view_organization
from seemly.service.retention import export_project

if TYPE_CHECKING:
    from seemly.adapters.server.endpoint import Endpoint
    from seemly.adapters.store.sql_store import SqlStore
    from seemly.cli.streams import Console

__all__ = ["ManageJob", "OrganizationJob", "run_export", "run_manage", "run_organization"]

_ACTOR = "cli"


@dataclass(frozen=True, slots=True)
class ManageJob:
    """An endpoint by its name, and what it is told: ids, in the order of its path, then `name=value` or `name=@file`,
    a value being JSON or, where it is none, text."""

    database: str
    operation: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrganizationJob:
    """What is to change of the organization. `quota` is a whole number, or `none` for no limit."""

    database: str
    name: str | None = None
    plan: str | None = None
    quota: str | None = None


def run_manage(job: ManageJob, console: Console) -> int:
    """Call an endpoint, and write what it gives. Raises ConfigError, and whatever the endpoint raises."""
    try:
        from starlette.requests import Request

        from seemly.adapters.server.endpoint import Call
        from seemly.adapters.server.parameters import read_query
        from seemly.adapters.server.rate_limits import Rates
        from seemly.adapters.server.routes import ENDPOINTS
        from seemly.adapters.server.settings import ServerSettings
        from seemly.adapters.server.state import Parts
    except ModuleNotFoundError as error:
        raise ConfigError(MISSING) from error
    from seemly.service.moderation.engine_cache import Engines
    from seemly.service.moderation.moderation import Moderation

    endpoint = next(each for each in ENDPOINTS if each.name == job.operation)
    path, fields = _read_words(endpoint, job.words)
    asked = {each.name: fields.pop(each.name) for each in endpoint.parameters if each.name in fields}
    query = read_query(endpoint, Request({"type": "http", "query_string": urlencode(asked).encode(), "headers": []}))
    with _opened(job.database) as (store, organization):
        env = Environment(store)
        parts = Parts(env, Moderation(env, Engines(env)), Rates("memory://"), ServerSettings())
        answer = endpoint.run(Call(env, parts, _act_as(env, organization), path, query, fields))
    console.write(json.dumps(answer, indent=2, ensure_ascii=False))
    return DONE


def run_export(database: str, project_id: str, console: Console) -> int:
    """Write everything of a project as lines of JSON. Raises ConfigError, NotFoundError."""
    with _opened(database) as (store, _):
        for line in export_project(Environment(store), project_id):
            console.write(line.rstrip("\n"))
    return DONE


def run_organization(job: OrganizationJob, console: Console) -> int:
    """Show the organization, or change it. Raises ConfigError."""
    changes: dict[str, Any] = {"name": job.name, "plan": job.plan}
    changes = {name: value for name, value in changes.items() if value is not None}
    if job.quota is not None:
        if job.quota != "none" and not (job.quota.isascii() and job.quota.isdigit()):
            raise ConfigError("the quota is a whole number of units a month, or none for no limit")
        changes["quota"] = None if job.quota == "none" else int(job.quota)
    with _opened(job.database) as (store, organization):
        env = Environment(store)
        if changes:
            organization = replace(organization, **changes)
            with store.transaction() as tx:
                tx.put(organization)
                log(env, tx, _act_as(env, organization), "organization.updated", organization.id)
    console.write(json.dumps(view_organization(organization), indent=2, ensure_ascii=False))
    return DONE


@contextmanager
def _opened(database: str) -> Iterator[tuple[SqlStore, Organization]]:
    """The store of a database, and the organization in it. Raises ConfigError where there is none."""
    store = open_store(database)
    try:
        with store.read() as tx:
            found = tx.find(Organization)
        if not found:
            raise ConfigError("this database is not set up: seemly setup does that")
        yield store, found[0]
    finally:
        store.close()


def _act_as(env: Environment, organization: Organization) -> Key:
    return Key(
        id=_ACTOR,
        organization_id=organization.id,
        project_id=None,
        name=_ACTOR,
        digest="",
        hint="",
        created_ms=env.now(),
        projects="write",
        channels="write",
    )


def _read_words(endpoint: Endpoint, words: Sequence[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """The ids of the path, and the fields of the query and the body. Raises ConfigError."""
    names = re.findall(r"{(\w+)}", endpoint.path)
    ids, given = words[: len(names)], words[len(names) :]
    if len(ids) < len(names) or any("=" in each for each in ids):
        raise ConfigError(f"this takes {', '.join(names)} first, then name=value")
    known = {each.name for each in endpoint.parameters} | _fields_of(endpoint.takes or {})
    fields: dict[str, Any] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ConfigError(f"this takes {', '.join(f'{each}=…' for each in sorted(known)) or 'nothing more'}")
        fields[name] = _read_value(value)
    return dict(zip(names, ids, strict=True)), fields


def _fields_of(schema: Mapping[str, Any]) -> set[str]:
    return set(schema.get("properties", ())).union(*map(_fields_of, schema.get("anyOf", ())))


def _read_value(value: str) -> Any:
    if value.startswith("@"):
        try:
            return json.loads(Path(value[1:]).read_bytes())
        except (OSError, ValueError) as error:
            raise ConfigError(f"{value[1:]} is no file of JSON that can be read") from error
    try:
        return json.loads(value)
    except ValueError:
        return value
