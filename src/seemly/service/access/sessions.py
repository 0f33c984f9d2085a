"""Sessions: opened when a member signs in, found by their cookie's secret, and closed."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field, replace

from seemly.core.errors import NotFoundError, UnauthorizedError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import Member
from seemly.service.base.review_records import Session

__all__ = [
    "IDLE_MS", "SESSION_MS", "Opened", "close_session", "close_sessions", "delete_ended", "digest_of", "find_session",
    "list_sessions", "make_form_token", "open_session", "record_visit",
]  # fmt: skip

SESSION_MS = 12 * 3_600_000
"""How long a session lasts at most, in milliseconds."""

IDLE_MS = 2 * 3_600_000
"""After how long without a request a session ends."""

_USE_MS = 60_000
"""How exact the record of a session's last use is."""

_LONGEST_AGENT = 200


@dataclass(frozen=True, slots=True)
class Opened:
    """A new session with its secret, which goes into a cookie and is kept nowhere else."""

    session: Session
    member: Member
    secret: str = field(repr=False)


def open_session(env: Environment, tx: Transaction, member: Member, agent: str = "") -> Opened:
    """Open a session of a member in a browser of that name. Its secret is always new."""
    secret, now_ms = env.new_secret("ses_"), env.now()
    session = Session(
        id=env.new_id("ses"),
        member_id=member.id,
        digest=digest_of(secret),
        created_ms=now_ms,
        expires_ms=now_ms + SESSION_MS,
        used_ms=now_ms,
        agent="".join(each for each in agent[:_LONGEST_AGENT] if each.isprintable()),
    )
    tx.add(session)
    return Opened(session, member, secret)


def find_session(env: Environment, tx: Transaction, secret: str | None) -> tuple[Session, Member]:
    """The session of a secret, and whose it is. Raises UnauthorizedError where it is unknown, closed or over."""
    found = tx.find(Session, where("digest", digest_of(secret))) if secret else []
    if not found or not hmac.compare_digest(found[0].digest, digest_of(secret or "")):
        raise UnauthorizedError("you are not signed in; sign in first")
    session, now_ms = found[0], env.now()
    if session.expires_ms <= now_ms or session.used_ms + IDLE_MS <= now_ms:
        raise UnauthorizedError("your session is over; sign in again")
    member = tx.get(Member, session.member_id)
    if member is None:
        raise UnauthorizedError("you are not signed in; sign in first")
    return session, member


def record_visit(env: Environment, session: Session) -> None:
    """Record that a session was used now; at most once a minute, so that reads do not become writes."""
    if env.now() - session.used_ms < _USE_MS:
        return
    with env.store.transaction(durable=False) as tx:
        # Read anew, and locked: a session that was closed meanwhile must not come back.
        held = tx.get(Session, session.id, lock=True)
        if held is not None:
            tx.put(replace(held, used_ms=env.now()))


def list_sessions(env: Environment, tx: Transaction, member_id: str) -> list[Session]:
    """The open sessions of a member, the last used first."""
    conditions = (Where("member_id", "is", member_id), Where("expires_ms", "at_least", env.now() + 1))
    found = tx.find(Session, Query(conditions, (Order("used_ms", descending=True),)))
    return [each for each in found if each.used_ms + IDLE_MS > env.now()]


def close_session(tx: Transaction, member_id: str, session_id: str) -> None:
    """Close a session of a member. Raises NotFoundError where they have no such session."""
    conditions = (Where("id", "is", session_id), Where("member_id", "is", member_id))
    if not tx.remove(Session, Query(conditions)):
        raise NotFoundError("this session is closed already")


def close_sessions(tx: Transaction, member_id: str, *, but: str | None = None) -> int:
    """Close every session of a member, but the one of an id. Returns how many were closed."""
    conditions = [Where("member_id", "is", member_id)]
    if but is not None:
        conditions.append(Where("id", "is_not", but))
    return tx.remove(Session, Query(tuple(conditions)))


def delete_ended(env: Environment) -> int:
    """Delete sessions that are over. Returns how many they were."""
    over = Query((Where("expires_ms", "below", env.now() + 1),))
    with env.store.read() as tx:
        if not tx.count(Session, over):
            return 0
    with env.store.transaction() as tx:
        return tx.remove(Session, over)


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret, in hexadecimal: it is 256 random bits, so that a slow hash would protect nothing."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def make_form_token(secret: str) -> str:
    """The token that forms carry, which only pages that know the cookie's secret can hold."""
    return hmac.digest(secret.encode("utf-8", "surrogatepass"), b"seemly form", "sha256").hex()
