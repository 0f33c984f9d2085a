"""A submission taken apart into what policies read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from seemly.channel import Channel
from seemly.content import Audio, Image, Object, Part, Submission, Text, Turn, Video
from seemly.context import ConversationMemory, Recollection, Window, build_windows
from seemly.errors import shorten
from seemly.result import Failure

__all__ = ["Leaf", "Tree", "take_apart"]

MAX_IN_CONTEXT = 20
"""The most text fields of an object that are also read with earlier turns: each costs two more readings a window."""

_EXTRAS = {"image": "nudity", "video": "media", "audio": "media"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text within a submission, the field it stands in, and the earlier turns that it is also read with."""

    field: str | None
    text: str = dataclasses.field(repr=False)
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A submission with its leaves, and what of it could not be read. `timestamp` is in Unix milliseconds."""

    submission: Submission
    leaves: tuple[Leaf, ...]
    failures: tuple[Failure, ...]
    timestamp: float


def take_apart(
    channel: Channel, submission: Submission, memory: ConversationMemory | None, now: float, *, remember: bool = True
) -> Tree:
    """The leaves of a submission, with the earlier turns that the channel allows. `now` is in Unix seconds.

    With `remember` its own text enters the memory, so that the next submission sees it.
    """
    timestamp = now * 1000.0 if submission.timestamp is None else submission.timestamp
    content = submission.content
    if type(content) is Text and memory is None and not channel.context_enabled:
        return Tree(submission, (Leaf(None, content.text),), (), timestamp)
    parts = content.data.items() if isinstance(content, Object) else ((None, content),)
    texts = [(name, part.text) for name, part in parts if isinstance(part, Text)]
    recalled = _recall(channel, submission, memory, now)
    leaves = tuple(
        Leaf(name, text, build_windows(text, recalled) if len(texts) <= MAX_IN_CONTEXT else ()) for name, text in texts
    )
    if memory is not None and remember and texts and not submission.do_not_store:
        turn = Turn("\n".join(text for _, text in texts), submission.author_id, timestamp)
        memory.remember(submission.conversation_id, turn, now)
    return Tree(submission, leaves, tuple(_find_unread(channel, parts)), timestamp)


def _recall(channel: Channel, submission: Submission, memory: ConversationMemory | None, now: float) -> Recollection:
    if not channel.context_enabled:
        return Recollection()
    if submission.history is not None:
        author = submission.author_id
        own = tuple(turn for turn in submission.history if author is not None and turn.author_id == author)
        return Recollection(submission.history, own)
    if memory is None:
        return Recollection()
    return memory.recall(submission.conversation_id, submission.author_id, now)


def _find_unread(channel: Channel, parts: Iterable[tuple[str | None, Part | Object]]) -> Iterable[Failure]:
    for name, part in parts:
        if isinstance(part, Image | Video | Audio) and getattr(channel, f"enable_{part.type}_moderation"):
            extra = f'pip install "seemly[{_EXTRAS[part.type]}]"'
            message = f"nothing that reads {part.type} content is installed; it comes with an extra: {extra}"
            yield Failure(f"decode:{part.type if name is None else shorten(name)}", message)
