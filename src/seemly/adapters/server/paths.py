"""Paths whose parts may hold a slash, as ids that others chose do, where it is sent as `%2F`."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

__all__ = ["keep_slashes", "read_parts"]


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
