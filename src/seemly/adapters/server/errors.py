"""From what went wrong to the interface's error body and status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from seemly.adapters.server.log_format import log_fault
from seemly.adapters.server.rate_limits import RateExceededError
from seemly.core.errors import SeemlyError, TooManyRequestsError

__all__ = [
    "STATUS", "BodyTooLargeError", "JsonAnswer", "TooBusyError", "answer_http", "answer_seemly", "answer_unknown",
    "problem",
]  # fmt: skip

STATUS: Mapping[str, int] = {
    "BAD_REQUEST": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "CONFLICT": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "TOO_MANY_REQUESTS": 429,
    "INTERNAL_SERVER_ERROR": 500,
    "SERVICE_UNAVAILABLE": 503,
}
"""The status of each code."""

_CODES = {status: code for code, status in STATUS.items()}
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class BodyTooLargeError(SeemlyError):
    """A request's body is larger than the server takes."""

    code = "PAYLOAD_TOO_LARGE"


class TooBusyError(SeemlyError):
    """More is being worked on than the server takes, or it took too long."""

    code = "SERVICE_UNAVAILABLE"


class JsonAnswer(JSONResponse):
    """JSON in ASCII, so that half of a surrogate pair in content that is told again does no harm."""

    def render(self, content: Any) -> bytes:
        """The bytes of an answer."""
        return _ENCODER.encode(content).encode("ascii")


def problem(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error's answer."""
    return JsonAnswer(dict(body), status, dict(headers or {}))


async def answer_seemly(request: Request, error: Exception) -> JSONResponse:
    """What a request of the service that is not served is answered with."""
    if not isinstance(error, SeemlyError):
        return await answer_unknown(request, error)
    status = STATUS.get(error.code, 500)
    headers = {}
    if isinstance(error, TooManyRequestsError):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, RateExceededError):
        request.state.allowance = error.allowance
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 500:
        log_fault(error, request.scope)
    return problem(status, error.to_dict(), headers)


async def answer_http(_request: Request, error: Exception) -> JSONResponse:
    """What a request for a path or method that there is not is answered with."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    code = _CODES.get(status, "BAD_REQUEST" if status < 500 else "INTERNAL_SERVER_ERROR")
    messages = {404: "there is nothing at this path", 405: "this path does not take this method"}
    return problem(status, {"code": code, "message": messages.get(status, "the request cannot be served")}, headers)


async def answer_unknown(request: Request, error: Exception) -> JSONResponse:
    """What a fault of the server itself is answered with. It is logged by its places: its words may quote content."""
    log_fault(error, request.scope)
    body = {"code": "INTERNAL_SERVER_ERROR", "message": "the server failed; the request can be sent again"}
    return problem(500, body)
