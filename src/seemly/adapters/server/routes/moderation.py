"""Moderating content, for project keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Schema
from seemly.adapters.server.routes.channels import CONTENT_TYPE
from seemly.adapters.server.schema import (
    BOOL,
    JSON,
    NUMBER,
    SHARE,
    TEXT,
    WHOLE,
    choice,
    items,
    maybe,
    record,
    taken,
    text,
)
from seemly.core.content import MAX_BASE64, MAX_FIELDS, MAX_TEXT
from seemly.core.errors import SeemlyError
from seemly.policies.builtin import BUILTIN

__all__ = ["ENDPOINTS"]

_URL: Schema = {"type": "string", "pattern": "^([Hh][Tt][Tt][Pp][Ss]?://|[Dd][Aa][Tt][Aa]:)"}
_BASE64 = "^(data:[^,]*,)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_SHORT: Schema = text(MAX_TEXT) | {"description": "A text, as if it were of that type."}
_TEXT = record({"type": choice("text"), "text": text(MAX_TEXT)})
_BY_URL = {kind: record({"type": choice(kind), "url": _URL}) for kind in ("image", "video", "audio")}
_BY_BYTES = record({"type": choice("image"), "data": text(MAX_BASE64) | {"pattern": _BASE64}})
_PART: Schema = {"anyOf": [_SHORT, _TEXT, *_BY_URL.values(), _BY_BYTES]}
_OBJECT = record(
    {
        "type": choice("object"),
        "data": {"type": "object", "additionalProperties": _PART, "minProperties": 1, "maxProperties": MAX_FIELDS},
    }
)
_CLIENT_ACTION = taken(
    {
        "action": choice("review", "allow", "reject"),
        "behavior": choice("override", "escalate"),
        "source": text(100),
        "reason": text(500),
    },
    ["action"],
)
_REQUEST = taken(
    {
        "content": {"anyOf": [_SHORT, _TEXT, *_BY_URL.values(), _BY_BYTES, _OBJECT]},
        "contentId": text(100),
        "channel": text(1_000),
        "authorId": text(1_000),
        "conversationId": text(1_000),
        "metaType": CONTENT_TYPE,
        "metadata": JSON,
        "timestamp": {"type": "number", "minimum": -8.64e15, "maximum": 8.64e15},
        "doNotStore": BOOL,
        "clientAction": _CLIENT_ACTION,
        "policies": items(
            taken({"id": choice(*(each.id for each in BUILTIN)), "flag": BOOL, "threshold": SHARE}, ["id"])
        ),
    },
    ["content"],
)
_MATCH = record(
    {
        "match": TEXT,
        "probability": SHARE,
        "span": {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2},
        "entity_type": TEXT,
        "reasons": items(TEXT),
        "signals": JSON,
    },
    ["match", "probability", "span"],
)
_POLICY = record(
    {
        "id": TEXT,
        "type": choice("classifier", "entity_matcher"),
        "probability": SHARE,
        "flagged": BOOL,
        "flagged_fields": items(TEXT),
        "labels": items(record({"id": TEXT, "probability": SHARE, "flagged": BOOL})),
        "matches": items(_MATCH),
        "data": JSON,
    },
    ["id", "type", "probability", "flagged"],
)
_AUTHOR = record(
    {
        "id": TEXT,
        "external_id": TEXT,
        "status": choice("enabled", "suspended", "blocked"),
        "block": maybe(record({"until": maybe(NUMBER), "reason": maybe(TEXT)})),
        "trust_level": record({"level": WHOLE, "manual": BOOL}),
    }
)
_ERRORS = items(record({"id": TEXT, "message": TEXT}))
RESULT = record(
    {
        "content": record(
            {"id": TEXT, "masked": BOOL, "modified": {}, "unicode_cleaned": BOOL, "transcript": TEXT},
            ["id", "masked", "modified", "unicode_cleaned"],
        ),
        "author": maybe(_AUTHOR),
        "evaluation": record(
            {
                "flagged": BOOL,
                "flag_probability": SHARE,
                "severity_score": SHARE,
                "shadow_flagged": BOOL,
                "unicode_spoofed": BOOL,
            }
        ),
        "recommendation": record(
            {
                "action": choice("allow", "review", "reject"),
                "reason_codes": items(TEXT),
                "matched_rules": items(record({"key": TEXT, "name": maybe(TEXT)})),
            },
            ["action", "reason_codes"],
        ),
        "policies": items(_POLICY),
        "insights": items(record({"id": TEXT, "type": choice("insight"), "value": maybe(TEXT), "probability": SHARE})),
        "meta": record(
            {
                "status": choice("success", "partial_success"),
                "channel_key": TEXT,
                "timestamp": NUMBER,
                "usage": WHOLE,
                "processing_time": TEXT,
            }
        ),
        "errors": _ERRORS,
    }
)
_IMAGE = taken(
    {
        "url": _URL,
        "authorId": text(1_000),
        "contextId": text(1_000),
        "metadata": JSON,
        "doNotStore": BOOL,
    },
    ["url"],
)
_IMAGE_RESULT = record(
    {
        "status": TEXT,
        "contentId": TEXT,
        "request": record({"timestamp": NUMBER, "quota_usage": NUMBER}),
        "flagged": BOOL,
        "labels": items(record({"label": TEXT, "score": SHARE})),
        "texts": items(TEXT),
        "errors": _ERRORS,
    },
    ["status", "request", "flagged", "labels"],
)


def _moderate(call: Call) -> Answer:
    return call.parts.moderation.submit(call.project_id, call.body)


def _moderate_many(calls: Sequence[Call]) -> Sequence[Answer | SeemlyError]:
    return calls[0].parts.moderation.submit_many([(call.project_id, call.body) for call in calls])


def _moderate_image(call: Call) -> Answer:
    return call.parts.moderation.submit_image(call.project_id, call.body)


_OF: dict[str, Any] = {"tag": "moderation", "key": "project", "moderates": True}

ENDPOINTS = (
    Endpoint(
        "POST",
        "/moderate",
        "moderate",
        "Moderate content",
        **_OF,
        run=_moderate,
        run_many=_moderate_many,
        takes=_REQUEST,
        gives=RESULT,
    ),
    Endpoint(
        "POST",
        "/moderate/image",
        "moderateImage",
        "Moderate an image",
        **_OF,
        run=_moderate_image,
        takes=_IMAGE,
        gives=_IMAGE_RESULT,
    ),
)
