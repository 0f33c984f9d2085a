"""One item: what it is, what was found in it and decides, what lies around it, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seemly.adapters.console.bars import bars_of, tell_reasons
from seemly.adapters.console.highlight import marks_of, parts_of
from seemly.adapters.console.pages.queues import name_members, tell_excerpt
from seemly.adapters.console.visit import Empty, Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import read_filter, read_place, read_sorting
from seemly.service.authors.views import as_of
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Author, Item, Queue
from seemly.service.review.actions import list_actions
from seemly.service.review.browse import find_at, gather_context, get_item
from seemly.service.review.claims import claim_item, release_claims
from seemly.service.review.decisions import reopen
from seemly.service.review.exposure import REST_AFTER, count_shown
from seemly.service.review.notes import add_note, list_notes
from seemly.service.review.queues import find_queue
from seemly.service.review.reports import list_reports
from seemly.service.review.second_reviews import ask_second_opinion, find_requests

__all__ = ["DURATIONS", "PAGES", "Choice", "choices_of", "fitting"]

DURATIONS: Mapping[str, int] = {
    "1 hour": 3_600_000,
    "1 day": 86_400_000,
    "3 days": 3 * 86_400_000,
    "1 week": 7 * 86_400_000,
    "30 days": 30 * 86_400_000,
}
"""How long an author can be suspended, in milliseconds."""

_ORDER = {"allow": 0, "reject": 1}
_ENDING = ("AUTHOR_UNBLOCK",)
_HOLDING = ("AUTHOR_BLOCK", "AUTHOR_BLOCK_TEMP")
_LEAST_SHOWN = 0.05

_KEYS = {"allow": "a", "reject": "r", "block": "b", "suspend": "s", "unblock": "u"}


@dataclass(frozen=True, slots=True)
class Choice:
    """An action as a button: the key that presses it, and what it asks for."""

    id: str
    name: str
    key: str
    type: str
    values: tuple[str, ...]
    free_text: bool
    required: bool

    @property
    def asks(self) -> bool:
        """Whether there is something to fill in or choose."""
        return bool(self.values) or self.free_text or self.required or self.type == "AUTHOR_BLOCK_TEMP"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a queue an item is looked at, one after the other: the place, how many there are, the address of the
    list, and the item that comes next."""

    at: int
    total: int
    query: str
    next_id: str | None


def choices_of(tx: Transaction, project_id: str, queue_id: str | None) -> list[Choice]:
    """The actions that are shown in a queue, or without one all that are shown anywhere."""
    views = list_actions(tx, project_id, {"queueId": queue_id})
    shown = [each for each in views if each["position"] != "HIDDEN"]
    shown.sort(key=lambda each: _ORDER.get(each["key"] or "", 2 + each["type"].startswith("AUTHOR_")))
    numbers = iter("123456789")
    return [
        Choice(
            each["id"],
            each["name"],
            _KEYS[each["key"]] if each["builtIn"] and each["key"] in _KEYS else next(numbers, ""),
            each["type"],
            tuple(value["value"] for value in each["possibleValues"]),
            each["freeText"],
            each["valueRequired"],
        )
        for each in shown
    ]


def fitting(choices: Sequence[Choice], author: Author | None) -> list[Choice]:
    """Those of some actions that can be done to an author as they are, and what is done to content."""
    if author is None:
        return [each for each in choices if not each.type.startswith("AUTHOR_")]
    out = _ENDING if author.status == "enabled" else _HOLDING
    return [each for each in choices if each.type not in out]


