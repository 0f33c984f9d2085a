from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.adapters.store.memory import MemoryStore
from seemly.core.channel import Channel, PolicySettings, Wordlist
from seemly.core.errors import (
    ConfigError,
    ConflictError,
    ContentError,
    ForbiddenError,
    Issue,
    NotFoundError,
    TooManyRequestsError,
)
from seemly.core.frozen import freeze, thaw
from seemly.engine.engine import Engine
from seemly.service.base.environment import Environment
from seemly.service.base.ports import where
from seemly.service.base.records import (
    KINDS,
    Action,
    Activity,
    ChannelRecord,
    Key,
    Member,
    Organization,
    Project,
    Queue,
    Usage,
    Webhook,
    WordlistRecord,
)
from seemly.service.management.accounts import (
    add_member,
    add_usage,
    find_member,
    get_account,
    list_members,
    month_of,
    remove_member,
    seconds_to_next_month,
    update_member,
    update_organization,
)
from seemly.service.management.channels import (
    PARTS,
    build_channel,
    create_channel,
    delete_channel,
    duplicate_channel,
    find_wordlists,
    get_channel,
    get_part,
    list_channels,
    put_part,
    update_channel,
)
from seemly.service.management.projects import (
    BUILT_IN_ACTIONS,
    create_project,
    delete_project,
    duplicate_project,
    get_project,
    list_projects,
    update_project,
)
from seemly.service.management.setup import set_up
from seemly.service.management.views import (
    view_account,
    view_added_words,
    view_channel,
    view_embedding_status,
    view_listed_wordlist,
    view_member,
    view_new_project,
    view_organization,
    view_project,
    view_removed_words,
    view_wordlist,
)
from seemly.service.management.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    get_webhook_secret,
    list_webhooks,
    roll_webhook_secret,
    update_webhook,
)
from seemly.service.management.wordlists import (
    MAX_WORDS,
    add_words,
    create_wordlist,
    delete_wordlist,
    get_wordlist,
    list_wordlists,
    remove_words,
    update_wordlist,
)
from seemly.service.webhooks.views import view_webhook
from tests.support.management_world import START_MS, World

CHANNEL_FIELDS = [
    "id", "projectId", "key", "name", "description", "isDefault", "contentType", "flaggingMode", "contextEnabled",
    "enableImageModeration", "enableVideoModeration", "enableAudioModeration", "enableVoiceModeration",
    "includeTranscriptInResponse", "transcriptionQuality", "unicodeSpoofDetectionEnabled", "frameCaptureInterval",
    "maxFramesPerVideo", "spreadFrames", "createdAt", "updatedAt",
]  # fmt: skip

HOOK = {"name": "Hook", "url": "https://example.com/hook", "eventTypes": ["author.blocked"]}


class Ids:
    """One of each resource, by the name of its kind."""

    def __init__(self, world: World) -> None:
        self.project = world.project_id
        self.channel = world.channel_id
        self.spare = world.change(create_channel, world.key, self.project, {"name": "Spare"}).id
        self.wordlist = world.change(create_wordlist, world.key, self.channel, {"key": "w", "words": ["a"]}).id
        self.webhook = world.change(create_webhook, world.key, self.project, HOOK).id


READS: dict[str, tuple[str, Callable[[World, Key, Ids], Any]]] = {
    "list projects": ("projects", lambda world, key, _: world.read(list_projects, key)),
    "get project": ("projects", lambda world, key, ids: world.read(get_project, key, ids.project)),
    "list webhooks": ("projects", lambda world, key, ids: world.read(list_webhooks, key, ids.project)),
    "get webhook": ("projects", lambda world, key, ids: world.read(get_webhook, key, ids.webhook)),
    "list channels": ("channels", lambda world, key, ids: world.read(list_channels, key, ids.project)),
    "get channel": ("channels", lambda world, key, ids: world.read(get_channel, key, ids.channel)),
    "get part": ("channels", lambda world, key, ids: world.read(get_part, key, ids.channel, "rules")),
    "list wordlists": ("channels", lambda world, key, _: world.read(list_wordlists, key)),
    "list wordlists of a channel": ("channels", lambda world, key, ids: world.read(list_wordlists, key, ids.channel)),
    "get wordlist": ("channels", lambda world, key, ids: world.read(get_wordlist, key, ids.wordlist)),
}

