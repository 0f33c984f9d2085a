"""Reports of users and appeals of authors, for project keys."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint
from seemly.adapters.server.schema import TEXT, WHOLE, record, taken, text
from seemly.service.review import reports, second_reviews

__all__ = ["ENDPOINTS"]

_ID = text(1_000, 1)
_REPORT = taken(
    {"contentId": _ID, "reporterId": _ID, "reason": text(200), "comment": text(10_000)},
    ["contentId"],
)
_APPEAL = taken({"contentId": _ID, "authorId": _ID, "message": text(10_000)}, ["contentId", "authorId"])


def _report(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return reports.report_content(call.env, tx, call.project_id, call.body)


def _appeal(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return second_reviews.appeal(call.env, tx, call.project_id, call.body)


_OF: dict[str, Any] = {"tag": "queues", "key": "project", "status": 201}

ENDPOINTS = (
    Endpoint(
        "POST",
        "/reports",
        "reportContent",
        "Report content",
        **_OF,
        run=_report,
        takes=_REPORT,
        gives=record({"id": TEXT, "count": WHOLE}),
    ),
    Endpoint(
        "POST",
        "/appeals",
        "appealDecision",
        "Appeal a decision",
        **_OF,
        run=_appeal,
        takes=_APPEAL,
        gives=record({"id": TEXT}),
    ),
)
