"""The packaged tables that the url policy reads, each loaded when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Brand", "bare_tlds", "brands", "known_domains", "rows", "words"]


@dataclass(frozen=True, slots=True)
class Brand:
    """A protected name. `wordlike` names are ordinary words too. `domains` are its own, registrable or below."""

    name: str
    wordlike: bool
    domains: frozenset[str]


def rows(name: str) -> list[list[str]]:
    """The rows of a packaged table, split at tabs; lines that start with `#` are its head."""
    text = files("seemly").joinpath("data", name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


@cache
def words(name: str) -> frozenset[str]:
    """The entries of the one-column table `url_<name>.txt`."""
    return frozenset(row[0] for row in rows(f"url_{name}.txt"))


@cache
def bare_tlds() -> dict[str, bool]:
    """The top-level domains under which a bare name is a host, and whether the ending is a word."""
    return {tld: kind == "wordlike" for tld, kind in rows("url_bare_tlds.tsv")}


@cache
def brands() -> tuple[Brand, ...]:
    """The built-in protected names."""
    return tuple(
        Brand(name, kind == "word", frozenset(domains.split())) for name, kind, domains in rows("url_brands.tsv")
    )


@cache
def known_domains() -> frozenset[str]:
    """Domains so well known that a bare mention is a host, whatever their ending means elsewhere."""
    own = {domain for brand in brands() for domain in brand.domains}
    return words("shorteners") | words("free_hosting") | own
