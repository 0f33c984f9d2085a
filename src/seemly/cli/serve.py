"""`seemly setup`, `seemly serve` and `seemly worker`: the service on a database."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.cli.codes import DONE
from seemly.errors import ConfigError
from seemly.service.environment import Environment

if TYPE_CHECKING:
    from seemly.adapters.store.sql import SqlStore
    from seemly.adapters.worker import Worker
    from seemly.cli.console import Console
    from seemly.decode import Fetch

__all__ = ["ServeJob", "run_serve", "run_setup", "run_worker"]

_DAY = 86_400.0
_MISSING = 'the service needs an extra: pip install "seemly[server]"'


@dataclass(frozen=True, slots=True)
class ServeJob:
    """What a command line says of the service. `smtp` is host:port of the server that mail goes through."""

    database: str = "sqlite:///seemly.db"
    host: str = "127.0.0.1"
    port: int = 8000
    tier: str | None = None
    allow_private_targets: bool = False
    worker: bool = True
    counters: str = "memory://"
    smtp: str | None = None
    mail_from: str = "seemly@localhost"
    json: bool = False


def run_setup(job: ServeJob, console: Console) -> int:
    """Make the tables, the first organization and what belongs to it, and write the keys. Raises ConfigError."""
    store = _open_store(job)
    told = _set_up(store)
    if told is None:
        raise ConfigError("this database is set up already; its keys were shown then, and are kept nowhere")
    console.write(json.dumps(told) if job.json else "\n".join(f"{name}: {value}" for name, value in told.items()))
    return DONE


def run_serve(job: ServeJob, console: Console) -> int:
    """Serve until interrupted; a new database is set up first, and its keys are written. Raises ConfigError."""
    try:
        import uvicorn

        from seemly.adapters.server.app import create_app
        from seemly.adapters.server.settings import ServerSettings
    except ModuleNotFoundError as error:
        raise ConfigError(_MISSING) from error
    store = _open_store(job)
    told = _set_up(store)
    if told is not None:
        console.write("a new database; these keys are shown once:")
        for name, value in told.items():
            console.write(f"  {name}: {value}")
    settings = ServerSettings(tier=job.tier or "cascade", counters=job.counters)
    env = Environment(store)
    worker = _make_worker(env, job) if job.worker else None
    app = create_app(store, settings=settings, env=env, worker=worker, fetch=_make_fetch(job))
    console.tell(f"serving on http://{job.host}:{job.port}/v1, with {job.database.split('://')[0]}")
    uvicorn.run(
        app,
        host=job.host,
        port=job.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=30,
        ws_max_size=1 << 20,
        # A client that sends faster than speech keeps its pongs waiting behind its sound.
        ws_ping_timeout=None,
    )
    return DONE


def run_worker(job: ServeJob, console: Console) -> int:
    """Deliver webhooks until interrupted. Raises ConfigError."""
    worker = _make_worker(Environment(_open_store(job)), job)
    console.tell("delivering webhooks; stop with Ctrl-C")
    worker.run(threading.Event())
    return DONE


def _open_store(job: ServeJob) -> SqlStore:
    try:
        from seemly.adapters.store.sql import SqlStore
    except ModuleNotFoundError as error:
        raise ConfigError(_MISSING) from error
    store = SqlStore(job.database)
    store.migrate()
    return store


def _set_up(store: SqlStore) -> dict[str, str] | None:
    """What the interface names after setting up; None where that was done before."""
    from seemly.errors import ConflictError
    from seemly.service.setup import set_up

    try:
        with store.transaction() as tx:
            return set_up(Environment(store), tx).to_dict()
    except ConflictError:
        return None


def _make_worker(env: Environment, job: ServeJob) -> Worker:
    try:
        from seemly.adapters.mail import SmtpMailer
        from seemly.adapters.webhooks import HttpSender
        from seemly.adapters.worker import Job, Worker
    except ModuleNotFoundError as error:
        raise ConfigError(_MISSING) from error
    from seemly.service.blocks import lift_expired
    from seemly.service.retention import delete_expired

    host, _, port = (job.smtp or "").partition(":")
    mailer = SmtpMailer(host, int(port or 25), job.mail_from, security="none") if host else None
    jobs = (
        Job("lift suspensions", 5.0, lambda: lift_expired(env)),
        Job("delete what is old", _DAY / 24, lambda: delete_expired(env)),
    )
    return Worker(env, HttpSender(allow_private=job.allow_private_targets), mailer, jobs=jobs)


def _make_fetch(job: ServeJob) -> Fetch | None:
    try:
        from seemly.adapters.fetch import Fetcher
    except ModuleNotFoundError:
        return None
    return Fetcher(allow_private=job.allow_private_targets).fetch
