"""How many requests a project or an organization may make in a minute."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from limits.storage import Storage, storage_from_string

from seemly.adapters.store.errors import StoreUnavailableError
from seemly.core.errors import ConfigError, NotFoundError, TooManyRequestsError
from seemly.service.base.records import Project

if TYPE_CHECKING:
    from seemly.adapters.server.state import Parts

__all__ = ["Allowance", "RateExceededError", "Rates", "count_moderation"]

_WINDOW_S = 60


class _Counts(Protocol):
    """Where requests are counted by name, in windows of a minute."""

    def count(self, name: str) -> tuple[int, float]:
        """Count one: how many of this name its window has, and when that ends, in Unix seconds."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


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

    Raises ConfigError for counters that there are not, and StoreUnavailableError where they do not answer.
    """

    def __init__(self, counters: str) -> None:
        self._counts = _open(counters)

    def spend(self, kind: str, owner: str, limit: int) -> Allowance:
        """Count one request of an owner, whose requests of this kind may be `limit` a minute.

        Raises RateExceededError, which says in how many seconds to come back, and carries the allowance, and
        StoreUnavailableError.
        """
        count, ends_s = self._counts.count(f"{kind}/{owner}")
        allowance = Allowance(limit, max(0, limit - count), math.ceil(ends_s))
        if count > limit:
            raise RateExceededError(allowance, max(1, math.ceil(ends_s - time.time())))
        return allowance

    def close(self) -> None:
        """Close the connections to where requests are counted."""
        self._counts.close()


class RateExceededError(TooManyRequestsError):
    """More requests than a minute's limit."""

    def __init__(self, allowance: Allowance, wait: int) -> None:
        super().__init__(f"more than {allowance.limit} requests in a minute: come back in {wait} seconds", wait)
        self.allowance = allowance


def count_moderation(parts: Parts, project_id: str) -> tuple[Project, Allowance]:
    """Count a request to moderate in a project, by the project's own limit or, where it has none, the server's.

    Raises NotFoundError, RateExceededError, StoreUnavailableError.
    """
    with parts.env.store.read() as tx:
        project = tx.get(Project, project_id)
    if project is None:
        raise NotFoundError("the project of this key is gone")
    limit = project.rate_limit or parts.settings.moderation_rate
    return project, parts.rates.spend("moderation", project.id, limit)


class _StorageCounts:
    """Counts in a storage of the library `limits`. Raises StoreUnavailableError where that does not answer."""

    def __init__(self, storage: Storage) -> None:
        if not storage.check():
            raise StoreUnavailableError("the store of the counters does not answer")
        self._storage = storage

    def count(self, name: str) -> tuple[int, float]:
        key = f"seemly/{name}"
        try:
            return self._storage.incr(key, _WINDOW_S), self._storage.get_expiry(key)
        except self._storage.base_exceptions as error:
            raise StoreUnavailableError("requests cannot be counted now") from error

    def close(self) -> None:
        pass


def _open(counters: str) -> _Counts:
    if counters.startswith(("postgresql://", "postgres://")):
        from seemly.adapters.server.rate_limits_postgres import PostgresCounts

        return PostgresCounts(counters)
    try:
        storage = storage_from_string(counters)
    except Exception as error:
        raise ConfigError(
            'counters must be memory://, or an address with its extra: postgresql:// ("seemly[postgres]") or redis:// '
            '("seemly[redis]")'
        ) from error
    if not isinstance(storage, Storage):
        raise ConfigError("counters must not be async+ addresses: requests are counted in threads")
    return _StorageCounts(storage)
