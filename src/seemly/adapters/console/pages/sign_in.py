"""Getting in and out: sign-in, the link of an invitation, sign-out, and the way to the first project."""

from __future__ import annotations

import hashlib

from seemly.adapters.console.visit import Cookie, Html, Page, Redirect, Reply, Visit
from seemly.core.errors import ContentError, TooManyRequestsError, UnauthorizedError
from seemly.service.access.sessions import SESSION_MS, Opened, close_session
from seemly.service.access.sign_in import SHORTEST_PASSWORD, accept_invitation, find_invitation, sign_in
from seemly.service.base.ports import Order, Query, Where
from seemly.service.base.records import Project
from seemly.service.management.keys import log
from seemly.service.review.claims import release_claims

__all__ = ["COOKIE", "PAGES"]

COOKIE = "seemly_session"

_BY_ADDRESS, _BY_ACCOUNT = 30, 10
"""How many attempts to sign in there may be a minute from one address, and for one account."""


def _start(visit: Visit) -> Reply:
    conditions = (Where("organization_id", "is", visit.who.organization_id),)
    with visit.env.store.read() as tx:
        found = tx.find(Project, Query(conditions, (Order("created_ms"),), limit=1))
    return Redirect(f"/p/{found[0].id}/queues") if found else Html("no_project.html")


def _show_sign_in(visit: Visit) -> Reply:
    return Redirect("") if visit.member is not None else Html("sign_in.html", {"email": "", "error": None})


def _sign_in(visit: Visit) -> Reply:
    given = {name: visit.given(name) for name in ("email", "password", "code")}
    try:
        _count(visit, given["email"])
        return _enter(visit, sign_in(visit.env, visit.hasher, given, visit.agent))
    except (UnauthorizedError, TooManyRequestsError) as error:
        status = 429 if isinstance(error, TooManyRequestsError) else 401
        return Html("sign_in.html", {"email": given["email"], "error": error.message}, status)


def _show_welcome(visit: Visit) -> Reply:
    with visit.env.store.read() as tx:
        _, invited = find_invitation(visit.env, tx, visit.id_of("secret"))
    return Html("welcome.html", {"invited": invited, "issues": {}, "least": SHORTEST_PASSWORD})


def _accept(visit: Visit) -> Reply:
    secret = visit.id_of("secret")
    _count(visit, secret)
    with visit.env.store.read() as tx:
        _, invited = find_invitation(visit.env, tx, secret)
    issues: dict[str, str] = {}
    given = {"password": visit.given("password"), "email": visit.given("email")}
    if given["password"] != visit.given("again"):
        issues["again"] = "is not the same password"
    else:
        try:
            return _enter(visit, accept_invitation(visit.env, visit.hasher, secret, given, visit.agent))
        except ContentError as error:
            issues = {each.path: each.message for each in error.issues}
    return Html("welcome.html", {"invited": invited, "issues": issues, "least": SHORTEST_PASSWORD}, 400)


def _sign_out(visit: Visit) -> Reply:
    if visit.session is not None:
        with visit.env.store.transaction() as tx:
            close_session(tx, visit.who.id, visit.session.id)
            release_claims(tx, visit.who.id)
            log(visit.env, tx, visit.who, "member.signed_out", visit.who.id)
    return Redirect("/sign-in", (Cookie(COOKIE, ""),))


def _enter(visit: Visit, opened: Opened) -> Reply:
    if visit.session is not None:
        # Who signs in anew leaves the session that they had in this browser.
        with visit.env.store.transaction() as tx:
            close_session(tx, visit.session.member_id, visit.session.id)
    return Redirect("", (Cookie(COOKIE, opened.secret, SESSION_MS // 1000),))


def _count(visit: Visit, account: str) -> None:
    """Count an attempt. Raises RateExceededError."""
    visit.parts.rates.spend("sign-in", visit.address, _BY_ADDRESS)
    # Counters hold no addresses of people.
    digest = hashlib.sha256(account.strip().casefold().encode("utf-8", "replace")).hexdigest()
    visit.parts.rates.spend("sign-in-as", digest, _BY_ACCOUNT)


PAGES = (
    Page("GET", "", _start),
    Page("GET", "/sign-in", _show_sign_in, None),
    Page("POST", "/sign-in", _sign_in, None),
    Page("GET", "/welcome/{secret}", _show_welcome, None),
    Page("POST", "/welcome/{secret}", _accept, None),
    Page("POST", "/sign-out", _sign_out),
)
