"""Webhooks and the log of their deliveries, for organization keys; a project's own webhooks also for its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import BOOL, JSON, TEXT, TIME, WHOLE, choice, items, maybe, record, taken, text
from seemly.core.frozen import thaw
from seemly.service.base.records import Attempt, Delivery, Key
from seemly.service.base.times import to_iso
from seemly.service.management import keys, webhooks
from seemly.service.webhooks import delivery
from seemly.service.webhooks.events import EVENT_TYPES
from seemly.service.webhooks.views import view_webhook

__all__ = ["ENDPOINTS"]

_SPELLINGS = {each.replace(".", "_").upper(): each for each in EVENT_TYPES} | {
    "QUEUE_ITEM_COMPLETED": "queue_item.resolved",
}
"""Event types as other clients spell them, in requests."""

_WRITTEN: dict[str, Schema] = {
    "name": text(200, 1),
    "url": text(2_000, 1) | {"pattern": r"^https?://[A-Za-z0-9.-]*[A-Za-z0-9](:[1-9][0-9]{0,3})?(/[!-~]*)?$"},
    "eventTypes": items(choice(*EVENT_TYPES, *_SPELLINGS), len(EVENT_TYPES), 1),
    "description": text(2_000),
    "enabled": BOOL,
}
WEBHOOK = record(
    {
        "id": TEXT,
        "projectId": TEXT,
        **_WRITTEN,
        "url": TEXT,
        "eventTypes": items(choice(*EVENT_TYPES)),
        "description": maybe(TEXT),
        "payloadVersion": choice("V2"),
        "createdAt": TIME,
    }
)
_CREATED = taken(_WRITTEN, ["name", "url", "eventTypes"])
_SECRET = record({"secret": TEXT})
_DELIVERY = record(
    {
        "id": TEXT,
        "eventId": TEXT,
        "webhookId": TEXT,
        "state": choice("waiting", "delivered", "failed"),
        "attempts": WHOLE,
        "createdAt": TIME,
        "nextAttemptAt": maybe(TIME),
    }
)
_ATTEMPT = record(
    {
        "id": TEXT,
        "deliveryId": TEXT,
        "number": WHOLE,
        "at": TIME,
        "durationMs": WHOLE,
        "url": TEXT,
        "headers": JSON,
        "payload": TEXT,
        "status": maybe(WHOLE),
        "body": maybe(TEXT),
        "error": maybe(TEXT),
    }
)
_PAGE = (
    Parameter("limit", {"type": "integer", "minimum": 1, "maximum": 100}, "how many, 50 unless given"),
    Parameter("offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, "how many to pass over"),
)


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return [view_webhook(each) for each in webhooks.list_webhooks(tx, _key(call), _project_id(call))]


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_webhook(webhooks.get_webhook(tx, _key(call), call.id_of("webhook_id")))


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        made = webhooks.create_webhook(call.env, tx, _key(call), _project_id(call), _spell(call.body))
        return view_webhook(made)


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        webhook_id = call.id_of("webhook_id")
        return view_webhook(webhooks.update_webhook(call.env, tx, _key(call), webhook_id, _spell(call.body)))


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return {"deleted": True, "id": webhooks.delete_webhook(call.env, tx, _key(call), call.id_of("webhook_id")).id}


def _secret(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return {"secret": webhooks.get_webhook_secret(tx, _key(call), _project_id(call))}


def _key(call: Call) -> Key:
    """The key that a call acts by. That of a project may manage the project's webhooks, and nothing else of it."""
    if call.key.project_id is None:
        return call.key
    return replace(call.key, project_id=None, projects="write", project_ids=(call.key.project_id,))


def _project_id(call: Call) -> str:
    return call.id_of("project_id") if "project_id" in call.path else call.project_id


