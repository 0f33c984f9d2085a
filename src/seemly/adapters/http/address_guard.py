"""Which addresses a server may be sent to by somebody else's URL.

Who submits a URL chooses where we connect. Names are resolved here, once, and the connection goes to the address that
was checked, so that a name that resolves differently the second time gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from seemly.core.errors import FetchError

__all__ = ["Address", "Resolve", "Target", "find_target", "is_public", "look_up"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
"""From a host and port to its addresses, as text."""

_PORTS = {"http": 80, "https": 443}

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""NAT64 (RFC 6052): the last 32 bits are the IPv4 address that is meant."""

_INSIDE = tuple(
    map(
        ipaddress.ip_network,
        ("168.63.129.16/32", "192.0.0.0/24", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96", "fec0::/10"),
    )
)
"""Addresses that count as public and lead inside: services of Azure's virtual machines, and of Oracle's; IPv6 addresses
that a network may translate to IPv4 as it likes (RFC 8215, RFC 2765), or that stood for IPv4 ones (RFC 4291); and those
of a site (RFC 3879)."""

_SAFE = "!$%&'()*+,/:;=?@[]|^"
"""What a URL's path and query may hold as it is, next to letters, digits and -._~; a percent sign is never quoted, so
that what is quoted already stays as it is."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL whose host was resolved and may be connected to: at `address`, and nowhere else. The URL is in ASCII: its
    host by IDNA, its path and query quoted."""

    url: str
    host: str
    port: int
    address: Address


def find_target(url: str, *, allow_private: bool = False, resolve: Resolve | None = None) -> Target:
    """Resolve a URL's host and check every address that it has. With `allow_private`, any address will do.

    Raises FetchError for a URL that is not plain http or https, a name that does not resolve, and one of whose
    addresses is not public: one bad address among good ones is enough.
    """
    parts = _split(url)
    host = str(parts.hostname)
    port = parts.port or _PORTS[parts.scheme]
    try:
        found = [ipaddress.ip_address(each.partition("%")[0]) for each in (resolve or look_up)(host, port)]
    except (OSError, UnicodeError, ValueError):
        found = []
    if not found:
        raise FetchError("the host of the URL does not resolve")
    if not allow_private and not all(map(is_public, found)):
        raise FetchError("the host of the URL is not on the public internet")
    return Target(parts.geturl(), host, port, found[0])


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a host, IPv4 first, by the system's resolver. Raises OSError where there are none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in sorted(found, key=lambda each: each[0] != socket.AF_INET)]


def is_public(address: Address) -> bool:
    """Whether an address, and each that it stands for, is on the public internet: not private, loopback, link-local,
    multicast, reserved, nor a cloud's metadata service."""
    return all(
        each.is_global and not each.is_multicast and not any(each in inside for inside in _INSIDE)
        for each in _meant(address)
    )


def _meant(address: Address) -> Iterator[Address]:
    inner: Address | None = None
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if inner is None or not isinstance(address, ipaddress.IPv6Address) or not address.ipv4_mapped:
        yield address
    if inner is not None:
        yield inner


def _split(url: str) -> SplitResult:
    """The parts of a URL in ASCII, without its fragment."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
        path, query = quote(parts.path, _SAFE), quote(parts.query, _SAFE)
    except ValueError as error:
        raise FetchError("the URL cannot be read") from error
    if parts.scheme not in _PORTS:
        raise FetchError("only http and https URLs are fetched")
    if not host or port == 0:
        raise FetchError("the URL names no host")
    if parts.username is not None or parts.password is not None:
        raise FetchError("a URL with a user name or password is not fetched")
    place = f"[{host}]" if ":" in host else host
    return SplitResult(parts.scheme, place if port is None else f"{place}:{port}", path, query, "")
