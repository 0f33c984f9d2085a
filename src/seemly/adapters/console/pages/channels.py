"""Channels: thresholds held against what reviewers decided, published with a note, and rolled back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from seemly.adapters.console.pages.queues import tell_excerpt
from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.core.errors import NotFoundError
from seemly.service.access.permissions import acting_key
from seemly.service.base.ports import Transaction
from seemly.service.base.records import ChannelRecord, Item, Key
from seemly.service.management.channels import get_channel, list_channels
from seemly.service.management.versions import list_versions, put_thresholds, roll_back
from seemly.service.review.tuning import (
    Outcome,
    Sample,
    bin_samples,
    find_changes,
    gather_samples,
    judge_threshold,
)

__all__ = ["PAGES"]

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Tuned:
    """A policy at its threshold, and at the one that is tried."""

    policy: str
    threshold: float
    tried: float
    bins: list[tuple[int, int]]
    tallest: int
    wrong: int
    total: int
    now: Outcome
    then: Outcome
    flagged: list[tuple[str, str]]
    freed: list[tuple[str, str]]
    data: str


def _key(visit: Visit) -> Key:
    return acting_key(visit.env, visit.who)


def _list(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        return Html("channels.html", {"channels": list_channels(tx, _key(visit), project.id)})


def _find(visit: Visit, tx: Transaction) -> ChannelRecord:
    channel = get_channel(tx, _key(visit), visit.id_of("channel_id"))
    if channel.project_id != visit.id_of("project_id"):
        raise NotFoundError("there is no such channel in this project")
    return channel


def _show(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        channel = _find(visit, tx)
        samples, versions = gather_samples(tx, channel), list_versions(tx, _key(visit), channel.id)
    thresholds = visit.parts.moderation.find_engine(project.id, channel.key).thresholds
    with visit.env.store.read() as tx:
        tuned = [
            _tune(tx, policy, threshold, _read_share(visit.asked(policy), threshold), samples.get(policy, []))
            for policy, threshold in thresholds.items()
        ]
    tuned.sort(key=lambda each: (-each.wrong, each.policy))
    values = {
        "channel": channel,
        "tuned": tuned,
        "versions": versions,
        "decided": max((each.total for each in tuned), default=0),
        "saved": visit.asked("saved") == "yes",
    }
    return Html("channel.html", values)


def _tune(tx: Transaction, policy: str, threshold: float, tried: float, samples: list[Sample]) -> Tuned:
    bins, changes = bin_samples(samples), find_changes(samples, threshold, tried)
    return Tuned(
        policy,
        threshold,
        tried,
        bins,
        max(1, max(fine + wrong for fine, wrong in bins)),
        sum(each.wrong for each in samples),
        len(samples),
        judge_threshold(samples, threshold),
        judge_threshold(samples, tried),
        _examples(tx, changes["flagged"]),
        _examples(tx, changes["freed"]),
        json.dumps([[round(each.probability, 4), int(each.wrong)] for each in samples]),
    )


def _examples(tx: Transaction, item_ids: list[str]) -> list[tuple[str, str]]:
    found = [tx.get(Item, each) for each in item_ids[:_EXAMPLES]]
    return [(each.id, tell_excerpt(each)) for each in found if each is not None]


def _publish(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.read() as tx:
        channel = _find(visit, tx)
    current = visit.parts.moderation.find_engine(project.id, channel.key).thresholds
    tried = {policy: _read_share(visit.given(policy), threshold) for policy, threshold in current.items()}
    changed = {policy: tried[policy] for policy in current if tried[policy] != current[policy]}
    if changed:
        with visit.env.store.transaction() as tx:
            wire = {"thresholds": changed, "note": visit.given("note").strip()}
            put_thresholds(visit.env, tx, _key(visit), channel.id, wire, check=visit.parts.check_channel)
    return Redirect(f"/p/{project.id}/channels/{channel.id}?saved=yes")


def _roll_back(visit: Visit) -> Reply:
    project = visit.project
    with visit.env.store.transaction() as tx:
        channel = _find(visit, tx)
        version_id = visit.id_of("version_id")
        if version_id not in {each.id for each in list_versions(tx, _key(visit), channel.id)}:
            raise NotFoundError("this channel has no such version")
        roll_back(visit.env, tx, _key(visit), version_id, check=visit.parts.check_channel)
    return Redirect(f"/p/{project.id}/channels/{channel.id}?saved=yes")


def _read_share(given: str, default: float) -> float:
    """A threshold; the present one where nothing was given that could be one."""
    try:
        value = float(given)
    except ValueError:
        return default
    return round(value, 3) if math.isfinite(value) and 0.0 <= value <= 1.0 else default


_OF = "/p/{project_id}/channels"
PAGES = (
    Page("GET", _OF, _list, "settings"),
    Page("GET", f"{_OF}/{{channel_id}}", _show, "settings"),
    Page("POST", f"{_OF}/{{channel_id}}", _publish, "settings"),
    Page("POST", f"{_OF}/{{channel_id}}/versions/{{version_id}}", _roll_back, "settings"),
)
