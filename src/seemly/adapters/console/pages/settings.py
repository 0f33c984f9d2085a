"""A project's settings: what is kept for how long, wordlists with a text to try, actions, and webhooks with what they
were sent."""

from __future__ import annotations

from seemly.adapters.console.bars import Bar
from seemly.adapters.console.highlight import Mark, cut
from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import read_place
from seemly.core.errors import NotFoundError
from seemly.service.access.permissions import acting_key
from seemly.service.authors.authors import find_author
from seemly.service.base.records import Event, Key
from seemly.service.management.channels import find_wordlists, list_channels
from seemly.service.management.keys import log
from seemly.service.management.projects import update_project
from seemly.service.management.webhooks import create_webhook, delete_webhook, list_webhooks, update_webhook
from seemly.service.management.wordlists import (
    add_words,
    create_wordlist,
    delete_wordlist,
    get_wordlist,
    remove_words,
)
from seemly.service.retention import erase_author
from seemly.service.review.actions import create_action, delete_action, list_actions
from seemly.service.webhooks.delivery import list_attempts, list_deliveries, redeliver
from seemly.service.webhooks.events import EVENT_TYPES

__all__ = ["PAGES"]

_SIZE = 50
_LONGEST_TRIED = 5_000


def _key(visit: Visit) -> Key:
    return acting_key(visit.env, visit.who)


def _words_of(text: str) -> list[str]:
    return [each.strip() for each in text.splitlines() if each.strip()]


