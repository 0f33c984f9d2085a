"""What the server logs: lines of JSON, and errors by where they came from. No line holds content, a key, or a value."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Any, Literal, TextIO

__all__ = ["JsonLines", "describe_error", "log_fault", "log_to"]

_LOG = logging.getLogger("seemly.server")
_TOLD = ("request_id", "method", "route", "status", "ms")
_MOST_FRAMES = 40
"""The most places of an error, the innermost, and of errors that led to it, that are told."""


class JsonLines(logging.Formatter):
    """Each record as an object on a line: `time`, `level`, `logger`, `message`, what is told of a request, and `error`.

    An exception that comes with a record is told by its type and places alone, as its words may quote content.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _TOLD if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = describe_error(record.exc_info[1])
        return json.dumps(line)


class _PlainLines(logging.Formatter):
    """Lines for people, which tell of exceptions no more than those of JSON do."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatException(self, ei: Any) -> str:  # noqa: N802  (the name that logging gives it)
        return describe_error(ei[1])


def log_to(stream: TextIO, form: Literal["json", "text"]) -> None:
    """Have this process log to a stream: what seemly does, and what goes wrong elsewhere."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if form == "json" else _PlainLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("seemly").setLevel(logging.INFO)


def log_fault(error: Exception, scope: Mapping[str, Any]) -> None:
    """Log that a request failed: which, at what route, and where the error came from."""
    route = getattr(scope.get("route"), "path", "none")
    request_id = scope.get("state", {}).get("request_id", "none")
    _LOG.error(
        "request %s to %s failed: %s",
        request_id,
        route,
        describe_error(error),
        extra={"request_id": request_id, "route": route},
    )


def describe_error(error: BaseException) -> str:
    """The type of an error and its places, the outermost first, and so of each error that led to it."""
    told: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(told) < _MOST_FRAMES:
        frames = [(frame.f_code, line) for frame, line in walk_tb(cause.__traceback__)][-_MOST_FRAMES:]
        places = ", ".join(f"{code.co_filename}:{line} {code.co_name}" for code, line in frames)
        told.append(f"{type(cause).__name__} at {places or 'no place'}")
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "; from ".join(told)
