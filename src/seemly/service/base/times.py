"""Times as Unix milliseconds, and their wire form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["DAY_MS", "to_iso"]

DAY_MS = 86_400_000
"""A day in milliseconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS = -62_135_596_800_000
_LAST_MS = 253_402_300_799_999


def to_iso(at_ms: int) -> str:
    """A time, in Unix milliseconds, as ISO 8601 in UTC with milliseconds. What is before the year 1 is told as its
    first moment, what is after the year 9999 as its last: the notation has no others."""
    time = _EPOCH + timedelta(milliseconds=min(max(at_ms, _FIRST_MS), _LAST_MS))
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
