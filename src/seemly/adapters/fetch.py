"""Fetching what a URL names, for content that is submitted by address: `pip install "seemly[fetch]"`.

Nothing is fetched unless an engine was given a Fetcher.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import httpcore

from seemly.adapters.guard import Resolve, Target, find_target
from seemly.errors import FetchError

__all__ = ["Fetcher"]

_MOVED = frozenset((301, 302, 303, 307, 308))
_HEADERS = (("User-Agent", "seemly"), ("Accept", "*/*"), ("Accept-Encoding", "identity"))


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Gets the bytes behind http and https URLs, and goes nowhere else.

    A host must be on the public internet unless `allow_private`; it is resolved once a request, and the connection goes
    to the address that was checked, also after each of at most `max_redirects` redirects. `timeout` is the longest
    that a whole fetch may take once the host is resolved, in seconds, however slowly the other side talks; `max_bytes`
    the most that it may hold. What a response says of its own type is not looked at. Safe to call from several threads.
    """

    max_bytes: int = 200_000_000
    timeout: float = 30.0
    max_redirects: int = 3
    allow_private: bool = False
    resolve: Resolve | None = field(default=None, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def fetch(self, url: str, max_bytes: int | None = None) -> bytes:
        """The bytes that a URL names, at most `max_bytes` where that is less than the fetcher's own limit.

        Raises FetchError, whose message holds nothing of the URL, for a URL that is not fetched, a host that does not
        answer, an answer other than 200, and one that is too long or too slow.
        """
        room = self.max_bytes if max_bytes is None else min(max_bytes, self.max_bytes)
        ends = self.clock() + self.timeout
        for _ in range(self.max_redirects + 1):
            target = find_target(url, allow_private=self.allow_private, resolve=self.resolve)
            found = self._get(target, room, ends)
            if isinstance(found, bytes):
                return found
            url = urljoin(url, found)
        raise FetchError(f"the URL redirects more than {self.max_redirects} times")

    def _get(self, target: Target, room: int, ends: float) -> bytes | str:
        """The body, or where it has moved to."""
        backend = _Pinned(target, lambda: ends - self.clock())
        try:
            with (
                httpcore.ConnectionPool(network_backend=backend) as pool,
                pool.stream("GET", target.url, headers=[("Host", urlsplit(target.url).netloc), *_HEADERS]) as response,
            ):
                headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
                if response.status in _MOVED and "location" in headers:
                    return headers["location"]
                if response.status != 200:
                    raise FetchError(f"the URL answered with status {response.status}")
                if headers.get("content-encoding", "identity") != "identity":
                    raise FetchError("the URL answered in an encoding that was not asked for")
                return _read(response.iter_stream(), room)
        except httpcore.TimeoutException as error:
            raise FetchError(f"the URL took more than {self.timeout:g} seconds") from error
        except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.UnsupportedProtocol, OSError) as error:
            raise FetchError("the URL could not be fetched") from error


def _read(chunks: Iterable[bytes], room: int) -> bytes:
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > room:
            raise FetchError(f"what the URL names has more than {room:,} bytes")
    return bytes(found)


class _Pinned(httpcore.NetworkBackend):
    """Connects to the target's address whatever its name is, and waits no longer than there is time left."""

    def __init__(self, target: Target, left: Callable[[], float]) -> None:
        self._target = target
        self._left = left
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002  (the name; the address was found when it was checked)
        port: int,
        timeout: float | None = None,  # noqa: ARG002  (what is left of the whole fetch's)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        address = str(self._target.address)
        stream = self._inner.connect_tcp(address, port, _wait(self._left), local_address, socket_options)
        return _Timed(stream, self._left)


class _Timed(httpcore.NetworkStream):
    """A connection, every wait of which is no longer than there is time left."""

    def __init__(self, inner: httpcore.NetworkStream, left: Callable[[], float]) -> None:
        self._inner = inner
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._inner.read(max_bytes, _wait(self._left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._inner.write(buffer, _wait(self._left))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        return _Timed(self._inner.start_tls(ssl_context, server_hostname, _wait(self._left)), self._left)

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


def _wait(left: Callable[[], float]) -> float:
    wait = left()
    if wait <= 0:
        raise httpcore.ReadTimeout
    return wait
