"""What organizations use: counted in memory, and written down for many requests at once."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from contextlib import suppress

from seemly.core.errors import NotFoundError, SeemlyError
from seemly.service.base.environment import Environment
from seemly.service.management.accounts import count_units, month_of

__all__ = ["Meter"]

_LOG = logging.getLogger("seemly.metering")


class Meter:
    """Counts the units of organizations that have no quota. Safe to share between threads.

    They are written down by whichever call comes `every_ms` milliseconds after the last writing, and by `flush`; a
    process that is killed loses those that came after. An organization with a quota is counted in the transaction of
    the content itself, by `add_usage`, which cannot pass it.
    """

    def __init__(self, env: Environment, *, every_ms: int = 1_000) -> None:
        self._env = env
        self._every_ms = every_ms
        self._lock = threading.Lock()
        self._units: Counter[tuple[str, str]] = Counter()
        self._flushed_ms = env.now()

    def add(self, organization_id: str, units: int) -> None:
        """Count units of an organization, in this month (UTC)."""
        now_ms = self._env.now()
        with self._lock:
            self._units[organization_id, month_of(now_ms)] += units
            # A clock that was set back must not keep them in memory.
            due = not 0 <= now_ms - self._flushed_ms < self._every_ms
            if due:
                self._flushed_ms = now_ms
        if due:
            self._write_or_keep()

    def flush(self) -> None:
        """Write down what was counted. Raises what the store raises; nothing is lost then."""
        with self._lock:
            units, self._units = self._units, Counter()
        try:
            while units:
                (organization_id, month), count = next(iter(units.items()))
                # An organization that is gone has nothing to count.
                with suppress(NotFoundError), self._env.store.transaction(durable=False) as tx:
                    count_units(tx, organization_id, month, count)
                del units[organization_id, month]
        finally:
            with self._lock:
                self._units.update(units)

    def _write_or_keep(self) -> None:
        try:
            self.flush()
        except SeemlyError as error:
            # The request that it is written with has its answer, which must not fail for this.
            _LOG.warning("the units that were used are kept in memory: %s", type(error).__name__)
