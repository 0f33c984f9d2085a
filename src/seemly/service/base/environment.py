"""What every use case is given: the store, the time, and new ids."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from seemly.service.base.ports import Store

__all__ = ["Environment", "new_id", "new_secret", "now"]


def now() -> int:
    """The time, in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def new_id(prefix: str) -> str:
    """An id that nobody has: the prefix, and 96 random bits in hexadecimal."""
    return f"{prefix}_{secrets.token_hex(12)}"


def new_secret(prefix: str) -> str:
    """A secret that nobody guesses: the prefix, and 256 random bits."""
    return f"{prefix}{secrets.token_urlsafe(32)}"


@dataclass(frozen=True, slots=True)
class Environment:
    """The store, and where time (Unix milliseconds), ids and secrets come from."""

    store: Store
    now: Callable[[], int] = field(default=now, repr=False)
    new_id: Callable[[str], str] = field(default=new_id, repr=False)
    new_secret: Callable[[str], str] = field(default=new_secret, repr=False)
