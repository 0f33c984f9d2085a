"""Totals and rankings of what was submitted, for project keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.schema import NUMBER, SHARE, TEXT, TIME, WHOLE, choice, items, maybe, record, text, whole
from seemly.service import analytics
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Transaction

__all__ = ["ENDPOINTS"]

_RANGE = choice(*analytics.RANGES_MS)
_TOTALS: dict[str, Schema] = {
    "requests": WHOLE,
    "flagged": WHOLE,
    "flagRate": SHARE,
    "allowed": WHOLE,
    "rejected": WHOLE,
    "sentToReview": WHOLE,
    "handledAutomatically": WHOLE,
    "flaggedButAllowed": WHOLE,
}
_SPIKE = record(
    {
        "multiple": NUMBER,
        "recentFlagRate": SHARE,
        "baselineFlagRate": SHARE,
        "recentFlagged": WHOLE,
        "recentRequests": WHOLE,
    }
)
_VOLUME = record({"start": TIME, "requests": WHOLE, "flagged": WHOLE, "rejected": WHOLE, "sentToReview": WHOLE})
_COUNTED = (
    "flagged", "handledByRules", "handledByCasebook", "sentToReview", "mergedDuplicates", "reviewsAllowed",
    "reviewsRejected", "reviewsResolvedWithoutDecision", "reviewsUnresolved", "casebookOverrulings",
)  # fmt: skip
_GIVES: dict[str, dict[str, Schema]] = {
    "summary": {
        "totals": record({**_TOTALS, "distinctAuthors": WHOLE}),
        "previousPeriod": record(_TOTALS),
        "pendingReview": WHOLE,
        "flagRateSpike": maybe(_SPIKE),
    },
    "volumes": {"bucket": choice("hour", "day"), "volumes": items(_VOLUME)},
    "automation": {
        **dict.fromkeys(_COUNTED, WHOLE),
        "automationRate": maybe(SHARE),
        "rules": items(record({"name": TEXT, "count": WHOLE})),
    },
    "policies": {"policies": items(record({"label": TEXT, "flagged": WHOLE, "previousFlagged": WHOLE}))},
    "authors": {"authors": items(record({"authorId": TEXT, "name": maybe(TEXT), "flagged": WHOLE}))},
}
_CHANNEL = record({"id": TEXT, "name": TEXT, "requests": WHOLE, "flagged": WHOLE, "flagRate": SHARE})

_IN_RANGE = Parameter("range", _RANGE, "30d unless given")
_IN_CHANNEL = Parameter("channel", text(500, 1), "only this channel's, by its id or key")
_LIMIT = Parameter("limit", whole(1, analytics.MAX_LISTED), "how many")

Measure = Callable[[Environment, Transaction, str, object], dict[str, Any]]


def _endpoint(what: str, summary: str, measure: Measure, gives: Schema, *parameters: Parameter) -> Endpoint:
    def run(call: Call) -> Answer:
        with call.env.store.read() as tx:
            return measure(call.env, tx, call.project_id, call.query)

    name = f"getAnalytics{what.title()}"
    return Endpoint(
        "GET",
        f"/analytics/{what}",
        name,
        summary,
        "analytics",
        "project",
        run,
        gives,
        parameters=(_IN_RANGE, *parameters),
    )


def _of_channel(what: str, summary: str, measure: Measure, *parameters: Parameter) -> Endpoint:
    gives = record({"range": _RANGE, "channelId": maybe(TEXT), **_GIVES[what]})
    return _endpoint(what, summary, measure, gives, _IN_CHANNEL, *parameters)


ENDPOINTS = (
    _of_channel("summary", "Get totals of a period and of the one before", analytics.summarize),
    _of_channel("volumes", "Get volumes an hour or a day", analytics.measure_volumes),
    _of_channel("automation", "Get what was decided with and without reviewers", analytics.measure_automation),
    _of_channel("policies", "Get the policies that flagged most", analytics.measure_policies, _LIMIT),
    _endpoint(
        "channels",
        "Get the channels' volumes",
        analytics.measure_channels,
        record({"range": _RANGE, "channels": items(_CHANNEL)}),
    ),
    _of_channel("authors", "Get the authors that flagged most", analytics.measure_authors, _LIMIT),
)
