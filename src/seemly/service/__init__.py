"""The moderation service as plain objects over ports: no SQL, no HTTP, no clock or randomness of its own.

Names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.service.base.environment import Environment
    from seemly.service.management.setup import set_up
    from seemly.service.moderation.moderation import Moderation
    from seemly.service.webhooks.signatures import sign, verify_signature

_HOME_OF = {
    "Environment": "seemly.service.base.environment",
    "set_up": "seemly.service.management.setup",
    "Moderation": "seemly.service.moderation.moderation",
    "sign": "seemly.service.webhooks.signatures",
    "verify_signature": "seemly.service.webhooks.signatures",
}

__all__ = ["Environment", "Moderation", "set_up", "sign", "verify_signature"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
