"""Connections that go to the address that was checked, and take no longer than there is time left."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable

import httpcore

from seemly.adapters.http.address_guard import Target

__all__ = ["Pinned"]

_PIECE = 16_384
"""Bytes."""


class Pinned(httpcore.NetworkBackend):
    """Connects to the target's address whatever its name is, and waits no longer than there is time left.

    `left` tells how many seconds that is; once it is none, every step raises httpcore.ReadTimeout.
    """

    def __init__(self, target: Target, left: Callable[[], float]) -> None:
        self._target = target
        self._left = left
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002  (the name; the address was found when it was checked)
        port: int,
        timeout: float | None = None,  # noqa: ARG002  (what is left is less)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to the target's address. Raises what httpcore raises."""
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
        # The inner one may wait that long for each part that the other side takes, so it is given small parts.
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], _wait(self._left))

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
