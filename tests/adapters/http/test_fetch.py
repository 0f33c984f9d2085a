"""Fetching, from a real server on loopback."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from seemly.adapters.http import address_guard
from seemly.core.errors import FetchError

pytest.importorskip("httpcore", reason='needs "seemly[fetch]"')

from seemly.adapters.http.fetch import Fetcher

SEEN: list[str] = []


class Site(BaseHTTPRequestHandler):
    """Answers by path."""

    def do_GET(self) -> None:
        SEEN.append(f"{self.headers['Host']} {self.path}")
        kind, _, rest = self.path.strip("/").partition("/")
        if kind == "moved":
            self.reply(302, b"", ("Location", "/" + rest))
        elif kind == "away":
            self.reply(302, b"", ("Location", "http://10.0.0.1/"))
        elif kind == "file":
            self.reply(301, b"", ("Location", "file:///etc/passwd"))
        elif kind == "broken":
            self.reply(302, b"", ("Location", "http://["))
        elif kind == "named":
            self.reply(302, b"", ("Location", "/size/5?grüße".encode().decode("latin-1")))
        elif kind == "size":
            self.reply(200, b"x" * int(rest.partition("?")[0]))
        elif kind == "zipped":
            self.reply(200, b"x", ("Content-Encoding", "gzip"))
        elif kind == "drip":
            self.send_response(200)
            self.end_headers()
            self.drip(b"x")
        elif kind == "slow":
            self.drip(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100)
        elif kind == "liar":
            self.reply(200, b"x" * 10, ("Content-Length", "1000"))
        else:
            self.reply(int(kind), b"gone")

    def reply(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self, data: bytes) -> None:
        try:
            for _ in range(100):
                for at in range(len(data)):
                    self.wfile.write(data[at : at + 1])
                    self.wfile.flush()
                    time.sleep(0.02)
        except OSError:
            return

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


OPEN = Fetcher(allow_private=True, timeout=5.0)


def test_bytes_come_as_they_are(site: str) -> None:
    assert OPEN.fetch(f"{site}/size/1000") == b"x" * 1000
    assert OPEN.fetch(f"{site}/moved/moved/size/3") == b"xxx"


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("size/3?grüße.png", "/size/3?gr%C3%BC%C3%9Fe.png"),
        ("size/4?a b.png", "/size/4?a%20b.png"),
        ("named", "/size/5?gr%C3%BC%C3%9Fe"),
    ],
)
def test_urls_are_quoted_as_browsers_do(site: str, path: str, asked: str) -> None:
    SEEN.clear()
    assert OPEN.fetch(f"{site}/{path}")
    assert SEEN[-1].endswith(f" {asked}")


def test_a_name_in_another_script_is_found(site: str) -> None:
    port = int(site.rsplit(":", 1)[1])
    fetcher = Fetcher(allow_private=True, resolve=lambda _host, _port: ["127.0.0.1"])
    SEEN.clear()
    assert fetcher.fetch(f"http://bücher.example:{port}/size/2") == b"xx"
    assert [f"xn--bcher-kva.example:{port} /size/2"] == SEEN


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("404", "status 404"),
        ("500", "status 500"),
        ("zipped", "encoding"),
        ("liar", "could not be fetched"),
        ("moved/moved/moved/moved/size/3", "redirects more than 3"),
        ("file", "http and https"),
        ("broken", "redirects to one that cannot be read"),
    ],
)
def test_answers_that_are_no_content_are_said(site: str, path: str, why: str) -> None:
    with pytest.raises(FetchError, match=why):
        OPEN.fetch(f"{site}/{path}")


@pytest.mark.parametrize(("limit", "own"), [(999, 10_000), (10_000, 999), (None, 999)])
def test_no_more_is_read_than_there_is_room_for(site: str, limit: int | None, own: int) -> None:
    with pytest.raises(FetchError, match="more than 999 bytes"):
        Fetcher(allow_private=True, max_bytes=own).fetch(f"{site}/size/1000", limit)


@pytest.mark.parametrize("path", ["drip", "slow"])
def test_a_server_that_drips_is_left_when_the_time_is_up(site: str, path: str) -> None:
    began = time.monotonic()
    with pytest.raises(FetchError, match=r"more than 0\.3 seconds"):
        Fetcher(allow_private=True, timeout=0.3).fetch(f"{site}/{path}")
    assert time.monotonic() - began < 3.0


def test_loopback_is_not_fetched_unless_allowed(site: str) -> None:
    with pytest.raises(FetchError, match="public internet"):
        Fetcher().fetch(f"{site}/size/1")


def test_a_redirect_inside_is_not_followed(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_guard, "is_public", lambda address: str(address) == "127.0.0.1")
    assert Fetcher().fetch(f"{site}/moved/size/1") == b"x"
    with pytest.raises(FetchError, match="public internet"):
        Fetcher().fetch(f"{site}/away")


def test_the_connection_goes_to_the_checked_address_under_the_name(site: str) -> None:
    port = int(site.rsplit(":", 1)[1])
    asked: list[str] = []

    def resolve(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    SEEN.clear()
    assert Fetcher(allow_private=True, resolve=resolve).fetch(f"http://name.example:{port}/size/2") == b"xx"
    assert asked == ["name.example"]
    assert [f"name.example:{port} /size/2"] == SEEN


def test_messages_hold_nothing_of_the_url(site: str) -> None:
    with pytest.raises(FetchError) as caught:
        OPEN.fetch(f"{site}/404?token=secret")
    assert "secret" not in str(caught.value)