def _show(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        item = get_item(tx, project.id, visit.id_of("item_id"))
        queue = find_queue(tx, project.id, visit.asked("queue")) if visit.asked("queue") else None
    return Html("item.html", _values(visit, item, queue, None))


def _review(visit: Visit) -> Reply:
    project, queue_id, at = visit.project, visit.id_of("queue_id"), read_place(visit, "at")
    sorting, wanted = read_sorting(visit), read_filter(visit)
    with visit.env.store.read() as tx:
        queue = find_queue(tx, project.id, queue_id)
        found = find_at(visit.env, tx, project.id, queue_id, wanted, visit.who, sorting=sorting, at=at)
    query = visit.query_but("at")
    if not found.items:
        if at and found.total:
            return Redirect(f"/p/{project.id}/q/{queue_id}/review?{visit.query_but(at=0)}")
        return Html("nothing_left.html", {"queue": queue, "query": query})
    next_id = found.items[1].id if len(found.items) > 1 else None
    place = Place(at, found.total, query, next_id)
    return Html("item.html", _values(visit, found.items[0], queue, place))


def _values(visit: Visit, item: Item, queue: Queue | None, place: Place | None) -> dict[str, Any]:
    project, member = visit.project, visit.who
    claim = claim_item(visit.env, project.id, member, item.id) if item.status == "pending" else None
    exposure = count_shown(visit.env, member, item)
    with visit.env.store.read() as tx:
        names = name_members(tx, member.organization_id)
        context = gather_context(tx, item)
        notes = list_notes(tx, item.id)
        reports, requests = list_reports(tx, item.id), find_requests(tx, [item.id])
        choices = choices_of(tx, project.id, None if queue is None else queue.id)
    explanation = visit.explanations.explain(item) if visit.asked("explain") else None
    author = None if context.author is None else as_of(context.author, visit.env.now())
    bars = bars_of(item, visit.explanations.find_thresholds(item))
    return {
        "item": item,
        "queue": queue,
        "place": place,
        "parts": parts_of(item, marks_of(item, explanation)),
        "decision": None if explanation is None else explanation.decision,
        "explained": explanation is not None,
        "bars": [each for each in bars if each.flagged or each.probability >= _LEAST_SHOWN],
        "low_bars": [each for each in bars if not each.flagged and each.probability < _LEAST_SHOWN],
        "reasons": tell_reasons(item),
        "author": author,
        "context": context,
        "excerpt": tell_excerpt,
        "notes": notes,
        "reports": reports,
        "requests": requests,
        "names": names,
        "choices": fitting(choices, author),
        "durations": DURATIONS,
        "opened_by": None
        if claim is None or claim.member_id == member.id
        else names.get(claim.member_id, "another reviewer"),
        "rest": exposure.severe > 0 and exposure.severe % REST_AFTER == 0,
        "exposure": exposure,
        "policies": [each["id"] for each in item.result.get("policies", ())],
    }


def _found(visit: Visit) -> Reply:
    """The content alone, with the words marked that carried a score: what the page's script puts in place."""
    project = visit.project
    with visit.env.store.read() as tx:
        item = get_item(tx, project.id, visit.id_of("item_id"))
    explanation = visit.explanations.explain(item)
    values = {
        "item": item,
        "parts": parts_of(item, marks_of(item, explanation)),
        "decision": None if explanation is None else explanation.decision,
    }
    return Html("content.html", values)


def _claim(visit: Visit) -> Reply:
    claim_item(visit.env, visit.project.id, visit.who, visit.id_of("item_id"))
    return Empty()


def _note(visit: Visit) -> Reply:
    project, item_id = visit.project, visit.id_of("item_id")
    with visit.env.store.transaction() as tx:
        add_note(visit.env, tx, project.id, visit.who, item_id, {"text": visit.given("text").strip()})
    return Redirect(f"/p/{project.id}/items/{item_id}")


def _ask(visit: Visit) -> Reply:
    project, item_id = visit.project, visit.id_of("item_id")
    with visit.env.store.transaction() as tx:
        item = get_item(tx, project.id, item_id)
        ask_second_opinion(visit.env, tx, project.id, visit.who, item, {"message": visit.given("message").strip()})
        release_claims(tx, visit.who.id)
    queue_id = visit.given("queueId")
    if queue_id and visit.given("at").isdigit():
        return Redirect(f"/p/{project.id}/q/{queue_id}/review?at={visit.given('at')}&{visit.given('query')}")
    return Redirect(f"/p/{project.id}/items/{item_id}")


def _reopen(visit: Visit) -> Reply:
    project, item_id = visit.project, visit.id_of("item_id")
    reopen(visit.env, project.id, visit.who, item_id)
    return Redirect(f"/p/{project.id}/items/{item_id}")


_ITEM = "/p/{project_id}/items/{item_id}"
PAGES = (
    Page("GET", "/p/{project_id}/q/{queue_id}/review", _review),
    Page("GET", _ITEM, _show),
    Page("GET", f"{_ITEM}/found", _found),
    Page("POST", f"{_ITEM}/claim", _claim),
    Page("POST", f"{_ITEM}/notes", _note),
    Page("POST", f"{_ITEM}/ask", _ask),
    Page("POST", f"{_ITEM}/reopen", _reopen),
)
