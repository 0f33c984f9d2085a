"""How many requests a project or an organization may make in a minute."""

from __future__ import annotations

import time
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from seemly.errors import ConfigError, TooManyRequestsError

__all__ = ["Allowance", "RateExceededError", "Rates"]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a limit: of `limit` requests a minute `remaining`, until `reset` (Unix seconds)."""

    limit: int
    remaining: int
    reset: int

    def to_headers(self) -> dict[str, str]:
        """The interface's three headers."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset),
        }


class Rates:
    """Counts requests in windows of a minute, in memory or, for several processes, where `counters` says.

    Raises ConfigError for counters that there are not.
    """

    def __init__(self, counters: str) -> None:
        try:
            storage = storage_from_string(counters)
        except Exception as error:
            raise ConfigError("counters must be memory:// or a redis:// address, with its package installed") from error
        self._limiter = FixedWindowRateLimiter(storage)

    def spend(self, kind: str, owner: str, limit: int) -> Allowance:
        """Count one request of an owner, whose requests of this kind may be `limit` a minute.

        Raises TooManyRequestsError, which says in how many seconds to come back, and carries the allowance.
        """
        item = RateLimitItemPerMinute(limit)
        allowed = self._limiter.hit(item, kind, owner)
        stats = self._limiter.get_window_stats(item, kind, owner)
        allowance = Allowance(limit, max(0, stats.remaining), int(stats.reset_time) + 1)
        if not allowed:
            raise RateExceededError(allowance)
        return allowance


class RateExceededError(TooManyRequestsError):
    """More requests than a minute's limit."""

    def __init__(self, allowance: Allowance) -> None:
        wait = max(1, allowance.reset - int(time.time()))
        super().__init__(f"more than {allowance.limit} requests in a minute: come back in {wait} seconds", wait)
        self.allowance = allowance
