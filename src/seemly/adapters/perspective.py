"""Answer Perspective API's requests in process: the names of `seemly.adapters.compat.perspective`.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.adapters.compat.perspective import (
        ATTRIBUTES,
        MAX_BYTES,
        MAX_SPANS,
        MAX_TURNS,
        PerspectiveError,
        analyze,
        suggest_score,
    )

_HOME_OF = {
    "ATTRIBUTES": "seemly.adapters.compat.perspective",
    "MAX_BYTES": "seemly.adapters.compat.perspective",
    "MAX_SPANS": "seemly.adapters.compat.perspective",
    "MAX_TURNS": "seemly.adapters.compat.perspective",
    "PerspectiveError": "seemly.adapters.compat.perspective",
    "analyze": "seemly.adapters.compat.perspective",
    "suggest_score": "seemly.adapters.compat.perspective",
}

__all__ = ["ATTRIBUTES", "MAX_BYTES", "MAX_SPANS", "MAX_TURNS", "PerspectiveError", "analyze", "suggest_score"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
