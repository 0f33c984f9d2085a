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
    "text",
]

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
BOOL: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TIME: Schema = {"type": "string", "format": "date-time"}
JSON: Schema = {"type": "object"}
ANY: Schema = {}


def text(most: int, least: int = 0) -> Schema:
    """A text of so many characters."""
    return {"type": "string", "minLength": least, "maxLength": most} if least else {"type": "string", "maxLength": most}


def choice(*values: str) -> Schema:
    """One of some texts."""
    return {"type": "string", "enum": list(values)}


def maybe(schema: Schema) -> Schema:
    """What may also be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def items(schema: Schema, most: int | None = None) -> Schema:
    """A list."""
    return {"type": "array", "items": schema} | ({} if most is None else {"maxItems": most})


def record(fields: Mapping[str, Schema], required: Sequence[str] | None = None, *, closed: bool = False) -> Schema:
    """An object of these fields; all of them are always there unless `required` says which. `closed` has no others."""
    needed = list(fields if required is None else required)
    schema: dict[str, Any] = {"type": "object", "properties": dict(fields)}
    if needed:
        schema["required"] = needed
    if closed:
        schema["additionalProperties"] = False
    return schema
