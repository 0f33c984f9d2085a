"""The OpenAPI 3.1 description, from the endpoints as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from seemly.adapters.server.endpoint import Endpoint, Schema
from seemly.adapters.server.errors import ERROR_TYPES, STATUS

__all__ = ["VERSION", "describe"]

VERSION = "1.1.0"
"""The version of the interface's description."""

_PATH: Schema = {"type": "array", "items": {"type": ["string", "integer"]}}
_ERROR: Schema = {
    "type": "object",
    "required": ["type", "code", "message", "request_id", "doc_url"],
    "properties": {
        "type": {"type": "string", "enum": list(ERROR_TYPES)},
        "code": {"type": "string", "enum": list(STATUS)},
        "message": {"type": "string"},
        "request_id": {"type": "string", "description": "As in the header X-Request-Id."},
        "doc_url": {"type": "string", "description": "The page of this server that explains the code."},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {"message": {"type": "string"}, "path": _PATH},
            },
        },
    },
}

_KEYS: Mapping[str, Schema] = {
    "projectKey": {"type": "http", "scheme": "bearer", "description": "The secret key of a project."},
    "organizationKey": {"type": "http", "scheme": "bearer", "description": "The key of an organization: sk_org_…"},
}
_OPENS: Mapping[str, Sequence[str]] = {
    "project": ["projectKey"],
    "organization": ["organizationKey"],
    "any": ["projectKey", "organizationKey"],
}

_COUNT: Schema = {"type": "integer", "minimum": 0}
_RATES: Mapping[str, tuple[str, Schema]] = {
    "X-RateLimit-Limit": ("How many requests there may be in a minute.", _COUNT),
    "X-RateLimit-Remaining": ("How many of them are left.", _COUNT),
    "X-RateLimit-Reset": ("When the minute ends, in Unix seconds.", _COUNT),
}
_REQUEST_ID: Mapping[str, tuple[str, Schema]] = {
    "X-Request-Id": ("The request's id: the one that was sent, or a new one.", {"type": "string"}),
}
_RETRY: Mapping[str, tuple[str, Schema]] = {"Retry-After": ("When to come back, in seconds.", _COUNT)}
_AUTHENTICATE: Mapping[str, tuple[str, Schema]] = {"WWW-Authenticate": ("Bearer", {"type": "string"})}

_UNCOUNTED = {
    "401": "The key is missing, unknown, expired, rolled or deleted.",
    "403": "The key may not do this; the message says why.",
}
"""What is answered before a request counts against a limit."""

_ANY_TIME = {
    "500": "The server failed.",
    "503": "It took too long.",
}

_ABOUT = """\
Content moderation: probabilities, spans, a recommendation, review queues and webhooks.

Fields of a request that are not described are ignored, and so are query parameters. Outside of content, texts hold no
null characters. In a path, a slash that belongs to an id is sent as %2F."""


_TEXT_OR_TEXTS: Schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {}, "minItems": 1}]}


def _other(name: str, summary: str, body: Schema | None, answers: Mapping[str, str]) -> dict[str, Any]:
    """An operation whose own documents are another service's, or that is no request and answer."""
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "tags": ["compatibility" if body is not None else "voice"],
        "security": [{"projectKey": []}],
        "responses": {status: {"description": what} for status, what in answers.items()},
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation


_ANSWERS = {"200": "As the other service answers.", "default": "As the other service tells of an error."}
_COMMENT: Schema = {"type": "object", "properties": {"text": {"type": "string"}}}

