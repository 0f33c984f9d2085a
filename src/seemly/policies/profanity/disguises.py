"""Swear words that are joined to others (`fuckyou`), broken in two (`fu ck`), masked (`f*ck`) or stretched (`fuuck`).

Only distinctive words are looked for in this way, and precision comes first: what might be ordinary words is left.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seemly.text.matching.common_words import common_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from seemly.text.matching.readings import Reading

__all__ = ["STEMS", "Disguises", "stretched"]

STEMS = ("fuck", "shit", "bitch", "cunt", "hole", "nigg", "fagg", "whore", "slut", "bastard", "sucker", "wank", "twat")
_ANYWHERE = ("fuck", "asshole", "cocksuck", "faggot", "dickhead", "bullshit", "motherf")
_GAP = re.compile(r"[\t _.\-~/\\|+=]|[ _\-]{1,3}|\.{2,3}")
_MIN = 4
_MAX_PIECE = 20


def stretched(word: str) -> Iterator[str]:
    """The word with one of its letters doubled, and with all of them."""
    for i, letter in enumerate(word):
        if i == 0 or word[i - 1] != letter:
            yield word[:i] + letter + word[i:]
    yield "".join(letter * 2 for letter in word)


class Disguises:
    """An immutable index of disguised words. `distinctive` and `others` are folded words with their entries."""

    __slots__ = ("_masked", "_pieces", "_splits", "_whole")

    def __init__(self, distinctive: Mapping[str, int], others: Mapping[str, int]) -> None:
        self._pieces = {word: entry for word, entry in distinctive.items() if len(word) >= _MIN}
        self._whole = others
        self._splits: dict[str, dict[tuple[str, bool], int]] = {}
        self._masked: dict[tuple[int, str], list[tuple[str, int, bool]]] | None = None
        common = common_words().all
        for word, entry in self._pieces.items():
            for cut in range(1, len(word)):
                left, right = word[:cut], word[cut:]
                if (left in common and right in common) or left in others or right in others:
                    continue
                if left in common:
                    self._splits.setdefault(right, {})[left, False] = entry
                else:
                    self._splits.setdefault(left, {})[right, True] = entry

    @property
    def fragments(self) -> frozenset[str]:
        """The words that every broken word has one of."""
        return frozenset(self._splits)

    def may_match(self, told: Iterable[str], words: frozenset[str]) -> bool:
        """Whether both halves of some broken word are among `words`; `told` are those of them in `fragments`."""
        for word in told:
            for other, _ in self._splits.get(word, ()):
                if other in words:
                    return True
        return False

    def find(self, reading: Reading) -> Iterator[tuple[int, int, int, int, int]]:
        """First word and offset in it, last word and end in it, and the entry, of each disguised word."""
        words, text = reading.words, reading.view.text
        if not self._splits.keys().isdisjoint(words):
            yield from self._broken(reading)
        fresh = reading.fresh()
        if any(stem in text for stem in STEMS):
            joined = {word: tuple(self._joined(word)) for word in self._long({words[i] for i in fresh})}
            for i in fresh if joined else ():
                for start, end, entry in joined.get(words[i], ()):
                    yield i, start, i, end, entry
        if "*" in text:
            for i in fresh:
                if "*" in words[i]:
                    found = self._unmasked(words[i])
                    if found is not None:
                        yield i, 0, i, len(words[i]), found

    def _long(self, words: Iterable[str]) -> set[str]:
        """The words that have a stem and more than that."""
        long = [word for word in words if len(word) > _MIN and word not in self._whole]
        text = " ".join(long)
        return {word for stem in STEMS if stem in text for word in long if stem in word}

    def _broken(self, reading: Reading) -> Iterator[tuple[int, int, int, int, int]]:
        words, text = reading.words, reading.view.text
        for i in reading.fresh(before=1, after=1):
            others = self._splits.get(words[i])
            if others is None:
                continue
            for first, beside, is_right in ((i, i + 1, True), (i - 1, i - 1, False)):
                if not 0 <= beside < len(words):
                    continue
                other = words[beside]
                entry = others.get((other, is_right))
                if entry is None:
                    continue
                start, gap = reading.spans[first]
                between = text[gap : reading.spans[first + 1][0]]
                if not _GAP.fullmatch(between) and (between != "\n" or other in common_words().all):
                    continue
                if start and not (text[start - 1].isspace() or text[start - 1] in '"(#@-_'):
                    continue
                yield first, 0, first + 1, len(words[first + 1]), entry

    def _joined(self, word: str) -> Iterator[tuple[int, int, int]]:
        pieces = self._segment(word)
        if pieces is None:
            for stem in _ANYWHERE:
                at = word.find(stem)
                while at >= 0:
                    yield at, at + len(stem), self._pieces.get(stem, self._pieces[_ANYWHERE[0]])
                    at = word.find(stem, at + len(stem))
            return
        at = 0
        for piece in pieces:
            entry = self._pieces.get(piece)
            if entry is not None:
                yield at, at + len(piece), entry
            at += len(piece)

    def _segment(self, word: str) -> Sequence[str] | None:
        """The word as pieces, all of them known and one a swear word at least; None where it is not that.

        `back[i]` is where the last piece ends that begins at i and leaves the rest in known pieces.
        """
        size = len(word)
        joined = common_words().joined
        back: list[int | None] = [None] * size + [size]
        swears = [False] * (size + 1)
        for start in range(size - 1, -1, -1):
            for end in range(min(size, start + _MAX_PIECE), start + 1, -1):
                if back[end] is None:
                    continue
                piece = word[start:end]
                swear = piece in self._pieces
                if not (swear or piece in joined or piece in self._whole):
                    continue
                if back[start] is None or ((swear or swears[end]) and not swears[start]):
                    back[start] = end
                    swears[start] = swear or swears[end]
        if not swears[0]:
            return None
        pieces = []
        at = 0
        while at < size:
            stop = back[at]
            if stop is None:
                return None
            pieces.append(word[at:stop])
            at = stop
        return pieces

    def _by_shape(self) -> Mapping[tuple[int, str], Sequence[tuple[str, int, bool]]]:
        """Words by length and first letter, with whether they are distinctive; made when first needed."""
        if self._masked is None:
            shapes: dict[tuple[int, str], list[tuple[str, int, bool]]] = {}
            for word, entry in self._whole.items():
                if len(word) >= _MIN:
                    shapes.setdefault((len(word), word[0]), []).append((word, entry, word in self._pieces))
            self._masked = shapes
        return self._masked

    def _unmasked(self, word: str) -> int | None:
        """The entry of the only reading of a masked word; of several, a distinctive one's."""
        masks = word.count("*")
        known = len(word) - masks
        if known < 2 or masks > known + 3:
            return None
        whole = self._pieces.get(word.replace("*", ""))
        if whole is not None:
            return whole
        best: int | None = None
        for candidate, entry, distinctive in self._by_shape().get((len(word), word[0]), ()):
            if (distinctive or (masks == 1 and known >= 3)) and _fits(word, candidate):
                if distinctive:
                    return entry
                best = entry if best is None else best
        return best


def _fits(masked: str, word: str) -> bool:
    return all(a in ("*", b) for a, b in zip(masked, word, strict=True))
