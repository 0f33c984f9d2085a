"""Channels of a project: list, get, create, update, duplicate, delete, and what the engine is to be told of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from seemly.core.channel import Channel, PolicySettings
from seemly.core.errors import ConfigError, ConflictError, ContentError, Issue
from seemly.core.frozen import freeze, thaw
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import ChannelRecord, Key, WordlistRecord
from seemly.service.base.requests import Body
from seemly.service.management.keys import find_project, find_within, log, require_permission

__all__ = [
    "MAX_NAME", "PARTS", "SETTINGS", "Check", "Part", "add_channel", "build_channel", "copy_channel", "copy_name",
    "create_channel", "delete_channel", "duplicate_channel", "find_channel", "find_wordlists", "get_channel",
    "get_part", "list_channels", "put_part", "touch", "update_channel",
]  # fmt: skip

Check = Callable[[Channel], object]
"""What raises ConfigError for a channel that no engine can be built for, such as the engine's own constructor."""

Part = Literal["policies", "rules", "triage", "hashlists", "expectedScripts", "expectedLanguages", "accurateShare"]
"""What a channel has beyond the settings of its endpoints."""

PARTS: tuple[Part, ...] = get_args(Part)

SETTINGS: Mapping[str, Any] = {
    name: value for name, value in Channel().dump().items() if name not in (*PARTS, "key", "name", "wordlists")
}
"""What the channel endpoints set, besides key, name and isDefault, with the defaults."""

_NULLABLE = ("description", "contentType")

MAX_NAME = 200
"""The most characters of a name."""

MAX_KEY = 100
"""The most characters of a key."""


def build_channel(record: ChannelRecord, wordlists: Sequence[WordlistRecord]) -> Channel:
    """The engine's channel of a record and its wordlists. Raises ConfigError where one cannot work."""
    listed = [
        {**thaw(each.settings), "key": each.key, "name": each.name, "words": list(each.words)} for each in wordlists
    ]
    return Channel.parse({**thaw(record.settings), "key": record.key, "name": record.name, "wordlists": listed})


def list_channels(tx: Transaction, key: Key, project_id: str) -> list[ChannelRecord]:
    """A project's channels, the oldest first. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "channels", "read")
    project = find_project(tx, key, project_id)
    return tx.find(ChannelRecord, _channels_of(project.id))


def get_channel(tx: Transaction, key: Key, channel_id: str) -> ChannelRecord:
    """One channel. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "channels", "read")
    return find_channel(tx, key, channel_id)


def create_channel(env: Environment, tx: Transaction, key: Key, project_id: str, wire: object) -> ChannelRecord:
    """Make a channel: `name`, `key` (made from the name where left out) and any setting of a channel.

    Raises ForbiddenError, NotFoundError, ContentError, and ConflictError where the key is taken.
    """
    require_permission(tx, key, "channels", "write")
    find_project(tx, key, project_id, lock=True)
    body = Body(wire)
    name = body.text("name", least=1, most=MAX_NAME)
    its_key = body.text("key", None, least=1, most=MAX_KEY)
    is_default = body.flag("isDefault", False)
    settings = _read_settings(body, Channel().dump())
    body.done()
    if its_key is None:
        its_key = _free_key(tx, project_id, re.sub(r"[\W_]+", "-", name.casefold()).strip("-") or "channel")
    record = add_channel(env, tx, project_id, its_key, name, settings)
    if is_default:
        record = _make_default(env, tx, record)
    log(env, tx, key, "channel.created", record.id)
    return record


def update_channel(env: Environment, tx: Transaction, key: Key, channel_id: str, wire: object) -> ChannelRecord:
    """Change a channel: `name`, `key`, `isDefault` and every setting; what is left out stays as it is.

    The default channel stays the default until another is made it. Raises ForbiddenError, NotFoundError, ContentError,
    and ConflictError where the key is taken.
    """
    require_permission(tx, key, "channels", "write")
    record = find_channel(tx, key, channel_id, lock=True)
    body = Body(wire)
    name = body.text("name", record.name, least=1, most=MAX_NAME)
    its_key = body.text("key", record.key, least=1, most=MAX_KEY)
    is_default = body.flag("isDefault", record.is_default)
    if record.is_default and not is_default:
        body.wrong("isDefault", "a project has one default channel; set isDefault of another channel to true instead")
    settings = _read_settings(body, thaw(record.settings))
    body.done()
    if its_key != record.key:
        _require_free(tx, record.project_id, its_key)
    changed = touch(env, tx, replace(record, name=name, key=its_key, settings=freeze(settings)))
    if is_default and not record.is_default:
        changed = _make_default(env, tx, changed)
    log(env, tx, key, "channel.updated", record.id)
    return changed


