"""Wordlists, for organization keys; those of its own project also for a project's key."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.pages import in_pages
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import BOOL, TEXT, TIME, WHOLE, choice, items, maybe, record, taken, text
from seemly.core.errors import ContentError, Issue
from seemly.service.base.ports import Transaction
from seemly.service.management import wordlists
from seemly.service.management.views import (
    view_added_words,
    view_embedding_status,
    view_listed_wordlist,
    view_removed_words,
    view_wordlist,
)
from seemly.service.moderation.lookup import find_channel

__all__ = ["ENDPOINTS"]

_LISTED: dict[str, Schema] = {
    "id": TEXT,
    "key": TEXT,
    "name": maybe(TEXT),
    "description": maybe(TEXT),
    "projectId": TEXT,
    "channelId": TEXT,
    "userId": maybe(TEXT),
    "createdAt": TIME,
}
_HOW: dict[str, Schema] = {
    "mode": choice("block", "allow", "require"),
    "match": choice("word", "embedded", "id"),
    "mask": BOOL,
    "words": items(text(500, 1) | {"pattern": r"\S"}, wordlists.MAX_WORDS),
}
WORDLIST = record({**_LISTED, "organizationId": TEXT, "strict": BOOL, **_HOW})
_WRITTEN: dict[str, Schema] = {
    "key": text(wordlists.MAX_KEY, 1),
    "name": text(200),
    "description": text(2_000),
    **_HOW,
}
_CREATED = taken({"channelId": text(1_000, 1), **_WRITTEN})
_WORDS = taken({"words": _HOW["words"]}, ["words"])
_STATUS = record({"progress": WHOLE, "remainingWords": WHOLE, "totalWords": WHOLE})
_ADDED = record({"addedCount": WHOLE, "totalCount": WHOLE, "addedWords": items(TEXT)})
_REMOVED = record({"removedCount": WHOLE, "totalCount": WHOLE, "removedWords": items(TEXT)})


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        found = wordlists.list_wordlists(tx, call.manager, call.query.get("channelId"))
        return [view_listed_wordlist(each) for each in found]


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_wordlist(
            wordlists.get_wordlist(tx, call.manager, call.id_of("wordlist_id")), call.key.organization_id
        )


def _status(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_embedding_status(wordlists.get_wordlist(tx, call.manager, call.id_of("wordlist_id")))


def _create(call: Call) -> Answer:
    check = call.parts.check_channel
    with call.env.store.transaction() as tx:
        channel_id = _find_channel_id(call, tx)
        return view_wordlist(
            wordlists.create_wordlist(call.env, tx, call.manager, channel_id, call.body, check=check),
            call.key.organization_id,
        )


def _find_channel_id(call: Call, tx: Transaction) -> str:
    """The channel that a request names; of a project's key the default channel where it names none."""
    channel_id = call.body.get("channelId")
    if channel_id is None and call.key.project_id is not None:
        return find_channel(tx, call.key.project_id, None).id
    if not isinstance(channel_id, str):
        raise ContentError("invalid input data", [Issue("channelId", "must be the id of a channel")])
    return channel_id


def _update(call: Call) -> Answer:
    wordlist_id, check = call.id_of("wordlist_id"), call.parts.check_channel
    with call.env.store.transaction() as tx:
        return view_wordlist(
            wordlists.update_wordlist(call.env, tx, call.manager, wordlist_id, call.body, check=check),
            call.key.organization_id,
        )


def _delete(call: Call) -> Answer:
    wordlist_id, check = call.id_of("wordlist_id"), call.parts.check_channel
    with call.env.store.transaction() as tx:
        return {
            "deleted": True,
            "id": wordlists.delete_wordlist(call.env, tx, call.manager, wordlist_id, check=check).id,
        }


def _add(call: Call) -> Answer:
    wordlist_id, check = call.id_of("wordlist_id"), call.parts.check_channel
    with call.env.store.transaction() as tx:
        return view_added_words(wordlists.add_words(call.env, tx, call.manager, wordlist_id, call.body, check=check))


def _remove(call: Call) -> Answer:
    wordlist_id, check = call.id_of("wordlist_id"), call.parts.check_channel
    wire = call.query if call.body.get("words") is None else call.body
    with call.env.store.transaction() as tx:
        return view_removed_words(wordlists.remove_words(call.env, tx, call.manager, wordlist_id, wire, check=check))


_OF: dict[str, Any] = {"tag": "wordlists", "key": "any"}
_ONE = "/wordlist/{wordlist_id}"
_QUERY_WORD = text(500, 1) | {"pattern": "^[^,]*[^, ][^,]*$"}
_OF_CHANNEL = (Parameter("channelId", text(500), "only the lists of this channel"),)

ENDPOINTS = (
    in_pages(
        Endpoint(
            "GET",
            "/wordlist",
            "listWordlists",
            "List wordlists",
            **_OF,
            run=_list,
            parameters=_OF_CHANNEL,
            gives=items(record(_LISTED)),
        )
    ),
    Endpoint("POST", "/wordlist", "createWordlist", "Create one", **_OF, run=_create, takes=_CREATED, gives=WORDLIST),
    Endpoint("GET", _ONE, "getWordlist", "Get a wordlist", **_OF, run=_get, gives=WORDLIST),
    Endpoint("PUT", _ONE, "updateWordlist", "Change one", **_OF, run=_update, takes=taken(_WRITTEN), gives=WORDLIST),
    Endpoint("DELETE", _ONE, "deleteWordlist", "Delete a wordlist", **_OF, run=_delete, gives=DELETED),
    Endpoint(
        "GET", f"{_ONE}/embedding-status", "getWordlistStatus", "How far it is", **_OF, run=_status, gives=_STATUS
    ),
    Endpoint("POST", f"{_ONE}/words", "addWords", "Add words", **_OF, run=_add, takes=_WORDS, gives=_ADDED),
    Endpoint(
        "DELETE",
        f"{_ONE}/words",
        "removeWords",
        "Remove words",
        **_OF,
        run=_remove,
        takes=taken({"words": _HOW["words"]}),
        parameters=(
            Parameter("words", items(_QUERY_WORD), "where there is no body: repeated, or separated by commas"),
        ),
        gives=_REMOVED,
    ),
)
