"""Members let into the console: invitations, passwords, codes, sessions, and what each role may do."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from seemly.core.errors import ContentError, ForbiddenError, UnauthorizedError
from seemly.service.access.codes import STEP_MS, address_of, find_step, make_code, make_secret
from seemly.service.access.permissions import acting_key, may, require
from seemly.service.access.sessions import (
    IDLE_MS,
    SESSION_MS,
    close_session,
    close_sessions,
    delete_ended,
    find_session,
    list_sessions,
    make_form_token,
    open_session,
    record_visit,
)
from seemly.service.access.sign_in import (
    INVITATION_MS,
    accept_invitation,
    change_password,
    find_invitation,
    invite,
    invite_address,
    sign_in,
    start_codes,
    stop_codes,
)
from seemly.service.base.records import Activity, Member
from seemly.service.base.review_records import Credential, Invitation, Session
from seemly.service.management.accounts import remove_member
from seemly.service.management.channels import create_channel
from tests.support.management_world import World

PASSWORD = "correct horse battery"


class PlainHasher:
    """Hashes by turning round, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def hash(self, password: str) -> str:
        return password[::-1]

    def verify(self, hashed: str | None, password: str) -> bool:
        self.asked += 1
        return hashed == password[::-1]


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def hasher() -> PlainHasher:
    return PlainHasher()


def join(world: World, hasher: PlainHasher, email: str = "ann@example.com", **more: Any) -> Any:
    invited = world.change(invite_address, world.owner, {"email": email, **more})
    return accept_invitation(world.env, hasher, invited.secret, {"password": PASSWORD}, "A browser")


# RFC 6238, appendix B, whose codes have eight digits, of which these are the last six.
VECTORS = [
    (59, "287082"),
    (1111111109, "081804"),
    (1111111111, "050471"),
    (1234567890, "005924"),
    (2000000000, "279037"),
    (20000000000, "353130"),
]


