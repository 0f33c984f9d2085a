"""From what went wrong to the interface's error body and status, and the page that explains the codes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from seemly.adapters.server.log_format import log_fault
from seemly.adapters.server.rate_limits import RateExceededError
from seemly.core.errors import Issue, SeemlyError, TooManyRequestsError

__all__ = [
    "ERRORS_PAGE", "ERROR_TYPES", "STATUS", "BodyTooLargeError", "JsonAnswer", "TooBusyError", "answer_http",
    "answer_seemly", "answer_unknown", "problem", "render_errors_page",
]  # fmt: skip


class _Kind(NamedTuple):
    status: int
    type: str
    meaning: str


_KINDS: Mapping[str, _Kind] = {
    "BAD_REQUEST": _Kind(
        400, "invalid_request_error", "The query or the body is invalid. `issues` lists every problem with its path."
    ),
    "UNAUTHORIZED": _Kind(
        401, "authentication_error", "The key is missing, unknown, expired, rolled or deleted. Send a key that holds."
    ),
    "FORBIDDEN": _Kind(
        403, "permission_error", "The key is of the wrong kind, lacks a permission, or the plan excludes the endpoint."
    ),
    "NOT_FOUND": _Kind(404, "not_found_error", "It does not exist, or lies outside what the key reaches."),
    "METHOD_NOT_ALLOWED": _Kind(
        405, "invalid_request_error", "The path does not take this method. The header Allow lists those that it takes."
    ),
    "CONFLICT": _Kind(409, "conflict_error", "A key or id is taken already, or others changed the same record."),
    "PAYLOAD_TOO_LARGE": _Kind(413, "invalid_request_error", "The body is too large. Send less at once."),
    "UNPROCESSABLE_CONTENT": _Kind(
        422,
        "invalid_request_error",
        "The image could not be looked at. There is no verdict, nothing is stored, nothing is charged.",
    ),
    "TOO_MANY_REQUESTS": _Kind(
        429, "rate_limit_error", "A rate or a quota is used up. Wait for the seconds that Retry-After names."
    ),
    "INTERNAL_SERVER_ERROR": _Kind(
        500, "api_error", "The server failed. Send the request again, and quote its request_id if it fails again."
    ),
    "SERVICE_UNAVAILABLE": _Kind(
        503, "api_error", "The server is busy, or its database does not answer. Send the request again later."
    ),
}
STATUS: Mapping[str, int] = {code: kind.status for code, kind in _KINDS.items()}
"""The status of each code."""

ERROR_TYPES: Sequence[str] = tuple(dict.fromkeys(kind.type for kind in _KINDS.values()))
"""The categories of codes, which clients choose their exceptions by."""

ERRORS_PAGE = "/v1/errors"
"""Where the server explains its codes."""

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


def problem(
    request: Request,
    code: str,
    message: str,
    issues: Sequence[Issue] = (),
    headers: Mapping[str, str] | None = None,
    status: int | None = None,
) -> JSONResponse:
    """An error's answer. `status` is that of the code unless given."""
    kind = _KINDS[code]
    body: dict[str, Any] = {
        "type": kind.type,
        "code": code,
        "message": message,
        "request_id": request.scope.get("state", {}).get("request_id", "none"),
        "doc_url": f"{request.scope.get('root_path', '')}{ERRORS_PAGE}#{code}",
    }
    if issues:
        body["issues"] = [{"message": each.message, "path": _split_path(each.path)} for each in issues]
    return JsonAnswer(body, kind.status if status is None else status, dict(headers or {}))


def render_errors_page() -> str:
    """The page of HTML that every error's `doc_url` leads to: each code, its status, and what to do about it."""
    rows = "".join(
        f'<tr id="{code}"><td><code>{code}</code></td><td>{kind.status}</td><td><code>{kind.type}</code></td>'
        f"<td>{kind.meaning}</td></tr>"
        for code, kind in _KINDS.items()
    )
    head = "<!doctype html><html lang=en><meta charset=utf-8><title>Errors</title><h1>Errors</h1>"
    return f"{head}<table><tr><th>code<th>status<th>type<th>meaning</tr>{rows}</table></html>"


_STEP = re.compile(r"[^.\[\]]+")


def _split_path(path: str) -> list[str | int]:
    """The keys and indexes that lead to a field: `policies.0.id` and `words[1]` have an index."""
    return [int(step) if step.isascii() and step.isdigit() else step for step in _STEP.findall(path)]


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
    return problem(request, error.code, error.message, error.issues, headers)


async def answer_http(request: Request, error: Exception) -> JSONResponse:
    """What a request for a path or method that there is not is answered with."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    code = _CODES.get(status, "BAD_REQUEST" if status < 500 else "INTERNAL_SERVER_ERROR")
    messages = {404: "there is nothing at this path", 405: "this path does not take this method"}
    return problem(request, code, messages.get(status, "the request cannot be served"), (), headers, status)


async def answer_unknown(request: Request, error: Exception) -> JSONResponse:
    """What a fault of the server itself is answered with. It is logged by its places: its words may quote content."""
    log_fault(error, request.scope)
    return problem(request, "INTERNAL_SERVER_ERROR", "the server failed; the request can be sent again")
