"""The application: `create_app(store)` serves by itself, or mounted in an application of the user's."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import FastAPI
from prometheus_client import generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from seemly.adapters.server.compat import add_doors
from seemly.adapters.server.dispatch import gather_texts, make_handler
from seemly.adapters.server.endpoint import Endpoint
from seemly.adapters.server.errors import JsonAnswer, answer_http, answer_seemly, answer_unknown, problem
from seemly.adapters.server.middleware import Gate
from seemly.adapters.server.openapi import VERSION, describe
from seemly.adapters.server.rate_limits import Rates
from seemly.adapters.server.routes import ENDPOINTS
from seemly.adapters.server.settings import ServerSettings
from seemly.adapters.server.state import Parts
from seemly.adapters.server.thread_pool import Slots
from seemly.adapters.server.voice_stream import make_stream
from seemly.adapters.store.cached import CachedStore
from seemly.core.channel import Channel
from seemly.core.errors import SeemlyError
from seemly.service.base.environment import Environment
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation

if TYPE_CHECKING:
    from seemly.adapters.worker import Worker
    from seemly.engine.models import Models
    from seemly.media.decoding import Fetch
    from seemly.service.base.ports import Store

__all__ = ["PREFIX", "create_app"]

PREFIX = "/v1"
"""The major version, which every address of the interface begins with."""

_NOT_STARTED = (
    "nothing started this application, so that its worker does not run: what it is mounted in must do so, by "
    "FastAPI(lifespan=service.router.lifespan_context)"
)


def create_app(
    store: Store,
    *,
    settings: ServerSettings | None = None,
    models: Models | None = None,
    fetch: Fetch | None = None,
    worker: Worker | None = None,
    env: Environment | None = None,
) -> FastAPI:
    """The service over a store, as an ASGI application.

    `models` are shared with engines of the caller's own; `fetch` gets media by their URLs; `worker` delivers webhooks
    in a thread of this process. Models are loaded before the application is ready, and what was accepted is finished
    before it stops. An application that it is mounted in must start and stop it with itself:

        service = create_app(store)
        outer = FastAPI(lifespan=service.router.lifespan_context)
        outer.mount("/moderation", service)

    Raises ConfigError for settings that cannot work.
    """
    settings = settings or ServerSettings()
    env = env or Environment(store)
    if settings.cache_s:
        env = replace(env, store=CachedStore(env.store, seconds=settings.cache_s))
    engines = Engines(env, models=models, tier=settings.tier, fetch=fetch)
    moderation = Moderation(env, engines)
    parts = Parts(env, moderation, Rates(settings.counters), settings)
    # A tier that there is not is told here, not when the models are loaded.
    parts.check_channel(Channel())
    slots = Slots(settings.concurrency)
    texts = gather_texts(ENDPOINTS, parts)
    stop = threading.Event()

    @asynccontextmanager
    async def live(_started: FastAPI) -> AsyncIterator[None]:
        app.state.missing = "the models are being loaded"
        await to_thread.run_sync(partial(_load, parts))
        thread = threading.Thread(target=worker.run, args=(stop,), name="seemly-worker") if worker else None
        if thread is not None:
            thread.start()
        app.state.missing = None
        yield
        app.state.missing = "the server is stopping"
        stop.set()
        if thread is not None:
            await to_thread.run_sync(thread.join)
        await slots.finish()
        for each in texts.values():
            await each.finish()
        await to_thread.run_sync(moderation.meter.flush)
        parts.rates.close()

    app = FastAPI(
        title="seemly",
        version=VERSION,
        lifespan=live,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.missing = _NOT_STARTED
    app.state.parts = parts
    for path, endpoints in _by_path(ENDPOINTS).items():
        handler = make_handler(endpoints, parts, slots, texts)
        app.router.routes.append(_Route(PREFIX + path, handler, methods=list(endpoints)))
    add_doors(app, parts, slots)
    app.router.add_websocket_route(f"{PREFIX}/stream", make_stream(parts), name="stream")
    _add_plain_routes(app, parts)
    app.add_exception_handler(SeemlyError, answer_seemly)
    app.add_exception_handler(HTTPException, answer_http)
    app.add_exception_handler(Exception, answer_unknown)
    app.add_middleware(Gate, registry=parts.metrics)
    return app


class _Route(Route):
    """A route that the request knows, as it does those of FastAPI: metrics and the log tell requests apart by it."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def _by_path(endpoints: Sequence[Endpoint]) -> dict[str, dict[str, Endpoint]]:
    """The endpoints of each path, by their methods, so that what a path does not take is answered with all it takes."""
    found: dict[str, dict[str, Endpoint]] = {}
    for each in endpoints:
        found.setdefault(each.path, {})[each.method] = each
    return found


def _load(parts: Parts) -> None:
    """Load what the first request would load."""
    parts.moderation.engines.warm_up()
    # Vocabularies and lexicons stay: the collector would look through them again and again while requests wait.
    gc.collect()
    gc.freeze()


def _add_plain_routes(app: FastAPI, parts: Parts) -> None:
    description = describe(ENDPOINTS, PREFIX)

    async def health(_request: Request) -> Response:
        return JsonAnswer({"status": "ok"})

    async def ready(_request: Request) -> Response:
        missing = app.state.missing
        try:
            await to_thread.run_sync(parts.env.store.check)
        except Exception:  # noqa: BLE001  (whatever keeps the database from answering)
            missing = "the database does not answer"
        if missing is not None:
            return problem(503, {"code": "SERVICE_UNAVAILABLE", "message": missing})
        return JsonAnswer({"status": "ready"})

    async def metrics(_request: Request) -> Response:
        return Response(generate_latest(parts.metrics), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(_request: Request) -> Response:
        return JsonAnswer(description)

    plain = {"/healthz": health, "/readyz": ready, "/metrics": metrics, f"{PREFIX}/openapi.json": openapi}
    for path, handler in plain.items():
        app.router.routes.append(_Route(path, handler, methods=["GET"]))
