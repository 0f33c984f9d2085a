"""From a request to the call of an endpoint: the key, its limits, the body, and the use case in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse

from seemly.adapters.server.endpoint import Answer, Call, Endpoint
from seemly.adapters.server.faults import TooBusyError
from seemly.adapters.server.gate import read_json
from seemly.adapters.server.parts import Parts
from seemly.adapters.server.queries import read_query
from seemly.adapters.server.rates import Allowance
from seemly.errors import ContentError, Issue
from seemly.service import keys
from seemly.service.records import Key, Project

__all__ = ["Handler", "make_handler", "read_bearer"]

Handler = Callable[[Request], Awaitable[JSONResponse]]


def make_handler(endpoint: Endpoint, parts: Parts, slots: CapacityLimiter) -> Handler:
    """What answers requests of an endpoint. At most as many run at once as there are `slots`."""
    settings = parts.settings

    async def handle(request: Request) -> JSONResponse:
        act = partial(_identify, endpoint, parts, read_bearer(request.headers.get("authorization")))
        try:
            async with asyncio.timeout(settings.timeout):
                key, allowance = await to_thread.run_sync(act, limiter=slots)
                call = Call(parts.env, parts, key, dict(request.path_params), read_query(endpoint, request))
                if endpoint.takes is not None:
                    call = Call(call.env, parts, key, call.path, call.query, await _read_body(request, parts))
                # A use case that began is not abandoned: what it accepted is kept whatever became of who asked.
                answer: Answer = await to_thread.run_sync(partial(endpoint.run, call), limiter=slots)
        except TimeoutError:
            raise TooBusyError(f"the server took more than {settings.timeout:g} seconds: try again later") from None
        return JSONResponse(answer, headers={} if allowance is None else allowance.to_headers())

    return handle


def read_bearer(header: str | None) -> str | None:
    """The secret in a header Authorization: Bearer; None where there is none."""
    scheme, _, secret = (header or "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def _identify(endpoint: Endpoint, parts: Parts, secret: str | None) -> tuple[Key, Allowance | None]:
    """Whose key it is, and what is left of their limit."""
    key = keys.authenticate(parts.env, secret)
    if endpoint.key == "project":
        keys.require_moderation(key)
    return key, _count(endpoint, parts, key)


def _count(endpoint: Endpoint, parts: Parts, key: Key) -> Allowance | None:
    settings = parts.settings
    if endpoint.moderates and key.project_id is not None:
        with parts.env.store.read() as tx:
            project = tx.get(Project, key.project_id)
        own = None if project is None else project.rate_limit
        return parts.rates.spend("moderation", key.project_id, own or settings.moderation_rate)
    if key.project_id is None:
        parts.rates.spend("management", key.organization_id, settings.management_rate)
    return None


async def _read_body(request: Request, parts: Parts) -> Mapping[str, Any]:
    settings = parts.settings
    length = request.headers.get("content-length")
    body = await read_json(request.receive, length, most=settings.max_body, depth=settings.max_depth)
    if not isinstance(body, Mapping):
        raise ContentError("invalid input data", [Issue("", "the body must be a JSON object")])
    return body
