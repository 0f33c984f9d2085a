"""The webhooks of an action: addresses that hear of every run of it, whatever it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Key, Webhook
from seemly.service.base.requests import Body
from seemly.service.management.keys import require_permission
from seemly.service.management.webhooks import check_url
from seemly.service.webhooks.events import of_action

__all__ = ["MAX_WEBHOOKS", "add_webhooks", "drop_webhooks", "put_webhooks"]

MAX_WEBHOOKS = 10
"""The most webhooks of an action."""


def add_webhooks(tx: Transaction, project_id: str, actions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The wire forms of actions, each with its `webhooks`."""
    found = tx.find(Webhook, replace(where("project_id", project_id), order=(Order("created_ms"),)))
    return [
        {
            **action,
            "webhooks": [_view(each, action["id"]) for each in found if of_action(action["id"]) in each.event_types],
        }
        for action in actions
    ]


def put_webhooks(
    env: Environment, tx: Transaction, key: Key, project_id: str, action_id: str, wire: object = None
) -> None:
    """Give an action the `webhooks` of a request in place of those that it has; without `webhooks` it keeps them.

    Each has `name`, `url`, `description`, and `id` if it is one of the project's that there is. Raises ForbiddenError
    for a key that may not write webhooks, and ContentError.
    """
    body = Body(wire)
    if not body.has("webhooks"):
        return
    require_permission(tx, key, "projects", "write")
    subscription = of_action(action_id)
    known = {each.id: each for each in tx.find(Webhook, where("project_id", project_id))}
    wanted: dict[str, Webhook] = {}
    for part in body.parts("webhooks", most=MAX_WEBHOOKS):
        webhook_id = part.text("id", None, least=1)
        if webhook_id is not None and webhook_id not in known:
            part.wrong("id", "is no webhook of this project; leave it out to make one")
        blank = Webhook(id=env.new_id("whk"), project_id=project_id, name="", url="", created_ms=env.now())
        held = known.get(webhook_id or "", blank)
        webhook = replace(
            held,
            name=part.text("name", least=1, most=200),
            url=part.text("url", least=1, most=2000),
            description=part.text("description", held.description, most=2000, null=True),
            event_types=tuple(dict.fromkeys((*held.event_types, subscription))),
        )
        check_url(part, webhook.url)
        wanted[webhook.id] = webhook
    body.done()
    for webhook in known.values():
        if subscription in webhook.event_types and webhook.id not in wanted:
            _unsubscribe(tx, webhook, subscription)
    for webhook in wanted.values():
        tx.put(webhook)


def drop_webhooks(tx: Transaction, project_id: str, action_id: str) -> None:
    """Take an action's webhooks away: those that hear of nothing else are deleted."""
    subscription = of_action(action_id)
    subscribed = (Where("project_id", "is", project_id), Where("event_types", "holds_any", (subscription,)))
    for webhook in tx.find(Webhook, Query(subscribed)):
        _unsubscribe(tx, webhook, subscription)


def _unsubscribe(tx: Transaction, webhook: Webhook, subscription: str) -> None:
    left = tuple(each for each in webhook.event_types if each != subscription)
    if left:
        tx.put(replace(webhook, event_types=left))
    else:
        tx.remove(Webhook, where("id", webhook.id))


def _view(webhook: Webhook, action_id: str) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "name": webhook.name,
        "url": webhook.url,
        "description": webhook.description,
        "moderationActionId": action_id,
    }
