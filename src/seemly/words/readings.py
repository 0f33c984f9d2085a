"""The words of a view, and the other ways to read them where a character is ambiguous."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from types import MappingProxyType
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from seemly.text.normalize import Normalized
    from seemly.text.view import View

__all__ = ["SPACELESS", "Reading", "readings", "words_of"]

SPACELESS = r"\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Tibetan}\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}ー"
"""The scripts that are written without spaces, as the inside of a `regex` set."""

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]++(?:\*{1,8}[\p{L}\p{M}\p{N}]++)*+")
_RUN = regex.compile(
    rf"(?V1)[{SPACELESS}]++|[[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]--[{SPACELESS}]]++"
    rf"(?:\*{{1,8}}[[\p{{L}}\p{{M}}\p{{N}}]--[{SPACELESS}]]++)*+"
)
_ANY_SPACELESS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff\uff65-\uff9f\U0001b000-\U0001b2ff\U00020000-\U0003ffff]"
)
_DOUBLE = re.compile(r"([^\W\d_])\1")
_TRIPLE = re.compile(r"([^\W\d_])\1\1")
_ONE = re.compile("[1!|]")
_MIN_SPELLED = 3
_ONE_LETTER_WORDS = frozenset("aieouwyz")
_UNCHANGED: Mapping[int, tuple[int, ...]] = MappingProxyType({})


def words_of(view: View) -> Sequence[str]:
    """The words of a view: letters, marks and digits, with `*` inside for masked letters.

    Runs of a script without spaces are words of their own.
    """
    text = view.text
    if not text.isascii() and _ANY_SPACELESS.search(text):
        return _RUN.findall(text)
    words: Sequence[str] = view.words
    if "'" in text:
        words = [piece for word in words for piece in (word.split("'") if "'" in word else (word,))]
    if "’" in text:
        words = [piece for word in words for piece in (word.split("’") if "’" in word else (word,))]
    if "*" in text:
        words = [piece for word in words for piece in (_WORD.findall(word) if "*" in word else (word,))]
    return words


def _spans(text: str) -> list[tuple[int, int]]:
    spaceless = not text.isascii() and _ANY_SPACELESS.search(text)
    return [match.span() for match in (_RUN if spaceless else _WORD).finditer(text)]


class Reading:
    """One way to read a view's words."""

    __slots__ = ("_of", "_places", "_spans", "view", "words")

    def __init__(
        self,
        view: View,
        words: Sequence[str],
        places: Mapping[int, tuple[int, ...]] = _UNCHANGED,
        of: Reading | None = None,
    ) -> None:
        """`places[i]` holds, for a word of another length than the view's, the view's offset of each of its
        characters and its end. `of` is the view's own reading, whose places this one shares.
        """
        self.view = view
        self.words = words
        self._places = places
        self._of = of
        self._spans: Sequence[tuple[int, int]] | None = None

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Where each word stands in the view."""
        if self._spans is None:
            self._spans = _spans(self.view.text) if self._of is None else self._of.spans
        return self._spans

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
    every = list(_readings(folded, normalized.plain))
    if squashed is not folded:
        spelled = list(_readings(squashed, normalized.plain))
        other = _without_article(spelled[0])
        every += spelled if other is None else [*spelled, other]
    return every


def _readings(view: View, plain: View) -> Iterator[Reading]:
    """The view's own reading, then `1 ! |` as l instead of i, then stretched letters as one instead of two.

    `plain` is the view before leetspeak was read.
    """
    first = Reading(view, words_of(view))
    yield first
    if _ONE.search(plain.text):
        other = _with_l(first, plain)
        if other is not None:
            yield other
    if len(view.text) != len(plain.text) or not view.text.isascii():
        stretched = {found[1] for found in _TRIPLE.finditer(plain.text.lower())}
        other = _unstretched(first, stretched) if stretched else None
        if other is not None:
            yield other


def _with_l(reading: Reading, plain: View) -> Reading | None:
    view = reading.view
    text = view.text
    places = _ones(view, plain) if "i" in text else []
    changed: dict[int, list[str]] = {}
    for at in places:
        word = bisect_right(reading.spans, (at, len(text))) - 1
        if word >= 0 and at < reading.spans[word][1]:
            letters = changed.setdefault(word, list(reading.words[word]))
            letters[at - reading.spans[word][0]] = "l"
    if not changed:
        return None
    words = list(reading.words)
    for word, letters in changed.items():
        words[word] = "".join(letters)
    return Reading(view, words, of=reading)


def _ones(view: View, plain: View) -> list[int]:
    """Where the view has an i that was written `1`, `!` or `|`."""
    text = view.text
    if len(text) == len(plain.text):
        return [found.start() for found in _ONE.finditer(plain.text) if text[found.start()] == "i"]
    starts = view.starts
    if starts is None:
        return []
    found_at = (found.start() for found in _ONE.finditer(view.original))
    near = ((at, bisect_left(starts, at)) for at in found_at)
    return [i for at, i in near if i < len(text) and starts[i] == at and text[i] == "i"]


def _unstretched(reading: Reading, stretched: Iterable[str]) -> Reading | None:
    """Runs of three and more of the letters `stretched` were cut to two; they may also stand for a single one."""
    view = reading.view
    doubles = tuple(letter * 2 for letter in stretched) if view.text.isascii() else ()
    words: list[str] | None = None
    places: dict[int, tuple[int, ...]] = {}
    for i, word in enumerate(reading.words):
        if doubles:
            if not any(double in word for double in doubles):
                continue
        elif not _DOUBLE.search(word):
            continue
        base = reading.spans[i][0]
        dropped = {
            found.start() + 1
            for found in _DOUBLE.finditer(word)
            if _width(view, base + found.start(), base + found.end()) > 2
        }
        if dropped:
            kept = [j for j in range(len(word)) if j not in dropped]
            words = list(reading.words) if words is None else words
            words[i] = "".join([word[j] for j in kept])
            places[i] = (*(base + j for j in kept), reading.spans[i][1])
    return None if words is None else Reading(view, words, MappingProxyType(places), reading)


def _without_article(reading: Reading) -> Reading | None:
    """Words that were spelled letter by letter, without a word of one letter that stood before them: `a f u c k`."""
    view = reading.view
    words = list(reading.words)
    places: dict[int, tuple[int, ...]] = {}
    for i, word in enumerate(words):
        if len(word) > _MIN_SPELLED and word[0] in _ONE_LETTER_WORDS:
            start, end = reading.spans[i]
            if _width(view, start, end) >= 2 * len(word) - 1:
                words[i] = word[1:]
                places[i] = tuple(range(start + 1, end + 1))
    return Reading(view, words, MappingProxyType(places), reading) if places else None


def _width(view: View, start: int, end: int) -> int:
    span = view.origin(start, end)
    return span.end - span.start
