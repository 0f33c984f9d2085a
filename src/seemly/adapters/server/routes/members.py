"""The organization and its members. An organization key that may write projects and channels everywhere acts as an
owner; the plan and the quota are for who runs the server, by `seemly organization`."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Schema
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import TEXT, TIME, WHOLE, choice, items, maybe, record, taken, text
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Member
from seemly.service.management import accounts
from seemly.service.management.views import view_member, view_organization

__all__ = ["ENDPOINTS"]

_ROLE = choice(*accounts.ROLES)
_ORGANIZATION = record(
    {"id": TEXT, "name": TEXT, "plan": choice("standard", "enterprise"), "quota": maybe(WHOLE), "createdAt": TIME}
)
_MEMBER = record({"id": TEXT, "name": TEXT, "email": maybe(TEXT), "role": _ROLE, "createdAt": TIME})
_WRITTEN: dict[str, Schema] = {
    "name": text(200),
    "email": text(320, 3) | {"pattern": r"^[^@\s]+@[^@\s]+$", "description": "Where failed webhooks are told of."},
    "role": _ROLE,
}


def _get_organization(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_organization(accounts.find_organization(tx, _find(call, tx).organization_id))


def _update_organization(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_organization(accounts.update_organization(call.env, tx, _find(call, tx), call.body, by=call.key))


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return [view_member(each) for each in accounts.list_members(tx, _find(call, tx).organization_id)]


def _add(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_member(accounts.add_member(call.env, tx, _find(call, tx), call.body, by=call.key))


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        member_id = call.id_of("member_id")
        return view_member(accounts.update_member(call.env, tx, _find(call, tx), member_id, call.body, by=call.key))


def _remove(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        removed = accounts.remove_member(call.env, tx, _find(call, tx), call.id_of("member_id"), by=call.key)
        return {"deleted": True, "id": removed.id}


def _find(call: Call, tx: Transaction) -> Member:
    return accounts.find_principal(tx, call.key)


_OF: dict[str, Any] = {"tag": "organization", "key": "organization"}
_OWN, _ALL, _ONE = "/organization", "/members", "/members/{member_id}"
_NAMED = taken({"name": text(200, 1)})

ENDPOINTS = (
    Endpoint("GET", _OWN, "getOrganization", "Get it", **_OF, run=_get_organization, gives=_ORGANIZATION),
    Endpoint(
        "PUT",
        _OWN,
        "updateOrganization",
        "Rename it",
        **_OF,
        run=_update_organization,
        takes=_NAMED,
        gives=_ORGANIZATION,
    ),
    Endpoint("GET", _ALL, "listMembers", "List members", **_OF, run=_list, gives=items(_MEMBER)),
    Endpoint("POST", _ALL, "addMember", "Add a member", **_OF, run=_add, takes=taken(_WRITTEN), gives=_MEMBER),
    Endpoint("PUT", _ONE, "updateMember", "Change a member", **_OF, run=_update, takes=taken(_WRITTEN), gives=_MEMBER),
    Endpoint("DELETE", _ONE, "removeMember", "Remove a member", **_OF, run=_remove, gives=DELETED),
)
