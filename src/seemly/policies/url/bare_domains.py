"""Whether `name.ending` with nothing around it is a host, a file, a piece of code, or two sentences that touch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.policies.url.host import under
from seemly.policies.url.tables import bare_tlds, known_domains, words

if TYPE_CHECKING:
    from seemly.policies.url.host import Host

__all__ = ["cased_as_host", "may_precede_path", "stands_alone", "usual"]

_SECOND_LEVELS = frozenset(
    ("co", "com", "net", "org", "gov", "edu", "ac", "ne", "gob", "gouv", "nhs", "sch", "mil", "nom", "or")
)
_NUMBER_TLDS = frozenset(("com", "net", "org", "cn"))
_UNSPACED_TLD = re.compile("[\u0e00-\u0eff\u1100-\u11ff\u3040-\u9fff\uac00-\ud7ff]")
_CUE = re.compile(
    r"(?i)(?:\b(?:visit|check(?: out)?|(?:web)?site|web ?page|url|link|domain|go to|goto|browse|join us at|register at|"
    r"sign up at|details at|info at)(?: is)?[ :=\-]{1,3}|[<\[(\"])\Z"
)
_LONGEST_CUE = 24
_LONG_NAME = 8
# Country endings that are words or file endings elsewhere, and the languages whose writers mean the country.
_HOME = {
    "it": "it", "no": "no nb nn", "be": "nl fr", "at": "de", "is": "is", "pl": "pl", "rs": "sr", "in": "hi bn ta te mr",
    "my": "ms", "am": "hy", "md": "ro", "by": "be ru", "si": "sl", "mk": "mk", "il": "he", "sa": "ar", "ma": "ar",
    "id": "id", "fi": "fi", "se": "sv", "ee": "et",
}  # fmt: skip


def cased_as_host(written: str) -> bool:
    """Whether the letters' case is a host's: a lower-case ending, all capitals, or `Example.Com`.

    In `end.Next` the capital begins a sentence, so an ending with one is taken for a domain only for the most usual.
    """
    ending = written[written.rfind(".") + 1 :]
    if ending == ending.lower() or written == written.upper():
        return True
    return ending in ("Com", "Net", "Org") and all(label[:1].isupper() for label in written.split("."))


def may_precede_path(host: Host) -> bool:
    """Whether `host/path` is an address, not `he.she/they` or `24.7/365`."""
    if under(host.ascii, known_domains()):
        return True
    if host.name in words("plain_words") and not host.subdomains:
        return _ending(host) in bare_tlds()
    return len(host.name) > 1 and not (host.name.isdigit() and _ending(host) not in _NUMBER_TLDS)


def stands_alone(host: Host, text: str, start: int, end: int, language: str | None) -> bool | None:
    """True for a host by itself, False for one that only its surroundings speak for, None for no host."""
    if under(host.ascii, known_domains()):
        return True
    if host.registrable in words("not_hosts") or not host.registrable:
        return None
    name, ending = host.name, _ending(host)
    if (len(name) == 1 and all(len(label) == 1 for label in host.subdomains)) or "_" in name:
        return None
    if name.isdigit() and ending not in _NUMBER_TLDS:
        return None
    home = language is not None and language in _HOME.get(ending, "").split()
    if ending in words("file_extensions") and not home:
        return None
    if name in words("plain_words") and not host.subdomains:
        return _surroundings(text, start, end) if usual(host) else None
    second, dot, _ = host.suffix.partition(".")
    if home or (dot and second in _SECOND_LEVELS) or ending in bare_tlds() or _UNSPACED_TLD.match(ending):
        return True
    if "-" in name and len(name) >= _LONG_NAME:
        return False
    return _surroundings(text, start, end)


def usual(host: Host) -> bool:
    """Whether the ending is one that stands for a domain wherever it is met."""
    return _ending(host) in bare_tlds() and _ending(host) not in words("file_extensions")


def _ending(host: Host) -> str:
    return host.unicode[host.unicode.rfind(".") + 1 :]


def _surroundings(text: str, start: int, end: int) -> bool | None:
    alone = end - start == len(text) or not (text[:start].strip() or text[end:].strip(" \n.!?"))
    return False if alone or _CUE.search(text[max(0, start - _LONGEST_CUE) : start]) else None
