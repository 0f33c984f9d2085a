"""Wordlists of channels: list, get, create, update, delete, and words added and removed.

Words are kept in lower case, without blanks around them, each once. Whatever changes a list makes a new revision of
its channel; `check` is then asked whether the channel still works.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from seemly.core.channel import Wordlist, dump, parse_as
from seemly.core.errors import ConfigError, ConflictError
from seemly.core.frozen import freeze
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where, where
from seemly.service.base.records import ChannelRecord, Key, Project, WordlistRecord
from seemly.service.base.requests import REQUIRED, Body
from seemly.service.management.channels import Check, find_channel, find_wordlists, touch
from seemly.service.management.keys import find_within, log, reaches, require_permission

__all__ = [
    "MAX_KEY", "MAX_WORDS", "Change", "add_words", "create_wordlist", "delete_wordlist", "get_wordlist",
    "list_wordlists", "remove_words", "update_wordlist",
]  # fmt: skip

MAX_WORDS = 10_000
"""The most words of a list."""

MAX_KEY = 91
"""The most characters of a list's key: with `wordlist:` before it, it is the id of a policy."""

_SETTINGS = ("mode", "match", "mask")


@dataclass(frozen=True, slots=True)
class Change:
    """A list whose words were changed, and which words were: those added, or those removed."""

    wordlist: WordlistRecord
    words: tuple[str, ...] = field(repr=False)


def list_wordlists(tx: Transaction, key: Key, channel_id: str | None = None) -> list[WordlistRecord]:
    """The lists of a channel, or of every channel within a key's limits, the oldest first.

    Raises ForbiddenError, NotFoundError.
    """
    require_permission(tx, key, "channels", "read")
    if channel_id is not None:
        return find_wordlists(tx, find_channel(tx, key, channel_id).id)
    projects = tx.find(Project, where("organization_id", key.organization_id))
    within = tuple(each.id for each in projects if reaches(key, each))
    return tx.find(WordlistRecord, Query((Where("project_id", "in", within),), (Order("created_ms"),)))


def get_wordlist(tx: Transaction, key: Key, wordlist_id: str) -> WordlistRecord:
    """One list. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "channels", "read")
    return _find(tx, key, wordlist_id)


def create_wordlist(
    env: Environment, tx: Transaction, key: Key, channel_id: str, wire: object, *, check: Check | None = None
) -> WordlistRecord:
    """Make a list of a channel: `key`, `name`, `description`, `words`, and `mode`, `match` and `mask` as in a channel.

    Raises ForbiddenError, NotFoundError, ContentError, and ConflictError where the channel has a list of that key.
    """
    require_permission(tx, key, "channels", "write")
    channel = find_channel(tx, key, channel_id, lock=True)
    blank = WordlistRecord(
        id=env.new_id("wl"), project_id=channel.project_id, channel_id=channel.id, key="", created_ms=env.now()
    )
    record = _read(Body(wire), blank)
    _require_free(tx, record)
    tx.add(record)
    touch(env, tx, channel, check)
    log(env, tx, key, "wordlist.created", record.id)
    return record


def update_wordlist(
    env: Environment, tx: Transaction, key: Key, wordlist_id: str, wire: object, *, check: Check | None = None
) -> WordlistRecord:
    """Change a list; what is left out stays as it is, and `words` are put in place of those that it has.

    Raises ForbiddenError, NotFoundError, ContentError, and ConflictError where the channel has another of that key.
    """
    record, channel = _lock(tx, key, wordlist_id)
    changed = _read(Body(wire), record)
    if changed.key != record.key:
        _require_free(tx, changed)
    tx.put(changed)
    touch(env, tx, channel, check)
    log(env, tx, key, "wordlist.updated", record.id)
    return changed


def delete_wordlist(
    env: Environment, tx: Transaction, key: Key, wordlist_id: str, *, check: Check | None = None
) -> WordlistRecord:
    """Delete a list. What it was is returned.

    Raises ForbiddenError, NotFoundError, and ContentError where `check` finds that the channel needs it.
    """
    record, channel = _lock(tx, key, wordlist_id)
    tx.remove(WordlistRecord, where("id", record.id))
    touch(env, tx, channel, check)
    log(env, tx, key, "wordlist.deleted", record.id)
    return record


def add_words(
    env: Environment, tx: Transaction, key: Key, wordlist_id: str, wire: object, *, check: Check | None = None
) -> Change:
    """Add the body's `words` to a list. Raises ForbiddenError, NotFoundError, ContentError."""
    record, channel = _lock(tx, key, wordlist_id)
    body = Body(wire)
    given = _read_words(body)
    held = set(record.words)
    added = tuple(each for each in given if each not in held)
    if len(held) + len(added) > MAX_WORDS:
        body.wrong("words", f"would make more than {MAX_WORDS:,} words; remove some first")
    body.done()
    changed = replace(record, words=(*record.words, *added))
    tx.put(changed)
    touch(env, tx, channel, check)
    log(env, tx, key, "wordlist.words_added", record.id)
    return Change(changed, added)


def remove_words(
    env: Environment, tx: Transaction, key: Key, wordlist_id: str, wire: object, *, check: Check | None = None
) -> Change:
    """Remove the body's `words` from a list. Raises ForbiddenError, NotFoundError, ContentError."""
    record, channel = _lock(tx, key, wordlist_id)
    body = Body(wire)
    given = set(_read_words(body))
    body.done()
    removed = tuple(each for each in record.words if each in given)
    changed = replace(record, words=tuple(each for each in record.words if each not in given))
    tx.put(changed)
    touch(env, tx, channel, check)
    log(env, tx, key, "wordlist.words_removed", record.id)
    return Change(changed, removed)


def _read(body: Body, held: WordlistRecord) -> WordlistRecord:
    """A list with the fields of a request in the place of those that it has. Raises ContentError."""
    given = {name: each for name, each in body.given(_SETTINGS).items() if each is not None}
    record = replace(
        held,
        key=body.text("key", held.key or REQUIRED, least=1, most=MAX_KEY),
        name=body.text("name", held.name, most=200, null=True),
        description=body.text("description", held.description, most=2000, null=True),
        words=_read_words(body) if body.has("words") else held.words,
    )
    settings = {**held.settings, **given}
    try:
        parsed = dump(parse_as(Wordlist, {"key": "key", **settings}, "this list cannot work"))
        settings = {name: parsed[name] for name in _SETTINGS}
    except ConfigError as error:
        body.blame(error.issues)
    body.done()
    return replace(record, settings=freeze(settings))


def _read_words(body: Body) -> tuple[str, ...]:
    words = tuple(each.strip().lower() for each in body.texts("words", most=MAX_WORDS, longest=500))
    for i, each in enumerate(words):
        if not each:
            body.wrong(f"words.{i}", "must not be blank")
    return tuple(dict.fromkeys(words))


def _find(tx: Transaction, key: Key, wordlist_id: str) -> WordlistRecord:
    return find_within(tx, key, WordlistRecord, wordlist_id, "wordlist")


def _lock(tx: Transaction, key: Key, wordlist_id: str) -> tuple[WordlistRecord, ChannelRecord]:
    """A list that is about to change, and its channel. Raises ForbiddenError, NotFoundError."""
    require_permission(tx, key, "channels", "write")
    channel = find_channel(tx, key, _find(tx, key, wordlist_id).channel_id, lock=True)
    return _find(tx, key, wordlist_id), channel


def _require_free(tx: Transaction, record: WordlistRecord) -> None:
    if any(each.key == record.key for each in find_wordlists(tx, record.channel_id)):
        raise ConflictError("another wordlist of the channel has this key; choose another")
