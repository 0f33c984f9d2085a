"""The `url` policy: the addresses in a text, and how much each gives cause for concern.

    p(address) = 1 - (1 - form) · Π (1 - weight of a reason)

`form` says how surely the text is an address at all: 0.90 with a scheme or `www.`, 0.85 for a host with a path, port
or query, 0.80 for a bare host, 0.60 for one that only its surroundings speak for. The reasons' weights stand in
`seemly.policies.url.risk.WEIGHTS`. So an ordinary link has 0.90, a shortened one 0.94, an imitation of a bank 0.98, and
the policy's probability is the largest. Allowed addresses are reported with 0 and never flag.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import regex

from seemly.core.span import Span
from seemly.policies.protocol import NOTHING, Defaults, Finding, Match, Spec
from seemly.policies.url.brands import Protected
from seemly.policies.url.deobfuscate import deobfuscate
from seemly.policies.url.find import Found, find
from seemly.policies.url.host import ascii_form, read_host, under
from seemly.policies.url.risk import assess
from seemly.policies.url.tables import Brand, brands, words
from seemly.policies.url.tail import SENTENCE_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.core.channel import Channel
    from seemly.policies.protocol import Item
    from seemly.text.normalize import Normalized

__all__ = ["SPEC", "UrlOptions", "UrlPolicy"]

_FORM = {"scheme": 0.90, "www": 0.90, "path": 0.85, "bare": 0.80}
_FORM_UNCERTAIN = 0.60
_MAIL_HOSTS = frozenset(
    (
        *("gmail.com", "googlemail.com", "hotmail.com", "outlook.com", "live.com", "yahoo.com", "icloud.com"),
        *("aol.com", "proton.me", "protonmail.com", "gmx.de", "gmx.net", "web.de", "mail.ru", "yandex.ru", "qq.com"),
    )
)
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class UrlOptions:
    """What a channel may set.

    `allow` and `block` are domains; each covers what is below it. A blocked one beats an allowed one and has
    probability 1; an allowed one has probability 0, shortener or not. `flag_shorteners` makes a link shortener a
    reason. `brands` are further protected names (`acme`) or domains (`acme.com`, whose name is then protected and which
    is itself genuine). `plain_links` False takes `form` as 0, so that an address counts by its risk alone and
    one without any reason has probability 0. `mask` puts `mask_text`, in which `$` stands for the address, in the
    place of every address that is not allowed.
    """

    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    flag_shorteners: bool = True
    brands: tuple[str, ...] = ()
    plain_links: bool = True
    mask: bool = False
    mask_text: str = "{{ url hidden }}"


@dataclass(frozen=True, slots=True)
class _Located:
    """An address, its place in the original, and what else its host may be read as."""

    span: Span
    found: Found
    reading: str = ""
    disguised: bool = False


class UrlPolicy:
    """Finds addresses and weighs them. Holds nothing but its options."""

    def __init__(self, options: UrlOptions) -> None:
        self._options = options
        self._allow = frozenset(map(ascii_form, options.allow))
        self._block = frozenset(map(ascii_form, options.block))

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """One finding an item; its probability is the largest of its matches', 0 without any."""
        return [self._finding(item) for item in items]

    def _finding(self, item: Item) -> Finding:
        located = _locate(item.text, item.language)
        if not located:
            return NOTHING
        matches = tuple(self._match(item.text.original, one) for one in located)
        return Finding(max(match.probability for match in matches), matches)

    def _match(self, original: str, one: _Located) -> Match:
        options, found = self._options, one.found
        text = one.span.of(original)
        host = found.host
        name = host.ascii if host is not None else ""
        blocked = bool(self._block) and under(name, self._block)
        readings = (host.unicode, one.reading) if host is not None and one.reading else (host.unicode,) if host else ()
        risk = assess(
            found,
            readings,
            _protected(options.brands),
            disguised=one.disguised,
            shorteners=options.flag_shorteners,
            blocked=blocked,
        )
        signals: dict[str, Any] = {
            "host": host.unicode if host is not None else None,
            "registrable_domain": (host.registrable or None) if host is not None else None,
            "brand_impersonation": risk.impersonation and asdict(risk.impersonation),
            "has_suspicious_characters": "mixed_script" in risk.reasons or (one.disguised and not text.isascii()),
            "is_link_shortener": under(name, words("shorteners")),
        }
        if not blocked and self._allow and under(name, self._allow):
            return Match(one.span, text, 0.0, "url", (), signals, flagging=False)
        form = _FORM[found.form] if found.certain else _FORM_UNCERTAIN
        probability = 1.0 - (1.0 - form if options.plain_links else 1.0) * risk.doubt()
        mask = options.mask_text.replace("$", text) if options.mask else None
        return Match(one.span, text, probability, "url", risk.reasons, signals, mask=mask)


