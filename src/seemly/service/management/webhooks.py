"""Webhooks of a project: list, get, create, update, delete, and the secret that deliveries are signed with."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Key, Project, Webhook
from seemly.service.base.requests import Body
from seemly.service.management.keys import find_project, find_within, log, require_permission
from seemly.service.management.projects import WEBHOOK_SECRET_PREFIX
from seemly.service.webhooks.events import EVENT_TYPES

__all__ = [
    "create_webhook", "delete_webhook", "get_webhook", "get_webhook_secret", "list_webhooks", "roll_webhook_secret",
    "update_webhook",
]  # fmt: skip


def list_webhooks(tx: Transaction, key: Key, project_id: str) -> list[Webhook]:
    """A project's webhooks, the oldest first. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "projects", "read")
    project = find_project(tx, key, project_id)
    return tx.find(Webhook, Query((Where("project_id", "is", project.id),), (Order("created_ms"),)))


def get_webhook(tx: Transaction, key: Key, webhook_id: str) -> Webhook:
    """One webhook. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "projects", "read")
    return _find(tx, key, webhook_id)


def create_webhook(env: Environment, tx: Transaction, key: Key, project_id: str, wire: object) -> Webhook:
    """Make a webhook: `name`, `url`, `eventTypes`, `description` and `enabled`.

    Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "projects", "write")
    project = find_project(tx, key, project_id, lock=True)
    body = Body(wire)
    webhook = Webhook(
        id=env.new_id("whk"),
        project_id=project.id,
        name=body.text("name", least=1, most=200),
        url=body.text("url", least=1, most=2000),
        created_ms=env.now(),
        event_types=body.choices("eventTypes", EVENT_TYPES, least=1),
        description=body.text("description", None, most=2000),
        enabled=body.flag("enabled", True),
    )
    _check_url(body, webhook.url)
    body.done()
    tx.add(webhook)
    log(env, tx, key, "webhook.created", webhook.id)
    return webhook


def update_webhook(env: Environment, tx: Transaction, key: Key, webhook_id: str, wire: object) -> Webhook:
    """Change a webhook; what is left out stays as it is. Raises ForbiddenError, NotFoundError, ContentError."""
    require_permission(tx, key, "projects", "write")
    webhook = _lock(tx, key, webhook_id)
    body = Body(wire)
    changed = replace(
        webhook,
        name=body.text("name", webhook.name, least=1, most=200),
        url=body.text("url", webhook.url, least=1, most=2000),
        event_types=body.choices("eventTypes", EVENT_TYPES, webhook.event_types, least=1),
        description=body.text("description", webhook.description, most=2000, null=True),
        enabled=body.flag("enabled", webhook.enabled),
    )
    _check_url(body, changed.url)
    body.done()
    tx.put(changed)
    log(env, tx, key, "webhook.updated", webhook.id)
    return changed


def delete_webhook(env: Environment, tx: Transaction, key: Key, webhook_id: str) -> Webhook:
    """Delete a webhook. What it was is returned. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "projects", "write")
    webhook = _lock(tx, key, webhook_id)
    tx.remove(Webhook, where("id", webhook.id))
    log(env, tx, key, "webhook.deleted", webhook.id)
    return webhook


def get_webhook_secret(tx: Transaction, key: Key, project_id: str) -> str:
    """The secret of a project's deliveries; who has it can sign them, so that it takes the permission to write.

    Raises ForbiddenError, NotFoundError.
    """
    require_permission(tx, key, "projects", "write")
    return find_project(tx, key, project_id).webhook_secret


def roll_webhook_secret(env: Environment, tx: Transaction, key: Key, project_id: str) -> Project:
    """Give a project a new webhook secret, which the next attempt of every delivery is signed with.

    Raises ForbiddenError, NotFoundError.
    """
    require_permission(tx, key, "projects", "write")
    project = find_project(tx, key, project_id, lock=True)
    changed = replace(project, webhook_secret=env.new_secret(WEBHOOK_SECRET_PREFIX), updated_ms=env.now())
    tx.put(changed)
    log(env, tx, key, "webhook_secret.rolled", project.id)
    return changed


def _find(tx: Transaction, key: Key, webhook_id: str) -> Webhook:
    return find_within(tx, key, Webhook, webhook_id, "webhook")


def _lock(tx: Transaction, key: Key, webhook_id: str) -> Webhook:
    """A webhook that is about to change. Raises NotFoundError."""
    find_project(tx, key, _find(tx, key, webhook_id).project_id, lock=True)
    return _find(tx, key, webhook_id)


def _check_url(body: Body, url: str) -> None:
    if not url:
        return
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole or any(each.isspace() for each in url):
        body.wrong("url", "must be a whole http or https address")
    elif parts.username is not None:
        body.wrong("url", "must hold no user name or password")
