"""Bringing a database's tables to those of this release, once, however many processes start at the same time."""

from __future__ import annotations

import threading

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from seemly.adapters.store.errors import StoreUnavailableError
from seemly.core.errors import ConfigError

__all__ = ["check_tables", "configure", "upgrade"]

_LOCK = 0x7365656D6C79
"""The number of the lock that PostgreSQL gives to one migrating process at a time: `seemly` in ASCII."""

_ALONE = threading.Lock()
"""Alembic's state is the process's own: threads take turns."""


def configure(connection: Connection) -> Config:
    """What alembic's commands need, to work within the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", "seemly.adapters.store:migrations")
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection) -> None:
    """Apply what is missing, within a transaction that writes: all of it, or nothing. Raises ConfigError where the
    tables are those of a newer release."""
    with _ALONE:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        current, known = _revisions(connection)
        if current is not None and current not in known:
            raise ConfigError("the database's tables are those of a newer release: install that one")
        command.upgrade(configure(connection), "head")


def check_tables(connection: Connection) -> None:
    """Raise StoreUnavailableError where the tables are those of an older release, or missing. Newer ones will do."""
    current, known = _revisions(connection)
    if current is None or current in known[1:]:
        raise StoreUnavailableError("the database lacks a table or column of this release: migrate it")


def _revisions(connection: Connection) -> tuple[str | None, list[str]]:
    """The database's, and those that this release knows, the newest first."""
    known = [each.revision for each in ScriptDirectory.from_config(configure(connection)).walk_revisions()]
    return MigrationContext.configure(connection).get_current_revision(), known
