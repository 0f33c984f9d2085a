"""Members invited, given a password, and signed in by it and, where they use them, one-time codes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from seemly.core.errors import ConflictError, ContentError, Issue, UnauthorizedError
from seemly.service.access.codes import find_step
from seemly.service.access.sessions import Opened, close_sessions, digest_of, open_session
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Query, Transaction, Where, where
from seemly.service.base.records import Member
from seemly.service.base.requests import Body
from seemly.service.base.review_records import Credential, Invitation
from seemly.service.management.accounts import add_member, find_member
from seemly.service.management.keys import log

__all__ = [
    "INVITATION_MS", "SHORTEST_PASSWORD", "Hasher", "Invited", "accept_invitation", "change_password",
    "find_credential", "find_invitation", "invite", "invite_address", "sign_in", "start_codes", "stop_codes",
]  # fmt: skip

INVITATION_MS = 7 * 86_400_000
"""How long an invitation can be used, in milliseconds."""

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 1_000

_WRONG = "this e-mail address, password or code is not right; try again"


class Hasher(Protocol):
    """Hashes passwords so that guessing them is slow."""

    def hash(self, password: str) -> str:
        """A hash with all that it takes to check it."""
        ...

    def verify(self, hashed: str | None, password: str) -> bool:
        """Whether the hash is that of a password. None is nobody's, which takes as long to find out."""
        ...


@dataclass(frozen=True, slots=True)
class Invited:
    """A member who is to set a password, and the secret of the link by which they do."""

    member: Member
    secret: str = field(repr=False)


def invite(env: Environment, tx: Transaction, member: Member) -> Invited:
    """Make the link by which a member sets a password, in place of any that they were given before."""
    tx.remove(Invitation, where("member_id", member.id))
    secret, now_ms = env.new_secret("inv_"), env.now()
    made = Invitation(
        id=env.new_id("inv"),
        member_id=member.id,
        digest=digest_of(secret),
        created_ms=now_ms,
        expires_ms=now_ms + INVITATION_MS,
    )
    tx.add(made)
    return Invited(member, secret)


def invite_address(env: Environment, tx: Transaction, by: Member, wire: object) -> Invited:
    """Invite the member of an e-mail address, in the name of an owner or admin; one who is new is added.

    The body: `email`, and for a new member `name` and `role`. Raises ForbiddenError, ContentError.
    """
    address = Body(wire).text("email", "", most=320).strip().casefold()
    known = _find_by_address(tx, address, by.organization_id)
    if known is None:
        member = add_member(env, tx, by, wire)
    else:
        member = known
        if member.role == "owner" and by.role != "owner":
            raise ContentError("invalid input data", [Issue("email", "is an owner's, whom only owners can invite")])
    log(env, tx, by, "member.invited", member.id)
    return invite(env, tx, member)


def find_invitation(env: Environment, tx: Transaction, secret: str) -> tuple[Invitation, Member]:
    """The invitation of a secret, and who is invited. Raises UnauthorizedError where it was used or is over."""
    found = tx.find(Invitation, where("digest", digest_of(secret)))
    if not found or found[0].expires_ms <= env.now():
        raise UnauthorizedError("this link was used already or is too old; ask an owner or admin for a new one")
    return found[0], find_member(tx, found[0].member_id)


def accept_invitation(env: Environment, hasher: Hasher, secret: str, wire: object, agent: str = "") -> Opened:
    """Set the password of a member who was invited, and sign them in. Every other session of theirs is closed.

    The body: `password`, and `email`, which a member without an address must give. Raises UnauthorizedError,
    ContentError.
    """
    body = Body(wire)
    password = _read_password(body, "password")
    with env.store.read() as tx:
        _, member = find_invitation(env, tx, secret)
        address = member.email or body.text("email", "", most=320).strip()
        if "@" not in address[1:-1] or not address.isprintable() or " " in address:
            body.wrong("email", "must be an e-mail address")
        other = _find_by_address(tx, address.casefold(), member.organization_id)
        if other is not None and other.id != member.id:
            body.wrong("email", "is another member's")
    body.done()
    hashed = hasher.hash(password)
    with env.store.transaction() as tx:
        # Found again: of two who use a link at the same time one comes too late.
        invitation, member = find_invitation(env, tx, secret)
        if not tx.remove(Invitation, where("id", invitation.id)):
            raise UnauthorizedError("this link was used already; sign in")
        if member.email is None:
            member = replace(member, email=address)
            tx.put(member)
        tx.put(Credential(id=member.id, member_id=member.id, password=hashed, updated_ms=env.now()))
        close_sessions(tx, member.id)
        log(env, tx, member, "member.joined", member.id)
        return open_session(env, tx, member, agent)


