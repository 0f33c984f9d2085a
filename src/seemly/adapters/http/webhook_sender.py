"""Posting events to webhooks: `pip install "seemly[fetch]"`."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import httpcore

from seemly.adapters.http.address_guard import Resolve, find_target
from seemly.adapters.http.pinned_connection import Pinned
from seemly.core.errors import FetchError
from seemly.service.webhooks.delivery import Answer

__all__ = ["HttpSender"]


@dataclass(frozen=True, slots=True)
class HttpSender:
    """Posts to http and https URLs, and goes nowhere else.

    A host must be on the public internet unless `allow_private`; it is resolved once, and the connection goes to the
    address that was checked. No redirect is followed. `timeout` is how many seconds there are for everything, however
    slowly the other side talks; only a name that is being resolved is waited for as long as the system does. `max_body`
    is how many bytes of the answer's body are read. Safe to call from several threads.
    """

    timeout: float = 5.0
    max_body: int = 16_384
    allow_private: bool = False
    resolve: Resolve | None = field(default=None, repr=False)
    context: ssl.SSLContext = field(default_factory=httpcore.default_ssl_context, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """What the URL answers, whatever the status.

        An answer counts once its status is there; of its body is kept what comes in time. Raises FetchError, whose
        message holds nothing of the URL, for a URL that is not posted to, and a host that does not answer in time.
        """
        ends = self.clock() + self.timeout
        target = find_target(url, allow_private=self.allow_private, resolve=self.resolve)
        backend = Pinned(target, lambda: ends - self.clock())
        try:
            with (
                httpcore.ConnectionPool(ssl_context=self.context, network_backend=backend) as pool,
                pool.stream("POST", target.url, headers=list(headers.items()), content=body) as response,
            ):
                return Answer(response.status, self._read(response))
        except httpcore.TimeoutException as error:
            raise FetchError(f"the webhook did not answer within {self.timeout:g} seconds") from error
        except (httpcore.ProtocolError, httpcore.NetworkError, OSError, UnicodeError) as error:
            raise FetchError("the webhook could not be reached, or did not answer in HTTP") from error

    def _read(self, response: httpcore.Response) -> bytes:
        found = bytearray()
        with suppress(httpcore.TimeoutException, httpcore.ProtocolError, httpcore.NetworkError):
            for chunk in response.iter_stream():
                found += chunk
                if len(found) >= self.max_body:
                    break
        return bytes(found[: self.max_body])
