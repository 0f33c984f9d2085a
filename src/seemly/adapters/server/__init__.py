"""Serve moderation over HTTP: `create_app(store)` makes the ASGI application.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.adapters.server.app import create_app

_HOME_OF = {
    "create_app": "seemly.adapters.server.app",
}

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
