"""Earlier turns: what a message is read together with, and the memory that keeps them."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from annotated_types import Interval

from seemly.bounds import check_fields
from seemly.content import Turn
from seemly.policy import Finding, Match
from seemly.span import Span

__all__ = ["ConversationMemory", "Window", "build_windows", "merge_findings"]

MAX_WINDOW = 2_000
"""The most code points of earlier turns that a message is read with."""

RISE = 0.2
"""How much more probable a window must be with the message than without it for the window to count."""


@dataclass(frozen=True, slots=True)
class Window:
    """Earlier turns, and the same turns followed by the message, which starts at code point `offset`."""

    before: str
    together: str
    offset: int


def build_windows(message: str, author_id: str | None, history: Sequence[Turn]) -> tuple[Window, ...]:
    """The windows to try: the whole conversation's, and, where it differs, that of the message's own author."""
    windows = [_window(message, history)] if history else []
    own = [turn for turn in history if turn.author_id is not None and turn.author_id == author_id]
    if own and len(own) < len(history):
        windows.append(_window(message, own))
    return tuple(windows)


def merge_findings(alone: Finding, with_windows: Iterable[tuple[Window, Finding, Finding]], message: str) -> Finding:
    """What a policy says of a message, given what it says of each window without and with it.

    A window counts where its probability with the message exceeds that without it by 0.2 or more. Its matches are
    kept where they touch the message, and clipped to it.
    """
    best = alone
    for window, before, together in with_windows:
        if together.probability <= best.probability or together.probability < before.probability + RISE:
            continue
        matches = {match.span: match for match in alone.matches}
        for match in together.matches:
            clipped = _clip(match, window.offset, message)
            known = None if clipped is None else matches.get(clipped.span)
            if clipped is not None and (known is None or known.probability < clipped.probability):
                matches[clipped.span] = clipped
        best = replace(together, matches=tuple(sorted(matches.values(), key=lambda match: match.span)))
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


class ConversationMemory:
    """The last turns of the last conversations, in process and bounded. Safe to share between threads and engines.

    Keeps at most `turns` turns of a conversation, none older than `seconds`, and at most `conversations`
    conversations, the least recently used going first. Turns are kept as text: size it with that in mind.
    """

    def __init__(self, *, turns: int = 10, seconds: float = 3600.0, conversations: int = 10_000) -> None:
        self.limits = _Limits(turns, seconds, conversations)
        self._lock = threading.Lock()
        self._turns: OrderedDict[tuple[str, str], deque[tuple[float, Turn]]] = OrderedDict()

    def recall(self, conversation_id: str | None, author_id: str | None, now: float) -> tuple[Turn, ...]:
        """The turns of the conversation, oldest first; without one, the author's. `now` is in Unix seconds."""
        key = _key(conversation_id, author_id)
        if key is None:
            return ()
        with self._lock:
            kept = self._turns.get(key)
            if kept is None:
                return ()
            self._turns.move_to_end(key)
            while kept and kept[0][0] < now - self.limits.seconds:
                kept.popleft()
            if not kept:
                del self._turns[key]
            return tuple(turn for _, turn in kept)

    def remember(self, conversation_id: str | None, turn: Turn, now: float) -> None:
        """Add a turn to its conversation and to its author's. `now` is in Unix seconds."""
        with self._lock:
            for key in {_key(conversation_id, turn.author_id), _key(None, turn.author_id)}:
                if key is None:
                    continue
                kept = self._turns.setdefault(key, deque(maxlen=self.limits.turns))
                kept.append((now, turn))
                self._turns.move_to_end(key)
            while len(self._turns) > 2 * self.limits.conversations:
                self._turns.popitem(last=False)

    def __len__(self) -> int:
        return len(self._turns)

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self.limits,)


@dataclass(frozen=True, slots=True)
class _Limits:
    turns: Annotated[int, Interval(ge=1, le=1000)]
    seconds: Annotated[float, Interval(ge=0.0, le=1e9)]
    conversations: Annotated[int, Interval(ge=1, le=10_000_000)]

    def __post_init__(self) -> None:
        check_fields(self)


def _remade(limits: _Limits) -> ConversationMemory:
    return ConversationMemory(turns=limits.turns, seconds=limits.seconds, conversations=limits.conversations)


def _key(conversation_id: str | None, author_id: str | None) -> tuple[str, str] | None:
    if conversation_id is not None:
        return "conversation", conversation_id
    return None if author_id is None else ("author", author_id)
