"""`seemly setup`, `seemly serve` and `seemly worker`: the service on a database."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from seemly.cli.exit_codes import DONE
from seemly.core.errors import ConfigError, ConflictError, ContentError
from seemly.service.base.environment import Environment
from seemly.service.management.accounts import update_member
from seemly.service.management.setup import set_up

if TYPE_CHECKING:
    from seemly.adapters.store.sql_store import SqlStore
    from seemly.adapters.worker import Worker
    from seemly.cli.streams import Console
    from seemly.media.decoding import Fetch

__all__ = ["MISSING", "ServeJob", "open_store", "run_serve", "run_setup", "run_worker"]

_DAY = 86_400.0

MISSING = 'the service needs an extra: pip install "seemly[server]"'
"""What is said where a package of the service is not installed."""


@dataclass(frozen=True, slots=True)
class ServeJob:
    """What a command line says of the service. `smtp` is the address of the server that mail goes through, as
    `SmtpMailer.from_address` takes it; its password can be in the variable SEEMLY_SMTP_PASSWORD. `owner_email`, `plan`
    and `quota` are those of the first organization.
    """

    database: str = "sqlite:///seemly.db"
    host: str = "127.0.0.1"
    port: int = 8000
    tier: str | None = None
    allow_private_targets: bool = False
    worker: bool = True
    counters: str = "memory://"
    smtp: str | None = None
    mail_from: str = "seemly@localhost"
    log: Literal["json", "text"] = "json"
    owner_email: str | None = None
    plan: Literal["standard", "enterprise"] = "enterprise"
    quota: int | None = None
    json: bool = False


def run_setup(job: ServeJob, console: Console) -> int:
    """Make the tables, the first organization and what belongs to it, and write the keys. Raises ConfigError."""
    store = open_store(job.database)
    store.migrate()
    told = _set_up(store, job)
    if told is None:
        raise ConfigError("this database is set up already; its keys were shown then, and are kept nowhere")
    console.write(json.dumps(told) if job.json else "\n".join(f"{name}: {value}" for name, value in told.items()))
    return DONE


def run_serve(job: ServeJob, console: Console) -> int:
    """Serve until interrupted; a new database is set up first, and its keys are written. Raises ConfigError."""
    try:
        import uvicorn

        from seemly.adapters.server.app import create_app
        from seemly.adapters.server.log_format import log_to
        from seemly.adapters.server.settings import ServerSettings
    except ModuleNotFoundError as error:
        raise ConfigError(MISSING) from error
    store = open_store(job.database)
    env = Environment(store)
    # Made first: where something of it cannot work, no database was set up, and no keys were shown, for nothing.
    settings = ServerSettings(tier=job.tier or "cascade", counters=job.counters)
    worker = _make_worker(env, job) if job.worker else None
    app = create_app(store, settings=settings, env=env, worker=worker, fetch=_make_fetch(job))
    store.migrate()
    told = _set_up(store, job)
    if told is not None:
        console.write("a new database; these keys are shown once:")
        for name, value in told.items():
            console.write(f"  {name}: {value}")
    console.tell(f"serving on http://{job.host}:{job.port}/v1, with {job.database.split('://')[0]}")
    log_to(console.stderr, job.log)
    uvicorn.run(
        app,
        host=job.host,
        port=job.port,
        log_config=None,
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
    try:
        from seemly.adapters.server.log_format import log_to
    except ModuleNotFoundError as error:
        raise ConfigError(MISSING) from error
    store = open_store(job.database)
    worker = _make_worker(Environment(store), job)
    store.migrate()
    console.tell("delivering webhooks; stop with Ctrl-C")
    log_to(console.stderr, job.log)
    worker.run(threading.Event())
    return DONE


def open_store(database: str) -> SqlStore:
    """The store of a database's URL. Raises ConfigError."""
    try:
        from seemly.adapters.store.sql_store import SqlStore
    except ModuleNotFoundError as error:
        raise ConfigError(MISSING) from error
    return SqlStore(database)


def _set_up(store: SqlStore, job: ServeJob) -> dict[str, str] | None:
    """What the interface names after setting up; None where that was done before. Raises ConfigError."""
    env = Environment(store)
    try:
        with store.transaction() as tx:
            made = set_up(env, tx)
            tx.put(replace(made.organization, plan=job.plan, quota=job.quota))
            if job.owner_email is not None:
                update_member(env, tx, made.owner, made.owner.id, {"email": job.owner_email})
            return made.to_dict()
    except ConflictError:
        return None
    except ContentError as error:
        raise ConfigError("the first organization cannot be made so", error.issues) from error


def _make_worker(env: Environment, job: ServeJob) -> Worker:
    try:
        from seemly.adapters.http.webhook_sender import HttpSender
        from seemly.adapters.smtp import SmtpMailer
        from seemly.adapters.worker import Job, Worker
    except ModuleNotFoundError as error:
        raise ConfigError(MISSING) from error
    from seemly.service.authors.blocks import lift_expired
    from seemly.service.authors.trust_sweep import raise_levels
    from seemly.service.retention import delete_expired

    password = os.environ.get("SEEMLY_SMTP_PASSWORD", "")
    mailer = None if job.smtp is None else SmtpMailer.from_address(job.smtp, job.mail_from, password)
    jobs = (
        Job("lift suspensions", 5.0, lambda: lift_expired(env)),
        Job("raise trust levels", _DAY / 24, lambda: raise_levels(env)),
        Job("delete what is old", _DAY / 24, lambda: delete_expired(env)),
    )
    return Worker(env, HttpSender(allow_private=job.allow_private_targets), mailer, jobs=jobs)


def _make_fetch(job: ServeJob) -> Fetch | None:
    try:
        from seemly.adapters.http.fetch import Fetcher
    except ModuleNotFoundError:
        return None
    return Fetcher(allow_private=job.allow_private_targets).fetch
