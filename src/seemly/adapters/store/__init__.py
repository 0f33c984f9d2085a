"""Keep the service's records in SQLite, PostgreSQL or memory.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.adapters.store.memory import MemoryStore
    from seemly.adapters.store.sql_store import SqlStore

_HOME_OF = {
    "MemoryStore": "seemly.adapters.store.memory",
    "SqlStore": "seemly.adapters.store.sql_store",
}

__all__ = ["MemoryStore", "SqlStore"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
