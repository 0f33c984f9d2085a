"""Members, their invitations and sessions; keys; and the audit log."""

from __future__ import annotations

import csv
import io

from seemly.adapters.console.pages.queues import name_members
from seemly.adapters.console.visit import Download, Html, Page, Redirect, Reply, Visit
from seemly.adapters.console.wanted import read_place
from seemly.core.errors import ForbiddenError, NotFoundError
from seemly.service.access.sessions import close_sessions
from seemly.service.access.sign_in import find_credential, invite_address
from seemly.service.base.ports import Order, Query, Where
from seemly.service.base.records import Activity, Member
from seemly.service.management.accounts import ROLES, list_members, remove_member, update_member
from seemly.service.management.keys import (
    delete_key,
    list_activity,
    list_keys,
    log,
    make_organization_key,
    make_project_key,
    roll_key,
)

__all__ = ["PAGES"]

_SIZE = 100
_MOST = 100_000


def _list(visit: Visit) -> Reply:
    return _members(visit, None)


def _members(visit: Visit, link: str | None) -> Reply:
    with visit.env.store.read() as tx:
        members = list_members(tx, visit.who.organization_id)
        joined = {each.id for each in members if find_credential(tx, each.id) is not None}
    return Html("members.html", {"members": members, "joined": joined, "roles": ROLES, "link": link})


def _invite(visit: Visit) -> Reply:
    wire = {name: visit.given(name).strip() for name in ("email", "name", "role") if visit.given(name).strip()}
    with visit.env.store.transaction() as tx:
        invited = invite_address(visit.env, tx, visit.who, wire)
    return _members(visit, f"{visit.origin}{visit.base}/welcome/{invited.secret}")


def _change(visit: Visit) -> Reply:
    with visit.env.store.transaction() as tx:
        update_member(visit.env, tx, visit.who, visit.id_of("member_id"), {"role": visit.given("role")})
    return Redirect("/members")


def _remove(visit: Visit) -> Reply:
    with visit.env.store.transaction() as tx:
        remove_member(visit.env, tx, visit.who, visit.id_of("member_id"))
    return Redirect("/members")


def _sign_out(visit: Visit) -> Reply:
    """Close every session of a member, whom only an owner signs out if they are one."""
    with visit.env.store.transaction() as tx:
        member = tx.get(Member, visit.id_of("member_id"))
        if member is None or member.organization_id != visit.who.organization_id:
            raise NotFoundError("this member does not exist")
        if member.role == "owner" and visit.who.role != "owner":
            raise ForbiddenError("only owners of the organization may do this")
        close_sessions(tx, member.id, but=None if visit.session is None else visit.session.id)
        log(visit.env, tx, visit.who, "member.sessions_closed", member.id)
    return Redirect("/members")


def _list_keys(visit: Visit) -> Reply:
    return _keys(visit, None)


def _keys(visit: Visit, secret: str | None) -> Reply:
    with visit.env.store.read() as tx:
        found = list_keys(tx, visit.who)
    return Html("keys.html", {"keys": found, "secret": secret})


def _make_key(visit: Visit) -> Reply:
    days = visit.given("days")
    wire: dict[str, object] = {"name": visit.given("name").strip()}
    if days.isdigit():
        wire["expiresInDays"] = int(days)
    with visit.env.store.transaction() as tx:
        if visit.given("project"):
            issued = make_project_key(visit.env, tx, visit.who, visit.given("project"), wire)
        else:
            wire |= {"projects": visit.given("projects", "none"), "channels": visit.given("channels", "none")}
            issued = make_organization_key(visit.env, tx, visit.who, wire)
    return _keys(visit, issued.secret)


def _roll_key(visit: Visit) -> Reply:
    with visit.env.store.transaction() as tx:
        wire = {"delay": visit.given("delay", "now")}
        issued = roll_key(visit.env, tx, visit.who, visit.id_of("key_id"), wire)
    return _keys(visit, issued.secret)


def _delete_key(visit: Visit) -> Reply:
    with visit.env.store.transaction() as tx:
        delete_key(visit.env, tx, visit.who, visit.id_of("key_id"))
    return Redirect("/keys")


def _audit(visit: Visit) -> Reply:
    number = read_place(visit, "page", 1)
    what, member_id = visit.asked("what")[:100], visit.asked("member")[:100]
    with visit.env.store.read() as tx:
        if what or member_id:
            entries = _find(visit, what, member_id)[(number - 1) * _SIZE :]
        else:
            entries = list_activity(tx, visit.who, limit=_SIZE + 1, offset=(number - 1) * _SIZE)
        names = name_members(tx, visit.who.organization_id)
        keys = {each.id: each.name for each in list_keys(tx, visit.who)}
    values = {
        "entries": entries[:_SIZE],
        "more": len(entries) > _SIZE,
        "names": names,
        "keys": keys,
        "number": number,
        "what": what,
        "who": member_id,
        "query": visit.query_but("page"),
    }
    return Html("audit.html", values)


def _find(visit: Visit, what: str, member_id: str) -> list[Activity]:
    conditions = [Where("organization_id", "is", visit.who.organization_id)]
    if what:
        conditions.append(Where("what", "contains", what))
    if member_id:
        conditions.append(Where("member_id", "is", member_id))
    with visit.env.store.read() as tx:
        return tx.find(Activity, Query(tuple(conditions), (Order("at_ms", descending=True),), limit=_MOST))


def _audit_csv(visit: Visit) -> Reply:
    with visit.env.store.read() as tx:
        names = name_members(tx, visit.who.organization_id)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("time_ms", "what", "target", "member_id", "member", "key_id"))
    for each in _find(visit, visit.asked("what")[:100], visit.asked("member")[:100]):
        name = _plain(names.get(each.member_id or "", ""))
        writer.writerow((each.at_ms, each.what, each.target_id, each.member_id or "", name, each.key_id or ""))
    return Download("audit-log.csv", "text/csv; charset=utf-8", out.getvalue().encode("utf-8", "replace"))


def _plain(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name


PAGES = (
    Page("GET", "/members", _list, "members"),
    Page("POST", "/members", _invite, "members"),
    Page("POST", "/members/{member_id}/role", _change, "members"),
    Page("POST", "/members/{member_id}/remove", _remove, "members"),
    Page("POST", "/members/{member_id}/sign-out", _sign_out, "members"),
    Page("GET", "/keys", _list_keys, "keys"),
    Page("POST", "/keys", _make_key, "keys"),
    Page("POST", "/keys/{key_id}/roll", _roll_key, "keys"),
    Page("POST", "/keys/{key_id}/delete", _delete_key, "keys"),
    Page("GET", "/audit", _audit, "members"),
    Page("GET", "/audit.csv", _audit_csv, "members"),
)
