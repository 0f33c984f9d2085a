"""Column types for values that are not a database's own: any text, frozen JSON, and tuples of strings.

PostgreSQL keeps no NUL, and no database's UTF-8 has a form for half of a surrogate pair. Text is escaped on its way in
and unescaped on its way out: `unescape(escape(text)) == text` for every text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import JSON, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from seemly.core.frozen import freeze

__all__ = ["Containing", "Document", "Names", "Words", "dump", "escape", "load", "unescape"]


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


_MARK = "\U0010ffff"
_PRIVATE = 0x100000
_REFUSED = re.compile(f"[\0\ud800-\udfff{_MARK}]")
_WRITTEN = re.compile(f"{_MARK}([{_MARK}\U00100000\U0010d800-\U0010dfff])")
_NUMBER = re.compile(f'"{_MARK}(NaN|-?Infinity)"')
_LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
_BACKSLASHED = re.compile(r"\\(?:u0000|.)")

# A frozen mapping is written as the dict that it was.
_STRICT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict, allow_nan=False)
_LENIENT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict)
# A NUL that was unescaped stands in its string as it is.
_DECODER = json.JSONDecoder(strict=False)


def escape(text: str) -> str:
    """The text without NUL and surrogates."""
    return text if text.isascii() and "\0" not in text else _REFUSED.sub(_write, text)


def unescape(text: str) -> str:
    """The text that was escaped."""
    return text if text.isascii() else _WRITTEN.sub(_read, text)


def dump(value: Any) -> str:
    """A JSON value, frozen or not, as text, each string in it escaped. What JSON lacks, NaN and infinities, becomes
    marked strings."""
    try:
        text = _STRICT.encode(value)
    except ValueError:
        return _LEXEME.sub(_mark_number, _escape_json(_LENIENT.encode(value)))
    return _escape_json(text)


def load(written: str | bytes) -> Any:
    """The JSON value that `dump` wrote."""
    text = written.decode() if isinstance(written, bytes) else written
    if not text.isascii():
        text = unescape(_NUMBER.sub(r"\1", text))
    return _DECODER.decode(text)


def _escape_json(text: str) -> str:
    escaped = escape(text)
    return _BACKSLASHED.sub(_write_nul, escaped) if "\\u0000" in escaped else escaped


def _write_nul(found: re.Match[str]) -> str:
    return escape("\0") if found[0] == "\\u0000" else found[0]


def _write(found: re.Match[str]) -> str:
    return _MARK + chr(_PRIVATE | ord(found[0]) & 0xFFFF)


def _read(found: re.Match[str]) -> str:
    return _MARK if found[1] == _MARK else chr(ord(found[1]) & 0xFFFF)


def _mark_number(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else f'"{_MARK}{found[0]}"'