_OTHERS: Mapping[str, dict[str, Any]] = {
    "/v1/moderations": {
        "post": _other(
            "createModeration",
            "Moderate texts and images, as OpenAI does",
            {"type": "object", "required": ["input"], "properties": {"input": _TEXT_OR_TEXTS}},
            _ANSWERS,
        )
    },
    "/v1alpha1/comments:analyze": {
        "post": _other(
            "analyzeComment",
            "Score a comment, as Perspective API does",
            {
                "type": "object",
                "required": ["comment", "requestedAttributes"],
                "properties": {"comment": _COMMENT, "requestedAttributes": {"type": "object"}},
            },
            _ANSWERS,
        )
    },
    "/v1alpha1/comments:suggestscore": {
        "post": _other(
            "suggestCommentScore",
            "Accept a suggested score, as Perspective API does",
            {"type": "object", "properties": {"comment": _COMMENT}},
            _ANSWERS,
        )
    },
    "/v1/stream": {
        "get": _other(
            "openStream",
            "Open a stream of live voice: a WebSocket with the subprotocol seemly.v1",
            None,
            {"101": "The stream is open; its messages are described in the reference."},
        )
    },
}
"""What the server answers beside its endpoints."""


def describe(endpoints: Sequence[Endpoint], prefix: str) -> dict[str, Any]:
    """The description of endpoints that lie under a prefix."""
    paths: dict[str, dict[str, Any]] = dict(_OTHERS)
    for each in endpoints:
        paths.setdefault(prefix + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "seemly",
            "version": VERSION,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"securitySchemes": _KEYS, "schemas": {"Error": _ERROR}},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "security": [{name: []} for name in _OPENS[endpoint.key]],
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint),
    }
    if endpoint.takes is not None:
        content = {"application/json": {"schema": endpoint.takes}}
        operation["requestBody"] = {"required": _needs_body(endpoint.takes), "content": content}
    return operation


def _needs_body(schema: Schema) -> bool:
    return bool(schema.get("required")) or any(_needs_body(each) for each in schema.get("anyOf", ()))


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)}", endpoint.path)
    of_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in names
    ]
    of_query = [
        {"name": each.name, "in": "query", "required": False, "schema": each.schema, "description": each.what}
        | ({"style": "form", "explode": True} if each.schema.get("type") == "array" else {})
        for each in endpoint.parameters
    ]
    return of_path + of_query


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    """What an endpoint can answer."""
    counted = {**_REQUEST_ID, **(_RATES if endpoint.moderates or endpoint.key == "organization" else {})}
    problems = {**_UNCOUNTED, **_ANY_TIME}
    if endpoint.method != "GET" or endpoint.parameters:
        problems["400"] = "Invalid input data; `issues` lists everything that is wrong."
    if endpoint.takes is not None:
        problems |= {
            "409": "A key or id is taken already, or a key was rolled already.",
            "413": "The body is too large.",
        }
    if endpoint.may_be_unseen:
        problems["422"] = (
            "The image could not be looked at: there is no verdict, nothing is stored, nothing is charged."
        )
    if endpoint.key != "any" or "{" in endpoint.path or _names_channel(endpoint):
        problems["404"] = "It does not exist, or lies outside what the key reaches."
    if endpoint.moderates or endpoint.key != "project":
        problems["429"] = "Too many requests, or the quota is spent."
    answers = {str(endpoint.status): _answer("Done.", endpoint.gives, counted)}
    for status in sorted(problems):
        own = {"401": _AUTHENTICATE, "429": _RETRY}.get(status, {})
        headers = _REQUEST_ID if status in (*_UNCOUNTED, *_ANY_TIME) else counted
        answers[status] = _answer(problems[status], {"$ref": "#/components/schemas/Error"}, {**headers, **own})
    return answers


def _names_channel(endpoint: Endpoint) -> bool:
    """Whether a request may name a channel outside its path."""
    of_body = (endpoint.takes or {}).get("properties", {})
    return "channelId" in of_body or any(each.name == "channelId" for each in endpoint.parameters)


def _answer(what: str, schema: Schema, headers: Mapping[str, tuple[str, Schema]]) -> dict[str, Any]:
    told = {
        name: {"description": meaning, "schema": kind, "required": True} for name, (meaning, kind) in headers.items()
    }
    return {"description": what, "headers": told, "content": {"application/json": {"schema": schema}}}
