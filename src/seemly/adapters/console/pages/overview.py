"""How a project fares, and its decisions as a file."""

from __future__ import annotations

import json

from seemly.adapters.console.pages.queues import name_members
from seemly.adapters.console.visit import Download, Html, Page, Reply, Visit
from seemly.core.errors import SeemlyError
from seemly.service.base.paged_scan import scan
from seemly.service.base.ports import Where
from seemly.service.base.records import Item
from seemly.service.base.review_records import Decision
from seemly.service.review.overview import measure_project

__all__ = ["PAGES"]


def _show(visit: Visit) -> Reply:
    project = visit.project
    try:
        policies = visit.parts.moderation.find_engine(project.id).policies
    except SeemlyError:
        policies = ()
    with visit.env.store.read() as tx:
        overview = measure_project(visit.env, tx, project.id, policies)
        names = name_members(tx, visit.who.organization_id)
    most = max((each.total for each in overview.days), default=0)
    return Html("overview.html", {"overview": overview, "names": names, "most": max(most, 1)})


def _export(visit: Visit) -> Reply:
    """Every released decision on a text, as a line of JSON that `seemly evaluate` reads: the text, the label of the
    policy that was cited, and who decided what."""
    project = visit.project
    lines = []
    of_project = (Where("project_id", "is", project.id), Where("state", "is", "released"))
    for decisions in scan(visit.env, Decision, of_project):
        with visit.env.store.read() as tx:
            items = {each.item_id: tx.get(Item, each.item_id) for each in decisions if each.item_id is not None}
        for each in decisions:
            item = items.get(each.item_id or "")
            if item is None or each.outcome not in ("allow", "reject"):
                continue
            wrong = each.outcome == "reject"
            labels = {each.policy: int(wrong)} if each.policy else dict.fromkeys(item.labels, int(wrong))
            line = {"text": item.text, "contentId": item.content_id, "outcome": each.outcome, "policy": each.policy}
            lines.append(json.dumps({**line, "reviewer": each.member_id, "at": each.at_ms, **labels}))
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return Download("decisions.jsonl", "application/x-ndjson", body)


PAGES = (
    Page("GET", "/p/{project_id}/overview", _show),
    Page("GET", "/p/{project_id}/decisions.jsonl", _export, "settings"),
)
