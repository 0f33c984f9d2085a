"""Earlier turns: what a message is read together with, and the memory that keeps them."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from annotated_types import Interval

from seemly.core.content import Turn
from seemly.core.locks import ProcessLock
from seemly.core.span import Span
from seemly.core.validation import check_fields
from seemly.policies.protocol import Finding, Match

__all__ = ["ConversationMemory", "Recollection", "Window", "build_windows", "merge_findings"]

MAX_WINDOW = 2_000
"""The most code points of earlier turns that a message is read with."""

RISE = 0.2
"""How much more probable a window must be with the message than without it for the window to count."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Earlier turns, oldest first: those of the conversation, and those of the message's author."""

    conversation: tuple[Turn, ...] = ()
    author: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Earlier turns, and the same turns followed by the message, which starts at code point `offset`."""

    before: str = field(repr=False)
    together: str = field(repr=False)
    offset: int


def build_windows(message: str, recalled: Recollection) -> tuple[Window, ...]:
    """The windows to try: the whole conversation's, and, where it differs, that of the message's own author."""
    streams = dict.fromkeys(turns for turns in (recalled.conversation, recalled.author) if turns)
    return tuple(_window(message, turns) for turns in streams)


def merge_findings(
    alone: Finding, with_windows: Iterable[tuple[Window, Finding, Finding]], message: str, *, by_match: bool
) -> Finding:
    """What a policy says of a message, given what it says of each window without and with it.

    A window counts where its probability with the message exceeds that without it by 0.2 or more. Its matches are
    kept where they touch the message, and clipped to it. Where a policy goes `by_match` (an entity matcher), each match
    that touches the message speaks for itself: what else the earlier turns held neither adds nor takes away.
    """
    best = alone
    for window, before, together in with_windows:
        touching = [(match, clipped) for match in together.matches if (clipped := _clip(match, window.offset, message))]
        if by_match:
            touching = [pair for pair in touching if pair[0].probability >= _known(pair[0], before)]
            risen = max((match.probability for match, _ in touching if match.flagging), default=0.0)
            counts = bool(touching)
        else:
            risen = together.probability
            counts = risen > best.probability and risen >= before.probability + RISE
        if counts:
            matches = _join(best.matches, [clipped for _, clipped in touching])
            source = best if by_match else together
            best = replace(source, probability=max(best.probability, risen), matches=matches)
    return best


def _window(message: str, turns: Sequence[Turn]) -> Window:
    texts: list[str] = []
    room = MAX_WINDOW
    for turn in reversed(turns):
        if room <= 0:
            break
        texts.append(turn.text[-room:])
        room -= len(turn.text) + 1
    before = "\n".join(reversed(texts))
    return Window(before, f"{before}\n{message}", len(before) + 1)


def _clip(match: Match, offset: int, message: str) -> Match | None:
    start, end = max(0, match.span.start - offset), match.span.end - offset
    if end <= start:
        return None
    return replace(match, span=Span(start, end), match=message[start:end])


def _known(match: Match, before: Finding) -> float:
    """How probable the earlier part of a match was before the message came."""
    overlapping = (each.probability for each in before.matches if each.span.end > match.span.start)
    return max(overlapping, default=0.0)


def _join(matches: Iterable[Match], more: Iterable[Match]) -> tuple[Match, ...]:
    """All the matches by place; of several in one place the surest."""
    joined: dict[Span, Match] = {}
    for match in (*matches, *more):
        known = joined.get(match.span)
        if known is None or known.probability < match.probability:
            joined[match.span] = match
    return tuple(joined[span] for span in sorted(joined))


class ConversationMemory:
    """The last turns of the last conversations and authors, in process and bounded. Safe to share between threads.

    Keeps at most `turns` turns of a conversation or author, none longer than `seconds`, and at most `conversations` of
    each, the least recently used going first; of a turn it keeps the last 2,000 code points, all that a message is
    ever read with. Turns are kept as text: size it with that in mind.
    """

    def __init__(self, *, turns: int = 10, seconds: float = 3600.0, conversations: int = 10_000) -> None:
        self.limits = _Limits(turns, seconds, conversations)
        self._lock = ProcessLock()
        self._conversations: _Streams = OrderedDict()
        self._authors: _Streams = OrderedDict()

    def recall(self, conversation_id: str | None, author_id: str | None, now: float) -> Recollection:
        """The turns of the conversation and of the author that are still kept. `now` is in Unix seconds."""
        with self._lock:
            return Recollection(
                self._read(self._conversations, conversation_id, now), self._read(self._authors, author_id, now)
            )

    def remember(self, conversation_id: str | None, turn: Turn, now: float) -> None:
        """Add a turn to its conversation and to its author's. `now`, in Unix seconds, is when it arrived."""
        turn = replace(turn, text=turn.text[-MAX_WINDOW:])
        with self._lock:
            for streams, key in ((self._conversations, conversation_id), (self._authors, turn.author_id)):
                if key is not None:
                    streams.setdefault(key, deque(maxlen=self.limits.turns)).append((now, turn))
                    streams.move_to_end(key)
                    self._forget(streams, now)

    def _read(self, streams: _Streams, key: str | None, now: float) -> tuple[Turn, ...]:
        if key is None or key not in streams:
            return ()
        streams.move_to_end(key)
        return tuple(turn for arrived, turn in streams[key] if arrived >= now - self.limits.seconds)

    def _forget(self, streams: _Streams, now: float) -> None:
        """Drop the least recently used while there are too many, or while nothing of theirs is recent enough."""
        while streams:
            oldest = next(iter(streams.values()))
            if len(streams) <= self.limits.conversations and oldest[-1][0] >= now - self.limits.seconds:
                return
            streams.popitem(last=False)

    def __len__(self) -> int:
        """How many conversations and authors it has turns of."""
        return len(self._conversations) + len(self._authors)

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self.limits,)


_Streams = OrderedDict[str, deque[tuple[float, Turn]]]


@dataclass(frozen=True, slots=True)
class _Limits:
    turns: Annotated[int, Interval(ge=1, le=1000)]
    seconds: Annotated[float, Interval(ge=0.0, le=1e9)]
    conversations: Annotated[int, Interval(ge=1, le=10_000_000)]

    def __post_init__(self) -> None:
        check_fields(self)


def _remade(limits: _Limits) -> ConversationMemory:
    return ConversationMemory(turns=limits.turns, seconds=limits.seconds, conversations=limits.conversations)