@pytest.mark.parametrize(("at_s", "code"), VECTORS)
def test_codes_are_those_of_the_standard(at_s: int, code: str) -> None:
    secret = base64.b32encode(b"12345678901234567890").decode()
    assert make_code(secret, at_s // 30) == code
    assert find_step(secret, code, at_s * 1000) == at_s // 30
    assert find_step(secret, f"{code[:3]} {code[3:]}", at_s * 1000 + STEP_MS) == at_s // 30
    assert find_step(secret, code, at_s * 1000, after=at_s // 30) is None
    assert find_step(secret, code, at_s * 1000 + 2 * STEP_MS) is None
    assert find_step(secret, "é", at_s * 1000) is None


def test_each_secret_is_another() -> None:
    assert make_secret() != make_secret()
    assert address_of("ABC", "a b").startswith("otpauth://totp/seemly%3Aa%20b?secret=ABC")


def test_an_invitation_sets_a_password_once(world: World, hasher: PlainHasher) -> None:
    invited = world.change(invite_address, world.owner, {"email": "Ann@Example.com", "role": "admin", "name": "Ann"})
    opened = accept_invitation(world.env, hasher, invited.secret, {"password": PASSWORD}, "A browser")
    assert (opened.member.role, opened.session.agent) == ("admin", "A browser")
    assert world.read(lambda tx: find_session(world.env, tx, opened.secret))[1] == opened.member
    with pytest.raises(UnauthorizedError):
        accept_invitation(world.env, hasher, invited.secret, {"password": PASSWORD})
    again = sign_in(world.env, hasher, {"email": " ann@example.COM", "password": PASSWORD})
    assert again.member == opened.member
    assert again.secret != opened.secret
    logged = [(each.what, each.member_id, each.key_id) for each in world.all(Activity)][-4:]
    assert logged == [
        ("member.added", world.owner.id, None),
        ("member.invited", world.owner.id, None),
        ("member.joined", opened.member.id, None),
        ("member.signed_in", opened.member.id, None),
    ]


def test_what_is_kept_of_secrets_is_their_digest(world: World, hasher: PlainHasher) -> None:
    invited = world.change(invite_address, world.owner, {"email": "ann@example.com"})
    held = repr(world.all(Invitation)) + world.all(Invitation)[0].digest
    assert invited.secret not in held
    opened = accept_invitation(world.env, hasher, invited.secret, {"password": PASSWORD})
    assert opened.secret not in world.all(Session)[0].digest
    assert PASSWORD not in repr(world.all(Credential))
    assert opened.secret not in repr(opened)


def test_an_owner_without_an_address_gives_one(world: World, hasher: PlainHasher) -> None:
    invited = world.change(invite, world.owner)
    for wrong in ("", "nowhere", "a @b.c"):
        with pytest.raises(ContentError):
            accept_invitation(world.env, hasher, invited.secret, {"password": PASSWORD, "email": wrong})
    given = {"password": PASSWORD, "email": "owner@example.com"}
    opened = accept_invitation(world.env, hasher, invited.secret, given)
    assert opened.member.email == "owner@example.com"
    assert sign_in(world.env, hasher, given).member.role == "owner"


@pytest.mark.parametrize("password", ["", "short", "x" * 1001, None, 12])
def test_passwords_have_a_length(world: World, hasher: PlainHasher, password: object) -> None:
    invited = world.change(invite_address, world.owner, {"email": "ann@example.com"})
    with pytest.raises(ContentError):
        accept_invitation(world.env, hasher, invited.secret, {"password": password})
    assert world.all(Credential) == []
    assert len(world.all(Invitation)) == 1


def test_an_invitation_ends_and_is_replaced(world: World) -> None:
    first = world.change(invite_address, world.owner, {"email": "ann@example.com"})
    second = world.change(invite_address, world.owner, {"email": "ann@example.com"})
    assert first.member == second.member
    with pytest.raises(UnauthorizedError):
        world.read(lambda tx: find_invitation(world.env, tx, first.secret))
    world.at_ms += INVITATION_MS
    with pytest.raises(UnauthorizedError):
        world.read(lambda tx: find_invitation(world.env, tx, second.secret))


@pytest.mark.parametrize("role", ["member", "admin"])
def test_owners_alone_invite_owners(world: World, role: str) -> None:
    member = world.member(role)
    with pytest.raises(ForbiddenError):
        world.change(invite_address, member, {"email": "new@example.com", "role": "owner"})
    world.change(invite_address, world.owner, {"email": "new@example.com", "role": "owner"})
    with pytest.raises((ForbiddenError, ContentError)):
        world.change(invite_address, member, {"email": "new@example.com"})


WRONG = [
    {},
    {"email": "ann@example.com"},
    {"email": "ann@example.com", "password": PASSWORD + " "},
    {"email": "nobody@example.com", "password": PASSWORD},
    {"email": "example.com", "password": PASSWORD},
    {"email": 1, "password": []},
]


@pytest.mark.parametrize("given", WRONG)
def test_what_is_wrong_takes_as_long_and_is_told_alike(
    world: World, hasher: PlainHasher, given: dict[str, object]
) -> None:
    join(world, hasher)
    before = hasher.asked
    with pytest.raises(UnauthorizedError) as raised:
        sign_in(world.env, hasher, given)
    assert raised.value.message == "this e-mail address, password or code is not right; try again"
    assert hasher.asked == before + 1


def test_codes_are_asked_for_and_taken_once(world: World, hasher: PlainHasher) -> None:
    opened, secret = join(world, hasher), make_secret()
    code = make_code(secret, world.at_ms // STEP_MS)
    with pytest.raises(ContentError):
        start_codes(world.env, hasher, opened.member, secret, {"current": PASSWORD, "code": "000000x"})
    with pytest.raises(ContentError):
        start_codes(world.env, hasher, opened.member, secret, {"current": "wrong", "code": code})
    start_codes(world.env, hasher, opened.member, secret, {"current": PASSWORD, "code": code})
    given = {"email": "ann@example.com", "password": PASSWORD}
    for wrong in ("", code, "123"):
        with pytest.raises(UnauthorizedError):
            sign_in(world.env, hasher, {**given, "code": wrong})
    world.at_ms += STEP_MS
    code = make_code(secret, world.at_ms // STEP_MS)
    assert sign_in(world.env, hasher, {**given, "code": code}).member == opened.member
    with pytest.raises(UnauthorizedError):
        sign_in(world.env, hasher, {**given, "code": code})
    stop_codes(world.env, hasher, opened.member, {"current": PASSWORD})
    assert sign_in(world.env, hasher, given).member == opened.member


def test_a_changed_password_closes_the_other_sessions(world: World, hasher: PlainHasher) -> None:
    opened = join(world, hasher)
    other = sign_in(world.env, hasher, {"email": "ann@example.com", "password": PASSWORD})
    wanted = {"current": PASSWORD, "password": "another long password"}
    with pytest.raises(ContentError):
        change_password(world.env, hasher, opened.member, opened.session.id, {**wanted, "current": "wrong"})
    change_password(world.env, hasher, opened.member, opened.session.id, wanted)
    assert world.read(lambda tx: find_session(world.env, tx, opened.secret))[0] == opened.session
    with pytest.raises(UnauthorizedError):
        world.read(lambda tx: find_session(world.env, tx, other.secret))


@pytest.mark.parametrize(("steps", "step_ms"), [(1, IDLE_MS), (SESSION_MS // (IDLE_MS - 60_000) + 1, IDLE_MS - 60_000)])
def test_sessions_end_unused_and_in_any_case(world: World, steps: int, step_ms: int) -> None:
    opened = world.change(open_session, world.owner)
    for number in range(steps):
        session, _ = world.read(lambda tx: find_session(world.env, tx, opened.secret))
        record_visit(world.env, session)
        assert number < steps
        world.at_ms += step_ms
    with pytest.raises(UnauthorizedError):
        world.read(lambda tx: find_session(world.env, tx, opened.secret))
    world.at_ms += SESSION_MS
    assert delete_ended(world.env) == 1
    assert (delete_ended(world.env), world.all(Session)) == (0, [])


def test_sessions_are_listed_and_closed(world: World) -> None:
    first, second = world.change(open_session, world.owner), world.change(open_session, world.owner)
    assert {each.id for each in world.read(lambda tx: list_sessions(world.env, tx, world.owner.id))} == {
        first.session.id,
        second.session.id,
    }
    with world.env.store.transaction() as tx:
        close_session(tx, world.owner.id, first.session.id)
    assert world.all(Session) == [second.session]
    record_visit(world.env, first.session)
    with world.env.store.transaction() as tx:
        assert close_sessions(tx, world.owner.id, but=second.session.id) == 0
        assert close_sessions(tx, world.owner.id) == 1
    world.at_ms += 120_000
    record_visit(world.env, second.session)
    assert world.all(Session) == []


def test_a_removed_member_is_let_in_no_more(world: World, hasher: PlainHasher) -> None:
    opened = join(world, hasher)
    world.change(remove_member, world.owner, opened.member.id)
    with pytest.raises(UnauthorizedError):
        world.read(lambda tx: find_session(world.env, tx, opened.secret))
    assert (world.all(Credential), world.all(Session)) == ([], [])
    with pytest.raises(UnauthorizedError):
        sign_in(world.env, hasher, {"email": "ann@example.com", "password": PASSWORD})


def test_form_tokens_are_of_one_secret() -> None:
    assert make_form_token("a") == make_form_token("a") != make_form_token("b")


@pytest.mark.parametrize(("role", "allowed"), [("member", False), ("admin", True), ("owner", True)])
def test_roles_open_areas(world: World, role: str, allowed: bool) -> None:
    member: Member = world.member(role)
    assert may(member, "review")
    assert [may(member, each) for each in ("settings", "keys", "members")] == [allowed] * 3
    if allowed:
        require(member, "settings")
        made = world.change(create_channel, acting_key(world.env, member), world.project_id, {"name": "Second"})
        last = world.all(Activity)[-1]
        assert (last.what, last.target_id, last.member_id, last.key_id) == ("channel.created", made.id, member.id, None)
    else:
        with pytest.raises(ForbiddenError):
            require(member, "settings")
        with pytest.raises(ForbiddenError):
            world.change(create_channel, acting_key(world.env, member), world.project_id, {"name": "Second"})
