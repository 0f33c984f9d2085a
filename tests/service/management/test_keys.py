from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.errors import ConflictError, ContentError, ForbiddenError, NotFoundError, UnauthorizedError
from seemly.service.base.environment import new_secret
from seemly.service.base.records import Key, Organization
from seemly.service.management.keys import (
    DELAYS_MS,
    LIFETIMES_DAYS,
    ORGANIZATION_PREFIX,
    PROJECT_PREFIX,
    Issued,
    authenticate,
    delete_key,
    find_project,
    list_activity,
    list_keys,
    make_organization_key,
    make_project_key,
    record_use,
    require_every_project,
    require_moderation,
    require_permission,
    roll_key,
)
from seemly.service.management.projects import create_project
from seemly.service.management.views import view_activity, view_issued, view_key
from tests.support.management_world import START_MS, World

DAY_MS = 86_400_000
PERMISSIONS = [(resource, level) for resource in ("projects", "channels") for level in ("read", "write")]


@pytest.fixture
def world() -> World:
    return World()


def make(world: World, **body: Any) -> Issued:
    made: Issued = world.change(make_organization_key, world.owner, {"name": "A key", **body})
    return made


def test_secrets_are_hard_to_guess() -> None:
    assert new_secret("").isascii()
    assert len(new_secret("")) * 6 >= 192
    assert new_secret("") != new_secret("")


def test_a_key_is_kept_as_its_digest_only(world: World) -> None:
    issued = make(world)
    assert issued.secret.startswith(ORGANIZATION_PREFIX)
    assert world.made.project_key.startswith(PROJECT_PREFIX)
    kept = repr([(each, each.digest) for each in world.all(Key)])
    assert issued.secret not in kept
    assert issued.secret not in repr(issued)
    assert world.find(issued.secret) == issued.key


@pytest.mark.parametrize("secret", [None, "", "sk_org_nobody", "proj_", "\ud800"])
def test_401_for_a_key_that_is_missing_or_unknown(world: World, secret: str | None) -> None:
    with pytest.raises(UnauthorizedError, match=r"no key was given|unknown"):
        world.find(secret)


@pytest.mark.parametrize(("days", "lives_ms"), [(30, 30 * DAY_MS), (90, 90 * DAY_MS), (365, 365 * DAY_MS)])
def test_401_for_a_key_that_has_expired(world: World, days: int, lives_ms: int) -> None:
    secret = make(world, expiresInDays=days).secret
    world.at_ms = START_MS + lives_ms - 1
    world.find(secret)
    world.at_ms += 1
    with pytest.raises(UnauthorizedError, match="expired"):
        world.find(secret)


def test_a_key_without_expiry_lives_on(world: World) -> None:
    made = make(world, expiresInDays=None)
    world.at_ms += 10_000 * DAY_MS
    assert world.find(made.secret).id == made.key.id


@pytest.mark.parametrize("delay", DELAYS_MS)
def test_401_for_a_key_that_was_rolled_once_the_delay_is_over(world: World, delay: str) -> None:
    old = make(world, projects="read", channels="write", projectIds=[world.project_id], expiresInDays=90)
    world.at_ms += DAY_MS
    new = world.change(roll_key, world.owner, old.key.id, {"delay": delay})
    changed = {"id", "digest", "hint", "created_ms", "expires_ms", "last_used_ms", "stops_ms"}
    assert {name for name in Key.__dataclass_fields__ if getattr(new.key, name) != getattr(old.key, name)} <= changed
    assert new.key.expires_ms == world.at_ms + 90 * DAY_MS
    world.at_ms += DELAYS_MS[delay] - 1
    if delay != "now":
        world.find(old.secret)
    world.at_ms += 1
    with pytest.raises(UnauthorizedError, match="rolled"):
        world.find(old.secret)
    world.find(new.secret)


@given(st.integers(0, 30 * DAY_MS - 1), st.sampled_from(list(DELAYS_MS)))
def test_a_rolled_key_never_outlives_its_expiry(later_ms: int, delay: str) -> None:
    world = World()
    old = make(world, expiresInDays=30)
    world.at_ms += later_ms
    world.change(roll_key, world.owner, old.key.id, {"delay": delay})
    stops_ms = world.read(lambda tx: tx.get(Key, old.key.id)).stops_ms
    assert stops_ms == min(START_MS + 30 * DAY_MS, world.at_ms + DELAYS_MS[delay])


