"""Reports of users about content: kept, and counted for each content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.requests import Body
from seemly.service.base.review_records import Report
from seemly.service.review.queues import bring, find_item

__all__ = ["count_reports", "list_reports", "report_content"]


def report_content(env: Environment, tx: Transaction, project_id: str, wire: object) -> dict[str, Any]:
    """Keep a report, and answer with its id and how many there are of this content.

    The body: `contentId`, and, as they are known, `reporterId`, `reason` and `comment`. A user who reports the same
    content again changes the report. Content that was not reviewed then waits in a queue, also where it was allowed.
    Raises ContentError and NotFoundError.
    """
    hold_project(tx, project_id)
    body = Body(wire)
    content_id = body.text("contentId", least=1)
    reporter_id = body.text("reporterId", None, least=1)
    reason, comment = body.text("reason", None, most=200), body.text("comment", None, most=10_000)
    body.done()
    item = find_item(tx, project_id, content_id, lock=True)
    known = list_reports(tx, item.id)
    same = next((each for each in known if reporter_id is not None and each.reporter_id == reporter_id), None)
    report = Report(
        id=env.new_id("rep") if same is None else same.id,
        project_id=project_id,
        item_id=item.id,
        at_ms=env.now(),
        reporter_id=reporter_id,
        reason=reason,
        comment=comment,
    )
    tx.put(report)
    bring(env, tx, item)
    return {"id": report.id, "count": len(known) + (same is None)}


def list_reports(tx: Transaction, item_id: str) -> list[Report]:
    """The reports of an item, the latest first."""
    return tx.find(Report, Query(where("item_id", item_id).conditions, (Order("at_ms", descending=True),)))


def count_reports(tx: Transaction, item_ids: Sequence[str]) -> dict[str, int]:
    """How often some items were reported, by their ids."""
    return Counter(each.item_id for each in tx.find(Report, Query((Where("item_id", "in", tuple(item_ids)),))))
