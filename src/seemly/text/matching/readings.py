"""The words of a view, and the other ways to read them where a character is ambiguous."""

from __future__ import annotations

import re
from bisect import bisect_right
from string import ascii_lowercase
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from seemly.text.normalize import Normalized
    from seemly.text.view import View

__all__ = ["Reading", "readings"]

_DOUBLE = re.compile(r"([^\W\d_])\1")
_TRIPLE = re.compile(r"([^\W\d_])\1\1")
_ONE = re.compile("[1!|]")
_MIN_SPELLED = 3
_ONE_LETTER_WORDS = frozenset("aieouwyz")
_UNCHANGED: Mapping[int, tuple[int, ...]] = MappingProxyType({})


class Reading:
    """One way to read a view's words."""

    __slots__ = ("_changed", "_places", "view", "words")

    def __init__(
        self,
        view: View,
        words: Sequence[str] | None = None,
        changed: Iterable[int] | None = None,
        places: Mapping[int, tuple[int, ...]] = _UNCHANGED,
    ) -> None:
        """`words` are the view's own, but for those that are `changed`.

        `places[i]` holds, for a word of another length than the view's, the view's offset of each of its characters
        and its end.
        """
        self.view = view
        self.words = view.words if words is None else words
        self._changed = None if changed is None else sorted(changed)
        self._places = places

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Where each word stands in the view."""
        return self.view.word_spans

    def fresh(self, before: int = 0, after: int = 0) -> Sequence[int]:
        """The words that are worth looking at: all, or where the view's own reading is looked at as well, those that
        differ from it, with so many words `before` and `after` each.
        """
        size = len(self.words)
        if self._changed is None:
            return range(size)
        if not (before or after):
            return self._changed
        return sorted({j for i in self._changed for j in range(max(0, i - before), min(size, i + after + 1))})

    def place(self, word: int, start: int, end: int) -> tuple[int, int]:
        """Where `words[word][start:end]` stands in the view, `start < end`."""
        offsets = self._places.get(word)
        if offsets is None:
            base = self.spans[word][0]
            return base + start, base + end
        return offsets[start], offsets[end]


def readings(normalized: Normalized) -> list[Reading]:
    """Every reading of the folded view and, where it differs, of the squashed one."""
    folded, squashed = normalized.folded, normalized.squashed
    every = [Reading(folded), *_others(folded, normalized.plain)]
    if squashed is not folded:
        # What it did not put together was read in the folded view.
        every += (Reading(squashed, changed=squashed.changed_words), *_others(squashed, normalized.plain))
        other = _without_article(squashed)
        if other is not None:
            every.append(other)
    return every


def _others(view: View, plain: View) -> Iterator[Reading]:
    """A view read otherwise: `1 ! |` as l instead of i, then stretched letters as one instead of two.

    `plain` is the view before leetspeak was read.
    """
    if _ONE.search(plain.text):
        other = _with_l(view, plain)
        if other is not None:
            yield other
    if len(view.text) != len(plain.text) or not view.text.isascii():
        stretched = _stretched(plain.text.lower())
        other = _unstretched(view, stretched) if stretched else None
        if other is not None:
            yield other


def _stretched(text: str) -> Sequence[str]:
    """The letters that stand three times in a row."""
    if text.isascii():
        return [letter for letter in ascii_lowercase if letter * 3 in text]
    return [found[1] for found in _TRIPLE.finditer(text)]


def _with_l(view: View, plain: View) -> Reading | None:
    text = view.text
    places = _ones(view, plain) if "i" in text else []
    changed: dict[int, list[str]] = {}
    for at in places:
        word = bisect_right(view.word_spans, (at, len(text))) - 1
        if word >= 0 and at < view.word_spans[word][1]:
            letters = changed.setdefault(word, list(view.words[word]))
            letters[at - view.word_spans[word][0]] = "l"
    if not changed:
        return None
    words = list(view.words)
    for word, letters in changed.items():
        words[word] = "".join(letters)
    return Reading(view, words, changed)


def _ones(view: View, plain: View) -> list[int]:
    """Where the view has an i that was written `1`, `!` or `|`."""
    text = view.text
    if len(text) == len(plain.text):
        return [found.start() for found in _ONE.finditer(plain.text) if text[found.start()] == "i"]
    places = view.positions([found.start() for found in _ONE.finditer(view.original)])
    return [at for at in places.tolist() if at >= 0 and text[at] == "i"]


def _unstretched(view: View, stretched: Iterable[str]) -> Reading | None:
    """Runs of three and more of the letters `stretched` were cut to two; they may also stand for a single one."""
    spans, size = view.word_spans, len(view.text)
    words: list[str] | None = None
    places: dict[int, tuple[int, ...]] = {}
    for i in sorted({bisect_right(spans, (at, size)) - 1 for at in _doubles(view.text, stretched)}):
        word, base = view.words[i], spans[i][0]
        dropped = {
            found.start() + 1
            for found in _DOUBLE.finditer(word)
            if _width(view, base + found.start(), base + found.end()) > 2
        }
        if dropped:
            kept = [j for j in range(len(word)) if j not in dropped]
            words = list(view.words) if words is None else words
            words[i] = "".join([word[j] for j in kept])
            places[i] = (*(base + j for j in kept), spans[i][1])
    return None if words is None else Reading(view, words, places, places)


def _doubles(text: str, letters: Iterable[str]) -> Iterator[int]:
    """Where doubled letters stand: any in a text beyond ASCII, whose `letters` may have been folded, else those."""
    if not text.isascii():
        yield from (found.start() for found in _DOUBLE.finditer(text))
        return
    for double in (letter * 2 for letter in letters):
        at = text.find(double)
        while at >= 0:
            yield at
            at = text.find(double, at + 1)


def _without_article(view: View) -> Reading | None:
    """Words that were spelled letter by letter, without a word of one letter that stood before them: `a f u c k`."""
    words = list(view.words)
    places: dict[int, tuple[int, ...]] = {}
    for i, word in enumerate(words):
        if len(word) > _MIN_SPELLED and word[0] in _ONE_LETTER_WORDS:
            start, end = view.word_spans[i]
            if _width(view, start, end) >= 2 * len(word) - 1:
                words[i] = word[1:]
                places[i] = tuple(range(start + 1, end + 1))
    return Reading(view, words, places, places) if places else None


def _width(view: View, start: int, end: int) -> int:
    span = view.origin(start, end)
    return span.end - span.start
