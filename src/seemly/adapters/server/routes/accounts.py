"""What a key can learn of its account."""

from __future__ import annotations

from seemly.adapters.server.endpoint import Answer, Call, Endpoint
from seemly.adapters.server.schema import TEXT, WHOLE, maybe, record
from seemly.service.base.records import Project
from seemly.service.management.accounts import get_account
from seemly.service.management.views import view_account

__all__ = ["ENDPOINTS"]

_PROJECT = record({"id": TEXT, "name": TEXT})
_ACCOUNT = record(
    {
        "id": TEXT,
        "paid_plan_name": TEXT,
        "text_api_quota": maybe(WHOLE),
        "remaining_quota": maybe(WHOLE),
        "current_project": _PROJECT,
    },
    ["id", "paid_plan_name", "text_api_quota", "remaining_quota"],
)
_AUTH = record({"status": TEXT, "message": TEXT, "project": maybe(_PROJECT)})


def _get(call: Call) -> Answer:
    call.parts.moderation.meter.flush()
    with call.env.store.read() as tx:
        return view_account(get_account(call.env, tx, call.key))


def _auth(call: Call) -> Answer:
    with call.env.store.read() as tx:
        project = None if call.key.project_id is None else tx.get(Project, call.key.project_id)
    told = None if project is None else {"id": project.id, "name": project.name}
    return {"status": "success", "message": "this key works", "project": told}


ENDPOINTS = (
    Endpoint("GET", "/account", "getAccount", "Get account details", "account", "any", _get, _ACCOUNT),
    Endpoint("GET", "/auth", "checkKey", "See whether a key works", "account", "any", _auth, _AUTH),
    Endpoint("POST", "/auth", "checkKeyByPost", "See whether a key works", "account", "any", _auth, _AUTH),
)
