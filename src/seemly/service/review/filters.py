"""Which items a queue is about: the interface's filter, as conditions of a query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from seemly.core.channel import Action as Recommended
from seemly.core.channel import MetaType
from seemly.service.base.ports import Query, Transaction, Where
from seemly.service.base.records import ActionRun, Author
from seemly.service.base.requests import Body, read_time

__all__ = ["Filter", "LabelFilter", "read_filter", "seek"]

LabelTest = Literal["FLAGGED", "NOT_FLAGGED", "THRESHOLDS", "MATCHED"]
MediaType = Literal["text", "image", "video", "audio", "object"]

_MINUTE_MS = 60_000
_UNITS_MS: Mapping[str, int] = {
    "MINUTES": _MINUTE_MS,
    "HOURS": 60 * _MINUTE_MS,
    "DAYS": 1440 * _MINUTE_MS,
    "WEEKS": 7 * 1440 * _MINUTE_MS,
    "MONTHS": 30 * 1440 * _MINUTE_MS,
    "YEARS": 365 * 1440 * _MINUTE_MS,
}
"""Units of time in milliseconds; a month is 30 days, a year 365."""


@dataclass(frozen=True, slots=True)
class LabelFilter:
    """What is asked of one policy of an item: that it flagged, did not, or found something between two probabilities.
    `MATCHED` asks for a match."""

    label: str
    type: LabelTest
    least: float = 0.0
    most: float = 1.0

    def holds(self, result: Mapping[str, Any]) -> bool:
        """Whether an item's result meets it. A policy that is not in the result meets only `NOT_FLAGGED`."""
        found = next((each for each in result.get("policies", ()) if each["id"] == self.label), None)
        if found is None or self.type == "NOT_FLAGGED":
            return self.type == "NOT_FLAGGED" and not (found and found["flagged"])
        if self.type == "FLAGGED":
            return bool(found["flagged"])
        if self.type == "MATCHED":
            return bool(found.get("matches"))
        return bool(self.least <= found["probability"] <= self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A filter as it was read. All that is given must hold; what is empty or None asks for nothing. Times are in Unix
    milliseconds, `within_ms` in milliseconds before now, severities 0 to 1.

    Of `label_filters`, every `NOT_FLAGGED` must hold, and one of the others if there are any. An item holds all of
    `search`.
    """

    after_ms: int | None = None
    before_ms: int | None = None
    within_ms: int | None = None
    author_id: str | None = None
    author_levels: tuple[int, ...] = ()
    check_status: Literal["all", "checked", "unchecked"] = "all"
    content_id: str | None = None
    meta_types: tuple[MetaType, ...] = ()
    conversation_ids: tuple[str, ...] = ()
    action_ids: tuple[str, ...] = ()
    channel_ids: tuple[str, ...] = ()
    label_filters: tuple[LabelFilter, ...] = ()
    flagged: Literal["ALL", "FLAGGED", "NOT_FLAGGED", "SHADOW_FLAGGED"] = "ALL"
    labels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    media_types: tuple[MediaType, ...] = ()
    least_severity: float | None = None
    most_severity: float | None = None
    recommended: tuple[Recommended, ...] = ()
    search: tuple[str, ...] = ()


def read_filter(body: Body) -> Filter:
    """The filter of a queue, in the wire's shape. What is wrong with it is noted in the body."""
    within = body.integer("within", None, least=1, most=1_000_000)
    unit = body.choice("withinUnit", tuple(_UNITS_MS), "DAYS")
    least, most = _read_severity(body, "minSeverity"), _read_severity(body, "maxSeverity")
    return Filter(
        after_ms=read_time(body, "afterDate"),
        before_ms=read_time(body, "beforeDate"),
        within_ms=None if within is None else within * _UNITS_MS[unit],
        author_id=body.text("authorID", None),
        author_levels=body.choices("authorTrustLevels", (-1, 0, 1, 2, 3, 4), ()),
        check_status=body.choice("checkStatus", ("all", "checked", "unchecked"), "all"),
        content_id=body.text("contentID", None),
        meta_types=body.choices("contentTypes", get_args(MetaType), ()),
        conversation_ids=body.texts("conversationIds", ()),
        action_ids=body.texts("filteredActionIds", ()),
        channel_ids=body.texts("filteredChannelIds", ()),
        label_filters=tuple(_read_label(each) for each in body.parts("filterLabels")),
        flagged=body.choice("isFlagged", ("ALL", "FLAGGED", "NOT_FLAGGED", "SHADOW_FLAGGED"), "ALL"),
        labels=body.texts("labels", ()),
        languages=body.texts("languages", ()),
        media_types=body.choices("mediaTypes", get_args(MediaType), ()),
        least_severity=None if least is None else least / 100,
        most_severity=None if most is None else most / 100,
        recommended=body.choices("recommendationActions", get_args(Recommended), ()),
        search=body.texts("search", ()),
    )


def seek(tx: Transaction, project_id: str, wanted: Filter, now_ms: int) -> tuple[Where, ...]:
    """What a filter asks of the items of a project. `now_ms` is the time, in Unix milliseconds."""
    conditions = [Where("project_id", "is", project_id), *_conditions(wanted, now_ms)]
    if wanted.author_id is not None:
        conditions.append(Where("author_id", "in", _ids_of(tx, project_id, wanted.author_id)))
    if wanted.author_levels:
        conditions.append(Where("author_id", "in", _ids_at(tx, project_id, wanted.author_levels)))
    if wanted.action_ids:
        conditions.append(Where("id", "in", _acted_on(tx, project_id, wanted.action_ids)))
    return tuple(conditions)


def _conditions(wanted: Filter, now_ms: int) -> list[Where]:
    """What of a filter a query can tell by an item alone."""
    given: list[tuple[Any, Where]] = [
        (wanted.after_ms, Where("created_ms", "at_least", wanted.after_ms)),
        (wanted.before_ms, Where("created_ms", "below", wanted.before_ms)),
        (wanted.within_ms, Where("created_ms", "at_least", now_ms - (wanted.within_ms or 0))),
        (wanted.content_id, Where("content_id", "is", wanted.content_id)),
        (wanted.meta_types or None, Where("meta_type", "in", wanted.meta_types)),
        (wanted.conversation_ids or None, Where("conversation_id", "in", wanted.conversation_ids)),
        (wanted.channel_ids or None, Where("channel_id", "in", wanted.channel_ids)),
        (wanted.labels or None, Where("labels", "holds_any", wanted.labels)),
        (wanted.languages or None, Where("language", "in", wanted.languages)),
        (wanted.media_types or None, Where("media_type", "in", wanted.media_types)),
        (wanted.least_severity, Where("severity", "at_least", wanted.least_severity)),
        (wanted.most_severity, Where("severity", "below", math.nextafter(wanted.most_severity or 0.0, 2.0))),
        (wanted.recommended or None, Where("action", "in", wanted.recommended)),
    ]
    conditions = [condition for value, condition in given if value is not None]
    conditions += [Where("text", "contains", each) for each in wanted.search]
    conditions += _label_conditions(wanted.label_filters)
    if wanted.check_status != "all":
        conditions.append(Where("status", "is", "resolved" if wanted.check_status == "checked" else "pending"))
    if wanted.flagged == "SHADOW_FLAGGED":
        conditions.append(Where("shadow_flagged", "is", True))
    elif wanted.flagged != "ALL":
        conditions.append(Where("flagged", "is", wanted.flagged == "FLAGGED"))
    return conditions


def _ids_of(tx: Transaction, project_id: str, author_id: str) -> tuple[str, ...]:
    """The ids that the author of an id or external id has in the store: none where there is no such author."""
    of_project = Where("project_id", "is", project_id)
    found = tx.find(Author, Query((of_project, Where("id", "is", author_id))))
    found = found or tx.find(Author, Query((of_project, Where("external_id", "is", author_id))))
    return tuple(author.id for author in found)


def _ids_at(tx: Transaction, project_id: str, levels: tuple[int, ...]) -> tuple[str, ...]:
    """The ids of the authors of some levels."""
    conditions = (Where("project_id", "is", project_id), Where("level", "in", levels))
    return tuple(author.id for author in tx.find(Author, Query(conditions)))


def _acted_on(tx: Transaction, project_id: str, action_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the items that one of some actions ran on."""
    conditions = (Where("project_id", "is", project_id), Where("action_id", "in", action_ids))
    return tuple({run.item_id for run in tx.find(ActionRun, Query(conditions)) if run.item_id is not None})


def _label_conditions(filters: Sequence[LabelFilter]) -> list[Where]:
    conditions = [Where("result", "meets_any", (each,)) for each in filters if each.type == "NOT_FLAGGED"]
    others = tuple(each for each in filters if each.type != "NOT_FLAGGED")
    return [*conditions, Where("result", "meets_any", others)] if others else conditions


def _read_severity(body: Body, name: str) -> int | None:
    return body.integer(name, None, least=0, most=100)


def _read_label(body: Body) -> LabelFilter:
    return LabelFilter(
        body.text("label", least=1),
        body.choice("type", get_args(LabelTest)),
        body.number("minThreshold", 0.0, least=0.0, most=1.0),
        body.number("maxThreshold", 1.0, least=0.0, most=1.0),
    )