def _settings(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        actions = list_actions(tx, project.id)
    return Html("settings.html", {"kept": project, "actions": actions, "saved": visit.asked("saved") == "yes"})


def _save_settings(visit: Visit) -> Reply:
    project = visit.project
    days = visit.given("retentionDays").strip()
    wire = {"name": visit.given("name").strip(), "retentionDays": int(days[:6]) if days.isdigit() else None}
    with visit.env.store.transaction() as tx:
        update_project(visit.env, tx, _key(visit), project.id, wire)
    return Redirect(f"/p/{project.id}/settings?saved=yes")


def _erase(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        author = find_author(tx, project.id, visit.given("author").strip())
    erase_author(visit.env, project.id, author.id)
    with visit.env.store.transaction() as tx:
        log(visit.env, tx, visit.who, "author.erased", author.id)
    return Redirect(f"/p/{project.id}/settings?saved=yes")


def _create_action(visit: Visit) -> Reply:
    project = visit.project
    wire: dict[str, object] = {name: visit.given(name) for name in ("name", "type", "queueBehaviour")}
    wire["possibleValues"] = [{"value": each} for each in _words_of(visit.given("values"))]
    wire["freeText"] = visit.given("freeText") == "yes"
    wire["valueRequired"] = visit.given("valueRequired") == "yes"
    with visit.env.store.transaction() as tx:
        made = create_action(visit.env, tx, project.id, wire)
        log(visit.env, tx, visit.who, "action.created", made["id"])
    return Redirect(f"/p/{project.id}/settings?saved=yes")


def _delete_action(visit: Visit) -> Reply:
    project, action_id = visit.project, visit.id_of("action_id")
    with visit.env.store.transaction() as tx:
        delete_action(tx, project.id, action_id)
        log(visit.env, tx, visit.who, "action.deleted", action_id)
    return Redirect(f"/p/{project.id}/settings?saved=yes")


def _wordlists(visit: Visit) -> Reply:
    return _show_wordlists(visit, {})


def _show_wordlists(visit: Visit, tried: dict[str, object]) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        channels = list_channels(tx, _key(visit), project.id)
        lists = [(channel, find_wordlists(tx, channel.id)) for channel in channels]
    blank: dict[str, object] = {"text": "", "channel": "", "segments": None, "bars": [], "decision": None}
    return Html("wordlists.html", {"lists": lists, "channels": channels, "tried": {**blank, **tried}})


def _try(visit: Visit) -> Reply:
    """Run a text through a channel, and keep nothing of it."""
    text, channel = visit.given("text")[:_LONGEST_TRIED], visit.given("channel")
    if not text.strip():
        return _show_wordlists(visit, {"channel": channel})
    engine = visit.parts.moderation.find_engine(visit.project.id, channel or None)
    explanation = engine.explain(text)
    marks = [
        Mark(word.span.start, word.span.end, policy.policy)
        for policy in explanation.policies
        if policy.probability >= policy.threshold
        for word in policy.words
    ]
    bars = [
        Bar(each.policy, each.probability, each.threshold, each.flagged, tuple(word.text for word in each.words[:5]))
        for each in explanation.policies
        if each.flagged or each.probability >= 0.05
    ]
    bars.sort(key=lambda bar: -bar.probability)
    tried = {"text": text, "channel": channel, "segments": cut(text, marks), "bars": bars}
    return _show_wordlists(visit, {**tried, "decision": explanation.decision})


def _create_wordlist(visit: Visit) -> Reply:
    project = visit.project
    wire = {name: visit.given(name).strip() for name in ("key", "name", "mode", "match") if visit.given(name).strip()}
    with visit.env.store.transaction() as tx:
        body = {**wire, "words": _words_of(visit.given("words"))}
        create_wordlist(visit.env, tx, _key(visit), visit.given("channelId"), body, check=visit.parts.check_channel)
    return Redirect(f"/p/{project.id}/wordlists")


def _change_words(visit: Visit) -> Reply:
    project, wordlist_id = visit.project, visit.id_of("wordlist_id")
    body = {"words": _words_of(visit.given("words"))}
    change = remove_words if visit.given("do") == "remove" else add_words
    with visit.env.store.transaction() as tx:
        _require_of(project.id, get_wordlist(tx, _key(visit), wordlist_id).project_id)
        change(visit.env, tx, _key(visit), wordlist_id, body, check=visit.parts.check_channel)
    return Redirect(f"/p/{project.id}/wordlists")


def _delete_wordlist(visit: Visit) -> Reply:
    project, wordlist_id = visit.project, visit.id_of("wordlist_id")
    with visit.env.store.transaction() as tx:
        _require_of(project.id, get_wordlist(tx, _key(visit), wordlist_id).project_id)
        delete_wordlist(visit.env, tx, _key(visit), wordlist_id, check=visit.parts.check_channel)
    return Redirect(f"/p/{project.id}/wordlists")


def _webhooks(visit: Visit) -> Reply:
    project, number = visit.project, read_place(visit, "page", 1)
    with visit.env.store.read() as tx:
        webhooks = list_webhooks(tx, _key(visit), project.id)
    deliveries = list_deliveries(visit.env, project.id, limit=_SIZE, offset=(number - 1) * _SIZE)
    with visit.env.store.read() as tx:
        events = {each.event_id: tx.get(Event, each.event_id) for each in deliveries}
    values = {
        "webhooks": webhooks,
        "named": {each.id: each.name for each in webhooks},
        "deliveries": deliveries,
        "types": {event_id: event.type for event_id, event in events.items() if event is not None},
        "number": number,
        "event_types": EVENT_TYPES,
        "full": len(deliveries) == _SIZE,
    }
    return Html("webhooks.html", values)


def _delivery(visit: Visit) -> Reply:
    project, delivery_id = visit.project, visit.id_of("delivery_id")
    attempts = list_attempts(visit.env, project.id, delivery_id=delivery_id)
    own = [each for each in attempts if each.project_id == project.id]
    return Html("delivery.html", {"attempts": own, "delivery_id": delivery_id})


def _create_webhook(visit: Visit) -> Reply:
    project = visit.project
    wire = {"name": visit.given("name").strip(), "url": visit.given("url").strip()}
    with visit.env.store.transaction() as tx:
        body = {**wire, "eventTypes": list(visit.form.get("eventTypes", ()))}
        create_webhook(visit.env, tx, _key(visit), project.id, body)
    return Redirect(f"/p/{project.id}/webhooks")


def _switch_webhook(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.transaction() as tx:
        if visit.given("do") == "delete":
            delete_webhook(visit.env, tx, _key(visit), visit.id_of("webhook_id"))
        else:
            wire = {"enabled": visit.given("do") == "enable"}
            update_webhook(visit.env, tx, _key(visit), visit.id_of("webhook_id"), wire)
    return Redirect(f"/p/{project.id}/webhooks")


def _redeliver(visit: Visit) -> Reply:
    project = visit.project
    again = redeliver(visit.env, project.id, visit.id_of("delivery_id"))
    with visit.env.store.transaction() as tx:
        log(visit.env, tx, visit.who, "delivery.repeated", again.id)
    return Redirect(f"/p/{project.id}/webhooks")


def _require_of(project_id: str, its_project_id: str) -> None:
    if project_id != its_project_id:
        raise NotFoundError("there is no such wordlist in this project")


_OF = "/p/{project_id}"
PAGES = (
    Page("GET", f"{_OF}/settings", _settings, "settings"),
    Page("POST", f"{_OF}/settings", _save_settings, "settings"),
    Page("POST", f"{_OF}/settings/erase", _erase, "settings"),
    Page("POST", f"{_OF}/actions", _create_action, "settings"),
    Page("POST", f"{_OF}/actions/{{action_id}}/delete", _delete_action, "settings"),
    Page("GET", f"{_OF}/wordlists", _wordlists, "settings"),
    Page("POST", f"{_OF}/wordlists", _create_wordlist, "settings"),
    Page("POST", f"{_OF}/wordlists/try", _try, "settings"),
    Page("POST", f"{_OF}/wordlists/{{wordlist_id}}/words", _change_words, "settings"),
    Page("POST", f"{_OF}/wordlists/{{wordlist_id}}/delete", _delete_wordlist, "settings"),
    Page("GET", f"{_OF}/webhooks", _webhooks, "settings"),
    Page("POST", f"{_OF}/webhooks", _create_webhook, "settings"),
    Page("POST", f"{_OF}/webhooks/{{webhook_id}}", _switch_webhook, "settings"),
    Page("GET", f"{_OF}/deliveries/{{delivery_id}}", _delivery, "settings"),
    Page("POST", f"{_OF}/deliveries/{{delivery_id}}/again", _redeliver, "settings"),
)
