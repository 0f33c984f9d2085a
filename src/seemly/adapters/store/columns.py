"""The types of columns whose values are not a database's own: any text, frozen JSON, and tuples of strings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import JSON, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from seemly.adapters.store.escaping import escape, unescape
from seemly.frozen import freeze

__all__ = ["Containing", "Document", "Names", "Words"]

_SPECIAL = re.compile("[%_/]")

_DEEPEST = 1_000
"""How deep JSON that comes back may be nested: more than what is written ever is."""


class Words(TypeDecorator[str]):
    """Any text. PostgreSQL compares it byte by byte, as SQLite does, so that an index outlives a change of locale."""

    impl = Text().with_variant(Text(collation="C"), "postgresql")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """What the database is given."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """What the record is given."""
        return None if value is None else unescape(value)


class Containing(TypeDecorator[str]):
    """Any text, as the pattern of what contains it: for `LIKE` and `ILIKE` with that `ESCAPE`."""

    impl = Text()
    cache_ok = True

    ESCAPE: ClassVar = "/"

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """What the database is given."""
        return None if value is None else f"%{_SPECIAL.sub(self._escape, escape(value))}%"

    def _escape(self, found: re.Match[str]) -> str:
        return self.ESCAPE + found[0]


class Document(TypeDecorator[Mapping[str, Any]]):
    """A frozen mapping. PostgreSQL keeps it as `json`, not `jsonb`: with the order of its keys, and its numbers."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """What the record is given."""
        return freeze(value, _DEEPEST)


class Names(TypeDecorator[tuple[str, ...]]):
    """A tuple of strings, which PostgreSQL keeps as `jsonb`, to be asked which it holds."""

    impl = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """What the record is given."""
        return freeze(value)
