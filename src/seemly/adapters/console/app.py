"""The console in the server's application: every page behind a session, every form behind a token."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from seemly.adapters.console.explaining import Explanations
from seemly.adapters.console.forms import MOST_BYTES, read_fields
from seemly.adapters.console.pages import PAGES
from seemly.adapters.console.pages.sign_in import COOKIE
from seemly.adapters.console.passwords import Argon2Hasher
from seemly.adapters.console.templates import find_static, render
from seemly.adapters.console.visit import Cookie, Download, Empty, Fields, Html, Page, Redirect, Reply, Visit
from seemly.adapters.server.errors import STATUS
from seemly.adapters.server.log_format import log_fault
from seemly.adapters.server.middleware import read_body
from seemly.adapters.server.parameters import read_parts
from seemly.core.errors import ForbiddenError, SeemlyError, TooManyRequestsError, UnauthorizedError
from seemly.service.access.permissions import may, require
from seemly.service.access.sessions import find_session, make_form_token, record_visit
from seemly.service.access.sign_in import Hasher
from seemly.service.base.records import Member, Project
from seemly.service.base.review_records import Session
from seemly.service.review.decisions import UNDO_MS, find_waiting, release_due

if TYPE_CHECKING:
    from seemly.adapters.server.state import Parts
    from seemly.adapters.server.thread_pool import Slots

__all__ = ["CONSOLE", "SESSION_COOKIE", "add_console"]

CONSOLE = "/console"
"""The path of the console."""

SESSION_COOKIE = COOKIE
_FORM_COOKIE = "seemly_form"
"""What the tokens of forms are made of where nobody is signed in."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

_SAME_SITE = ("same-origin", "none", "")

Handler = Callable[[Request], Awaitable[Response]]


def add_console(app: FastAPI, parts: Parts, slots: Slots) -> None:
    """Answer the console's addresses."""
    known = _Known(parts, Argon2Hasher(), Explanations(parts.moderation))
    app.router.routes.append(_Route(f"{CONSOLE}/static/{{name}}", _send_static, methods=["GET"]))
    by_path: dict[str, dict[str, Page]] = {}
    for each in PAGES:
        by_path.setdefault(each.path, {})[each.method] = each
    for path, pages in by_path.items():
        handler = _make_handler(pages, known, slots)
        app.router.routes.append(_Route(CONSOLE + path, handler, methods=list(pages)))


class _Route(Route):
    """A route that the request knows, for metrics and the log."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As a route of Starlette matches."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


async def _send_static(request: Request) -> Response:
    found = find_static(request.path_params["name"])
    if found is None:
        return Response("there is no such file", 404, media_type="text/plain", headers=_HEADERS)
    body, media_type = found
    headers = {**_HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}
    return Response(body, media_type=media_type, headers=headers)


@dataclass(frozen=True, slots=True)
class _Known:
    """What all pages share."""

    parts: Parts
    hasher: Hasher
    explanations: Explanations


def _make_handler(pages: Mapping[str, Page], known: _Known, slots: Slots) -> Handler:
    parts = known.parts

    async def handle(request: Request) -> Response:
        page = pages["GET" if request.method == "HEAD" else request.method]
        try:
            form: Fields = {}
            if page.method == "POST":
                length = request.headers.get("content-length")
                form = read_fields((await read_body(request.receive, length, MOST_BYTES)).decode("utf-8", "replace"))
            async with asyncio.timeout(parts.settings.timeout):
                response = await slots.run(partial(_answer, page, known, request, form))
        except SeemlyError as error:
            response = _tell(None, request, error)
        if page.method == "POST" and response.status_code < 400:
            _release_later(parts, slots)
        return response

    return handle


def _release_later(parts: Parts, slots: Slots) -> None:
    """Execute what was just decided when its time to undo is over, also where no worker runs."""
    loop = asyncio.get_running_loop()

    def release() -> None:
        task = loop.create_task(_release(parts, slots))
        task.add_done_callback(lambda done: done.exception())

    loop.call_later((UNDO_MS + 50) / 1000, release)


async def _release(parts: Parts, slots: Slots) -> None:
    # A server that stops runs nothing any more: the next one, or a worker, does it.
    with suppress(RuntimeError, SeemlyError):
        await slots.run(partial(release_due, parts.env))


def _answer(page: Page, known: _Known, request: Request, form: Fields) -> Response:
    visit, parts = None, known.parts
    try:
        visit = _meet(known, request, form)
        if page.method == "POST":
            _require_token(visit, request)
        if page.area is not None:
            require(visit.who, page.area)
            if visit.session is not None:
                record_visit(parts.env, visit.session)
            # What a server that was stopped left waiting is not left for long.
            release_due(parts.env)
        return _respond(visit, request, page.run(visit))
    except UnauthorizedError as error:
        if page.area is None or page.method == "POST":
            return _tell(visit, request, error)
        return _redirect(request, "/sign-in")
    except SeemlyError as error:
        return _tell(visit, request, error)


def _meet(known: _Known, request: Request, form: Fields) -> Visit:
    """The request with whose it is. One that has no session, or one that is over, is nobody's."""
    parts = known.parts
    secret = request.cookies.get(SESSION_COOKIE)
    session: Session | None = None
    member: Member | None = None
    if secret:
        try:
            with parts.env.store.read() as tx:
                session, member = find_session(parts.env, tx, secret)
        except UnauthorizedError:
            secret = None
    # Signed in or not, a form is of the browser that it was made for.
    seed = secret or request.cookies.get(_FORM_COOKIE) or _new_seed(request)
    client = request.client
    return Visit(
        parts=parts,
        hasher=known.hasher,
        explanations=known.explanations,
        base=_base(request),
        origin=f"{request.url.scheme}://{request.url.netloc}",
        member=member,
        session=session,
        token=make_form_token(seed),
        address="" if client is None else client.host,
        agent=request.headers.get("user-agent", ""),
        path=read_parts(request.scope),
        query=read_fields(request.url.query),
        form=form,
    )