CHANGES: dict[str, tuple[str, Callable[[World, Key, Ids], Any]]] = {
    "project.created": ("projects", lambda world, key, _: world.change(create_project, key, {"name": "x"})),
    "project.updated": ("projects", lambda world, key, ids: world.change(update_project, key, ids.project, {})),
    "project.duplicated": ("projects", lambda world, key, ids: world.change(duplicate_project, key, ids.project, {})),
    "project.deleted": ("projects", lambda world, key, ids: world.change(delete_project, key, ids.project)),
    "webhook.created": ("projects", lambda world, key, ids: world.change(create_webhook, key, ids.project, HOOK)),
    "webhook.updated": ("projects", lambda world, key, ids: world.change(update_webhook, key, ids.webhook, {})),
    "webhook.deleted": ("projects", lambda world, key, ids: world.change(delete_webhook, key, ids.webhook)),
    "webhook_secret.rolled": ("projects", lambda world, key, ids: world.change(roll_webhook_secret, key, ids.project)),
    "channel.created": ("channels", lambda world, key, ids: world.change(create_channel, key, ids.project, {"name": "x"})),
    "channel.updated": ("channels", lambda world, key, ids: world.change(update_channel, key, ids.channel, {})),
    "channel.duplicated": ("channels", lambda world, key, ids: world.change(duplicate_channel, key, ids.channel, {})),
    "channel.deleted": ("channels", lambda world, key, ids: world.change(delete_channel, key, ids.spare)),
    "channel.rules.updated": ("channels", lambda world, key, ids: world.change(put_part, key, ids.channel, "rules", [])),
    "wordlist.created": ("channels", lambda world, key, ids: world.change(create_wordlist, key, ids.channel, {"key": "x"})),
    "wordlist.updated": ("channels", lambda world, key, ids: world.change(update_wordlist, key, ids.wordlist, {})),
    "wordlist.words_added": ("channels", lambda world, key, ids: world.change(add_words, key, ids.wordlist, {"words": ["x"]})),
    "wordlist.words_removed": ("channels", lambda world, key, ids: world.change(remove_words, key, ids.wordlist, {"words": ["a"]})),
    "wordlist.deleted": ("channels", lambda world, key, ids: world.change(delete_wordlist, key, ids.wordlist)),
}  # fmt: skip

# To read the secret takes the permission to write, but leaves no trace.
USES = {**READS, **CHANGES, "get webhook secret": ("projects", lambda world, key, ids: world.read(get_webhook_secret, key, ids.project))}  # fmt: skip


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ids(world: World) -> Ids:
    return Ids(world)


def issues_of(use: Callable[[], Any]) -> list[str]:
    with pytest.raises(ContentError) as caught:
        use()
    return [str(each) for each in caught.value.issues]


@pytest.mark.parametrize("name", USES)
def test_403_for_a_project_key_at_each_endpoint(world: World, ids: Ids, name: str) -> None:
    with pytest.raises(ForbiddenError, match="project secret key cannot call the management API"):
        USES[name][1](world, world.project_key, ids)


@pytest.mark.parametrize("name", USES)
def test_403_at_each_endpoint_for_a_plan_without_management(world: World, ids: Ids, name: str) -> None:
    world.put(replace(world.made.organization, plan="standard"))
    with pytest.raises(ForbiddenError, match="Enterprise plan"):
        USES[name][1](world, world.key, ids)


@pytest.mark.parametrize("name", USES)
def test_403_for_a_key_without_the_permission_of_the_endpoint(world: World, ids: Ids, name: str) -> None:
    resource, use = USES[name]
    level = "read" if name in READS else "write"
    less = {"projects": "write", "channels": "write", resource: "none" if level == "read" else "read"}
    with pytest.raises(ForbiddenError, match=f"lacks the permission {resource}:{level}"):
        use(world, world.issue(**less), ids)
    use(world, world.issue(**{resource: level}), ids)


@pytest.mark.parametrize("name", ["project.created", "project.duplicated"])
def test_403_for_a_limited_key_that_would_make_projects(world: World, ids: Ids, name: str) -> None:
    key = world.issue(projects="write", project_ids=(world.project_id,))
    with pytest.raises(ForbiddenError, match="limited to some projects cannot create or duplicate"):
        USES[name][1](world, key, ids)


@pytest.mark.parametrize("name", [each for each in USES if each not in ("list projects", "list wordlists", "project.created", "project.duplicated")])  # fmt: skip
def test_404_outside_the_keys_limit(world: World, ids: Ids, name: str) -> None:
    other = world.change(create_project, world.key, {"name": "Other"}).project
    limited = world.issue(projects="write", channels="write", project_ids=(other.id,))
    stranger = world.stranger().key
    for key in (limited, stranger):
        with pytest.raises(NotFoundError, match="does not exist, or lies outside the key's project limit"):
            USES[name][1](world, key, ids)
    inside = world.issue(projects="write", channels="write", project_ids=(world.project_id,))
    USES[name][1](world, inside, ids)


@pytest.mark.parametrize("name", [each for each in USES if each not in ("list projects", "list wordlists", "project.created")])  # fmt: skip
def test_404_for_what_is_not_there(world: World, ids: Ids, name: str) -> None:
    for each in vars(ids):
        setattr(ids, each, "nothing")
    with pytest.raises(NotFoundError, match="does not exist"):
        USES[name][1](world, world.key, ids)


def test_lists_hold_what_lies_within_the_keys_limit(world: World, ids: Ids) -> None:
    other = world.change(create_project, world.key, {"name": "Other"}).project
    limited = world.issue(projects="read", channels="read", project_ids=(other.id,))
    assert {each.id for each in world.read(list_projects, world.key)} == {world.project_id, other.id}
    assert world.read(list_projects, limited) == [other]
    assert [each.id for each in world.read(list_wordlists, world.key)] == [ids.wordlist]
    assert world.read(list_wordlists, limited) == []
    assert world.read(list_projects, world.stranger().key) == []


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_logged_with_the_key_that_made_them(world: World, ids: Ids, name: str) -> None:
    key = world.issue(projects="write", channels="write")
    CHANGES[name][1](world, key, ids)
    logged = world.all(Activity, where("key_id", key.id))
    assert [(each.what, each.organization_id, each.at_ms) for each in logged] == [
        (name, world.organization_id, START_MS)
    ]


