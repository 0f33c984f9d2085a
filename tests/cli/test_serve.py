"""The command line of the service: what sets it up, serves it, and manages it on its database."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')
pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')
pytest.importorskip("httpx", reason="needs httpx: pip install httpx")

import httpx

import seemly as package
from seemly.adapters.server.routes import ENDPOINTS
from seemly.adapters.store.sql_store import SqlStore
from seemly.cli.operations import OPERATIONS
from seemly.service.base.records import Member, Organization
from tests.support.cli_console import Outcome, seemly

ROOT = str(Path(package.__file__).parents[1])

Manage = Callable[..., Any]


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'seemly.db'}"


@pytest.fixture
def made(database: str) -> dict[str, str]:
    """What setting up printed."""
    [row] = seemly("setup", "--database", database, "--json").rows
    return row


@pytest.fixture
def manage(database: str, made: dict[str, str]) -> Manage:
    """What a command on the database writes; it must succeed."""

    def run(group: str, *words: str) -> Any:
        outcome = seemly(group, "--database", database, *words)
        assert outcome.code == 0, outcome.stderr
        return json.loads(outcome.stdout)

    return run


def refused(database: str, *words: str) -> Outcome:
    outcome = seemly(words[0], "--database", database, *words[1:])
    assert (outcome.code, outcome.stdout) == (2, "")
    return outcome


def read_all(database: str, kind: type[Any]) -> list[Any]:
    store = SqlStore(database)
    with store.read() as tx:
        found = tx.find(kind)
    store.close()
    return found


def test_setting_up_with_an_owner_a_plan_and_a_quota(database: str) -> None:
    options = ("--owner-email", "owner@acme.example", "--plan", "standard", "--quota", "1000")
    [row] = seemly("setup", "--database", database, "--json", *options).rows
    assert set(row) == {"organizationKey", "projectKey", "projectId", "channelId", "webhookSecret"}
    [owner] = read_all(database, Member)
    assert (owner.role, owner.email) == ("owner", "owner@acme.example")
    [organization] = read_all(database, Organization)
    assert (organization.plan, organization.quota) == ("standard", 1000)
    assert "set up already" in refused(database, "setup").stderr


def test_an_address_that_is_none_sets_nothing_up(database: str) -> None:
    assert "e-mail" in refused(database, "setup", "--owner-email", "acme").stderr
    assert read_all(database, Organization) == []


@pytest.mark.parametrize(
    "options",
    [
        ("--counters", "nowhere://"),
        ("--counters", "postgresql://127.0.0.1:1/none"),
        ("--counters", "redis://127.0.0.1:1"),
        ("--tier", "none"),
        ("--smtp", "gopher://mail.example"),
    ],
)
def test_what_cannot_be_served_is_told_before_a_database_is_set_up(options: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "seemly.db"
    refused(f"sqlite:///{file}", "serve", *options)
    assert not file.exists() or not file.stat().st_size


def test_a_server_logs_lines_of_json_that_hold_no_content(database: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    child = subprocess.Popen(
        [sys.executable, "-m", "seemly", "serve", "--database", database, "--port", str(port), "--tier", "fast"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}")
        answer = httpx.post(
            f"http://127.0.0.1:{port}/v1/moderate", json={"content": "zyxxyz"}, headers={"X-Request-Id": "mine"}
        )
        assert answer.status_code == 401
    finally:
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=60)
    assert b"projectKey: proj_" in stdout
    first, *lines = stderr.decode().splitlines()
    assert "serving on" in first
    rows = [json.loads(line) for line in lines]
    [row] = [each for each in rows if each.get("request_id") == "mine"]
    assert row["time"].endswith("+00:00")
    assert (row["logger"], row["level"]) == ("seemly.access", "info")
    assert (row["method"], row["route"], row["status"]) == ("POST", "/v1/moderate", 401)
    assert row["ms"] > 0
    assert b"zyxxyz" not in stderr


def wait_until_ready(url: str) -> None:
    for _ in range(600):
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("it did not become ready")


def test_every_operation_is_an_endpoint_that_manages() -> None:
    managing = {each.name for each in ENDPOINTS if each.key != "project"}
    named = [name for operations in OPERATIONS.values() for name in operations.values()]
    assert set(named) <= managing
    assert len(set(named)) == len(named)


def test_keys_are_listed_made_rolled_and_deleted(manage: Manage, made: dict[str, str]) -> None:
    key = manage("keys", "create", "name=CI", "projects=read", "expiresInDays=30")
    assert key["secret"].startswith("sk_org_")
    assert key["projects"] == "read"
    second = manage("keys", "create-for-project", made["projectId"], "name=Second")
    assert second["secret"].startswith("proj_")
    rolled = manage("keys", "roll", key["id"], "delay=1h")
    assert manage("keys", "delete", second["id"]) == {"deleted": True, "id": second["id"]}
    listed = {each["id"]: each for each in manage("keys", "list")}
    assert second["id"] not in listed
    assert listed[key["id"]]["stopsAt"] < listed[rolled["id"]]["expiresAt"]
    log = manage("keys", "activity", "limit=4")
    assert [(each["what"], each["keyId"]) for each in log] == [
        (what, "cli") for what in ("key.deleted", "key.rolled", "key.created", "key.created")
    ]


def test_the_parts_of_a_channel_are_read_and_written(manage: Manage, made: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "policies.json"
    file.write_text(json.dumps([{"id": "toxicity", "threshold": 0.9}]), encoding="utf-8")
    told = manage("channels", "put-policies", made["channelId"], f"policies=@{file}")
    assert manage("channels", "get-policies", made["channelId"]) == told
    assert [each["threshold"] for each in told["policies"] if each["id"] == "toxicity"] == [0.9]
    assert manage("channels", "put-triage", made["channelId"], "triage=strict")
    assert manage("channels", "get-rules", made["channelId"]) == {"rules": []}
    [channel] = manage("channels", "list", made["projectId"])
    assert channel["id"] == made["channelId"]


def test_wordlists_and_webhooks_are_managed(manage: Manage, made: dict[str, str]) -> None:
    words = manage("wordlists", "create", f"channelId={made['channelId']}", "key=own", 'words=["grawlix"]')
    assert manage("wordlists", "add-words", words["id"], 'words=["blorb"]')["totalCount"] == 2
    assert manage("wordlists", "get", words["id"])["words"] == ["grawlix", "blorb"]
    hook = ("name=H", "url=https://example.com/h", 'eventTypes=["author.action"]')
    assert manage("webhooks", "create", made["projectId"], *hook)["enabled"]
    assert manage("webhooks", "secret", made["projectId"]) == {"secret": made["webhookSecret"]}
    assert manage("events", "log", made["projectId"], "limit=5") == []
    assert manage("events", "deliveries", made["projectId"], "state=failed") == []


def test_the_organization_and_its_members(manage: Manage) -> None:
    [owner] = manage("members", "list")
    assert manage("members", "update", owner["id"], "email=owner@acme.example")["email"] == "owner@acme.example"
    assert manage("organization")["quota"] is None
    changed = manage("organization", "--quota", "500", "--plan", "standard", "--name", "Acme")
    assert (changed["quota"], changed["plan"], changed["name"]) == (500, "standard", "Acme")
    assert manage("organization", "--quota", "none")["quota"] is None


def test_a_project_is_exported_without_its_secrets(database: str, made: dict[str, str]) -> None:
    outcome = seemly("export", "--database", database, made["projectId"])
    assert {row["kind"] for row in outcome.rows} >= {"Project", "ChannelRecord", "Queue", "Action"}
    assert not any(secret in outcome.stdout for name, secret in made.items() if name.endswith(("Key", "Secret")))
    assert "no such project" in refused(database, "export", "none").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("keys", "roll"), "this takes key_id first"),
        (("keys", "roll", "delay=now"), "this takes key_id first"),
        (("keys", "roll", "none"), "this key does not exist"),
        (("keys", "create", "name=K", "colour=red"), "channels=…, expiresInDays=…, name=…"),
        (("keys", "create", "name=K", "projects=all"), "projects: must be one of"),
        (("keys", "activity", "limit=0"), "limit: must be a whole number"),
        (("wordlists", "create", "words=@nowhere.json"), "nowhere.json is no file of JSON"),
        (("organization", "--quota", "many"), "the quota is a whole number"),
    ],
)
def test_what_cannot_be_done_is_told(words: tuple[str, ...], told: str, database: str, made: dict[str, str]) -> None:
    assert told in refused(database, *words).stderr


def test_a_database_that_is_not_set_up_is_told(database: str) -> None:
    SqlStore(database).migrate()
    assert "seemly setup" in refused(database, "keys", "list").stderr
