"""From a request to the call of an endpoint: the key, its limits, the body, and the use case in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse

from seemly.adapters.server.endpoint import Call, Endpoint, RunMany
from seemly.adapters.server.errors import JsonAnswer, TooBusyError
from seemly.adapters.server.middleware import parse_json, read_body
from seemly.adapters.server.parameters import read_parts, read_query
from seemly.adapters.server.rate_limits import Allowance, count_moderation
from seemly.adapters.server.request_batching import Gathering
from seemly.adapters.server.state import Parts
from seemly.adapters.server.thread_pool import Slots
from seemly.core.attempts import attempt, go_on
from seemly.core.errors import ContentError, Issue, SeemlyError
from seemly.service.base.records import Key
from seemly.service.management import keys

__all__ = ["Handler", "Texts", "gather_texts", "make_handler", "read_bearer"]

_LARGE = 65_536
_LONG = 5_000

_MEDIA = (b'"image"', b'"video"', b'"audio"', b'"url"')

Handler = Callable[[Request], Awaitable[JSONResponse]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and its body. `key` is None where it is still to be admitted."""

    request: Request
    key: Key | None
    body: bytes


Texts = Gathering[Asked, JSONResponse]
"""Answers requests for one endpoint together, of which each moderates a short text."""


def make_handler(endpoints: Mapping[str, Endpoint], parts: Parts, slots: Slots, texts: Mapping[str, Texts]) -> Handler:
    """What answers requests for one path, whose endpoints are given by their methods; `texts` are by endpoints' names.

    What is wrong with a request is told in this order: the key (401), what it opens (403), how often it is used (429),
    the query and the body (400, 413), and then what the use case finds.
    """
    settings = parts.settings

    async def handle(request: Request) -> JSONResponse:
        endpoint = endpoints["GET" if request.method == "HEAD" else request.method]
        together = texts.get(endpoint.name)
        try:
            async with asyncio.timeout(settings.timeout):
                # Nobody whose key opens nothing has the server take in megabytes.
                key = await slots.run(partial(_admit, endpoint, parts, request)) if _is_large(request) else None
                asked = Asked(request, key, await _receive(endpoint, request, settings.max_body))
                if together is not None and _is_text(asked.body):
                    return await together.run(asked)
                return await slots.run(partial(_answer, endpoint, parts, asked))
        except TimeoutError:
            raise TooBusyError(
                f"the server took more than {settings.timeout:g} seconds; it may still finish: look before you send "
                "this again, and send content again with the same contentId"
            ) from None

    return handle


def gather_texts(endpoints: Iterable[Endpoint], parts: Parts) -> dict[str, Texts]:
    """What answers requests for those of the endpoints that do several at once, by their names."""
    threads = parts.settings.text_concurrency
    return {
        each.name: Gathering(partial(_answer_many, each, each.run_many, parts), threads)
        for each in endpoints
        if each.run_many is not None
    }


def read_bearer(header: str | None) -> str | None:
    """The secret in a header Authorization: Bearer; None where there is none."""
    scheme, _, secret = (header or "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def _is_large(request: Request) -> bool:
    """Whether a request has, or may have, more of a body than is worth a thread of its own to see to its key first."""
    length = request.headers.get("content-length")
    if length is None:
        return "transfer-encoding" in request.headers
    return not length.isdigit() or int(length) > _LARGE


def _is_text(body: bytes) -> bool:
    """Whether a body holds no media, and not much text. One that quotes their names is taken for them; that does no
    harm."""
    return len(body) <= _LONG and not any(name in body for name in _MEDIA)


async def _receive(endpoint: Endpoint, request: Request, most: int) -> bytes:
    """The body of a request whose endpoint takes one. Raises BodyTooLargeError above `most` bytes."""
    if endpoint.takes is None:
        return b""
    return await read_body(request.receive, request.headers.get("content-length"), most)


def _answer(endpoint: Endpoint, parts: Parts, asked: Asked) -> JSONResponse:
    """The answer to a request. Raises what the use case raises."""
    return JsonAnswer(endpoint.run(_read_call(endpoint, parts, {}, asked)))


def _answer_many(
    endpoint: Endpoint, run: RunMany, parts: Parts, asked: Sequence[Asked]
) -> list[JSONResponse | SeemlyError]:
    """For each request its answer, or what is to be raised."""
    known: dict[str | None, Key] = {}
    calls = [attempt(partial(_read_call, endpoint, parts, known, each)) for each in asked]
    return [each if isinstance(each, SeemlyError) else JsonAnswer(each) for each in go_on(calls, run)]


def _read_call(endpoint: Endpoint, parts: Parts, known: dict[str | None, Key], asked: Asked) -> Call:
    """The call that a request makes. `known` are keys that were found good just now, by their secrets.

    Raises UnauthorizedError, ForbiddenError, NotFoundError, TooManyRequestsError, ContentError, StoreUnavailableError.
    """
    request, body = asked.request, asked.body
    key = asked.key or _admit(endpoint, parts, request, known)
    query = read_query(endpoint, request)
    fields = parse_json(body, parts.settings.max_depth) if body.strip() else {}
    if not isinstance(fields, dict):
        raise ContentError("invalid input data", [Issue("", "the body must be a JSON object")])
    return Call(parts.env, parts, key, read_parts(request.scope), query, fields)


def _admit(endpoint: Endpoint, parts: Parts, request: Request, known: dict[str | None, Key] | None = None) -> Key:
    """Whose key it is, which opens the endpoint. What is left of its limit is told with the answer; a request whose key
    does not open its endpoint is not counted.

    Raises UnauthorizedError, ForbiddenError, NotFoundError, TooManyRequestsError, StoreUnavailableError.
    """
    known = {} if known is None else known
    secret = read_bearer(request.headers.get("authorization"))
    key = known.get(secret)
    if key is None:
        key = known[secret] = keys.authenticate(parts.env, secret)
    if endpoint.key == "project":
        keys.require_moderation(key)
    if endpoint.key == "organization":
        with parts.env.store.read() as tx:
            keys.require_management(tx, key)
    request.state.allowance = _count(endpoint, parts, key)
    return key


def _count(endpoint: Endpoint, parts: Parts, key: Key) -> Allowance | None:
    """None where the request counts against no limit."""
    if key.project_id is None:
        return parts.rates.spend("management", key.organization_id, parts.settings.management_rate)
    if not endpoint.moderates:
        return None
    return count_moderation(parts, key.project_id)[1]
