"""Which items a list shows, and in which order: read from the address, so that a list can be shared by it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal, get_args

from seemly.adapters.console.visit import Visit
from seemly.core.channel import Action as Recommended
from seemly.service.base.times import DAY_MS
from seemly.service.review.browse import Sorting
from seemly.service.review.filters import Filter, MediaType

__all__ = ["FILTERS", "describe_filter", "read_filter", "read_place", "read_sorting"]

FILTERS = ("policy", "action", "severity", "language", "author", "after", "before", "q", "status", "media", "reported")
"""The fields of the query that narrow a list down."""

_STATUS: Mapping[str, Literal["all", "checked", "unchecked"]] = {
    "pending": "unchecked",
    "resolved": "checked",
    "all": "all",
}
_LONGEST = 500


def read_filter(visit: Visit) -> Filter:
    """The filter of a list. What is not understood asks for nothing."""
    labels = tuple(each[:_LONGEST] for each in visit.query.get("policy", ()) if each)
    recommended = tuple(each for each in get_args(Recommended) if each in visit.query.get("action", ()))
    media = tuple(each for each in get_args(MediaType) if each in visit.query.get("media", ()))
    language, author, sought = (visit.asked(name)[:_LONGEST].strip() for name in ("language", "author", "q"))
    before = _read_day(visit.asked("before"))
    severity = _read_number(visit.asked("severity"))
    return Filter(
        labels=labels,
        recommended=recommended,
        media_types=media,
        least_severity=None if severity is None else severity / 100,
        languages=(language,) if language else (),
        author_id=author or None,
        after_ms=_read_day(visit.asked("after")),
        before_ms=None if before is None else before + DAY_MS,
        reported=visit.asked("reported") == "yes",
        search=(sought,) if sought else (),
        check_status=_STATUS.get(visit.asked("status"), "unchecked"),
    )


def read_sorting(visit: Visit) -> Sorting:
    """The order of a list: the newest first unless another is asked for."""
    asked = visit.asked("sort")
    return next((each for each in get_args(Sorting) if each == asked), "newest")


def read_place(visit: Visit, name: str, least: int = 0) -> int:
    """A whole number of the address, such as a page's."""
    given = visit.asked(name)
    return max(least, int(given)) if given.isascii() and given.isdigit() and len(given) < 8 else least


def describe_filter(visit: Visit) -> list[tuple[str, str]]:
    """What a list is narrowed down by, each with the address of the list without it."""
    return [
        (f"{name}: {value}", visit.query_but("page", "at", **{name: [each for each in values if each != value]}))
        for name, values in visit.query.items()
        if name in FILTERS
        for value in values
        if value
    ]


def _read_day(given: str) -> int | None:
    try:
        return round(datetime.fromisoformat(given[:10]).replace(tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _read_number(given: str) -> float | None:
    try:
        value = float(given)
    except ValueError:
        return None
    return min(100.0, max(0.0, value)) if math.isfinite(value) else None
