"""A real server for tests: uvicorn on a free port of this machine, over a database file, and a client of it."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')
pytest.importorskip("uvicorn", reason='needs "seemly[server]"')
pytest.importorskip("prometheus_client", reason='needs "seemly[server]"')
pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')
pytest.importorskip("httpx", reason="needs httpx: pip install httpx")

import httpx
import uvicorn

from seemly.adapters.server.app import create_app
from seemly.adapters.server.settings import ServerSettings
from seemly.adapters.store.sql_store import SqlStore
from seemly.service.base import environment
from seemly.service.base.environment import Environment
from seemly.service.base.records import Organization
from seemly.service.management import keys
from seemly.service.management.setup import set_up
from seemly.testing import FakeModels, FakeViewer

MODELS = FakeModels(
    {
        "bad": {"toxicity": 0.97, "insult": 0.9},
        "so so": {"toxicity": 0.6},
        "you\nare bad": {"toxicity": 0.97},
    },
    viewers=[FakeViewer({"nudity": 0.9})],
)
"""They know "bad", "so so", and "are bad" only where "you" came before."""

NO_LIMITS = ServerSettings(tier="fast", management_rate=1_000_000, moderation_rate=1_000_000)


class Clock:
    """The time, and what is added to it."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def __call__(self) -> int:
        return environment.now() + self.ahead_ms


