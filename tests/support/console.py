"""Members who use the console over HTTP, as a browser without scripts does."""

from __future__ import annotations

import re
from contextlib import ExitStack
from html import unescape
from typing import Any

import pytest

pytest.importorskip("jinja2", reason='needs "seemly[console]"')
pytest.importorskip("argon2", reason='needs "seemly[console]"')

import httpx

from seemly.service.access.sign_in import invite_address
from seemly.service.base.records import Member
from tests.support.service_server import Service

PASSWORD = "correct horse battery"

CLIENTS = ExitStack()
"""What a module's last fixture closes."""

_TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


def show_all(service: Service) -> None:
    """Have the queue that the project came with hold all content, allowed content too."""
    service.call("PUT", f"/queue/{service.call('GET', '/queue')[0]['id']}", {"filter": {}})


class Reviewer:
    """A member in a browser of their own."""

    def __init__(self, service: Service, role: Any = "member", *, join: bool = True) -> None:
        self.service = service
        self.base = f"{service.url}/console"
        self.http = httpx.Client(timeout=30.0, follow_redirects=True)
        CLIENTS.callback(self.http.close)
        self.email = f"{service.new(role)}@example.com"
        with service.env.store.transaction() as tx:
            owner = next(each for each in tx.find(Member) if each.role == "owner")
            name = self.email.partition("@")[0]
            wire = {"email": self.email, "role": role, "name": name}
            invited = invite_address(service.env, tx, owner, wire)
        self.member, self.invitation = invited.member, invited.secret
        if join:
            answer = self.post(f"/welcome/{self.invitation}", {"password": PASSWORD, "again": PASSWORD})
            assert answer.status_code == 200, answer.text

    @property
    def project(self) -> str:
        return f"/p/{self.service.project_id}"

    def get(self, path: str, **more: Any) -> Any:
        return self.http.get(self.base + path, **more)

    def read(self, path: str) -> str:
        """The text of a page, which must be there."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return unescape(answer.text)

    def token(self, path: str) -> str:
        """The token of a page's forms."""
        found = _TOKEN.search(self.get(path).text)
        assert found is not None, path
        return found[1]

    def post(self, path: str, fields: dict[str, Any], page: str | None = None, **more: Any) -> Any:
        """Send a form of a page, which is at the form's own address unless told."""
        data = {"token": self.token(page or path), **fields}
        return self.http.post(self.base + path, data=data, **more)

    def decide(self, item: Any, action: str, **fields: Any) -> Any:
        """Decide on an item from its page."""
        page = f"{self.project}/items/{item.id}"
        wire = {"itemIds": item.id, "actionId": self.action(action), "seen": str(item.resolved_ms or 0), **fields}
        return self.post(f"{self.project}/decide", wire, page)

    def action(self, key: str) -> str:
        """The id of an action of the project, by its key."""
        return str(next(each["id"] for each in self.service.call("GET", "/actions") if each["key"] == key))

    def more_pages(self) -> list[str]:
        """The pages for owners and admins."""
        channel = f"channels/{self.service.channel_id}"
        pages = ("overview", "channels", channel, "wordlists", "webhooks", "settings", "deliveries/none")
        return [*(f"{self.project}/{each}" for each in pages), "/members", "/keys", "/audit"]

    def queue(self) -> str:
        """The path of the project's queue."""
        return f"{self.project}/q/{self.service.call('GET', '/queue')[0]['id']}"
