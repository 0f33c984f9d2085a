"""Endpoints for clients of other services: Perspective API and OpenAI's moderations.

`perspective_router` and `moderations_router` make routers for an application. In the service, a project's key opens
them, and its default channel answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast
from urllib.parse import parse_qsl, urlencode

from anyio import to_thread
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from seemly.adapters.compat import openai, perspective
from seemly.adapters.compat.openai import ModerationsError
from seemly.adapters.compat.perspective import PerspectiveError
from seemly.adapters.server.errors import STATUS, TooBusyError
from seemly.adapters.server.middleware import read_json
from seemly.adapters.server.rate_limits import RateExceededError, count_moderation
from seemly.adapters.server.state import Parts
from seemly.adapters.server.thread_pool import Slots
from seemly.core.errors import SeemlyError, TooManyRequestsError, UnauthorizedError
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult
from seemly.service.base.records import Project
from seemly.service.management import keys
from seemly.service.management.accounts import find_organization, require_quota

__all__ = ["MAX_BODY", "TIMEOUT_S", "Run", "add_doors", "moderations_router", "perspective_router"]


MAX_BODY = 8_000_000
"""The largest body of a request, in bytes, unless it is told otherwise."""

TIMEOUT_S = 60.0
"""How long a request may take, in seconds, unless it is told otherwise."""

_MAX_DEPTH = 32
_KEY = "seemly.key"

Caller = TypeVar("Caller")
T = TypeVar("T")
Failure = PerspectiveError | ModerationsError


class Run(Protocol):
    """Calls what takes a while in a thread."""

    def __call__(self, act: Callable[[], T], /) -> Awaitable[T]:
        """What `act` returns. Raises what it raises."""
        ...


def _count_nothing(_caller: object, _units: int) -> None:
    pass


def perspective_router(
    authenticate: Callable[[str, Request], Caller],
    find_engine: Callable[[Caller], Engine],
    *,
    count: Callable[[Caller, int], None] = _count_nothing,
    max_body: int = MAX_BODY,
    timeout: float = TIMEOUT_S,
    run: Run = to_thread.run_sync,
) -> APIRouter:
    """`POST /v1alpha1/comments:analyze` and `comments:suggestscore`, as Perspective API has them.

    The key is that of `?key=`, of the header `X-Goog-Api-Key`, or of `Authorization: Bearer`. It is taken out of the
    address before the request is answered, so that no log that is written afterwards, such as uvicorn's, shows it; what
    a proxy in front of the server writes is its own. Suggested scores are accepted, not kept, and use nothing. `run`
    calls what takes a while in a thread.
    """
    router = APIRouter(tags=["compatibility"], route_class=_KeyRoute)
    door = _Door(_find_key, authenticate, _tell_google, max_body, timeout, run)

    def analyze(caller: Caller, body: Any) -> dict[str, Any]:
        engine = _Counting(find_engine(caller))
        answer = perspective.analyze(body, cast(Engine, engine))
        count(caller, engine.units)
        return answer

    def suggest(_caller: Caller, body: Any) -> dict[str, Any]:
        return perspective.suggest_score(body)

    @router.post("/v1alpha1/comments:analyze", summary="Score a comment, as Perspective API does")
    async def analyze_comment(request: Request) -> Response:
        return await door.answer(request, analyze)

    @router.post("/v1alpha1/comments:suggestscore", summary="Accept a suggested score, as Perspective API does")
    async def suggest_score(request: Request) -> Response:
        return await door.answer(request, suggest)

    return router


def moderations_router(
    authenticate: Callable[[str, Request], Caller],
    find_engine: Callable[[Caller], Engine],
    *,
    count: Callable[[Caller, int], None] = _count_nothing,
    max_body: int = MAX_BODY,
    timeout: float = TIMEOUT_S,
    run: Run = to_thread.run_sync,
) -> APIRouter:
    """`POST /v1/moderations`, as OpenAI has it. The key is that of `Authorization: Bearer`.

    `run` calls what takes a while in a thread.
    """
    router = APIRouter(tags=["compatibility"])
    door = _Door(_find_bearer, authenticate, _tell_openai, max_body, timeout, run)

    def moderate(caller: Caller, body: Any) -> dict[str, Any]:
        engine = _Counting(find_engine(caller))
        answer = openai.moderate(body, cast(Engine, engine))
        count(caller, engine.units)
        return answer

    @router.post("/v1/moderations", summary="Moderate texts and images, as OpenAI does")
    async def create_moderation(request: Request) -> Response:
        return await door.answer(request, moderate)

    return router


class _Counting:
    """An engine that adds up the units that its results say were used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.units = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def moderate_many(self, items: Iterable[object]) -> Iterator[ModerationResult]:
        """The engine's results."""
        for result in self._engine.moderate_many(items):
            self.units += result.meta.usage
            yield result


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