def duplicate_channel(env: Environment, tx: Transaction, key: Key, channel_id: str, wire: object) -> ChannelRecord:
    """Copy a channel inside its project with every setting, policy, rule and wordlist.

    The body: `name` ("<name> (copy)" where left out) and `key` (the original's and the time where left out). Raises
    ForbiddenError, NotFoundError, ContentError, and ConflictError where the key is taken.
    """
    require_permission(tx, key, "channels", "write")
    record = find_channel(tx, key, channel_id, lock=True)
    body = Body(wire)
    name = body.text("name", copy_name(record.name), least=1, most=MAX_NAME)
    its_key = body.text("key", None, least=1, most=MAX_KEY)
    body.done()
    if its_key is None:
        its_key = _free_key(tx, record.project_id, _join(record.key, str(env.now())))
    copy = copy_channel(env, tx, record, record.project_id, its_key, name, is_default=False)
    log(env, tx, key, "channel.duplicated", copy.id)
    return copy


def delete_channel(env: Environment, tx: Transaction, key: Key, channel_id: str) -> ChannelRecord:
    """Delete a channel and its wordlists, but neither the default channel nor the last one. What it was is returned.

    Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "channels", "write")
    record = find_channel(tx, key, channel_id, lock=True)
    if tx.count(ChannelRecord, where("project_id", record.project_id)) == 1:
        problem = "is the project's last channel, which cannot be deleted; delete the project instead"
        raise ContentError("the last channel cannot be deleted", [Issue("id", problem)])
    if record.is_default:
        problem = "is the project's default channel; set isDefault of another channel to true first"
        raise ContentError("the default channel cannot be deleted", [Issue("id", problem)])
    tx.remove(WordlistRecord, where("channel_id", record.id))
    tx.remove(ChannelRecord, where("id", record.id))
    log(env, tx, key, "channel.deleted", record.id)
    return record


def get_part(tx: Transaction, key: Key, channel_id: str, part: Part) -> Any:
    """A channel's policies, rules, triage and the like, in the wire form of `Channel.dump`.

    Raises ForbiddenError, NotFoundError.
    """
    require_permission(tx, key, "channels", "read")
    record = find_channel(tx, key, channel_id)
    return build_channel(record, ()).dump()[part]


def put_part(
    env: Environment,
    tx: Transaction,
    key: Key,
    channel_id: str,
    part: Part,
    value: object,
    *,
    check: Check | None = None,
) -> ChannelRecord:
    """Put policies, rules, triage and the like, in the wire form of `Channel.dump`, in place of a channel's own.

    `check` is asked whether the channel then works. Raises ForbiddenError, NotFoundError, ContentError.
    """
    require_permission(tx, key, "channels", "write")
    record = find_channel(tx, key, channel_id, lock=True)
    body = Body({part: value})
    given = body.given([part])
    channel = Channel()
    try:
        channel = Channel.parse({**record.settings, "key": record.key, **given})
    except ConfigError as error:
        body.blame(error.issues)
    # A file would be one of the server's, which callers have no business to read.
    for i, each in enumerate(channel.hashlists if part == "hashlists" else ()):
        if each.file is not None:
            body.wrong(f"hashlists.{i}.file", "names a file of the server; give the hashes themselves")
    body.done()
    changed = replace(record, settings=freeze({**record.settings, part: channel.dump()[part]}))
    changed = touch(env, tx, changed, check)
    log(env, tx, key, f"channel.{part}.updated", record.id)
    return changed


def find_channel(tx: Transaction, key: Key, channel_id: str, *, lock: bool = False) -> ChannelRecord:
    """A channel within a key's limits; with `lock`, kept from others with its whole project. Raises NotFoundError."""
    record = find_within(tx, key, ChannelRecord, channel_id, "channel")
    if not lock:
        return record
    # The project is locked, not the channel: that one channel is the default is said of all of them together.
    find_project(tx, key, record.project_id, lock=True)
    return find_within(tx, key, ChannelRecord, channel_id, "channel")


