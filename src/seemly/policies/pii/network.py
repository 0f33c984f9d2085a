"""Network addresses: IPv4, IPv6 and MAC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.pii.search_text import Candidate, Detector, cues, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seemly.policies.pii.search_text import Reading

__all__ = ["DETECTORS"]

_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{3,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])")
_MAC = re.compile(
    r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"
    r"|(?<![\w.])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])"
)
_IP_CUES = cues(
    "ip ips ipv4 ipv6 address addr server host ping connect login ddos dox router vpn adresse dirección адрес*"
)
_VERSIONS = cues(
    "version versions ver v release build firmware update upgrade driver chrome firefox windows section chapter"
)
_PUBLIC_RESOLVERS = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9"})


def _ipv4(reading: Reading) -> Iterator[Candidate]:
    text = reading.text
    for first, last in reading.runs:
        match = _IPV4.match(text, first) if text.startswith(".", last) else None
        if match is None:
            continue
        start, end = match.span()
        parts = match[0].split(".")
        if any(int(part) > 255 or (len(part) > 1 and part[0] == "0") for part in parts):
            continue
        base = _worth(match[0], parts)
        down = reading.near(_VERSIONS, start, end, 16, 0)
        yield Candidate(
            start,
            end,
            "ip_address",
            weigh(base, up=reading.near(_IP_CUES, start, end, 40), down=down),
            match[0],
            "format",
        )


def _worth(address: str, parts: list[str]) -> float:
    first = int(parts[0])
    if first in (0, 127, 255) or address in _PUBLIC_RESOLVERS:
        return 0.1
    if all(len(part) == 1 for part in parts):
        return 0.35
    private = first == 10 or parts[:2] == ["192", "168"] or (first == 172 and 16 <= int(parts[1]) <= 31)
    return 0.55 if private else 0.8


def _ipv6(reading: Reading) -> Iterator[Candidate]:
    import ipaddress

    for match in reading.near_digits(_IPV6):
        written = match[0]
        if written.count(":") < 2 or sum(char.isdigit() for char in written) < 2:
            continue
        try:
            address = ipaddress.IPv6Address(written)
        except ValueError:
            continue
        probability = 0.2 if address.is_loopback or address.is_unspecified else 0.9 if len(written) > 9 else 0.45
        yield Candidate(*match.span(), "ip_address", probability, str(address), "format")


def _macs(reading: Reading) -> Iterator[Candidate]:
    for match in reading.near_digits(_MAC):
        signs = "".join(char for char in match[0].lower() if char.isalnum())
        if len(set(signs)) > 1 and any(char.isdigit() for char in signs):
            yield Candidate(*match.span(), "mac_address", 0.9, signs, "format")


_COLONS = re.compile(r":[0-9A-Fa-f]{0,4}:")
_COLON_MAC = re.compile(r":[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}:")
_DASHED_MAC = re.compile(r"-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-")
_DOTTED_MAC = re.compile(r"\.[0-9A-Fa-f]{4}\.")


def _has_colons(reading: Reading) -> bool:
    return reading.text.count(":") > 1 and _COLONS.search(reading.text) is not None


def _mac_shaped(reading: Reading) -> bool:
    text = reading.text
    return (
        (text.count(":") > 4 and _COLON_MAC.search(text) is not None)
        or (text.count("-") > 4 and _DASHED_MAC.search(text) is not None)
        or (text.count(".") > 1 and _DOTTED_MAC.search(text) is not None)
    )


DETECTORS = (
    Detector(("ip_address",), lambda reading: reading.text.count(".") > 2, _ipv4, least_digits=4),
    Detector(("ip_address",), _has_colons, _ipv6, least_digits=1),
    Detector(("mac_address",), _mac_shaped, _macs, least_digits=1),
)