def test_409_for_a_key_that_cannot_be_rolled_any_more(world: World) -> None:
    old = make(world, expiresInDays=30)
    world.change(roll_key, world.owner, old.key.id, {"delay": "7d"})
    with pytest.raises(ConflictError, match="rolled already"):
        world.change(roll_key, world.owner, old.key.id, {"delay": "now"})
    expired = make(world, expiresInDays=30)
    world.at_ms += 30 * DAY_MS
    with pytest.raises(ConflictError, match="expired"):
        world.change(roll_key, world.owner, expired.key.id, None)


@given(
    st.sampled_from([None, *LIFETIMES_DAYS]),
    st.sampled_from([None, *LIFETIMES_DAYS]),
    st.sampled_from([None, *DELAYS_MS]),
)
def test_no_key_outlives_the_key_that_made_it(own: int | None, wanted: int | None, delay: str | None) -> None:
    world = World()
    maker = make(world, expiresInDays=own).key
    if delay is not None:
        world.change(roll_key, world.owner, maker.id, {"delay": delay})
        maker = world.read(lambda tx: tx.get(Key, maker.id))
    body = {"name": "A key", "expiresInDays": wanted}
    made = [
        world.change(make_organization_key, world.owner, body, by=maker).key,
        world.change(make_project_key, world.owner, world.project_id, body, by=maker).key,
    ]
    ends = [each for each in (maker.expires_ms, maker.stops_ms) if each is not None]
    least = [*ends, *([] if wanted is None else [world.at_ms + wanted * DAY_MS])]
    assert [each.expires_ms for each in made] == 2 * [min(least, default=None)]


def test_401_for_a_key_that_was_deleted(world: World) -> None:
    issued = make(world)
    world.change(delete_key, world.owner, issued.key.id)
    with pytest.raises(UnauthorizedError, match="deleted"):
        world.find(issued.secret)


def test_the_last_use_is_recorded_once_a_minute(world: World) -> None:
    secret = world.made.organization_key
    for later_ms, recorded_ms in [(0, START_MS), (59_999, START_MS), (1, START_MS + 60_000)]:
        world.at_ms += later_ms
        assert authenticate(world.env, secret).last_used_ms == recorded_ms
        assert world.find(secret).last_used_ms == recorded_ms
    key = world.find(secret)
    assert world.change(record_use, key) is key


def test_recording_a_use_does_not_bring_a_deleted_key_back(world: World) -> None:
    issued = make(world)
    world.change(delete_key, world.owner, issued.key.id)
    with pytest.raises(UnauthorizedError):
        world.change(record_use, issued.key)
    assert issued.key not in world.all(Key)


@pytest.mark.parametrize(("resource", "level"), PERMISSIONS)
@pytest.mark.parametrize("held", ["none", "read", "write"])
def test_403_for_a_key_that_lacks_the_permission(world: World, resource: str, level: str, held: str) -> None:
    key = world.issue(**{resource: held})
    if held == "write" or held == level:
        world.read(require_permission, key, resource, level)
    else:
        with pytest.raises(ForbiddenError, match=f"lacks the permission {resource}:{level}"):
            world.read(require_permission, key, resource, level)
    other = "channels" if resource == "projects" else "projects"
    with pytest.raises(ForbiddenError, match=f"lacks the permission {other}:{level}"):
        world.read(require_permission, key, other, level)


@pytest.mark.parametrize(("resource", "level"), PERMISSIONS)
def test_403_for_a_project_key_on_a_management_endpoint(world: World, resource: str, level: str) -> None:
    with pytest.raises(ForbiddenError, match="project secret key cannot call the management API"):
        world.read(require_permission, world.project_key, resource, level)


@pytest.mark.parametrize(("resource", "level"), PERMISSIONS)
def test_403_for_a_plan_without_the_management_api(world: World, resource: str, level: str) -> None:
    world.put(replace(world.made.organization, plan="standard"))
    with pytest.raises(ForbiddenError, match="Enterprise plan"):
        world.read(require_permission, world.key, resource, level)
    assert world.all(Organization)[0].plan == "standard"


def test_403_for_an_organization_key_that_moderates(world: World) -> None:
    with pytest.raises(ForbiddenError, match="organization key cannot moderate"):
        require_moderation(world.key)
    assert require_moderation(world.project_key) == world.project_id