def find_wordlists(tx: Transaction, channel_id: str) -> list[WordlistRecord]:
    """A channel's wordlists, the oldest first."""
    return tx.find(WordlistRecord, Query((Where("channel_id", "is", channel_id),), (Order("created_ms"),)))


def add_channel(
    env: Environment,
    tx: Transaction,
    project_id: str,
    key: str,
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    policies: Sequence[PolicySettings] = (),
    is_default: bool = False,
) -> ChannelRecord:
    """Keep a new channel of a project. Raises ConflictError where the key is taken."""
    _require_free(tx, project_id, key)
    at_ms = env.now()
    wire = Channel(policies=tuple(policies)).dump() if settings is None else settings
    record = ChannelRecord(
        id=env.new_id("chn"),
        project_id=project_id,
        key=key,
        name=name,
        created_ms=at_ms,
        updated_ms=at_ms,
        is_default=is_default,
        settings=freeze({name: each for name, each in wire.items() if name not in ("key", "name", "wordlists")}),
    )
    tx.add(record)
    return record


def copy_channel(
    env: Environment, tx: Transaction, record: ChannelRecord, project_id: str, key: str, name: str, *, is_default: bool
) -> ChannelRecord:
    """Keep a copy of a channel, with copies of its wordlists. Raises ConflictError where the key is taken."""
    copy = add_channel(env, tx, project_id, key, name, record.settings, is_default=is_default)
    tx.add_all(
        [
            replace(each, id=env.new_id("wl"), project_id=project_id, channel_id=copy.id, created_ms=copy.created_ms)
            for each in find_wordlists(tx, record.id)
        ]
    )
    return copy


def touch(env: Environment, tx: Transaction, record: ChannelRecord, check: Check | None = None) -> ChannelRecord:
    """Keep a channel that was changed, or whose wordlists were, as its next revision.

    Raises ContentError with what keeps it from working.
    """
    try:
        channel = build_channel(record, find_wordlists(tx, record.id))
        if check is not None:
            check(channel)
    except ConfigError as error:
        raise ContentError("invalid input data", error.issues or [Issue("", error.message)]) from error
    changed = replace(record, updated_ms=env.now(), revision=record.revision + 1)
    tx.put(changed)
    return changed


def copy_name(name: str) -> str:
    """What a copy is called where nothing else is said."""
    return f"{name[: MAX_NAME - len(' (copy)')]} (copy)"


def _read_settings(body: Body, held: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with those of a request in their place; what is wrong with these is noted in the body."""
    body.text("description", None, most=2000)
    given = body.given(SETTINGS)
    settings = {**held, **{name: each for name, each in given.items() if each is not None or name in _NULLABLE}}
    try:
        Channel.parse({**settings, "key": "key", "name": None})
    except ConfigError as error:
        body.blame(each for each in error.issues if each.path != "description")
    return settings


def _make_default(env: Environment, tx: Transaction, record: ChannelRecord) -> ChannelRecord:
    for each in tx.find(ChannelRecord, _channels_of(record.project_id)):
        if each.is_default:
            touch(env, tx, replace(each, is_default=False))
    changed = replace(record, is_default=True)
    tx.put(changed)
    return changed


def _channels_of(project_id: str) -> Query:
    return Query((Where("project_id", "is", project_id),), (Order("created_ms"),))


def _is_taken(tx: Transaction, project_id: str, key: str) -> bool:
    conditions = (Where("project_id", "is", project_id), Where("key", "is", key))
    return tx.count(ChannelRecord, Query(conditions)) > 0


def _require_free(tx: Transaction, project_id: str, key: str) -> None:
    if _is_taken(tx, project_id, key):
        raise ConflictError("another channel of the project has this key; choose another")


def _free_key(tx: Transaction, project_id: str, wanted: str) -> str:
    """The wanted key, or with a number where that is taken."""
    key, number = wanted[:MAX_KEY], 1
    while _is_taken(tx, project_id, key):
        number += 1
        key = _join(wanted, str(number))
    return key


def _join(key: str, suffix: str) -> str:
    return f"{key[: MAX_KEY - len(suffix) - 1]}-{suffix}"
