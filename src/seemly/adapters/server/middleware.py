"""What every request passes: its id, the size and depth of its body, metrics, and a line in the log without content."""

from __future__ import annotations

import json
import logging
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.requests import Request

from seemly.adapters.server.errors import BodyTooLargeError, answer_unknown
from seemly.adapters.server.parameters import keep_slashes
from seemly.core.errors import ContentError, Issue

if TYPE_CHECKING:
    from seemly.adapters.server.rate_limits import Allowance

__all__ = ["Gate", "parse_json", "read_body", "read_json"]

_LOG = logging.getLogger("seemly.access")
_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})

_MOST_VALUES = 200_000
"""How many values a body may have: to read a million of the smallest takes as long as to moderate hundreds of texts."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Gate:
    """Wraps an application. A caller's own X-Request-Id is kept where it is fit for a log.

    What the application raises is answered here and goes no further, where others would log its words. An `allowance`
    in the request's state is told with whatever the answer is.
    """

    def __init__(self, app: App, registry: CollectorRegistry) -> None:
        self._app = app
        self._seconds = Histogram(
            "seemly_request_seconds",
            "How long requests took.",
            ("method", "route", "status"),
            registry=registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
        )
        self._running = Gauge("seemly_requests_running", "Requests that are being worked on.", registry=registry)
        self._failed = Counter("seemly_requests_failed", "Requests answered with 5xx.", registry=registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        state = scope.setdefault("state", {})
        state["request_id"] = request_id
        keep_slashes(scope)
        # Whoever calls may send any word for a method; each would be kept as a metric of its own.
        method = scope["method"] if scope["method"] in _METHODS else "other"
        began, status, answered = time.perf_counter(), 500, False

        async def reply(message: MutableMapping[str, Any]) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                status, answered = message["status"], True
                allowance: Allowance | None = state.get("allowance")
                told = {"X-Request-Id": request_id} | ({} if allowance is None else allowance.to_headers())
                added = [(name.lower().encode(), value.encode()) for name, value in told.items()]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        self._running.inc()
        try:
            await self._app(scope, receive, reply)
        except Exception as error:
            if answered:
                raise
            answer = await answer_unknown(Request(scope), error)
            await answer(scope, receive, reply)
        finally:
            self._running.dec()
            took = time.perf_counter() - began
            route = getattr(scope.get("route"), "path", "none")
            self._seconds.labels(method, route, str(status)).observe(took)
            if status >= 500:
                self._failed.inc()
            ms = round(took * 1000.0, 1)
            _LOG.info(
                "%s %s %d %.1f ms",
                method,
                route,
                status,
                ms,
                extra={"request_id": request_id, "method": method, "route": route, "status": status, "ms": ms},
            )


async def read_body(receive: Receive, length: str | None, most: int) -> bytes:
    """A request's body. Raises BodyTooLargeError above `most` bytes, and ContentError for one that broke off."""
    promised = int(length) if length is not None and length.isdigit() else 0
    if promised > most:
        raise BodyTooLargeError(f"the body has more than {most:,} bytes")
    found = bytearray()
    more = True
    while more:
        message = await receive()
        # Nobody hears of it who is gone; but what they asked for by half is not done.
        gone = message["type"] == "http.disconnect"
        found += message.get("body", b"")
        if len(found) > most:
            raise BodyTooLargeError(f"the body has more than {most:,} bytes")
        more = message.get("more_body", False)
        if gone or (not more and len(found) < promised):
            raise ContentError("invalid input data", [Issue("", "the body broke off before its end: send it again")])
    return bytes(found)


def parse_json(body: bytes, depth: int) -> Any:
    """What a body says. Raises ContentError for what is no JSON, nested deeper than `depth`, or of too many values."""
    if _has_many_values(body):
        raise ContentError("invalid input data", [Issue("", f"the body has more than {_MOST_VALUES:,} values")])
    try:
        value = json.loads(body, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ContentError("invalid input data", [Issue("", "the body is not JSON in UTF-8")]) from error
    if not _is_flat(value, depth):
        raise ContentError("invalid input data", [Issue("", f"the body is nested deeper than {depth} levels")])
    return value


async def read_json(receive: Receive, length: str | None, *, most: int, depth: int) -> Any:
    """The JSON of a request's body; None where there is no body.

    Raises BodyTooLargeError above `most` bytes, and ContentError as `read_body` and `parse_json` do.
    """
    body = await read_body(receive, length, most)
    return parse_json(body, depth) if body.strip() else None


def _has_many_values(body: bytes) -> bool:
    """Whether there are more values in JSON than are worth parsing, told without making any of them."""
    if _count_values(body) <= _MOST_VALUES:
        return False
    # Texts may be full of commas: what stands in quotes does not count.
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if bare.count(b'"') > 2 * _MOST_VALUES:
        return True
    return _count_values(b"".join(bare.split(b'"')[::2])) > _MOST_VALUES


def _count_values(body: bytes) -> int:
    return sum(map(body.count, (b"[", b"{", b",")))


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _is_flat(value: Any, depth: int) -> bool:
    level = [value]
    while level:
        if depth < 0:
            return False
        depth -= 1
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return True