@dataclass
class Service:
    """A server that runs, with one organization, project and channel, and their keys."""

    url: str
    env: Environment
    clock: Clock
    app: Any
    server: Any
    project_id: str
    channel_id: str
    project_key: str
    organization_key: str
    organization_id: str
    webhook_secret: str
    http: Any = field(repr=False)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def send(self, method: str, path: str, body: Any = None, key: str | None = "", **more: Any) -> Any:
        """One request under /v1 with a key: the project's unless told, none where it is None."""
        headers = dict(more.pop("headers", {}))
        if key is not None:
            headers["Authorization"] = f"Bearer {key or self.project_key}"
        if body is not None:
            more["json"] = body
        return self.http.request(method, f"{self.url}/v1{path}", headers=headers, **more)

    def manage(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The JSON that a request with the organization's key is answered with, which must be 200."""
        answer = self.send(method, path, body, self.organization_key, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The JSON that a request with the project's key is answered with, which must be 200."""
        answer = self.send(method, path, body, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def moderate(self, text: str, **more: Any) -> Any:
        """The result of a text."""
        return self.call("POST", "/moderate", {"content": {"type": "text", "text": text}, **more})

    def issue(self, **access: Any) -> keys.Issued:
        """A key of the organization, or with `project_id` of a project, of some access."""
        with self.env.store.transaction() as tx:
            return keys.issue(self.env, tx, self.organization_id, "A key", **access)

    def change_organization(self, **changes: Any) -> None:
        with self.env.store.transaction() as tx:
            found = tx.get(Organization, self.organization_id)
            assert found is not None
            tx.put(replace(found, **changes))

    def all(self, kind: type[Any]) -> list[Any]:
        with self.env.store.read() as tx:
            return tx.find(kind)

    def new(self, prefix: str) -> str:
        """A name that no test used."""
        return f"{prefix}-{next(self.numbers)}"


@contextmanager
def serving(folder: Path, settings: ServerSettings = NO_LIMITS, **more: Any) -> Iterator[Service]:
    """A service over a new database in a folder. `more` is what `create_app` takes; `plan` is the organization's."""
    clock = Clock()
    store = more.pop("store", None) or SqlStore(f"sqlite:///{folder / 'seemly.db'}")
    store.migrate()
    env = Environment(store, clock)
    with store.transaction() as tx:
        made = set_up(env, tx)
    app = create_app(store, settings=settings, env=env, **{"models": MODELS, **more})
    with running(app) as server, httpx.Client(timeout=30.0) as http:
        yield Service(
            url=f"http://127.0.0.1:{server.port}",
            env=app.state.parts.env,
            clock=clock,
            app=app,
            server=server,
            project_id=made.project_id,
            channel_id=made.channel_id,
            project_key=made.project_key,
            organization_key=made.organization_key,
            organization_id=made.organization.id,
            webhook_secret=made.webhook_secret,
            http=http,
        )
    store.close()


@contextmanager
def running(app: Any) -> Iterator[Any]:
    """A server of an application, which is stopped as one is that is told to end."""
    # The protocol is named, without which asyncio leaves the delay of small packets on.
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=20)
        server = uvicorn.Server(config)
        server.port = listening.getsockname()[1]
        thread = threading.Thread(target=server.run, args=([listening],), name="test-server")
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield server
        finally:
            server.should_exit = True
            thread.join()


def issue_paths(answer: Any) -> set[str]:
    """The fields that an error's body complains of."""
    return {each["path"] for each in answer.json().get("issues", ())}


def read_body(answer: Any, status: int, code: str) -> Mapping[str, Any]:
    """An error's body, which must be of that status and code."""
    assert answer.status_code == status, answer.text
    body: Mapping[str, Any] = answer.json()
    assert body["code"] == code
    assert body["message"]
    assert set(body) <= {"code", "message", "issues"}
    return body


class Ids(dict[str, str]):
    """The ids of what a path names, each made by a request when it is first asked for, in a project of its own."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self.service = service

    def __missing__(self, name: str) -> str:
        self[name] = made = getattr(self, f"make_{name}")()
        return made

    def fill(self, value: Any) -> Any:
        """A path or body with ids in the place of their names."""
        if isinstance(value, str):
            return value.format_map(self) if "{" in value else value
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        if isinstance(value, dict):
            return {name: self.fill(each) for name, each in value.items()}
        return value

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """What the project's key is answered."""
        return self.service.call(method, self.fill(path), self.fill(body), key=self["project_key"])

    def manage(self, method: str, path: str, body: Any = None) -> Any:
        """What the organization's key is answered."""
        return self.service.manage(method, self.fill(path), self.fill(body))

    def make_project_id(self) -> str:
        made = self.manage("POST", "/projects", {"name": "Of a test"})
        self["project_key"] = made["secretKey"]
        return str(made["id"])

    def make_project_key(self) -> str:
        self["project_id"]  # which comes with its key
        return self["project_key"]

    def make_channel_id(self) -> str:
        self["channel_key"] = "second"
        body = {"name": "Second", "key": "second", "contentType": "comment"}
        return str(self.manage("POST", "/projects/{project_id}/channels", body)["id"])

    def make_default_channel_id(self) -> str:
        return str(self.manage("GET", "/projects/{project_id}/channels")[0]["id"])

    def make_wordlist_id(self) -> str:
        body = {"channelId": "{channel_id}", "key": "own", "words": ["blorb", "florb"]}
        return str(self.manage("POST", "/wordlist", body)["id"])

    def make_webhook_id(self) -> str:
        body = {"name": "Hook", "url": "http://127.0.0.1:9/hook", "eventTypes": ["author.blocked"]}
        return str(self.manage("POST", "/projects/{project_id}/webhooks", body)["id"])

    def make_delivery_id(self) -> str:
        self["webhook_id"]  # which hears of what is done now
        self.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
        return str(self.manage("GET", "/projects/{project_id}/deliveries")[0]["id"])

    def make_author_id(self) -> str:
        return str(self.call("POST", "/authors", {"external_id": "jo"})["id"])

    def make_action_id(self) -> str:
        return str(self.call("POST", "/actions", {"name": "Warn", "type": "AUTHOR_WARN", "freeText": True})["id"])

    def make_queue_id(self) -> str:
        return str(self.call("GET", "/queue")[0]["id"])

    def make_own_queue_id(self) -> str:
        return str(self.call("POST", "/queue", {"name": "Own"})["id"])

    def make_item_id(self) -> str:
        body = {"content": {"type": "text", "text": "bad"}, "authorId": "jo"}
        return str(self.call("POST", "/moderate", body)["content"]["id"])

    def make_key_id(self) -> str:
        return str(self.manage("POST", "/keys", {"name": "Second"})["id"])

    def make_member_id(self) -> str:
        return str(self.manage("POST", "/members", {"name": "Ann", "email": "ann@example.com"})["id"])
