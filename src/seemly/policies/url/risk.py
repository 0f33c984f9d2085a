"""What makes an address risky, as named reasons with weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.policies.url.host import under
from seemly.policies.url.tables import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.policies.url.brands import Impersonation, Protected
    from seemly.policies.url.find import Found
    from seemly.policies.url.host import Host

__all__ = ["WEIGHTS", "Risk", "assess"]

WEIGHTS = {
    "blocked": 1.00,
    "brand_impersonation": 0.80,
    "credentials": 0.60,
    "mixed_script": 0.60,
    "ip_host": 0.50,
    "obfuscated": 0.50,
    "link_shortener": 0.40,
    "punycode": 0.30,
    "high_risk_tld": 0.30,
    "suspicious_keywords": 0.30,
    "deep_subdomain": 0.25,
    "unusual_port": 0.25,
    "free_hosting": 0.20,
}
"""How much of the remaining doubt each reason removes, 0 to 1: set by judgement, in the order in which honest
addresses show them ever more often."""

_USUAL_PORTS = frozenset((21, 22, 80, 443, 3000, 5000, 8000, 8080, 8443, 25565))
_LOOPBACK = ("127.0.0.1", "[::1]")
_MOST_SUBDOMAINS = 3
_LATIN = re.compile("[a-z]")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_GREEK = re.compile("[\u0370-\u03ff]")
_OTHER_ALIKE = re.compile("[\u0370-\u052f\u0531-\u0587\u13a0-\u13fd]")
_TOKEN = re.compile(r"[^\W_]{3,40}")
_LONGEST_REST = 200


@dataclass(frozen=True, slots=True)
class Risk:
    """The reasons, most telling first, and the name that is imitated."""

    reasons: tuple[str, ...]
    impersonation: Impersonation | None = None

    def doubt(self) -> float:
        """What the reasons leave of a doubt of 1: the product of `1 - weight` over them."""
        left = 1.0
        for reason in self.reasons:
            left *= 1.0 - WEIGHTS[reason]
        return left


def assess(
    found: Found, readings: Sequence[str], protected: Protected, *, disguised: bool, shorteners: bool, blocked: bool
) -> Risk:
    """The risk of one address.

    `readings` are its host's names, lower-case and decoded: as written and, where they differ, with look-alikes
    resolved. `disguised` says that it was written so as to escape a filter, `shorteners` that link shorteners count,
    `blocked` that a list forbids it.
    """
    host = found.host
    reasons = set()
    if blocked:
        reasons.add("blocked")
    if disguised or found.scheme.startswith("hx"):
        reasons.add("obfuscated")
    if found.credentials:
        reasons.add("credentials")
    if found.port is not None and found.port not in _USUAL_PORTS:
        reasons.add("unusual_port")
    if host is None:
        return Risk(_ordered(reasons))
    reasons.update(_of_host(host))
    if not shorteners:
        reasons.discard("link_shortener")
    keywords = 0 if protected.genuine(host) else _keywords(host, found.rest)
    impersonation = protected.imitated(host, readings, other_signs=bool(reasons or keywords))
    if impersonation is not None:
        reasons.add("brand_impersonation")
    if keywords > 1 or (keywords and reasons):
        reasons.add("suspicious_keywords")
    return Risk(_ordered(reasons), impersonation)


def _of_host(host: Host) -> set[str]:
    if host.ip:
        return set() if host.unicode in _LOOPBACK else {"ip_host"}
    reasons = set()
    if under(host.ascii, words("shorteners")):
        reasons.add("link_shortener")
    elif host.ascii.rpartition(".")[2] in words("risky_tlds"):
        reasons.add("high_risk_tld")
    if under(host.ascii, words("free_hosting")):
        reasons.add("free_hosting")
        reasons.discard("high_risk_tld")
    if host.punycode:
        reasons.add("punycode")
    if not host.unicode.isascii() and any(map(_mixes, host.unicode.split("."))):
        reasons.add("mixed_script")
    if len(host.subdomains) > _MOST_SUBDOMAINS:
        reasons.add("deep_subdomain")
    return reasons


def _ordered(reasons: set[str]) -> tuple[str, ...]:
    return tuple(reason for reason in WEIGHTS if reason in reasons)


def _mixes(label: str) -> bool:
    """Whether a label joins scripts whose letters pass for one another (the heart of UTS 39, section 5.1)."""
    if _LATIN.search(label):
        return _OTHER_ALIKE.search(label) is not None
    return bool(_CYRILLIC.search(label) and _GREEK.search(label))


def _keywords(host: Host, rest: str) -> int:
    """How many of the words that phishing leans on stand in the host or the head of the path."""
    if not host.registrable:
        return 0
    left = ".".join((*host.subdomains, host.name))
    return len(words("keywords").intersection(_TOKEN.findall(f"{left}/{rest[:_LONGEST_REST]}".lower())))
