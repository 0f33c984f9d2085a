"""Moderate a text while a language model is still writing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from seemly.core.channel import Channel
from seemly.core.content import MAX_TEXT
from seemly.core.errors import ConfigError, ContentError
from seemly.core.frozen import thaw
from seemly.core.span import Span
from seemly.engine.boundaries import REACH, Hold, find_boundaries, settle
from seemly.engine.masking import mask_text
from seemly.engine.result import ModerationResult
from seemly.policies.protocol import Match

__all__ = ["LONGEST_WAIT", "Released", "TextStream"]

LONGEST_WAIT = 2_000
"""How many characters are held at most, unless a value that must be masked is longer."""

_CONTEXT = 500
"""How many characters before a part are judged together with it, at least, if there are as many."""

_LONGEST_HOLD = 1_000
_STEP = 500


@dataclass(frozen=True, slots=True)
class Released:
    """A part of a text that may be shown, with its masks, and the verdict on it and what stands before it."""

    text: str = field(repr=False)
    result: ModerationResult


class TextStream:
    """A text that arrives in pieces. `Engine.open_stream` makes one; one thread uses it at a time.

    A part is released once a boundary ends it and nothing that may follow can change its masks: a part with digits,
    an `@` or a number in words near its end waits for up to 96 characters more. If no boundary comes, 2,000 characters
    are held at most. How the text was cut into pieces changes nothing.

    A part whose verdict is `reject` is not released, and blocks the stream: nothing is released any more.
    """

    def __init__(
        self,
        judge: Callable[[str], ModerationResult],
        hold: Hold = "sentence",
        *,
        lookahead: int = 0,
        keep_all: bool = False,
    ) -> None:
        """`judge` gives the verdict on a text. `lookahead` characters behind each boundary are waited for. With
        `keep_all` each part is judged with everything before it."""
        _check_hold(hold)
        self._judge = judge
        self._hold = hold
        self._lookahead = lookahead
        self._keep_all = keep_all
        self._pieces: list[str] = []
        self._length = 0
        self._tail = ""  # the text from `_base` on
        self._base = 0
        self._done = 0  # how much is released
        self._cuts = [0]
        self._scanned = 0
        self._due: list[tuple[int, int, bool]] = []  # how much must be known, and the boundary that waits for it
        self._limit = LONGEST_WAIT
        self._finished = False
        self._blocked = False
        self._verdict: tuple[int, ModerationResult] | None = None

    @property
    def blocked(self) -> bool:
        """Whether a part was rejected, so that nothing is released any more."""
        return self._blocked

    @property
    def result(self) -> ModerationResult:
        """The verdict on the whole text so far; of a blocked stream, the verdict that blocked it."""
        if self._verdict is None or (self._verdict[0] != self._length and not self._blocked):
            self._verdict = self._length, self._judge("".join(self._pieces))
        return self._verdict[1]

    def push(self, delta: str) -> list[Released]:
        """Add a piece of text, and return the parts that may be shown now. A blocked stream returns none.

        Raises ContentError if the stream is finished or grows over 100,000 characters.
        """
        if not isinstance(delta, str):
            raise ContentError(f"a piece of a stream must be a str, not {type(delta).__name__}")
        if self._finished:
            raise ContentError("the stream is finished; open another one for another text")
        if self._blocked:
            return []
        if self._length + len(delta) > MAX_TEXT:
            raise ContentError(f"a stream holds at most {MAX_TEXT:,} characters; finish it and open another one")
        self._pieces.append(delta)
        self._length += len(delta)
        self._tail += delta
        self._scan()
        released: list[Released] = []
        while True:
            # What is due first comes first, however much has arrived by now.
            at_boundary = bool(self._due) and self._due[0][0] <= self._limit
            if (self._due[0][0] if at_boundary else self._limit) > self._length:
                break
            part = self._cut_at_boundary() if at_boundary else self._cut_at_limit()
            if self._blocked:
                break
            if part is not None:
                released.append(part)
        return released

    def finish(self) -> list[Released]:
        """End the text, and return what was held of it."""
        if self._finished or self._blocked:
            self._finished = True
            return []
        self._finished = True
        if self._done == self._length:
            return []
        part = self._release(self._length, *self._read(self._length))
        return [] if part is None else [part]

    def _scan(self) -> None:
        """Note the boundaries that have become known."""
        base, tail = self._base, self._tail
        for boundary in find_boundaries(tail, self._scanned - base, self._hold):
            at = boundary.at + base
            ahead = max(settle(tail, boundary) + base, at + self._lookahead, at + 2)
            heappush(self._due, (ahead, at, boundary.open))
        at = len(tail) - 2
        while at > self._scanned - base and not tail[at].isalnum():
            at -= 1
        self._scanned = max(self._scanned, at + base)

    def _cut_at_boundary(self) -> Released | None:
        ahead, at, is_open = self._due[0]
        least = self._hold if isinstance(self._hold, int) else 1
        if at - self._done < least:
            heappop(self._due)
            return None
        result, matches = self._read(ahead)
        heappop(self._due)
        if _crossing(matches, at) is not None:
            return None
        ends = [match.span.end for match in matches if match.span.end <= at]
        settled = max(ends, default=0) + REACH
        if ends and settled > ahead:
            heappush(self._due, (settled, at, is_open))
            return None
        return self._release(at, result, matches)

    def _cut_at_limit(self) -> Released | None:
        """Release what can be after the longest wait; a value that has not ended is held on."""
        limit = self._limit
        result, matches = self._read(limit)
        last = limit - REACH
        at = self._find_space(last, matches)
        if at is None:
            crossing = _crossing(matches, last)
            at = last if crossing is None else crossing.span.start
        if at <= self._done:
            self._limit = limit + _STEP
            return None
        return self._release(at, result, matches)

    def _find_space(self, last: int, matches: Sequence[Match]) -> int | None:
        """The last place after white space, up to `last`, that no value covers."""
        for at in range(last, self._done, -1):
            if self._tail[at - 1 - self._base].isspace() and _crossing(matches, at) is None:
                return at
        return None

    def _read(self, end: int) -> tuple[ModerationResult, list[Match]]:
        """The verdict on the text up to `end`, with what stands before it, and the values in it by their place."""
        start = self._base
        result = self._judge(self._tail[: end - start])
        matches = [
            replace(match, span=Span(match.span.start + start, match.span.end + start))
            for policy in result.policies
            for match in policy.matches
            if match.mask is not None or policy.id == "personal_information"
        ]
        return result, matches

    def _release(self, at: int, result: ModerationResult, matches: Sequence[Match]) -> Released | None:
        if result.recommendation.action == "reject":
            self._blocked = True
            self._verdict = self._length, result
            self._pieces, self._tail, self._due = [], "", []
            return None
        part = self._tail[self._done - self._base : at - self._base]
        text = mask_text(part, [_clip(each, self._done, at) for each in matches if _touches(each, self._done, at)])
        self._done = at
        self._limit = at + LONGEST_WAIT
        self._cuts.append(at)
        self._forget()
        return Released(part if text is None else text, result)

    def _forget(self) -> None:
        """Drop the text that no part to come is judged with."""
        if self._keep_all:
            return
        while len(self._cuts) > 1 and self._cuts[1] <= self._done - _CONTEXT:
            del self._cuts[0]
        self._tail = self._tail[self._cuts[0] - self._base :]
        self._base = self._cuts[0]


def _check_hold(hold: object) -> None:
    if hold in ("sentence", "line"):
        return
    if type(hold) is not int or not 1 <= hold <= _LONGEST_HOLD:
        raise ConfigError(f'hold must be "sentence", "line", or a number of characters from 1 to {_LONGEST_HOLD:,}')


def _crossing(matches: Sequence[Match], at: int) -> Match | None:
    """The first value that begins before a place and ends behind it."""
    found = [match for match in matches if match.span.start < at < match.span.end]
    return min(found, key=lambda match: match.span.start, default=None)


def _touches(match: Match, start: int, end: int) -> bool:
    return match.span.start < end and start < match.span.end


def _clip(match: Match, start: int, end: int) -> Match:
    return replace(match, span=Span(max(match.span.start, start) - start, min(match.span.end, end) - start))


def find_lookahead(channel: Channel) -> int:
    """How many characters behind a boundary can make a masked phrase of what stands before it."""
    lists = [each for each in channel.wordlists if each.mask or each.mode == "allow"]
    longest = max((len(word) for each in lists for word in each.words if each.match == "id" or " " in word), default=0)
    masks = any(each.options.get("mask") for each in channel.policies if each.id in ("profanity", "url"))
    return max(2 * longest, REACH if masks or longest else 0)


def keeps_names(channel: Channel) -> bool:
    """Whether masks are pseudonyms, which are numbered from the beginning of a text."""
    options = next((each.options for each in channel.policies if each.id == "personal_information"), {})
    return "pseudonym" in str(thaw(options))
