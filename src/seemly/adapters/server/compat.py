"""The addresses of Perspective API and of OpenAI's moderations, for clients that were written for these.

`perspective_router` and `moderations_router` make routers for an application: `app.include_router(…)`. Both take
`authenticate`, from a key to who calls, and `find_engine`, from who calls to the engine that answers. These run in a
thread and may raise a SeemlyError, which is answered in the shape that the client expects, by its code.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from anyio import to_thread
from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from seemly.adapters import openai_moderations, perspective
from seemly.adapters.openai_moderations import ModerationsError
from seemly.adapters.perspective import PerspectiveError
from seemly.adapters.server.faults import STATUS
from seemly.adapters.server.gate import read_json
from seemly.engine import Engine
from seemly.errors import SeemlyError, TooManyRequestsError, UnauthorizedError

__all__ = ["MAX_BODY", "moderations_router", "perspective_router"]

MAX_BODY = 8_000_000
"""The largest body of a request, in bytes, unless it is told otherwise."""

_MAX_DEPTH = 32
_KEY = "seemly.key"

Caller = TypeVar("Caller")
Run = Callable[[Callable[[], Response]], Awaitable[Response]]
Failure = PerspectiveError | ModerationsError


def perspective_router(
    authenticate: Callable[[str], Caller],
    find_engine: Callable[[Caller], Engine],
    *,
    max_body: int = MAX_BODY,
    run: Run = to_thread.run_sync,
) -> APIRouter:
    """`POST /v1alpha1/comments:analyze` and `comments:suggestscore`, as Perspective API has them.

    The key is that of `?key=`, of the header `X-Goog-Api-Key`, or of `Authorization: Bearer`. It is taken out of the
    address before the request is answered, so that no log that is written afterwards, such as uvicorn's, shows it; what
    a proxy in front of the server writes is its own. Suggested scores are accepted and not kept. `run` calls what takes
    a while in a thread.
    """
    router = APIRouter(tags=["compatibility"], route_class=_KeyRoute)

    def analyze(caller: Caller, body: Any) -> dict[str, Any]:
        return perspective.analyze(body, find_engine(caller))

    def suggest(_caller: Caller, body: Any) -> dict[str, Any]:
        return perspective.suggest_score(body)

    @router.post("/v1alpha1/comments:analyze", summary="Score a comment, as Perspective API does")
    async def analyze_comment(request: Request) -> Response:
        return await _answer(request, _find_key, authenticate, analyze, _tell_google, max_body, run)

    @router.post("/v1alpha1/comments:suggestscore", summary="Accept a suggested score, as Perspective API does")
    async def suggest_score(request: Request) -> Response:
        return await _answer(request, _find_key, authenticate, suggest, _tell_google, max_body, run)

    return router


def moderations_router(
    authenticate: Callable[[str], Caller],
    find_engine: Callable[[Caller], Engine],
    *,
    max_body: int = MAX_BODY,
    run: Run = to_thread.run_sync,
) -> APIRouter:
    """`POST /v1/moderations`, as OpenAI has it. The key is that of `Authorization: Bearer`.

    `run` calls what takes a while in a thread.
    """
    router = APIRouter(tags=["compatibility"])

    def moderate(caller: Caller, body: Any) -> dict[str, Any]:
        return openai_moderations.moderate(body, find_engine(caller))

    @router.post("/v1/moderations", summary="Moderate texts and images, as OpenAI does")
    async def create_moderation(request: Request) -> Response:
        return await _answer(request, _find_bearer, authenticate, moderate, _tell_openai, max_body, run)

    return router


class _KeyRoute(APIRoute):
    """Takes the key out of the address, also of a request that it then refuses."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        scope[_KEY] = next((value for name, value in query if name == "key"), "")
        scope["query_string"] = urlencode([each for each in query if each[0] != "key"]).encode("ascii")
        await super().handle(scope, receive, send)


def _find_key(request: Request) -> str:
    key: str = request.scope[_KEY]
    return key or request.headers.get("x-goog-api-key", "") or _find_bearer(request)


def _find_bearer(request: Request) -> str:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


async def _answer(
    request: Request,
    find_key: Callable[[Request], str],
    authenticate: Callable[[str], Caller],
    act: Callable[[Caller, Any], dict[str, Any]],
    tell: Callable[[SeemlyError, int], Failure],
    max_body: int,
    run: Run,
) -> Response:
    def serve(key: str, body: Any) -> Response:
        return _respond(act(authenticate(key), body))

    try:
        key = find_key(request)
        if not key:
            raise UnauthorizedError("the request has no API key")
        length = request.headers.get("content-length")
        body = await read_json(request.receive, length, most=max_body, depth=_MAX_DEPTH)
        return await run(partial(serve, key, body))
    except SeemlyError as error:
        failure = error if isinstance(error, Failure) else tell(error, STATUS.get(error.code, 500))
        wait = {"Retry-After": str(error.retry_after)} if isinstance(error, TooManyRequestsError) else {}
        return _respond(failure.to_dict(), failure.status, wait)


def _respond(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    # Escaped, so that a lone surrogate in a token that is echoed does no harm.
    return Response(json.dumps(body), status, headers, "application/json")


def _tell_google(error: SeemlyError, status: int) -> PerspectiveError:
    return PerspectiveError(str(error), "INVALID_REQUEST" if status == 400 else None, status=status)


def _tell_openai(error: SeemlyError, status: int) -> ModerationsError:
    reasons = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
    return ModerationsError(str(error), status=status, reason=reasons.get(status))
