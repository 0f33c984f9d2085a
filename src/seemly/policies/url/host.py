"""What a host name is: an IP address in any spelling, or labels under a public suffix."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

__all__ = ["Host", "ascii_form", "read_host", "under"]

_NUMERIC = re.compile(r"(?:0[xX][0-9a-fA-F]{0,16}|[0-9]{1,20})(?:\.(?:0[xX][0-9a-fA-F]{0,16}|[0-9]{1,20})){0,3}\Z")
_MAX_HOST = 253
_MAX_LABEL = 63


@dataclass(frozen=True, slots=True)
class Host:
    """A host name, lower-case.

    `unicode` is the name with its punycode labels decoded, `ascii` the name as the DNS sees it. `suffix` is the public
    suffix and `registrable` the registrable domain, both in the form of `ascii`; they are empty for an IP address,
    for a name under no known suffix, and `registrable` for a name that is a suffix itself. `ip` is the address in its
    usual form, `punycode` says that a label was written in punycode.
    """

    unicode: str
    ascii: str
    suffix: str = ""
    registrable: str = ""
    ip: str = ""
    punycode: bool = False

    @property
    def subdomains(self) -> tuple[str, ...]:
        """The labels to the left of the registrable domain, decoded."""
        if not self.registrable:
            return ()
        return tuple(self.unicode.split(".")[: -self.registrable.count(".") - 1])

    @property
    def name(self) -> str:
        """The registrable domain's own label, decoded: `example` of `www.example.co.uk`."""
        if not self.registrable:
            return ""
        return self.unicode.split(".")[-self.registrable.count(".") - 1]


def under(host: str, domains: frozenset[str]) -> bool:
    """Whether `host` is one of `domains` or below one."""
    if host in domains:
        return True
    at = host.find(".")
    while at >= 0:
        host = host[at + 1 :]
        if host in domains:
            return True
        at = host.find(".")
    return False


def ascii_form(host: str) -> str:
    """`host` in lower case as the DNS sees it: labels outside ASCII in punycode (RFC 3492)."""
    host = host.lower().strip(".")
    return host if host.isascii() else ".".join(map(_encoded, host.split(".")))


@lru_cache(maxsize=1024)
def read_host(written: str) -> Host | None:
    """Read a host as it was written, without userinfo and port; None where it cannot be one."""
    if written.startswith("["):
        return _ipv6(written)
    if _NUMERIC.match(written):
        address = _ipv4(written)
        return Host(written.lower(), address, ip=address) if address else None
    lowered = written.lower().strip(".")
    labels = lowered.split(".")
    if len(lowered) > _MAX_HOST or not all(0 < len(label) <= _MAX_LABEL for label in labels):
        return None
    encoded = ascii_form(lowered)
    punycode = "xn--" in lowered
    if punycode:
        lowered = ".".join(map(_decoded, labels))
    suffix = _suffixes().publicsuffix(lowered) or ""
    registrable = ""
    if suffix and suffix != lowered:
        labels = encoded.split(".")
        registrable = ".".join(labels[-suffix.count(".") - 2 :])
    return Host(lowered, encoded, ascii_form(suffix), registrable, punycode=punycode)


@cache
def _suffixes() -> PublicSuffixList:
    """The public suffix list that its package carries: 9 ms and 3 MB, so only once a text holds a candidate."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False, accept_encoded_idn=False)


def _encoded(label: str) -> str:
    if label.isascii():
        return label
    return "xn--" + unicodedata.normalize("NFC", label).encode("punycode").decode("ascii")


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode").lower() or label
    except (UnicodeError, ValueError, OverflowError):
        return label


def _ipv6(written: str) -> Host | None:
    try:
        address = str(ipaddress.IPv6Address(written.strip("[]")))
    except ValueError:
        return None
    return Host(written.lower(), address, ip=address)


def _ipv4(written: str) -> str:
    """The dotted form of an IPv4 address written as the C function `inet_aton` reads it, or an empty string."""
    parts = written.split(".")
    values = []
    for part in parts:
        base = 16 if part[:2] in ("0x", "0X") else 8 if len(part) > 1 and part[0] == "0" else 10
        try:
            values.append(int(part[2:] or "0", 16) if base == 16 else int(part, base))
        except ValueError:
            return ""
    *heads, last = values
    if any(head > 255 for head in heads) or last >= 256 ** (5 - len(parts)):
        return ""
    number = last
    for place, head in enumerate(heads):
        number += head << 8 * (3 - place)
    return str(ipaddress.IPv4Address(number))