def _spell(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """A body in which event types are spelled as here."""
    types = body.get("eventTypes")
    if not isinstance(types, list):
        return body
    return {**body, "eventTypes": [_SPELLINGS.get(each, each) if isinstance(each, str) else each for each in types]}


def _roll_secret(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        project = webhooks.roll_webhook_secret(call.env, tx, call.key, call.id_of("project_id"))
        return {"secret": project.webhook_secret}


def _deliveries(call: Call) -> Answer:
    found = delivery.list_deliveries(
        call.env,
        _find_project(call, "read"),
        webhook_id=call.query.get("webhookId"),
        event_id=call.query.get("eventId"),
        state=call.query.get("state"),
        limit=call.query.get("limit", 50),
        offset=call.query.get("offset", 0),
    )
    return [_view_delivery(each) for each in found]


def _attempts(call: Call) -> Answer:
    found = delivery.list_attempts(
        call.env,
        _find_project(call, "read"),
        delivery_id=call.query.get("deliveryId"),
        limit=call.query.get("limit", 50),
        offset=call.query.get("offset", 0),
    )
    return [_view_attempt(each) for each in found]


def _redeliver(call: Call) -> Answer:
    project_id = _find_project(call, "write")
    return _view_delivery(delivery.redeliver(call.env, project_id, call.id_of("delivery_id")))


def _find_project(call: Call, level: Any) -> str:
    with call.env.store.read() as tx:
        keys.require_permission(tx, call.key, "projects", level)
        return keys.find_project(tx, call.key, call.id_of("project_id")).id


def _view_delivery(found: Delivery) -> dict[str, Any]:
    return {
        "id": found.id,
        "eventId": found.event_id,
        "webhookId": found.webhook_id,
        "state": found.state,
        "attempts": found.attempts,
        "createdAt": to_iso(found.created_ms),
        "nextAttemptAt": to_iso(found.next_ms) if found.state == "waiting" else None,
    }


def _view_attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "id": attempt.id,
        "deliveryId": attempt.delivery_id,
        "number": attempt.number,
        "at": to_iso(attempt.at_ms),
        "durationMs": attempt.duration_ms,
        "url": attempt.url,
        "headers": thaw(attempt.headers),
        "payload": attempt.payload,
        "status": attempt.status,
        "body": attempt.body,
        "error": attempt.error,
    }


_OF: dict[str, Any] = {"tag": "webhooks", "key": "organization"}
_EITHER: dict[str, Any] = {"tag": "webhooks", "key": "any"}
_OWN: dict[str, Any] = {"tag": "webhooks", "key": "project"}
_ONE, _PROJECT = "/webhooks/{webhook_id}", "/projects/{project_id}"
_ALL, _HIDDEN = f"{_PROJECT}/webhooks", f"{_PROJECT}/webhook-secret"
_BY = (
    Parameter("webhookId", text(500), "only those to this webhook"),
    Parameter("eventId", text(500), "only those of this event"),
    Parameter("state", choice("waiting", "delivered", "failed"), "only those in this state"),
)
_OF_DELIVERY = (Parameter("deliveryId", text(500), "only those of this delivery"),)

ENDPOINTS = (
    Endpoint("GET", _ALL, "listWebhooks", "List a project's webhooks", **_OF, run=_list, gives=items(WEBHOOK)),
    Endpoint("POST", _ALL, "createWebhook", "Create a webhook", **_OF, run=_create, takes=_CREATED, gives=WEBHOOK),
    Endpoint("GET", _ONE, "getWebhook", "Get a webhook", **_EITHER, run=_get, gives=WEBHOOK),
    Endpoint("PUT", _ONE, "updateWebhook", "Change one", **_EITHER, run=_update, takes=taken(_WRITTEN), gives=WEBHOOK),
    Endpoint("DELETE", _ONE, "deleteWebhook", "Delete a webhook", **_EITHER, run=_delete, gives=DELETED),
    Endpoint("GET", "/webhooks", "listOwnWebhooks", "List them", **_OWN, run=_list, gives=items(WEBHOOK)),
    Endpoint("POST", "/webhooks", "createOwnWebhook", "Create one", **_OWN, run=_create, takes=_CREATED, gives=WEBHOOK),
    Endpoint("GET", "/webhook-secret", "getOwnWebhookSecret", "Get the secret", **_OWN, run=_secret, gives=_SECRET),
    Endpoint("GET", _HIDDEN, "getWebhookSecret", "Get the webhook secret", **_OF, run=_secret, gives=_SECRET),
    Endpoint("POST", f"{_HIDDEN}/roll", "rollWebhookSecret", "Make another", **_OF, run=_roll_secret, gives=_SECRET),
    Endpoint(
        "GET",
        f"{_PROJECT}/deliveries",
        "listDeliveries",
        "List deliveries of events, the newest first",
        **_OF,
        run=_deliveries,
        parameters=(*_BY, *_PAGE),
        gives=items(_DELIVERY),
    ),
    Endpoint(
        "GET",
        f"{_PROJECT}/events-log",
        "listAttempts",
        "List attempts of deliveries, the newest first",
        **_OF,
        run=_attempts,
        parameters=(*_OF_DELIVERY, *_PAGE),
        gives=items(_ATTEMPT),
    ),
    Endpoint(
        "POST",
        f"{_PROJECT}/deliveries/{{delivery_id}}/redeliver",
        "redeliver",
        "Deliver an event again",
        **_OF,
        run=_redeliver,
        gives=_DELIVERY,
    ),
)
