"""Names that an address borrows from somebody else."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.policies.url.host import under
from seemly.policies.url.tables import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from seemly.policies.url.host import Host
    from seemly.policies.url.tables import Brand

__all__ = ["Impersonation", "Protected", "skeleton"]

# Letters and digits that pass for one another in a sans-serif face, all brought to one of them.
_ALIKE = str.maketrans("013457i|", "oleastll")
_FOREIGN = str.maketrans(
    "аеорсухіјѕһԁԛԝкмнтвгӏѵαονικρτυηωχɡɩıøđłß",
    "aeopcyxijshdqwkmhtbrlvaovikptunwxgliodlb",
)
_SPLIT = re.compile(r"[-_]")
_SHORTEST_TYPO = 7
_SHORTEST_EMBEDDED = 5
_LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Impersonation:
    """A protected name that another's address shows, and how.

    `method` is `registered_domain_token` (the name is part of the domain that somebody registered), `subdomain_token`
    (it stands to the left of one) or `look_alike` (letters replaced, doubled, dropped or swapped).
    """

    brand: str
    method: str


def skeleton(label: str) -> str:
    """`label` with look-alike letters brought together, so that `paypa1`, `раураl` and `paypal` become equal."""
    if not label.isascii():
        label = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
        label = label.translate(_FOREIGN)
    return label.translate(_ALIKE).replace("rn", "m").replace("vv", "w")


class Protected:
    """The protected names, indexed. Immutable once built; a look-up costs the same for ten names and ten thousand."""

    __slots__ = ("_by_name", "_by_skeleton", "_domains", "_typos")

    def __init__(self, brands: Iterable[Brand]) -> None:
        self._by_name: dict[str, Brand] = {}
        self._by_skeleton: dict[str, Brand] = {}
        self._typos: dict[str, Brand] = {}
        for brand in brands:
            self._by_name[brand.name] = brand
            self._by_skeleton[skeleton(brand.name)] = brand
            if len(brand.name) >= _SHORTEST_TYPO and not brand.wordlike:
                self._typos.update(dict.fromkeys(_shortened(brand.name), brand))
        self._domains = frozenset(domain for brand in self._by_name.values() for domain in brand.domains)

    def genuine(self, host: Host) -> bool:
        """Whether `host` is a protected name's own, and not one that it lets to anybody."""
        return under(host.ascii, self._domains) and not under(host.ascii, words("free_hosting"))

    def imitated(self, host: Host, readings: Iterable[str], *, other_signs: bool) -> Impersonation | None:
        """The name that `host` borrows, or None; a brand's own domains borrow nothing.

        `readings` are the host's names, lower-case and decoded: as written and, where they differ, with look-alikes
        resolved. A name that is also a word counts only beside `other_signs`.
        """
        if not host.registrable or self.genuine(host):
            return None
        for reading in readings:
            labels = reading.split(".")
            cut = len(labels) - host.suffix.count(".") - 2
            if cut < 0:
                continue
            found = self._registered(labels[cut], host, other_signs) or self._subdomain(labels[:cut], other_signs)
            if found is not None:
                return found
        return None

    def _registered(self, name: str, host: Host, other_signs: bool) -> Impersonation | None:
        if len(name) > _LONGEST_NAME * 2:
            return None
        exact = self._by_name.get(name)
        if exact is not None and name == host.name:
            # A brand holds its name under most country endings; elsewhere somebody else may.
            elsewhere = host.suffix in words("free_hosting") or host.suffix in words("risky_tlds")
            return Impersonation(exact.name, "registered_domain_token") if elsewhere else None
        for token in (name, *_SPLIT.split(name)):
            brand = self._by_name.get(token)
            if brand is not None and (other_signs or not brand.wordlike):
                return Impersonation(brand.name, "look_alike" if token == name else "registered_domain_token")
            brand = self._by_skeleton.get(skeleton(token))
            if brand is not None and brand.name != token and (other_signs or not brand.wordlike):
                return Impersonation(brand.name, "look_alike")
        return self._typo(name) or self._embedded(name, other_signs)

    def _subdomain(self, labels: list[str], other_signs: bool) -> Impersonation | None:
        for label in labels:
            for token in (label, *_SPLIT.split(label)):
                brand = self._by_name.get(token)
                if brand is not None and (other_signs or not brand.wordlike):
                    return Impersonation(brand.name, "subdomain_token")
        return None

    def _typo(self, name: str) -> Impersonation | None:
        """One letter dropped, doubled, added or swapped with its neighbour, in a long name."""
        if not _SHORTEST_TYPO - 1 <= len(name) <= _LONGEST_NAME:
            return None
        brand = self._typos.get(name)
        if brand is None:
            brand = next((self._by_name[near] for near in _near(name) if near in self._by_name), None)
        if brand is None or brand.wordlike or len(brand.name) < _SHORTEST_TYPO:
            return None
        return Impersonation(brand.name, "look_alike")

    def _embedded(self, name: str, other_signs: bool) -> Impersonation | None:
        """A name grown together with a word of the trade: `securepaypal`, `netflixbilling`."""
        keywords = words("keywords")
        for cut in range(3, min(len(name), _LONGEST_NAME) - 2):
            for token, rest in ((name[:cut], name[cut:]), (name[cut:], name[:cut])):
                if rest not in keywords or len(token) < _SHORTEST_EMBEDDED:
                    continue
                brand = self._by_name.get(token) or self._by_skeleton.get(skeleton(token))
                if brand is not None and (other_signs or not brand.wordlike):
                    return Impersonation(brand.name, "registered_domain_token")
        return None


def _shortened(name: str) -> Iterator[str]:
    return (name[:i] + name[i + 1 :] for i in range(1, len(name)))


def _near(name: str) -> Iterator[str]:
    yield from _shortened(name)
    for i in range(len(name) - 1):
        yield name[:i] + name[i + 1] + name[i] + name[i + 2 :]
