"""A PostgreSQL server for the length of a test run, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class NoPostgresError(Exception):
    """There is no server to be had; the message says why."""


class PostgresServer:
    """A server on a free port of the loopback and a socket in its folder, which `stop` and `start` take down and up."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs = programs
        self._folder = folder
        self._user = user
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        arguments = ["--auth=trust", "--username=seemly", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._run("initdb", *arguments)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        # Nothing here has to outlive a power cut.
        options = f"-c port={self.port} -c listen_addresses=127.0.0.1 -k {self._folder} -c fsync=off"
        self._run("pg_ctl", "start", "-w", "-t", "60", "-s", "-l", str(self._folder / "log"), "-o", options)

    def stop(self) -> None:
        """Stop it at once, and break all connections."""
        self._run("pg_ctl", "stop", "-w", "-s", "-m", "immediate")

    def create(self, database: str) -> str:
        """Create a database. Returns its URL, on the loopback."""
        self._run("createdb", "-h", str(self._folder), "-p", str(self.port), "-U", "seemly", database, data=False)
        return f"postgresql://seemly@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str) -> str:
        """The URL of a database, on the socket."""
        return f"postgres://seemly@/{database}?host={self._folder}&port={self.port}"

    def _run(self, program: str, *arguments: str, data: bool = True) -> None:
        where = ["-D", str(self._folder / "data")] if data else []
        done = subprocess.run(
            [str(self._programs / program), *where, *arguments],
            user=self._user,
            group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
            extra_groups=None if self._user is None else [],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"},
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode:
            raise NoPostgresError(f"{program} failed: {done.stderr.strip()[-300:]}")


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A running server. Raises NoPostgresError where there is none."""
    user = _find_user()
    folder = Path(tempfile.mkdtemp(prefix="seemly-pg-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        server = PostgresServer(_find_programs(), folder, user)
        server.start()
        try:
            yield server
        finally:
            with suppress(NoPostgresError):
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _find_programs() -> Path:
    on_path = shutil.which("initdb")
    candidates = [Path(on_path).resolve().parent] if on_path else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in candidates:
        if all((folder / name).exists() for name in ("initdb", "pg_ctl", "createdb", "postgres")):
            return folder
    raise NoPostgresError("no PostgreSQL is installed: neither on the PATH nor in /usr/lib/postgresql")


def _find_user() -> str | None:
    """Whom the server runs as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise NoPostgresError("the tests run as root, and there is no user postgres or nobody to run PostgreSQL as")
