"""Channels, for organization keys; what the interface leaves to a dashboard is one address a part."""

from __future__ import annotations

from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Schema
from seemly.adapters.server.routes.projects import DELETED
from seemly.adapters.server.schema import BOOL, TEXT, TIME, choice, items, maybe, record, resolve, taken, text
from seemly.core.channel import Channel
from seemly.service.management import channels
from seemly.service.management.views import view_channel

__all__ = ["CONTENT_TYPE", "ENDPOINTS"]

CONTENT_TYPE = choice("profile", "message", "post", "comment", "event", "product", "review", "voice", "other")

_SETTINGS: dict[str, Schema] = {
    "description": maybe(TEXT),
    "contentType": maybe(CONTENT_TYPE),
    "flaggingMode": choice("ACTIVE", "DRY_RUN"),
    "contextEnabled": BOOL,
    "enableImageModeration": BOOL,
    "enableVideoModeration": BOOL,
    "enableAudioModeration": BOOL,
    "enableVoiceModeration": BOOL,
    "includeTranscriptInResponse": BOOL,
    "transcriptionQuality": choice("SPEED", "BALANCED", "ACCURACY"),
    "unicodeSpoofDetectionEnabled": BOOL,
    "frameCaptureInterval": {"type": "number", "minimum": 0.1, "maximum": 60},
    "maxFramesPerVideo": {"type": "integer", "minimum": 1, "maximum": 1000},
    "spreadFrames": BOOL,
}
CHANNEL = record(
    {
        "id": TEXT,
        "projectId": TEXT,
        "key": TEXT,
        "name": TEXT,
        "isDefault": BOOL,
        **_SETTINGS,
        "createdAt": TIME,
        "updatedAt": TIME,
    },
    closed=True,
)
_WHOLE = Channel.json_schema()
_PARTS = resolve(_WHOLE["properties"], _WHOLE["$defs"])
_WRITTEN = {"name": text(200, 1), "key": text(100, 1), "isDefault": BOOL, **_SETTINGS, "description": text(2_000)}


def _list(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return [view_channel(each) for each in channels.list_channels(tx, call.key, call.id_of("project_id"))]


def _get(call: Call) -> Answer:
    with call.env.store.read() as tx:
        return view_channel(channels.get_channel(tx, call.key, call.id_of("channel_id")))


def _create(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_channel(channels.create_channel(call.env, tx, call.key, call.id_of("project_id"), call.body))


def _update(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_channel(channels.update_channel(call.env, tx, call.key, call.id_of("channel_id"), call.body))


def _duplicate(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return view_channel(channels.duplicate_channel(call.env, tx, call.key, call.id_of("channel_id"), call.body))


def _delete(call: Call) -> Answer:
    with call.env.store.transaction() as tx:
        return {"deleted": True, "id": channels.delete_channel(call.env, tx, call.key, call.id_of("channel_id")).id}


def _part_endpoints(part: channels.Part) -> tuple[Endpoint, Endpoint]:
    """Reading and putting one part of a channel."""

    def get(call: Call) -> Answer:
        with call.env.store.read() as tx:
            return {part: channels.get_part(tx, call.key, call.id_of("channel_id"), part)}

    def put(call: Call) -> Answer:
        with call.env.store.transaction() as tx:
            value = call.body.get(part)
            channels.put_part(
                call.env, tx, call.key, call.id_of("channel_id"), part, value, check=call.parts.check_channel
            )
            return {part: channels.get_part(tx, call.key, call.id_of("channel_id"), part)}

    path, name = f"{_ONE}/{part}", part[0].upper() + part[1:]
    shape = record({part: _PARTS[part]})
    return (
        Endpoint("GET", path, f"getChannel{name}", f"Get a channel's {part}", **_OF, run=get, gives=shape),
        Endpoint("PUT", path, f"putChannel{name}", f"Put a channel's {part}", **_OF, run=put, takes=shape, gives=shape),
    )


_OF: dict[str, Any] = {"tag": "channels", "key": "organization"}
_ONE, _ALL = "/channels/{channel_id}", "/projects/{project_id}/channels"

ENDPOINTS = (
    Endpoint("GET", _ALL, "listChannels", "List a project's channels", **_OF, run=_list, gives=items(CHANNEL)),
    Endpoint(
        "POST",
        _ALL,
        "createChannel",
        "Create a channel",
        **_OF,
        run=_create,
        takes=taken(_WRITTEN, ["name"]),
        gives=CHANNEL,
    ),
    Endpoint("GET", _ONE, "getChannel", "Get a channel", **_OF, run=_get, gives=CHANNEL),
    Endpoint(
        "PUT", _ONE, "updateChannel", "Update a channel", **_OF, run=_update, takes=taken(_WRITTEN), gives=CHANNEL
    ),
    Endpoint("DELETE", _ONE, "deleteChannel", "Delete a channel", **_OF, run=_delete, gives=DELETED),
    Endpoint(
        "POST",
        f"{_ONE}/duplicate",
        "duplicateChannel",
        "Duplicate a channel within its project",
        **_OF,
        run=_duplicate,
        takes=taken({"name": text(200, 1), "key": text(100, 1)}),
        gives=CHANNEL,
    ),
    *(endpoint for part in channels.PARTS for endpoint in _part_endpoints(part)),
)
