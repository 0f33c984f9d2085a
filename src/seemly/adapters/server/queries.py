"""The parameters of a request's query, as their schemas have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from seemly.adapters.server.endpoint import Endpoint
from seemly.errors import ContentError, Issue

__all__ = ["read_query"]

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
