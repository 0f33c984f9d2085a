"""A member's own account: password, one-time codes, and the browsers that they are signed in with."""

from __future__ import annotations

from collections.abc import Callable

from seemly.adapters.console.visit import Html, Page, Redirect, Reply, Visit
from seemly.core.errors import ContentError, Issue
from seemly.service.access.codes import address_of, make_secret
from seemly.service.access.sessions import close_session, list_sessions
from seemly.service.access.sign_in import (
    SHORTEST_PASSWORD,
    change_password,
    find_credential,
    start_codes,
    stop_codes,
)
from seemly.service.review.exposure import get_exposure

__all__ = ["PAGES"]


def _show(visit: Visit, issues: dict[str, str] | None = None, secret: str | None = None, status: int = 200) -> Reply:
    member = visit.who
    with visit.env.store.read() as tx:
        credential = find_credential(tx, member.id)
        sessions = list_sessions(visit.env, tx, member.id)
        exposure = get_exposure(visit.env, tx, member)
    secret = secret or make_secret()
    values = {
        "uses_codes": credential is not None and credential.code_secret is not None,
        "sessions": sessions,
        "current": None if visit.session is None else visit.session.id,
        "exposure": exposure,
        "secret": secret,
        "address": address_of(secret, member.email or member.name),
        "least": SHORTEST_PASSWORD,
        "issues": issues or {},
        "saved": visit.asked("saved") == "yes",
    }
    return Html("account.html", values, status)


def _change_password(visit: Visit) -> Reply:
    def change() -> None:
        if visit.given("password") != visit.given("again"):
            raise ContentError("invalid input data", [Issue("again", "is not the same password")])
        wire = {name: visit.given(name) for name in ("current", "password")}
        change_password(visit.env, visit.hasher, visit.who, visit.session.id if visit.session else "", wire)

    return _do(visit, change)


def _start_codes(visit: Visit) -> Reply:
    wire = {name: visit.given(name) for name in ("current", "code")}
    secret = visit.given("secret")
    if len(secret) != len(make_secret()) or not set(secret) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"):
        return _show(visit, {"code": "belongs to another page; use the secret below"}, status=400)
    return _do(visit, lambda: start_codes(visit.env, visit.hasher, visit.who, secret, wire), secret)


def _stop_codes(visit: Visit) -> Reply:
    return _do(visit, lambda: stop_codes(visit.env, visit.hasher, visit.who, {"current": visit.given("current")}))


def _close(visit: Visit) -> Reply:
    with visit.env.store.transaction() as tx:
        close_session(tx, visit.who.id, visit.id_of("session_id"))
    return Redirect("/account?saved=yes")


def _do(visit: Visit, change: Callable[[], None], secret: str | None = None) -> Reply:
    # Else whoever has a session could try passwords with it.
    visit.parts.rates.spend("password", visit.who.id, 10)
    try:
        change()
    except ContentError as error:
        return _show(visit, {each.path: each.message for each in error.issues}, secret, 400)
    return Redirect("/account?saved=yes")


PAGES = (
    Page("GET", "/account", _show),
    Page("POST", "/account/password", _change_password),
    Page("POST", "/account/codes", _start_codes),
    Page("POST", "/account/codes/stop", _stop_codes),
    Page("POST", "/account/sessions/{session_id}/close", _close),
)