def sign_in(env: Environment, hasher: Hasher, wire: object, agent: str = "") -> Opened:
    """Sign a member in by `email`, `password`, and `code` where they use codes. Raises UnauthorizedError, always in the
    same words and after the same work."""
    body = Body(wire)
    address = body.text("email", "", most=320).strip().casefold()
    password, code = body.text("password", "", most=LONGEST_PASSWORD), body.text("code", "", most=20)
    with env.store.read() as tx:
        member = _find_by_address(tx, address, None) if address else None
        credential = None if member is None else tx.get(Credential, member.id)
    hashed = None if credential is None else credential.password
    if not hasher.verify(hashed, password) or member is None or credential is None:
        raise UnauthorizedError(_WRONG)
    with env.store.transaction() as tx:
        credential = tx.get(Credential, member.id, lock=True)
        if credential is None or credential.password != hashed:
            raise UnauthorizedError(_WRONG)
        if credential.code_secret is not None:
            step = find_step(credential.code_secret, code, env.now(), credential.code_step)
            if step is None:
                raise UnauthorizedError(_WRONG)
            tx.put(replace(credential, code_step=step))
        log(env, tx, member, "member.signed_in", member.id)
        return open_session(env, tx, member, agent)


def change_password(env: Environment, hasher: Hasher, member: Member, session_id: str, wire: object) -> None:
    """Change a member's own password: `current`, `password`. Every other session of theirs is closed.

    Raises ContentError.
    """
    body = Body(wire)
    password = _read_password(body, "password")
    held = _verified(env, hasher, member, body)
    body.done()
    hashed = hasher.hash(password)
    with env.store.transaction() as tx:
        tx.put(replace(_relocked(tx, held), password=hashed, updated_ms=env.now()))
        close_sessions(tx, member.id, but=session_id)
        log(env, tx, member, "member.password_changed", member.id)


def start_codes(env: Environment, hasher: Hasher, member: Member, secret: str, wire: object) -> None:
    """Have a member sign in with one-time codes of a secret from now on: `current`, their password, and `code`, the
    first. Raises ContentError."""
    body = Body(wire)
    held = _verified(env, hasher, member, body)
    step = find_step(secret, body.text("code", "", most=20), env.now())
    if step is None:
        body.wrong("code", "is not the one that the app shows now")
    body.done()
    with env.store.transaction() as tx:
        tx.put(replace(_relocked(tx, held), code_secret=secret, code_step=step or 0, updated_ms=env.now()))
        log(env, tx, member, "member.codes_started", member.id)


def stop_codes(env: Environment, hasher: Hasher, member: Member, wire: object) -> None:
    """Have a member sign in by the password alone again: `current`. Raises ContentError."""
    body = Body(wire)
    held = _verified(env, hasher, member, body)
    body.done()
    with env.store.transaction() as tx:
        tx.put(replace(_relocked(tx, held), code_secret=None, updated_ms=env.now()))
        log(env, tx, member, "member.codes_stopped", member.id)


def find_credential(tx: Transaction, member_id: str) -> Credential | None:
    """How a member signs in; None where they have set no password yet."""
    return tx.get(Credential, member_id)


def _read_password(body: Body, name: str) -> str:
    return body.text(name, least=SHORTEST_PASSWORD, most=LONGEST_PASSWORD)


def _verified(env: Environment, hasher: Hasher, member: Member, body: Body) -> Credential:
    """A member's credential, where the body has their password as `current`; else this is noted."""
    with env.store.read() as tx:
        held = tx.get(Credential, member.id)
    current = body.text("current", "", most=LONGEST_PASSWORD)
    if held is None or not hasher.verify(held.password, current):
        body.wrong("current", "is not your password")
        body.done()
        raise UnauthorizedError(_WRONG)
    return held


def _relocked(tx: Transaction, held: Credential) -> Credential:
    current = tx.get(Credential, held.id, lock=True)
    if current is None or current.password != held.password:
        raise ConflictError("the password was changed meanwhile; sign in again")
    return current


def _find_by_address(tx: Transaction, address: str, organization_id: str | None) -> Member | None:
    """The member of an e-mail address in lower case: of two in different organizations, the one who was first."""
    if not address:
        return None
    conditions = [Where("email", "contains", address)]
    if organization_id is not None:
        conditions.append(Where("organization_id", "is", organization_id))
    found = [each for each in tx.find(Member, Query(tuple(conditions))) if (each.email or "").casefold() == address]
    found.sort(key=lambda each: each.created_ms)
    return found[0] if found else None
