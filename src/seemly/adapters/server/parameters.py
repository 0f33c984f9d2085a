"""Read path and query parameters of a request."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from seemly.adapters.server.endpoint import Endpoint
from seemly.core.errors import ContentError, Issue

__all__ = ["keep_slashes", "read_parts", "read_query"]


def keep_slashes(scope: MutableMapping[str, Any]) -> None:
    """Have routes see the parts of a path as they were sent: a slash within a part does not end it.

    ASGI decodes the path as a whole, after which `%2F` cannot be told from `/`.
    """
    raw: bytes = scope.get("raw_path") or b""
    if b"%" in raw:
        parts = (unquote(part) for part in raw.decode("latin-1").split("/"))
        scope["path"] = "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)
        scope["seemly.parts"] = True


def read_parts(scope: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a path that a route matched."""
    found: dict[str, str] = scope["path_params"]
    if not scope.get("seemly.parts"):
        return dict(found)
    return {name: value.replace("%2F", "/").replace("%25", "%") for name, value in found.items()}


_LONGEST = 500


def read_query(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """The parameters that an endpoint knows; others are ignored. Raises ContentError with every one that is wrong."""
    found: dict[str, Any] = {}
    issues: list[Issue] = []
    for each in endpoint.parameters:
        values = request.query_params.getlist(each.name)
        if not values:
            continue
        try:
            found[each.name] = _read_values(each.schema, values)
        except ValueError as error:
            issues.append(Issue(each.name, str(error)))
    if issues:
        raise ContentError("invalid input data", issues)
    return found


def _read_values(schema: Mapping[str, Any], values: list[str]) -> Any:
    if schema.get("type") == "array":
        return [_read_value(schema["items"], part) for value in values for part in value.split(",") if part]
    return _read_value(schema, values[-1])


def _read_value(schema: Mapping[str, Any], value: str) -> Any:
    kind = schema.get("type")
    if kind == "boolean":
        if value not in ("true", "false"):
            raise ValueError("must be true or false")
        return value == "true"
    if kind == "integer":
        return _read_number(schema, value)
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError(f"must be one of {', '.join(schema['enum'])}")
    if len(value) > _LONGEST or "\0" in value:
        raise ValueError(f"must have at most {_LONGEST} characters, none of them null")
    return value


def _read_number(schema: Mapping[str, Any], value: str) -> int:
    low, high = schema["minimum"], schema["maximum"]
    if not (value.isascii() and value.isdigit()) or not low <= int(value[:20]) <= high:
        raise ValueError(f"must be a whole number from {low} to {high}")
    return int(value)
