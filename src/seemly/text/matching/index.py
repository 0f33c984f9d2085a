"""The index of a list of patterns: built once, then found in any text in time linear in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import regex

from seemly.text.matching.affixes import Affixes
from seemly.text.matching.common_words import common_words
from seemly.text.matching.patterns import Part
from seemly.text.matching.readings import readings
from seemly.text.matching.substrings import Substrings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from seemly.core.span import Span
    from seemly.text.matching.patterns import Pattern
    from seemly.text.matching.readings import Reading
    from seemly.text.normalize import Normalized
    from seemly.text.view import View

__all__ = ["Hit", "WordIndex", "hit_at", "outermost"]

_NO_WORDS: Mapping[str, int] = MappingProxyType({})
_KATAKANA = regex.compile(r"[\p{Katakana}ー]")


class Hit(NamedTuple):
    """One pattern found: where it stands in the text as submitted, and its place in the list."""

    span: Span
    entry: int


@dataclass(slots=True)
class _Node:
    """What may follow the words read so far: `entry` is a pattern that ends here, or None."""

    entry: int | None = None
    exact: dict[str, _Node] = field(default_factory=dict)
    loose: dict[Part, _Node] = field(default_factory=dict)

    def step(self, part: Part) -> _Node:
        """The node after `part`, made where there is none."""
        if not (part.before or part.after):
            return self.exact.setdefault(part.text, _Node())
        return self.loose.setdefault(part, _Node())


class WordIndex:
    """An immutable index of patterns. Where two patterns are the same, the first counts.

    Whole words are looked up in a table, so a hundred thousand cost what a hundred do; phrases follow a trie of
    words; `*` is found by the first or last three letters; what may stand anywhere, by its first two.
    """

    __slots__ = (
        "_ascii",
        "_heads",
        "_inside",
        "_katakana",
        "_phrases",
        "_reach",
        "_symbols",
        "_tails",
        "_telling",
        "_widen",
        "_words",
    )

    def __init__(self, patterns: Iterable[Pattern], words: Mapping[str, int] = _NO_WORDS) -> None:
        """`words` are whole words with their entries, for lists that were read before."""
        words = dict(words)
        phrases: dict[str, _Node] = {}
        loose: dict[Part, _Node] = {}
        symbols: dict[str, int] = {}
        katakana: set[int] = set()
        widen: set[int] = set()
        told: list[tuple[Part, ...]] = []
        self._reach = 0
        for entry, pattern in enumerate(patterns):
            self._reach = max(self._reach, len(pattern.parts) - 1)
            if pattern.symbol is not None:
                symbols.setdefault(pattern.symbol, entry)
                continue
            if pattern.katakana:
                katakana.add(entry)
            if pattern.widen:
                widen.add(entry)
            first, *rest = pattern.parts
            if first.before or first.after:
                node = loose.setdefault(first, _Node())
            elif rest:
                told.append(pattern.parts)
                node = phrases.setdefault(first.text, _Node())
            else:
                words.setdefault(first.text, entry)
                continue
            for part in rest:
                node = node.step(part)
            if node.entry is None:
                node.entry = entry
        self._words = words
        self._phrases = phrases
        self._telling = _find_telling(told, words)
        self._symbols: dict[str, tuple[tuple[str, int], ...]] = {}
        for symbol, entry in symbols.items():
            self._symbols[symbol[0]] = (*self._symbols.get(symbol[0], ()), (symbol, entry))
        self._katakana = frozenset(katakana)
        self._widen = frozenset(widen)
        self._heads = Affixes({p.text: node for p, node in loose.items() if p.after and not p.before})
        self._tails = Affixes({p.text[::-1]: node for p, node in loose.items() if p.before and not p.after})
        inside = {p.text: node for p, node in loose.items() if p.before and p.after}
        self._inside = Substrings(inside)
        self._ascii = any(p.text.isascii() for p in loose)

    @property
    def ascii_words(self) -> frozenset[str] | None:
        """Words of which every pattern in ASCII letters has one; None where some patterns have no whole word."""
        return None if self._ascii else frozenset((*self._telling, *filter(str.isascii, self._words)))

    def may_match(self, told: Iterable[str], words: frozenset[str]) -> bool:
        """Whether some pattern of whole words has all that it needs among `words`, in whatever order.

        `told` are those of `words` that `ascii_words` has.
        """
        table, telling = self._words, self._telling
        for word in told:
            if word in table:
                return True
            for needed in telling.get(word, ()):
                if needed <= words:
                    return True
        return False

    def find(self, normalized: Normalized, read: Sequence[Reading] | None = None) -> list[Hit]:
        """Every pattern in the text, in the order of the text, each place once.

        `read` are the text's readings, for callers that have them already.
        """
        hits = set(self._search(readings(normalized) if read is None else read))
        if self._symbols and not normalized.original.isascii():
            hits.update(self._signs(normalized.plain))
        return sorted(hits) if hits else []

    def _search(self, read: Iterable[Reading]) -> Iterator[Hit]:
        table, phrases = self._words, self._phrases
        for reading in read:
            words = reading.words
            if not table.keys().isdisjoint(words):
                for i in reading.fresh():
                    if words[i] in table:
                        yield hit_at(reading, i, 0, i, len(words[i]), table[words[i]])
            if not self._telling.keys().isdisjoint(words):
                last = len(words) - 1
                for i in reading.fresh(before=self._reach):
                    node = phrases.get(words[i])
                    if node is not None and i < last and (node.loose or words[i + 1] in node.exact):
                        yield from self._follow(node, reading, i, 0, i, len(words[i]))
            if self._ascii or not reading.view.text.isascii():
                yield from self._loose(reading)

    def _loose(self, reading: Reading) -> Iterator[Hit]:
        words, fresh = reading.words, reading.fresh(before=self._reach)
        sought = {words[i] for i in fresh}
        heads = self._heads.find(sought) if self._heads else {}
        for i in fresh if heads else ():
            for length, node in heads.get(words[i], ()):
                yield from self._follow(node, reading, i, 0, i, length)
        tails = self._tails.find(word[::-1] for word in sought) if self._tails else {}
        for i in fresh if tails else ():
            size = len(words[i])
            for length, node in tails.get(words[i][::-1], ()):
                yield from self._follow(node, reading, i, size - length, i, size)
        inside = {word: hits for word in sought if (hits := tuple(self._inside.find(word)))} if self._inside else {}
        for i in fresh if inside else ():
            for start, end, node in inside.get(words[i], ()):
                for hit in self._follow(node, reading, i, start, i, end):
                    if hit.entry not in self._katakana or _alone(words[i], start, end):
                        yield hit

    def _follow(self, node: _Node, reading: Reading, first: int, start: int, last: int, end: int) -> Iterator[Hit]:
        """The patterns that begin at `words[first][start:]` and have been read up to `words[last][:end]`."""
        paths = [(node, last, end)]
        while paths:
            node, last, end = paths.pop()
            if node.entry is not None:
                if node.entry in self._widen:
                    yield hit_at(reading, first, 0, last, len(reading.words[last]), node.entry)
                else:
                    yield hit_at(reading, first, start, last, end, node.entry)
            if last + 1 < len(reading.words) and (node.exact or node.loose):
                word = reading.words[last + 1]
                following = node.exact.get(word)
                if following is not None:
                    paths.append((following, last + 1, len(word)))
                for part, after in node.loose.items():
                    stop = _stop(part, word)
                    if stop:
                        paths.append((after, last + 1, stop))

    def _signs(self, plain: View) -> Iterator[Hit]:
        text = plain.text
        if self._symbols.keys().isdisjoint(text):
            return
        for i, character in enumerate(text):
            for symbol, entry in self._symbols.get(character, ()):
                if text.startswith(symbol, i):
                    yield Hit(plain.origin(i, i + len(symbol)), entry)


def _find_telling(
    phrases: Iterable[tuple[Part, ...]], words: Mapping[str, int]
) -> Mapping[str, tuple[frozenset[str], ...]]:
    """For each phrase the whole word that gives it away best, with all the whole words that the phrase needs."""
    common = common_words().all
    telling: dict[str, tuple[frozenset[str], ...]] = {}
    for parts in phrases:
        needed = frozenset(part.text for part in parts if part == Part(part.text))
        best = max(sorted(needed), key=lambda word: (word in words, word not in common, len(word)))
        telling[best] = (*telling.get(best, ()), needed)
    return telling


def _stop(part: Part, word: str) -> int:
    """Where in `word` the part ends, 0 where it is not in it."""
    if part.before and part.after:
        return word.find(part.text) + len(part.text) if part.text in word else 0
    if part.after:
        return len(part.text) if word.startswith(part.text) else 0
    return len(word) if word.endswith(part.text) else 0


def _alone(word: str, start: int, end: int) -> bool:
    return not ((start > 0 and _KATAKANA.match(word[start - 1])) or (end < len(word) and _KATAKANA.match(word[end])))


def hit_at(reading: Reading, first: int, start: int, last: int, end: int, entry: int) -> Hit:
    """The hit of an entry at `words[first][start:]` to `words[last][:end]`."""
    begin = reading.place(first, start, start + 1)[0]
    stop = reading.place(last, end - 1, end)[1]
    return Hit(reading.view.origin(begin, stop), entry)


def outermost(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that stand in no other hit's span, in order; of equal spans, the one with the lowest entry."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.span.start, -hit.span.end, hit.entry)):
        if not kept or hit.span.end > kept[-1].span.end:
            kept.append(hit)
    return kept
