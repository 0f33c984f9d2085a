"""The policies `wordlist:<key>`: a channel's own lists of words to block, to allow, or to require."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from seemly.core.errors import ConfigError, Issue
from seemly.policies.protocol import NOTHING, Finding, Item, Match, Policy, Spec
from seemly.text.matching.identifiers import IdIndex
from seemly.text.matching.index import Hit, WordIndex, outermost
from seemly.text.matching.patterns import parse_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.core.channel import Channel, Wordlist
    from seemly.core.span import Span
    from seemly.text.normalize import Normalized

__all__ = ["MASK", "Index", "Spanned", "build_allowed", "build_wordlist", "spec_for", "without"]

MASK = "{{ word hidden }}"
"""What stands in the modified content in place of a word of a list with `mask=True`."""


class Spanned(Protocol):
    """What stands somewhere in a text."""

    @property
    def span(self) -> Span:
        """Where."""
        ...


H = TypeVar("H", bound=Spanned)


class Index(Protocol):
    """What finds the entries of a list in a text."""

    def find(self, normalized: Normalized) -> list[Hit]:
        """Every entry found, in the order of the text."""
        ...


def spec_for(wordlist: Wordlist) -> Spec:
    """The registry entry of one list."""

    def build(_options: Any, channel: Channel) -> Policy:
        return build_wordlist(wordlist, _allowing(channel))

    return Spec(f"wordlist:{wordlist.key}", "entity_matcher", build)


def build_wordlist(wordlist: Wordlist, allow: tuple[Wordlist, ...] = ()) -> Policy:
    """The policy of one list, with the channel's allow lists.

    ConfigError lists every entry that can match nothing or everything, by its index.
    """
    index = _index(wordlist)
    if wordlist.mode == "allow":
        return _Allow(wordlist, index)
    if wordlist.mode == "require":
        return _Require(wordlist, index)
    exceptions = () if wordlist.match == "id" else tuple(map(_index, allow))
    return _Block(wordlist, index, exceptions)


def build_allowed(channel: Channel) -> tuple[Index, ...]:
    """The indexes of a channel's allow lists, for matchers that heed them."""
    return tuple(map(_index, _allowing(channel)))


def without(hits: list[H], exceptions: Sequence[Index], normalized: Normalized) -> list[H]:
    """The hits that stand in no span that an exception finds, in order of place."""
    if not hits or not exceptions:
        return hits
    spans = sorted(hit.span for index in exceptions for hit in index.find(normalized))
    kept: list[H] = []
    furthest, at = -1, 0
    for hit in sorted(hits, key=lambda hit: hit.span):
        while at < len(spans) and spans[at].start <= hit.span.start:
            furthest = max(furthest, spans[at].end)
            at += 1
        if hit.span.end > furthest:
            kept.append(hit)
    return kept


def _allowing(channel: Channel) -> tuple[Wordlist, ...]:
    return tuple(wordlist for wordlist in channel.wordlists if wordlist.mode == "allow")


def _index(wordlist: Wordlist) -> Index:
    patterns, issues = [], []
    for i, word in enumerate(wordlist.words):
        try:
            patterns.append(parse_pattern(word, wordlist.match))
        except ValueError as error:
            issues.append(Issue(f"wordlists.{wordlist.key}.words[{i}]", str(error)))
    if issues:
        raise ConfigError("a wordlist has entries that cannot work", issues)
    return IdIndex(patterns) if wordlist.match == "id" else WordIndex(patterns)


def _matches(wordlist: Wordlist, hits: Sequence[Hit], item: Item, *, flagging: bool) -> tuple[Match, ...]:
    original = item.text.original
    mask = MASK if wordlist.mask and flagging else None
    return tuple(
        Match(
            hit.span,
            hit.span.of(original),
            1.0,
            signals={"word": wordlist.words[hit.entry]},
            flagging=flagging,
            mask=mask,
        )
        for hit in outermost(hits)
    )


@dataclass(frozen=True, slots=True)
class _Block:
    wordlist: Wordlist
    index: Index
    exceptions: tuple[Index, ...]

    def check(self, items: Sequence[Item]) -> list[Finding]:
        return [self._check(item) for item in items]

    def _check(self, item: Item) -> Finding:
        hits = without(self.index.find(item.text), self.exceptions, item.text)
        return Finding(1.0, _matches(self.wordlist, hits, item, flagging=True)) if hits else NOTHING


@dataclass(frozen=True, slots=True)
class _Allow:
    wordlist: Wordlist
    index: Index

    def check(self, items: Sequence[Item]) -> list[Finding]:
        return [
            Finding(0.0, _matches(self.wordlist, self.index.find(item.text), item, flagging=False)) for item in items
        ]


@dataclass(frozen=True, slots=True)
class _Require:
    wordlist: Wordlist
    index: Index

    def check(self, items: Sequence[Item]) -> list[Finding]:
        return [self._check(item) for item in items]

    def _check(self, item: Item) -> Finding:
        matches = _matches(self.wordlist, self.index.find(item.text), item, flagging=False)
        return Finding(0.0 if matches else 1.0, matches)