def build(options: UrlOptions, channel: Channel) -> UrlPolicy:  # noqa: ARG001
    """The policy with a channel's options."""
    return UrlPolicy(options)


SPEC = Spec(
    id="url",
    kind="entity_matcher",
    build=build,
    options=UrlOptions,
    defaults=Defaults(flag=False, weight=0.6),
)


@lru_cache(maxsize=64)
def _protected(more: tuple[str, ...]) -> Protected:
    return Protected((*brands(), *map(_brand, more)))


def _brand(written: str) -> Brand:
    host = read_host(written) if "." in written else None
    if host is None or not host.registrable:
        return Brand(written.lower(), wordlike=False, domains=frozenset())
    return Brand(host.name, wordlike=False, domains=frozenset((host.ascii, host.registrable)))


def _locate(text: Normalized, language: str | None) -> list[_Located]:
    """The addresses as submitted, as they read with disguises removed, and both together without repetition."""
    original = text.original
    located = [_Located(Span(one.start, one.end), one) for one in find(original, language)]
    view = text.raw if original.isascii() else text.plain
    if view is not text.raw:
        seen = [
            _Located(_before_marks(original, view.origin(one.start, one.end), one), one, disguised=True)
            for one in find(view.text, language)
        ]
        located = _joined(located, seen)
    rewritten = deobfuscate(view.text)
    if rewritten is not None:
        revealed = [
            _Located(view.origin(*rewritten.origin(one.start, one.end)), one, disguised=True)
            for one in find(rewritten.text, language)
            if rewritten.touches(one.start, one.end) and _is_site(rewritten.text, one)
        ]
        located = _joined(located, revealed)
    if original.isascii():
        return located
    return [replace(one, span=_whole(original, one.span)) for one in located]


def _is_site(text: str, one: Found) -> bool:
    """Whether an address that was spelled out names a host, and is not the end of `jo at gmail dot com`."""
    if one.host is None or not (one.host.registrable or one.host.ip):
        return False
    return not (one.host.ascii in _MAIL_HOSTS and text[max(0, one.start - 4) : one.start].lower() == " at ")


def _before_marks(original: str, span: Span, one: Found) -> Span:
    """`span` up to the first sentence mark of the original in the address's path."""
    mark = SENTENCE_MARK.search(original, max(span.start + 1, span.end - len(one.rest)), span.end) if one.rest else None
    return span if mark is None else Span(span.start, mark.start())


def _joined(first: list[_Located], second: list[_Located]) -> list[_Located]:
    """Both lists in order; of two that overlap the first where they name one host, otherwise the longer.

    Where two of one length name different hosts, the first takes the other's as a second reading.
    """
    joined: list[_Located] = []
    for one in sorted((*first, *second), key=lambda located: located.span):
        last = joined[-1] if joined else None
        if last is None or one.span.start >= last.span.end:
            joined.append(one)
        elif one.found.host != last.found.host:
            joined[-1] = _both(last, one)
    return joined


def _both(first: _Located, second: _Located) -> _Located:
    longer = (second.span.end - second.span.start) - (first.span.end - first.span.start)
    if longer:
        return second if longer > 0 else first
    if first.found.host is None or second.found.host is None:
        return first
    return replace(first, reading=second.found.host.unicode, disguised=True)


def _whole(text: str, span: Span) -> Span:
    """`span` widened to whole grapheme clusters."""
    start, end = span
    if end < len(text) and not text[end].isascii():
        end = _cluster_end(text, end - 1)
    if start and not text[start - 1].isascii() and _cluster_end(text, start - 1) > start:
        start -= 1
    return Span(start, end)


def _cluster_end(text: str, start: int) -> int:
    cluster = _CLUSTER.match(text, start)
    return start + 1 if cluster is None else cluster.end()
