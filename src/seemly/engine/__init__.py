"""A compiled channel, and the way of a submission to its result.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.engine.context import ConversationMemory
    from seemly.engine.engine import Engine, Rejected
    from seemly.engine.explain import Explanation
    from seemly.engine.models import Models
    from seemly.engine.result import MediaResult, ModerationResult, PolicyResult

_HOME_OF = {
    "ConversationMemory": "seemly.engine.context",
    "Engine": "seemly.engine.engine",
    "Rejected": "seemly.engine.engine",
    "Explanation": "seemly.engine.explain",
    "Models": "seemly.engine.models",
    "MediaResult": "seemly.engine.result",
    "ModerationResult": "seemly.engine.result",
    "PolicyResult": "seemly.engine.result",
}

__all__ = [
    "ConversationMemory",
    "Engine",
    "Explanation",
    "MediaResult",
    "Models",
    "ModerationResult",
    "PolicyResult",
    "Rejected",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