def _new_seed(request: Request) -> str:
    seed: str = getattr(request.state, "form_seed", None) or secrets.token_urlsafe(32)
    request.state.form_seed = seed
    return seed


def _require_token(visit: Visit, request: Request) -> None:
    """Raise ForbiddenError for a form that no page of this session made, or that another site sent."""
    given = visit.given("token") or request.headers.get("x-seemly-token", "")
    ours = hmac.compare_digest(given.encode("utf-8", "replace"), visit.token.encode())
    if not ours or request.headers.get("sec-fetch-site", "") not in _SAME_SITE:
        raise ForbiddenError("this form is too old, or another site sent it; open the page again and repeat it")


def _respond(visit: Visit, request: Request, reply: Reply) -> Response:
    response: Response
    match reply:
        case Html():
            response = _page(visit, request, reply)
            cookies = reply.cookies
        case Redirect():
            response = _redirect(request, reply.to)
            cookies = reply.cookies
        case Download():
            disposition = f'attachment; filename="{reply.name}"'
            headers = {**_HEADERS, "Content-Disposition": disposition}
            return Response(reply.body, media_type=reply.media_type, headers=headers)
        case Empty():
            return Response(status_code=204, headers=_HEADERS)
    for each in cookies:
        _set_cookie(response, request, each)
    return response


def _page(visit: Visit, request: Request, reply: Html) -> Response:
    body = _encode(reply.template, {**_common(visit), **reply.values})
    response = Response(body, reply.status, media_type="text/html; charset=utf-8", headers=_HEADERS)
    seed = getattr(request.state, "form_seed", None)
    if seed is not None:
        _set_cookie(response, request, Cookie(_FORM_COOKIE, seed))
    return response


def _common(visit: Visit) -> dict[str, object]:
    """What every page has: who is signed in, the projects, and what can still be undone."""
    common: dict[str, object] = {
        "base": visit.base,
        "token": visit.token,
        "member": visit.member,
        "may": lambda area: visit.member is not None and may(visit.member, area),
        "projects": [],
        "project": None,
        "undoable": None,
        "now_ms": visit.env.now(),
    }
    member = visit.member
    if member is None:
        return common
    with visit.env.store.read() as tx:
        projects = [each for each in tx.find(Project) if each.organization_id == member.organization_id]
        common["projects"] = projects
        project = next((each for each in projects if each.id == visit.path.get("project_id")), None)
        common["project"] = project
        if project is not None:
            own = [each for each in find_waiting(visit.env, tx, project.id) if each.member_id == member.id]
            fresh = [each for each in own if each.release_ms > visit.env.now()]
            if fresh:
                latest = max(fresh, key=lambda each: each.at_ms)
                count = sum(each.batch_id == latest.batch_id for each in fresh)
                common["undoable"] = {"decision": latest, "count": count}
    return common


def _tell(visit: Visit | None, request: Request, error: SeemlyError) -> Response:
    """The page of an error."""
    status = STATUS.get(error.code, 500)
    if status == 500:
        log_fault(error, request.scope)
    values: dict[str, object] = {"error": error, "status": status, "back": _back(request)}
    common = _nobodys(request) if visit is None else _common(visit)
    headers = dict(_HEADERS)
    if isinstance(error, TooManyRequestsError):
        headers["Retry-After"] = str(error.retry_after)
    body = _encode("error.html", {**common, **values})
    return Response(body, status, media_type="text/html; charset=utf-8", headers=headers)


def _encode(template: str, values: Mapping[str, object]) -> bytes:
    # Content may hold half of a surrogate pair, which UTF-8 has no form for.
    return render(template, values).encode("utf-8", "replace")


def _nobodys(request: Request) -> dict[str, object]:
    """What a page has that is made before it is known whose request it is."""
    blank: dict[str, object] = {"base": _base(request), "token": "", "member": None, "may": lambda _: False}
    return {**blank, "projects": [], "project": None, "undoable": None, "now_ms": 0}


def _back(request: Request) -> str:
    """The page that a form was on, where that is one of the console's."""
    origin = f"{request.url.scheme}://{request.url.netloc}"
    came = request.headers.get("referer", "")
    base = _base(request)
    return came.removeprefix(origin) if came.startswith(f"{origin}{base}/") else base


def _base(request: Request) -> str:
    return str(request.scope.get("root_path", "")) + CONSOLE


def _redirect(request: Request, to: str) -> Response:
    return RedirectResponse(_base(request) + to, 303, headers=_HEADERS)


def _set_cookie(response: Response, request: Request, cookie: Cookie) -> None:
    path = _base(request)
    if not cookie.value:
        response.delete_cookie(cookie.name, path=path, httponly=True, samesite="lax")
        return
    response.set_cookie(
        cookie.name,
        cookie.value,
        max_age=cookie.seconds,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
