"""Read and check request bodies, pages and times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from seemly.core.errors import ContentError, Issue
from seemly.core.frozen import EMPTY, FrozenMapping, freeze

__all__ = ["MAX_INTEGER", "MAX_PAGE", "REQUIRED", "Body", "Page", "read_page", "read_time"]


D = TypeVar("D")
T = TypeVar("T")

REQUIRED: Any = object()
"""The default of a field that has none."""

MAX_INTEGER = 2**53 - 1
"""The largest whole number that JSON carries exactly everywhere."""

_REFUSED = re.compile("[\0\ud800-\udfff]")


class Body:
    """The fields of a JSON object. Fields that nobody reads are ignored.

    A field without a default is required. What is missing or wrong is noted, the default or some value of the right
    type is returned in its place, and `done` raises all that was noted:

        body = Body(wire)
        name = body.text("name", least=1, most=200)
        description = body.text("description", None)
        body.done()

    A body that is None has no fields. JSON's null is as if the field were left out; with `null=True`, whose default's
    type must have a None, it is None.
    """

    __slots__ = ("_issues", "_path", "_wire")

    def __init__(self, wire: object, path: str = "", issues: list[Issue] | None = None) -> None:
        self._path = path
        self._issues = [] if issues is None else issues
        self._wire = EMPTY
        if wire is None:
            return
        try:
            self._wire = _mapping(wire)
        except ValueError as error:
            self._issues.append(Issue(path, str(error)))

    def has(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self._wire.get(name) is not None

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of some fields that are there, unread, null or not."""
        return {name: self._wire[name] for name in names if name in self._wire}

    def text(
        self, name: str, default: D = REQUIRED, *, least: int = 0, most: int = 1000, null: bool = False
    ) -> str | D:
        """A string of `least` to `most` characters."""
        return self._read(name, default, null, "", lambda value: _text(value, least, most))

    def flag(self, name: str, default: D = REQUIRED, *, null: bool = False) -> bool | D:
        """True or false."""
        return self._read(name, default, null, False, _flag)

    def integer(
        self, name: str, default: D = REQUIRED, *, least: int = 0, most: int = MAX_INTEGER, null: bool = False
    ) -> int | D:
        """A whole number from `least` to `most`."""
        return self._read(name, default, null, least, lambda value: _integer(value, least, most))

    def number(
        self, name: str, default: D = REQUIRED, *, least: float = 0.0, most: float = MAX_INTEGER, null: bool = False
    ) -> float | D:
        """A number from `least` to `most`."""
        return self._read(name, default, null, least, lambda value: _number(value, least, most))

    def choice(self, name: str, among: Sequence[T], default: D = REQUIRED, *, null: bool = False) -> T | D:
        """One of some values."""
        return self._read(name, default, null, among[0], lambda value: _choice(value, among))

    def choices(self, name: str, among: Sequence[T], default: D = REQUIRED, *, least: int = 0) -> tuple[T, ...] | D:
        """A list of `least` or more of some values, each at most once."""
        return self._list(name, default, least, len(among), lambda value: _choice(value, among))

    def texts(
        self, name: str, default: D = REQUIRED, *, least: int = 0, most: int = 100, longest: int = 1000
    ) -> tuple[str, ...] | D:
        """A list of `least` to `most` strings, each of 1 to `longest` characters."""
        return self._list(name, default, least, most, lambda value: _text(value, 1, longest))

    def mapping(self, name: str, default: D = REQUIRED, *, null: bool = False) -> FrozenMapping | D:
        """Any JSON object, frozen."""
        return self._read(name, default, null, EMPTY, _mapping)

    def part(self, name: str) -> Body:
        """An object in this one; where it is missing, one without fields. Its issues are this one's."""
        return Body(self._wire.get(name), self._under(name), self._issues)

    def parts(self, name: str, *, most: int = 100) -> list[Body]:
        """A list of objects, empty where it is missing. Their issues are this one's."""
        nothing: Sequence[Any] = ()
        listed = self._read(name, nothing, False, nothing, lambda value: _listed(value, 0, most))
        return [Body(each, self._under(f"{name}.{i}"), self._issues) for i, each in enumerate(listed)]

    def wrong(self, name: str, message: str) -> None:
        """Note something that is wrong with a field."""
        self._issues.append(Issue(self._under(name), message))

    def blame(self, issues: Iterable[Issue]) -> None:
        """Note what something else found wrong with this object."""
        self._issues.extend(each.under(self._path) for each in issues)

    def done(self) -> None:
        """Raise ContentError with everything that was noted, if anything was."""
        if self._issues:
            raise ContentError("invalid input data", self._issues)

    def _under(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _read(self, name: str, default: D, null: bool, blank: T, read: Callable[[Any], T]) -> T | D:
        value = self._wire.get(name)
        if value is None:
            if default is REQUIRED:
                self.wrong(name, "is missing")
                return blank
            nothing: Any = None
            return nothing if null and name in self._wire else default
        try:
            return read(value)
        except ValueError as error:
            self.wrong(name, str(error))
            return blank if default is REQUIRED else default

    def _list(self, name: str, default: D, least: int, most: int, read: Callable[[Any], T]) -> tuple[T, ...] | D:
        empty: tuple[T, ...] = ()
        return self._read(
            name, default, False, empty, lambda value: self._entries(name, _listed(value, least, most), read)
        )

    def _entries(self, name: str, listed: Sequence[Any], read: Callable[[Any], T]) -> tuple[T, ...]:
        entries = []
        for i, each in enumerate(listed):
            try:
                entries.append(read(each))
            except ValueError as error:
                self.wrong(f"{name}.{i}", str(error))
        return tuple(dict.fromkeys(entries))


def _text(value: Any, least: int, most: int) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    if not least <= len(value) <= most:
        raise ValueError(f"must have {least} to {most:,} characters")
    # Databases refuse both, so they are refused here, where they can be told.
    if _REFUSED.search(value):
        raise ValueError("must not hold null characters or halves of surrogate pairs")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _integer(value: Any, least: int, most: int) -> int:
    # JSON knows one kind of number: 1.0 is as whole as 1.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return _within(value, least, most)


def _number(value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    return float(_within(value, least, most))


N = TypeVar("N", int, float)


def _within(value: N, least: N, most: N) -> N:
    if not least <= value <= most:
        raise ValueError(f"must be from {least} to {most}")
    return value


def _choice(value: Any, among: Sequence[T]) -> T:
    for each in among:
        # 1 is not True, nor 0 False, although Python finds them equal.
        if type(value) is type(each) and value == each:
            return each
    raise ValueError(f"must be one of {', '.join(map(str, among))}")


def _listed(value: Any, least: int, most: int) -> Sequence[Any]:
    if not isinstance(value, tuple):
        raise ValueError("must be a list")
    if not least <= len(value) <= most:
        raise ValueError(f"must have {least} to {most:,} entries")
    return value


def _mapping(value: Any) -> FrozenMapping:
    if not isinstance(value, Mapping):
        raise ValueError("must be an object")
    frozen: FrozenMapping = freeze(value)
    return frozen


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
