"""The OpenAPI 3.1 description, from the endpoints as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from seemly.adapters.server.endpoint import Endpoint

__all__ = ["VERSION", "describe"]

VERSION = "1.1.0"
"""The version of the interface's description."""

_ERROR = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {"message": {"type": "string"}, "path": {"type": "string"}},
            },
        },
    },
}

_ERRORS = {
    "400": "Invalid input data; `issues` lists everything that is wrong.",
    "401": "The key is missing, invalid or expired.",
    "403": "The key may not do this.",
    "404": "It does not exist, or lies outside what the key reaches.",
    "409": "A key or id is taken already.",
    "413": "The body is too large.",
    "429": "Too many requests, or the quota is spent; Retry-After says when to come back, in seconds.",
    "500": "The server failed.",
    "503": "The server is too busy, or its database is away.",
}


def describe(endpoints: Sequence[Endpoint], prefix: str) -> dict[str, Any]:
    """The description of endpoints that lie under a prefix."""
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(prefix + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "seemly",
            "version": VERSION,
            "description": "Content moderation: probabilities, spans, a recommendation, review queues and webhooks.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    names = re.findall(r"{(\w+)}", endpoint.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in names
    ]
    parameters += [
        {"name": each.name, "in": "query", "required": False, "schema": each.schema, "description": each.what}
        | ({"style": "form", "explode": True} if each.schema.get("type") == "array" else {})
        for each in endpoint.parameters
    ]
    responses: dict[str, Any] = {
        "200": {"description": "Done.", "content": {"application/json": {"schema": endpoint.gives}}}
    }
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    responses |= {status: {"description": what, "content": error} for status, what in _ERRORS.items()}
    operation = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "parameters": parameters,
        "responses": responses,
    }
    if endpoint.takes is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": endpoint.takes}}}
    return operation