def test_setting_up(world: World) -> None:
    made = world.made
    assert made.to_dict() == {
        "organizationKey": made.organization_key,
        "projectKey": made.project_key,
        "projectId": world.project_id,
        "channelId": world.channel_id,
        "webhookSecret": made.webhook_secret,
    }
    assert made.organization_key not in repr(made)
    assert world.read(get_webhook_secret, world.key, world.project_id) == made.webhook_secret
    assert (world.key.projects, world.key.channels, world.key.project_ids, world.key.expires_ms) == (
        "write", "write", (), None,
    )  # fmt: skip
    assert world.owner.role == "owner"
    with pytest.raises(ConflictError, match="set up already"):
        world.change(set_up)


def test_setting_up_with_names() -> None:
    env = Environment(MemoryStore())
    wire = {
        "organization": {"name": "Acme"},
        "owner": {"name": "Ann", "email": "ann@example.com"},
        "project": {"name": "Shop", "context": "a marketplace"},
    }
    with env.store.transaction() as tx:
        made = set_up(env, tx, wire)
        assert (made.organization.name, made.owner.name, made.owner.email) == ("Acme", "Ann", "ann@example.com")
        assert tx.find(Project)[0].name == "Shop"
    other = Environment(MemoryStore())
    wrong = {"owner": {"name": 1}, "project": {"name": ""}}
    with other.store.transaction() as tx:
        assert issues_of(lambda: set_up(other, tx, wrong)) == [
            "owner.name: must be text",
            "project.name: must have 1 to 200 characters",
        ]


def test_a_new_project_comes_with_what_it_needs(world: World) -> None:
    wire = {"name": "Game", "domain": "example.com", "context": "a multiplayer game", "usedByMinors": True, "x": [1]}
    made = world.change(create_project, world.key, wire)
    project_id = made.project.id
    assert world.find(made.secret).project_id == project_id
    assert world.all(ChannelRecord, where("project_id", project_id)) == [made.channel]
    assert (made.channel.is_default, made.channel.key, made.channel.revision) == (True, "default", 1)
    assert len(world.all(Queue, where("project_id", project_id))) == 1
    actions = world.all(Action, where("project_id", project_id))
    assert sorted((each.key, each.type) for each in actions) == sorted(
        (each.key, each.type) for each in BUILT_IN_ACTIONS
    )
    assert all(each.built_in for each in actions)
    assert [each.key for each in actions if each.position == "HIDDEN"] == ["auto_unblock"]
    policies = {each.id: each for each in build_channel(made.channel, ()).policies}
    assert policies["violence"] == PolicySettings("violence", flag=True, threshold=0.35)


def test_the_secrets_of_a_project_are_its_own_and_shown_once(world: World) -> None:
    made = world.change(create_project, world.key, {"name": "x"})
    shown = view_project(made.project)
    assert view_new_project(made) == {**shown, "secretKey": made.secret}
    assert list(shown) == [
        "id", "name", "description", "domain", "context", "globalFlaggingMode", "enableRequestLogging",
        "casebookEnabled", "rateLimit", "retentionDays", "createdAt", "updatedAt",
    ]  # fmt: skip
    assert made.project.webhook_secret not in str(shown)
    assert made.project.webhook_secret not in (world.made.webhook_secret, "")
    assert made.secret not in repr(made)


def test_updating_a_project(world: World) -> None:
    wire = {
        "name": "New", "description": "Text", "domain": "d", "context": "c", "globalFlaggingMode": "DRY_RUN",
        "enableRequestLogging": False, "casebookEnabled": True, "rateLimit": 60, "retentionDays": 30,
    }  # fmt: skip
    world.at_ms += 1000
    changed = view_project(world.change(update_project, world.key, world.project_id, wire))
    assert changed == {**changed, **wire, "updatedAt": "2026-02-25T06:13:21.000Z"}
    assert view_project(world.change(update_project, world.key, world.project_id, {})) == changed
    nulls = dict.fromkeys(wire)
    kept = {"name": "New", "globalFlaggingMode": "DRY_RUN", "enableRequestLogging": False, "casebookEnabled": True}
    assert view_project(world.change(update_project, world.key, world.project_id, nulls)) == {
        **changed,
        **nulls,
        **kept,
    }


def test_400_names_everything_wrong_with_a_project(world: World) -> None:
    wire = {"domain": 1, "context": 2, "brief": 3, "usedByMinors": "no"}
    assert issues_of(lambda: world.change(create_project, world.key, wire)) == [
        "name: is missing", "domain: must be text", "context: must be text", "brief: must be text",
        "usedByMinors: must be true or false",
    ]  # fmt: skip
    wire = {"name": "", "globalFlaggingMode": "OFF", "rateLimit": 0, "retentionDays": 1.5}
    assert issues_of(lambda: world.change(update_project, world.key, world.project_id, wire)) == [
        "name: must have 1 to 200 characters", "globalFlaggingMode: must be one of ACTIVE, DRY_RUN",
        "rateLimit: must be from 1 to 9007199254740991", "retentionDays: must be a whole number",
    ]  # fmt: skip


