"""Fetching what a URL names, for content that is submitted by address: `pip install "seemly[fetch]"`.

Nothing is fetched unless an engine was given a Fetcher.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import httpcore

from seemly.adapters.http.address_guard import Resolve, Target, find_target
from seemly.adapters.http.pinned_connection import Pinned
from seemly.core.errors import FetchError

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
            url = _follow(url, found)
        raise FetchError(f"the URL redirects more than {self.max_redirects} times")

    def _get(self, target: Target, room: int, ends: float) -> bytes | str:
        """The body, or where it has moved to."""
        backend = Pinned(target, lambda: ends - self.clock())
        try:
            with (
                httpcore.ConnectionPool(network_backend=backend) as pool,
                pool.stream("GET", target.url, headers=[("Host", urlsplit(target.url).netloc), *_HEADERS]) as response,
            ):
                headers = {
                    name.decode("latin-1").lower(): value.decode(errors="replace") for name, value in response.headers
                }
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


def _follow(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise FetchError("the URL redirects to one that cannot be read") from error


def _read(chunks: Iterable[bytes], room: int) -> bytes:
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > room:
            raise FetchError(f"what the URL names has more than {room:,} bytes")
    return bytes(found)
