"""Fetch media over HTTP from public addresses: the names of `seemly.adapters.http.fetch`.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.adapters.http.fetch import Fetcher

_HOME_OF = {
    "Fetcher": "seemly.adapters.http.fetch",
}

__all__ = ["Fetcher"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