def test_403_for_a_limited_key_that_needs_every_project(world: World) -> None:
    with pytest.raises(ForbiddenError, match="limited to some projects"):
        require_every_project(world.issue(project_ids=(world.project_id,)))
    require_every_project(world.key)


def test_404_for_a_project_outside_the_keys_limit(world: World) -> None:
    other = world.change(create_project, world.key, {"name": "Other"}).project
    limited = world.issue(project_ids=(other.id,))
    assert world.read(find_project, limited, other.id) == other
    assert world.read(find_project, world.key, world.project_id).id == world.project_id
    for key, project_id in [
        (limited, world.project_id),
        (world.key, "prj_nobody"),
        (world.stranger().key, other.id),
        (world.project_key, other.id),
    ]:
        with pytest.raises(NotFoundError, match="does not exist, or lies outside"):
            world.read(find_project, key, project_id)


@pytest.mark.parametrize(("role", "may"), [("owner", True), ("admin", True), ("member", False)])
def test_403_for_a_member_who_is_neither_owner_nor_admin(world: World, role: str, may: bool) -> None:
    member = world.member(role)
    kept = make(world).key
    uses = [
        lambda: world.change(make_organization_key, member, {"name": "x"}),
        lambda: world.change(make_project_key, member, world.project_id, {"name": "x"}),
        lambda: world.read(list_keys, member),
        lambda: world.read(list_activity, member),
        lambda: world.change(roll_key, member, kept.id, {}),
        lambda: world.change(delete_key, member, kept.id),
    ]
    for use in uses:
        if may:
            use()
        else:
            with pytest.raises(ForbiddenError, match="only owners and admins"):
                use()


def test_404_for_a_key_of_another_organization(world: World) -> None:
    stranger = world.stranger().owner
    for use in [
        lambda: world.change(roll_key, stranger, world.key.id, {}),
        lambda: world.change(delete_key, stranger, world.key.id),
        lambda: world.change(make_project_key, stranger, world.project_id, {"name": "x"}),
    ]:
        with pytest.raises(NotFoundError):
            use()
    assert world.key in world.all(Key)


def test_400_names_everything_wrong_with_a_new_key(world: World) -> None:
    wire = {"name": "", "projects": "admin", "channels": 1, "projectIds": [world.project_id, "x"], "expiresInDays": 31}
    with pytest.raises(ContentError) as caught:
        make(world, **wire)
    assert [each.path for each in caught.value.issues] == [
        "name", "projects", "channels", "expiresInDays", "projectIds.1",
    ]  # fmt: skip
    with pytest.raises(ContentError, match="delay: must be one of now, 1h, 24h, 7d"):
        world.change(roll_key, world.owner, world.key.id, {"delay": "2d"})


def test_a_project_may_have_more_keys_than_one(world: World) -> None:
    issued = world.change(make_project_key, world.owner, world.project_id, {"name": "x", "expiresInDays": 30})
    assert world.find(issued.secret).project_id == world.project_id
    assert issued.secret.startswith(PROJECT_PREFIX)
    assert issued.key.expires_ms == START_MS + 30 * DAY_MS


def test_what_happens_to_keys_is_logged(world: World) -> None:
    issued = make(world)
    world.at_ms += 1
    world.change(roll_key, world.owner, issued.key.id, None)
    world.at_ms += 1
    world.change(delete_key, world.owner, issued.key.id)
    newest = [view_activity(each) for each in world.read(list_activity, world.owner, limit=2)]
    assert [(each["what"], each["targetId"], each["keyId"]) for each in newest] == [
        ("key.deleted", issued.key.id, None),
        ("key.rolled", issued.key.id, None),
    ]


def test_the_wire_of_a_key_shows_no_secret(world: World) -> None:
    issued = make(world, expiresInDays=30)
    assert view_issued(issued) == {**view_key(issued.key), "secret": issued.secret}
    shown = view_key(issued.key)
    assert shown["hint"] == issued.secret[-4:]
    assert issued.secret not in str(shown)
    assert issued.key.digest not in str(shown)
    assert (shown["createdAt"], shown["expiresAt"], shown["lastUsedAt"]) == (
        "2026-02-25T06:13:20.000Z", "2026-03-27T06:13:20.000Z", None,
    )  # fmt: skip
