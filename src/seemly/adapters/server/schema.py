"""Short ways to write a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "ANY",
    "BOOL",
    "JSON",
    "NUMBER",
    "SHARE",
    "TEXT",
    "TIME",
    "WHOLE",
    "choice",
    "items",
    "maybe",
    "record",
    "resolve",
    "taken",
    "text",
    "whole",
]

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
BOOL: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
MOMENT: Schema = {"anyOf": [{"type": "string", "format": each} for each in ("date-time", "date")]}
TIME: Schema = {"type": "string", "format": "date-time"}
JSON: Schema = {"type": "object"}
ANY: Schema = {}


def text(most: int, least: int = 0) -> Schema:
    """A text of so many characters."""
    return {"type": "string", "minLength": least, "maxLength": most} if least else {"type": "string", "maxLength": most}


def whole(least: int, most: int) -> Schema:
    """A whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


def choice(*values: str) -> Schema:
    """One of some texts."""
    return {"type": "string", "enum": list(values)}


def maybe(schema: Mapping[str, Any]) -> Schema:
    """What may also be null."""
    if schema == ANY or {"type": "null"} in schema.get("anyOf", ()):
        return dict(schema)
    return {"anyOf": [schema, {"type": "null"}]}


def items(schema: Mapping[str, Any], most: int | None = None, least: int = 0) -> Schema:
    """A list of so many entries."""
    bounds = {"minItems": least or None, "maxItems": most}
    return {"type": "array", "items": schema} | {name: each for name, each in bounds.items() if each is not None}


def record(
    fields: Mapping[str, Mapping[str, Any]], required: Sequence[str] | None = None, *, closed: bool = False
) -> Schema:
    """An object of these fields; all of them are always there unless `required` says which. `closed` has no others."""
    needed = list(fields if required is None else required)
    schema: dict[str, Any] = {"type": "object", "properties": dict(fields)}
    if needed:
        schema["required"] = needed
    if closed:
        schema["additionalProperties"] = False
    return schema


def taken(fields: Mapping[str, Mapping[str, Any]], required: Sequence[str] = ()) -> Schema:
    """An object in a request. Fields that are not required may be null, which is as if they were left out."""
    return record({name: each if name in required else maybe(each) for name, each in fields.items()}, required)


def resolve(schema: Any, parts: Mapping[str, Any]) -> Any:
    """A schema in which what refers to one of `parts`, by its name in `$defs`, is that part itself."""
    if isinstance(schema, list):
        return [resolve(each, parts) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return resolve(parts[schema["$ref"].removeprefix("#/$defs/")], parts)
    return {name: resolve(each, parts) for name, each in schema.items()}
