"""Lists that come a page at a time, and the times that they are narrowed down by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from seemly.service.bodies import Body

__all__ = ["MAX_PAGE", "Page", "read_page", "read_time"]

MAX_PAGE = 100
"""The most entries of a page."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list: page `number`, from 1, of `size` entries."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """How many entries come before it."""
        return (self.number - 1) * self.size

    def dump(self, total: int) -> dict[str, Any]:
        """The `pagination` of a list of authors; `total` is how many entries there are in all."""
        return {
            "total": total,
            "pageSize": self.size,
            "pageNumber": self.number,
            "hasNextPage": self.offset + self.size < total,
            "hasPreviousPage": self.number > 1,
        }

    def dump_items(self, total: int) -> dict[str, Any]:
        """The `pagination` of a queue's items; `total` is how many there are in all."""
        return {
            "currentPage": self.number,
            "totalPages": -(-total // self.size),
            "totalItems": total,
            "hasNextPage": self.offset + self.size < total,
            "hasPreviousPage": self.number > 1,
        }


def read_page(body: Body) -> Page:
    """The page that `pageNumber` (from 1) and `pageSize` (1 to 100, else 20) ask for."""
    number = body.integer("pageNumber", 1, least=1, most=1_000_000)
    return Page(number, body.integer("pageSize", 20, least=1, most=MAX_PAGE))


def read_time(body: Body, name: str) -> int | None:
    """A time given as ISO 8601, in Unix milliseconds; without an offset it is UTC. None where it is missing."""
    given = body.text(name, None, most=40)
    if given is None:
        return None
    try:
        time = datetime.fromisoformat(given)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
        return round(time.timestamp() * 1000)
    except (ValueError, OverflowError):
        body.wrong(name, "must be a time as in 2026-01-31T12:00:00Z")
        return None