@dataclass(frozen=True, slots=True)
class _Door(Generic[Caller]):
    """How the requests of one kind of client are let in, and how it is told of what is wrong."""

    find_key: Callable[[Request], str]
    authenticate: Callable[[str, Request], Caller]
    tell: Callable[[SeemlyError, int], Failure]
    max_body: int
    timeout: float
    run: Run

    async def answer(self, request: Request, act: Callable[[Caller, Any], dict[str, Any]]) -> Response:
        """What a request is answered with."""
        try:
            async with asyncio.timeout(self.timeout):
                return await self._serve(request, act)
        except TimeoutError:
            error: SeemlyError = TooBusyError(f"the server took more than {self.timeout:g} seconds: send it again")
        except SeemlyError as raised:
            error = raised
        failure = error if isinstance(error, Failure) else self.tell(error, STATUS.get(error.code, 500))
        wait = {"Retry-After": str(error.retry_after)} if isinstance(error, TooManyRequestsError) else {}
        return _respond(failure.to_dict(), failure.status, wait)

    async def _serve(self, request: Request, act: Callable[[Caller, Any], dict[str, Any]]) -> Response:
        key = self.find_key(request)
        if not key:
            raise UnauthorizedError("the request has no API key")
        caller = await self.run(lambda: self.authenticate(key, request))
        length = request.headers.get("content-length")
        body = await read_json(request.receive, length, most=self.max_body, depth=_MAX_DEPTH)
        return await self.run(lambda: _respond(act(caller, body)))


def _respond(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    # Escaped, so that a lone surrogate in a token that is echoed does no harm.
    return Response(json.dumps(body), status, headers, "application/json")


def _tell_google(error: SeemlyError, status: int) -> PerspectiveError:
    return PerspectiveError(str(error), "INVALID_REQUEST" if status == 400 else None, status=status)


def _tell_openai(error: SeemlyError, status: int) -> ModerationsError:
    reasons = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
    return ModerationsError(str(error), status=status, reason=reasons.get(status))


def add_doors(app: FastAPI, parts: Parts, slots: Slots) -> None:
    """Answer Perspective API's and OpenAI's addresses. Each request counts once against the project's rate, and what it
    is answered about against the organization's quota, as `/moderate` counts it."""

    def admit(secret: str, request: Request) -> Project:
        project_id = keys.require_moderation(keys.authenticate(parts.env, secret))
        try:
            project, request.state.allowance = count_moderation(parts, project_id)
        except RateExceededError as error:
            request.state.allowance = error.allowance
            raise
        with parts.env.store.read() as tx:
            require_quota(parts.env, tx, find_organization(tx, project.organization_id))
        return project

    def find_engine(project: Project) -> Engine:
        return parts.moderation.find_engine(project.id)

    for make in (perspective_router, moderations_router):
        app.include_router(
            make(
                admit,
                find_engine,
                count=parts.moderation.count,
                max_body=parts.settings.max_body,
                timeout=parts.settings.timeout,
                run=slots.run,
            )
        )