def test_duplicating_a_project(world: World, ids: Ids) -> None:
    key, project_id = world.key, world.project_id
    world.change(update_project, key, project_id, {"description": "Text", "casebookEnabled": True})
    world.change(put_part, key, ids.spare, "rules", [{"key": "r", "action": "reject", "conditions": []}])
    [queue] = world.all(Queue)
    action = world.all(Action, where("key", "reject"))[0]
    world.put(replace(queue, filter=freeze({"filteredChannelIds": [ids.spare, "gone"], "filteredActionIds": [action.id], "minSeverity": 3})))  # fmt: skip
    world.put(replace(action, position="SOME_QUEUES", filter_in_queue_ids=(queue.id,)))
    world.at_ms += 5

    made = world.change(duplicate_project, key, project_id, {})
    copy, original = made.project, world.read(get_project, key, project_id)
    different = {"id", "name", "created_ms", "updated_ms", "webhook_secret"}
    assert {
        each.name for each in fields(Project) if getattr(copy, each.name) != getattr(original, each.name)
    } == different
    assert copy.name == "Project (copy)"
    assert world.find(made.secret).project_id == copy.id

    def shape(of: str) -> list[Any]:
        channels = world.all(ChannelRecord, where("project_id", of))
        return [
            (each.key, each.name, each.is_default, build_channel(each, world.read(find_wordlists, each.id)))
            for each in channels
        ]

    assert sorted(shape(copy.id), key=str) == sorted(shape(project_id), key=str)
    spare = next(each for each in world.all(ChannelRecord, where("project_id", copy.id)) if each.name == "Spare")
    [its_queue] = world.all(Queue, where("project_id", copy.id))
    actions = world.all(Action, where("project_id", copy.id))
    its_action = next(each for each in actions if each.key == "reject")
    assert thaw(its_queue.filter) == {
        "filteredChannelIds": [spare.id, "gone"], "filteredActionIds": [its_action.id], "minSeverity": 3,
    }  # fmt: skip
    assert its_action.filter_in_queue_ids == (its_queue.id,)
    assert len(actions) == len(BUILT_IN_ACTIONS)
    assert world.all(Webhook, where("project_id", copy.id)) == []
    assert len(world.all(Key, where("project_id", copy.id))) == 1
    assert world.change(duplicate_project, key, project_id, {"name": "Named"}).project.name == "Named"


def test_deleting_a_project_deletes_everything_in_it(world: World, ids: Ids) -> None:
    other = world.change(create_project, world.key, {"name": "Other"}).project
    world.change(delete_project, world.key, world.project_id)
    assert world.all(Project) == [other]
    for kind in KINDS:
        assert all(getattr(each, "project_id", None) in (None, other.id) for each in world.all(kind))
    with pytest.raises(NotFoundError):
        world.read(get_channel, world.key, ids.channel)


def test_the_wire_of_a_channel_has_the_interfaces_fields(world: World) -> None:
    shown = view_channel(world.read(get_channel, world.key, world.channel_id))
    assert sorted(shown) == sorted(CHANNEL_FIELDS)
    assert (shown["createdAt"], shown["isDefault"], shown["description"]) == ("2026-02-25T06:13:20.000Z", True, None)
    bare = ChannelRecord(id="c", project_id="p", key="k", name="n", created_ms=0, updated_ms=0)
    assert sorted(view_channel(bare)) == sorted(CHANNEL_FIELDS)


