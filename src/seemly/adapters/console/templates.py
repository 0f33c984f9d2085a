"""The templates of pages: Jinja2, every value escaped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["find_static", "render", "version_of"]

_HERE = Path(__file__).parent
_STATIC = _HERE / "static"

_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page."""
    return _templates().get_template(template).render(values)


@cache
def find_static(name: str) -> tuple[bytes, str] | None:
    """A file that pages use, and its type; None where there is no such file."""
    known = {each.name: each for each in _STATIC.iterdir() if each.suffix in _TYPES}
    return (known[name].read_bytes(), _TYPES[known[name].suffix]) if name in known else None


@cache
def version_of(name: str) -> str:
    """What the address of a file ends with, so that a new release's is not taken from a browser's cache."""
    found = find_static(name)
    return hashlib.sha256(found[0]).hexdigest()[:12] if found else ""


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("seemly.adapters.console", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"time": _tell_time, "iso": _tell_iso, "percent": _tell_percent, "ago": _tell_span, "words": _words}
    made.globals["version_of"] = version_of
    return made


def _tell_time(at_ms: int | None) -> str:
    return "" if at_ms is None else datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _tell_iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")


def _tell_percent(share: float) -> str:
    """A share as a percentage, never rounded up to all or down to nothing."""
    value = round(100 * share)
    if value == 100 and share < 1:
        return "over 99 %"
    return "under 1 %" if value == 0 and share > 0 else f"{value} %"


def _tell_span(length_ms: int) -> str:
    """A length of time in its largest unit."""
    seconds = max(0, length_ms // 1000)
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {name}"
    return f"{seconds} s"


def _words(name: str) -> str:
    """An id such as `personal_information` as words."""
    return name.replace("_", " ").replace(":", ": ")
