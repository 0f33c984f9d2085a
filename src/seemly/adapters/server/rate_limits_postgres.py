"""Requests counted in PostgreSQL, for several processes of a server that have it anyway."""

from __future__ import annotations

from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from seemly.adapters.store.errors import StoreUnavailableError
from seemly.core.errors import ConfigError

__all__ = ["PostgresCounts"]

_CONNECTIONS = 10
_WAIT_S = 10

_LOCK = "SELECT pg_advisory_xact_lock(hashtext('seemly_rates'))"
"""Of two that make a table at once, the second fails, although it must only be there."""

_TABLE = """\
CREATE UNLOGGED TABLE IF NOT EXISTS seemly_rates (
    name text PRIMARY KEY,
    requests bigint NOT NULL,
    ends_at timestamptz NOT NULL
)"""
"""What a crash of the database empties: a minute's counts are worth no more, and are so counted much faster."""

_COUNT = text("""\
INSERT INTO seemly_rates AS held (name, requests, ends_at)
VALUES (:name, 1, clock_timestamp() + interval '1 minute')
ON CONFLICT (name) DO UPDATE SET
    requests = CASE WHEN held.ends_at <= clock_timestamp() THEN 1 ELSE held.requests + 1 END,
    ends_at = CASE WHEN held.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE held.ends_at END
RETURNING requests, extract(epoch FROM ends_at)""")


class PostgresCounts:
    """Counts requests by name in windows of a minute, each by one statement, in a table that it makes itself.

    Windows begin and end by the clock of the database, which is the same for all. Raises ConfigError for an address
    that is none, and StoreUnavailableError where the database does not answer.
    """

    def __init__(self, address: str) -> None:
        self._engine = _open(address)
        try:
            with self._engine.begin() as connection:
                connection.execute(text(_LOCK))
                connection.execute(text(_TABLE))
        except DBAPIError as error:
            raise StoreUnavailableError("the database of the counters does not answer") from error
        self._counting = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def count(self, name: str) -> tuple[int, float]:
        """Count one request: how many of this name its minute has, and when that ends, in Unix seconds.

        Raises StoreUnavailableError where the database does not answer.
        """
        try:
            return self._try(name)
        except DBAPIError as error:
            # The first to find the connections broken, as by a database that was started anew, finds them all so.
            if not error.connection_invalidated:
                raise StoreUnavailableError("requests cannot be counted now") from error
        except NoConnectionError as error:
            raise StoreUnavailableError("all connections to the database of the counters are in use") from error
        try:
            return self._try(name)
        except DBAPIError as error:
            raise StoreUnavailableError("the database of the counters does not answer") from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _try(self, name: str) -> tuple[int, float]:
        with self._counting.connect() as connection:
            requests, ends_s = connection.execute(_COUNT, {"name": name}).one()
        return requests, float(ends_s)


def _open(address: str) -> Engine:
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
        return create_engine(
            url,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=_WAIT_S,
            connect_args={"connect_timeout": _WAIT_S, "options": "-c statement_timeout=10s"},
            hide_parameters=True,
        )
    except (ArgumentError, ValueError, ModuleNotFoundError) as error:
        raise ConfigError('counters in PostgreSQL need a whole address, and an extra: "seemly[postgres]"') from error
