"""Settings of the whole run, and what several modules start."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.support.postgres import PostgresServer

# Time is for the benchmarks: a busy machine must not fail a test.
settings.register_profile("seemly", deadline=None)
settings.load_profile("seemly")

# A shell starts what it runs in the background with interrupts ignored, which children inherit: tests that interrupt a
# child would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for one module, whose tests may stop and start it."""
    # Imported here, because it needs pwd, which Windows lacks: there the other tests run all the same.
    from tests.support.postgres import NoPostgresError, postgres_server

    try:
        with postgres_server() as running:
            yield running
    except NoPostgresError as error:
        pytest.skip(f"needs a PostgreSQL server: {error}")