CHANGED = {
    "key": "chat", "name": "Chat", "description": "Text", "contentType": "message", "flaggingMode": "DRY_RUN",
    "contextEnabled": True, "enableImageModeration": False, "enableVideoModeration": False,
    "enableAudioModeration": False, "enableVoiceModeration": True, "includeTranscriptInResponse": True,
    "transcriptionQuality": "SPEED", "unicodeSpoofDetectionEnabled": False, "frameCaptureInterval": 0.5,
    "maxFramesPerVideo": 7, "spreadFrames": True,
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_updating_one_field_leaves_the_others(world: World, name: str) -> None:
    before = view_channel(world.read(get_channel, world.key, world.channel_id))
    world.at_ms += 1000
    record = world.change(update_channel, world.key, world.channel_id, {name: CHANGED[name], "unknown": 1})
    assert view_channel(record) == {**before, name: CHANGED[name], "updatedAt": "2026-02-25T06:13:21.000Z"}
    assert record.revision == 2
    assert world.read(get_channel, world.key, world.channel_id) == record


def test_creating_a_channel(world: World) -> None:
    record = world.change(create_channel, world.key, world.project_id, CHANGED)
    shown = view_channel(record)
    assert {name: shown[name] for name in CHANGED} == CHANGED
    assert not record.is_default
    channel = build_channel(record, ())
    assert (channel.key, channel.name, channel.description, channel.max_frames_per_video) == ("chat", "Chat", "Text", 7)


def test_a_channel_without_a_key_has_one_of_its_name(world: World) -> None:
    keys = [world.change(create_channel, world.key, world.project_id, {"name": name}).key for name in ("Our Chat!", "our chat", "…", "…", "x" * 200)]  # fmt: skip
    assert keys == ["our-chat", "our-chat-2", "channel", "channel-2", "x" * 100]


def test_409_for_a_key_that_is_taken(world: World, ids: Ids) -> None:
    other = world.change(create_wordlist, world.key, ids.channel, {"key": "v"}).id
    for use in [
        lambda: world.change(create_channel, world.key, world.project_id, {"name": "x", "key": "default"}),
        lambda: world.change(update_channel, world.key, ids.spare, {"key": "default"}),
        lambda: world.change(duplicate_channel, world.key, ids.spare, {"key": "default"}),
        lambda: world.change(create_wordlist, world.key, ids.channel, {"key": "w"}),
        lambda: world.change(update_wordlist, world.key, other, {"key": "w"}),
    ]:
        with pytest.raises(ConflictError, match="choose another"):
            use()
    world.change(create_wordlist, world.key, ids.spare, {"key": "w"})
    world.change(update_channel, world.key, ids.spare, {"key": "spare"})


def test_400_names_everything_wrong_with_a_channel(world: World) -> None:
    wire = {
        "key": "", "isDefault": 1, "description": 5, "contentType": "poem", "frameCaptureInterval": 0,
        "maxFramesPerVideo": 1001, "spreadFrames": "yes", "transcriptionQuality": None,
    }  # fmt: skip
    wrong = ["contentType", "description", "frameCaptureInterval", "isDefault", "key", "maxFramesPerVideo"]
    found = issues_of(lambda: world.change(create_channel, world.key, world.project_id, wire))
    assert sorted(each.split(":")[0] for each in found) == [*wrong, "name", "spreadFrames"]
    found = issues_of(lambda: world.change(update_channel, world.key, world.channel_id, wire))
    assert sorted(each.split(":")[0] for each in found) == [*wrong, "spreadFrames"]


def test_the_default_channel_is_moved_by_making_another_the_default(world: World, ids: Ids) -> None:
    assert issues_of(lambda: world.change(update_channel, world.key, ids.channel, {"isDefault": False})) == [
        "isDefault: a project has one default channel; set isDefault of another channel to true instead"
    ]
    world.change(update_channel, world.key, ids.spare, {"isDefault": True})
    assert {each.id: each.is_default for each in world.all(ChannelRecord)} == {ids.channel: False, ids.spare: True}
    made = world.change(create_channel, world.key, world.project_id, {"name": "x", "isDefault": True})
    assert [each.id for each in world.all(ChannelRecord) if each.is_default] == [made.id]


def test_400_for_deleting_the_default_or_the_last_channel(world: World, ids: Ids) -> None:
    with pytest.raises(ContentError, match="the default channel cannot be deleted; id: is the project's default"):
        world.change(delete_channel, world.key, ids.channel)
    world.change(delete_channel, world.key, ids.spare)
    with pytest.raises(ContentError, match="the last channel cannot be deleted; id: is the project's last"):
        world.change(delete_channel, world.key, ids.channel)


def test_deleting_a_channel_deletes_its_wordlists(world: World, ids: Ids) -> None:
    world.change(update_channel, world.key, ids.spare, {"isDefault": True})
    assert world.change(delete_channel, world.key, ids.channel).id == ids.channel
    assert world.all(WordlistRecord) == []


operations = st.lists(st.tuples(st.sampled_from(["create", "create default", "default", "undefault", "duplicate", "delete"]), st.integers(0, 5)), max_size=8)  # fmt: skip


@settings(max_examples=40)
@given(operations)
def test_a_project_always_has_exactly_one_default_channel(steps: list[tuple[str, int]]) -> None:
    world = World()
    key, project_id = world.key, world.project_id
    for step, which in steps:
        channels = world.read(list_channels, key, project_id)
        channel_id = channels[which % len(channels)].id
        use: dict[str, Callable[[], Any]] = {
            "create": lambda: world.change(create_channel, key, project_id, {"name": "x"}),
            "create default": lambda: world.change(create_channel, key, project_id, {"name": "x", "isDefault": True}),
            "default": lambda which=channel_id: world.change(update_channel, key, which, {"isDefault": True}),
            "undefault": lambda which=channel_id: world.change(update_channel, key, which, {"isDefault": False}),
            "duplicate": lambda which=channel_id: world.change(duplicate_channel, key, which, {}),
            "delete": lambda which=channel_id: world.change(delete_channel, key, which),
        }
        try:
            use[step]()
        except ContentError:
            assert step in ("undefault", "delete")
        channels = world.read(list_channels, key, project_id)
        assert sum(each.is_default for each in channels) == 1
        assert len({each.key for each in channels}) == len(channels)


@settings(max_examples=40)
@given(
    st.fixed_dictionaries({}, optional={name: st.just(each) for name, each in CHANGED.items() if name not in ("key", "name")}),
    st.lists(st.sampled_from(["a", "b", "c d"]), max_size=3),
    st.sampled_from(["block", "allow", "require"]),
    st.floats(0, 1),
)  # fmt: skip
def test_a_duplicate_equals_its_original_but_for_ids_key_name_and_times(
    wire: dict[str, Any], words: list[str], mode: str, threshold: float
) -> None:
    world = World()
    key, channel_id = world.key, world.channel_id
    world.change(update_channel, key, channel_id, wire)
    world.change(create_wordlist, key, channel_id, {"key": "w", "words": words, "mode": mode})
    world.change(put_part, key, channel_id, "policies", [{"id": "hate", "threshold": threshold}])
    copy = world.change(duplicate_channel, key, channel_id, {})
    original = world.read(get_channel, key, channel_id)
    differing = {
        each.name for each in fields(ChannelRecord) if getattr(copy, each.name) != getattr(original, each.name)
    }
    assert differing <= {"id", "key", "name", "created_ms", "updated_ms", "is_default", "revision"}
    assert (copy.name, copy.key) == ("Default (copy)", f"default-{START_MS}")

    def built(record: ChannelRecord) -> Channel:
        channel = build_channel(record, world.read(find_wordlists, record.id))
        return replace(channel, key="same", name="same")

    assert built(copy) == built(original)
    again = world.change(duplicate_channel, key, channel_id, {"name": "Mine"})
    assert (again.name, again.key) == ("Mine", f"default-{START_MS}-2")


def test_the_name_of_a_copy_is_not_too_long(world: World, ids: Ids) -> None:
    world.change(update_channel, world.key, ids.spare, {"name": "x" * 200, "key": "y" * 100})
    copy = world.change(duplicate_channel, world.key, ids.spare, {})
    assert copy.name == "x" * 193 + " (copy)"
    assert len(copy.key) == 100
    assert copy.key.endswith(f"-{START_MS}")


PART_VALUES: dict[str, Any] = {
    "policies": [{"id": "hate", "threshold": 0.25}],
    "rules": [{"key": "r", "action": "reject", "conditions": [{"field": "language", "operator": "is", "value": "en"}]}],
    "triage": {"review": 0.1, "reject": 0.2},
    "hashlists": [{"key": "h", "hashes": ["0" * 64]}],
    "expectedScripts": ["Latin"],
    "expectedLanguages": ["en", "de"],
    "accurateShare": 0.5,
}


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_of_a_channel(world: World, part: Any) -> None:
    record = world.change(put_part, world.key, world.channel_id, part, PART_VALUES[part])
    expected = Channel.parse({part: PART_VALUES[part]})
    assert world.read(get_part, world.key, world.channel_id, part) == expected.dump()[part]
    assert build_channel(record, ()) == replace(expected, key="default", name="Default")
    assert record.revision == 2
    assert "wordlists" not in record.settings


def test_triage_can_be_a_preset(world: World) -> None:
    world.change(put_part, world.key, world.channel_id, "triage", "strict")
    assert world.read(get_part, world.key, world.channel_id, "triage")["reject"] == 0.7


@pytest.mark.parametrize(
    ("part", "value", "paths"),
    [
        ("policies", [{"id": "a", "threshold": 2}, {"id": "", "x": 1}], ["policies.0.threshold", "policies.1.id", "policies.1.x"]),
        ("policies", None, ["policies"]),
        ("rules", [{"key": "r"}], ["rules.0.action", "rules.0.conditions"]),
        ("triage", "odd", ["triage"]),
        ("hashlists", [{"key": "h", "file": "/etc/passwd"}, {"key": "i"}, {"key": "j", "file": "x"}], ["hashlists.0.file", "hashlists.2.file"]),
        ("accurateShare", 2, ["accurateShare"]),
    ],
)  # fmt: skip
def test_400_names_everything_wrong_with_a_part(world: World, part: Any, value: Any, paths: list[str]) -> None:
    found = issues_of(lambda: world.change(put_part, world.key, world.channel_id, part, value))
    assert sorted({each.split(":")[0] for each in found}) == paths


def test_a_check_keeps_a_channel_working(world: World, ids: Ids) -> None:
    def check(channel: Channel) -> None:
        known = {f"wordlist:{each.key}" for each in channel.wordlists}
        if unknown := [each.id for each in channel.policies if each.id not in known]:
            raise ConfigError("this channel cannot work", [Issue("policies", f"no policy {unknown[0]}")])

    def bad(_: Channel) -> None:
        raise ConfigError("no engine")

    key, part = world.key, [{"id": "wordlist:w", "flag": False}]
    world.change(put_part, key, ids.channel, "policies", part, check=check)
    assert issues_of(lambda: world.change(delete_wordlist, key, ids.wordlist, check=check)) == [
        "policies: no policy wordlist:w"
    ]
    assert issues_of(lambda: world.change(add_words, key, ids.wordlist, {"words": []}, check=bad)) == ["no engine"]
    assert [each.id for each in world.all(WordlistRecord)] == [ids.wordlist]


def test_an_engine_can_be_the_check(world: World) -> None:
    found = issues_of(lambda: world.change(put_part, world.key, world.channel_id, "policies", [{"id": "odd"}], check=Engine))  # fmt: skip
    assert found[0].startswith("policies.0.id: no policy has the id 'odd'")


def test_wordlists(world: World) -> None:
    wire = {"key": "w", "name": "Names", "words": [" Über ", "über", "two words", "a*"], "mode": "allow", "mask": True}
    record = world.change(create_wordlist, world.key, world.channel_id, wire)
    shown = view_wordlist(record)
    assert shown == {
        "id": record.id, "key": "w", "name": "Names", "description": None, "projectId": world.project_id,
        "channelId": world.channel_id, "createdAt": "2026-02-25T06:13:20.000Z", "mode": "allow", "match": "word",
        "mask": True, "words": ["über", "two words", "a*"],
    }  # fmt: skip
    assert "words" not in view_listed_wordlist(record)
    assert view_embedding_status(record) == {"progress": 100, "remainingWords": 0, "totalWords": 3}
    channel = world.read(get_channel, world.key, world.channel_id)
    assert channel.revision == 2
    assert build_channel(channel, [record]).wordlists == (
        Wordlist("w", ("über", "two words", "a*"), mode="allow", name="Names", mask=True),
    )
    changed = world.change(update_wordlist, world.key, record.id, {"description": "Text", "words": ["x"], "name": None})
    assert view_wordlist(changed) == {**shown, "description": "Text", "words": ["x"], "name": None}
    assert view_wordlist(world.change(update_wordlist, world.key, record.id, {})) == view_wordlist(changed)


def test_words_are_added_and_removed(world: World, ids: Ids) -> None:
    added = world.change(add_words, world.key, ids.wordlist, {"words": ["B", "a", "b", "c"]})
    assert view_added_words(added) == {"addedCount": 2, "totalCount": 3, "addedWords": ["b", "c"]}
    removed = world.change(remove_words, world.key, ids.wordlist, {"words": ["A", "z"]})
    assert view_removed_words(removed) == {"removedCount": 1, "totalCount": 2, "removedWords": ["a"]}
    assert world.read(get_wordlist, world.key, ids.wordlist).words == ("b", "c")
    assert world.read(get_channel, world.key, ids.channel).revision == 4


def test_400_names_everything_wrong_with_a_wordlist(world: World, ids: Ids) -> None:
    wire = {"name": 1, "words": ["a", " ", "x" * 501], "mode": "odd", "mask": 1}
    found = issues_of(lambda: world.change(create_wordlist, world.key, ids.channel, wire))
    assert sorted(each.split(":")[0] for each in found) == ["key", "mask", "mode", "name", "words.1", "words.2"]
    many = {"words": [f"w{i}" for i in range(MAX_WORDS)]}
    assert issues_of(lambda: world.change(add_words, world.key, ids.wordlist, many)) == [
        "words: would make more than 10,000 words; remove some first"
    ]
    assert issues_of(lambda: world.change(remove_words, world.key, ids.wordlist, {})) == ["words: is missing"]


def test_webhooks(world: World) -> None:
    webhook = world.change(create_webhook, world.key, world.project_id, {**HOOK, "description": "Text"})
    shown = {
        "id": webhook.id, "projectId": world.project_id, **HOOK, "description": "Text", "enabled": True,
        "payloadVersion": "V2", "createdAt": "2026-02-25T06:13:20.000Z",
    }  # fmt: skip
    assert view_webhook(webhook) == shown
    assert world.read(list_webhooks, world.key, world.project_id) == [webhook]
    wire = {"enabled": False, "description": None, "eventTypes": ["author.action", "author.action"]}
    changed = world.change(update_webhook, world.key, webhook.id, wire)
    assert view_webhook(changed) == {**shown, **wire, "eventTypes": ["author.action"]}
    world.change(delete_webhook, world.key, webhook.id)
    assert world.all(Webhook) == []


@pytest.mark.parametrize("url", ["", "example.com", "ftp://example.com", "https://", "https://[", "http://a:b@example.com/", "https://exa mple.com", "javascript:x", "https://example.com:99999/", "http:///x"])  # fmt: skip
def test_400_for_an_address_that_nothing_can_be_sent_to(world: World, url: str) -> None:
    [issue] = issues_of(lambda: world.change(create_webhook, world.key, world.project_id, {**HOOK, "url": url}))
    assert issue.startswith("url: must")
    assert not url or url not in issue


def test_400_names_everything_wrong_with_a_webhook(world: World) -> None:
    wire = {"url": 1, "eventTypes": ["author.blocked", "odd"], "enabled": 1}
    found = issues_of(lambda: world.change(create_webhook, world.key, world.project_id, wire))
    assert {each.split(":")[0] for each in found} == {"name", "url", "eventTypes.1", "enabled"}
    assert issues_of(lambda: world.change(create_webhook, world.key, world.project_id, {**HOOK, "eventTypes": []})) == [
        "eventTypes: must have 1 to 10 entries"
    ]


def test_rolling_the_webhook_secret(world: World) -> None:
    project = world.change(roll_webhook_secret, world.key, world.project_id)
    assert project.webhook_secret != world.made.webhook_secret
    assert world.read(get_webhook_secret, world.key, world.project_id) == project.webhook_secret


def test_the_account_of_each_sort_of_key(world: World) -> None:
    bare = world.issue()
    account = {"id": world.organization_id, "paid_plan_name": "enterprise", "text_api_quota": None, "remaining_quota": None}  # fmt: skip
    assert view_account(world.change(get_account, bare)) == account
    project = {"id": world.project_id, "name": "Project"}
    assert view_account(world.change(get_account, world.project_key)) == {**account, "current_project": project}
    world.put(replace(world.made.organization, plan="standard", quota=10))
    world.change(add_usage, world.organization_id, 4)
    assert view_account(world.change(get_account, world.project_key))["remaining_quota"] == 6
    with pytest.raises(ForbiddenError, match="Enterprise plan"):
        world.change(get_account, bare)


@given(st.lists(st.integers(1, 6), max_size=8), st.integers(0, 15))
def test_a_quota_is_never_passed(units: list[int], quota: int) -> None:
    world = World()
    world.put(replace(world.made.organization, quota=quota))
    used = 0
    for each in units:
        if used + each <= quota:
            world.change(add_usage, world.organization_id, each)
            used += each
        else:
            with pytest.raises(TooManyRequestsError, match="quota of this month is spent") as caught:
                world.change(add_usage, world.organization_id, each)
            assert caught.value.retry_after == seconds_to_next_month(START_MS)
        assert sum(each.units for each in world.all(Usage)) == used


def test_each_month_has_its_own_quota(world: World) -> None:
    world.put(replace(world.made.organization, quota=1))
    world.change(add_usage, world.organization_id, 1)
    world.at_ms += seconds_to_next_month(world.at_ms) * 1000
    world.change(add_usage, world.organization_id, 1)
    assert [each.month for each in world.all(Usage)] == ["2026-02", "2026-03"]


@pytest.mark.parametrize(
    ("at_ms", "month", "seconds"),
    [(0, "1970-01", 31 * 86_400), (1, "1970-01", 31 * 86_400), (1000, "1970-01", 31 * 86_400 - 1), (1_767_225_599_999, "2025-12", 1), (1_767_225_600_000, "2026-01", 31 * 86_400), (1_709_251_199_001, "2024-02", 1)],
)  # fmt: skip
def test_months(at_ms: int, month: str, seconds: int) -> None:
    assert (month_of(at_ms), seconds_to_next_month(at_ms)) == (month, seconds)


def test_members(world: World) -> None:
    added = world.change(add_member, world.owner, {"name": "Ben", "email": "ben@example.com", "role": "admin"})
    assert view_member(added) == {
        "id": added.id, "name": "Ben", "email": "ben@example.com", "role": "admin",
        "createdAt": "2026-02-25T06:13:20.000Z",
    }  # fmt: skip
    assert world.change(update_member, added, added.id, {"name": "Bea"}).email == "ben@example.com"
    assert world.read(find_member, added.id).name == "Bea"
    assert {each.id for each in world.read(list_members, world.organization_id)} == {world.owner.id, added.id}
    world.change(remove_member, world.owner, added.id)
    with pytest.raises(NotFoundError, match="this member does not exist"):
        world.read(find_member, added.id)
    assert world.all(Member) == [world.owner]
    assert issues_of(lambda: world.change(add_member, world.owner, {"email": "@x.", "role": "king"})) == [
        "role: must be one of owner, admin, member",
        "email: must be an e-mail address",
    ]


def test_403_for_what_a_members_role_leaves_out(world: World) -> None:
    admin, member, owner = world.member("admin"), world.member("member"), world.owner
    for use in [
        lambda: world.change(add_member, admin, {"role": "owner"}),
        lambda: world.change(update_member, admin, admin.id, {"role": "owner"}),
        lambda: world.change(update_member, admin, owner.id, {"role": "member"}),
        lambda: world.change(remove_member, admin, owner.id),
        lambda: world.change(add_member, member, {}),
        lambda: world.change(update_organization, member, {}),
    ]:
        with pytest.raises(ForbiddenError, match="only owners"):
            use()
    with pytest.raises(NotFoundError):
        world.change(remove_member, world.stranger().owner, member.id)


def test_an_organization_keeps_an_owner(world: World) -> None:
    owner = world.owner
    assert issues_of(lambda: world.change(remove_member, owner, owner.id))[0].startswith("id: is the only owner")
    assert issues_of(lambda: world.change(update_member, owner, owner.id, {"role": "admin"}))[0].startswith("role: must stay")  # fmt: skip
    other = world.member("owner")
    world.change(remove_member, other, owner.id)
    assert world.all(Member) == [other]


def test_the_organization(world: World) -> None:
    changed = world.change(update_organization, world.owner, {"name": "Acme"})
    assert world.all(Organization) == [changed]
    assert view_organization(changed) == {
        "id": world.organization_id, "name": "Acme", "plan": "enterprise", "quota": None,
        "createdAt": "2026-02-25T06:13:20.000Z",
    }  # fmt: skip
