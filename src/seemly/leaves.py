"""A submission taken apart into what policies read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seemly.channel import Channel
from seemly.content import MAX_TEXT, Audio, Image, Object, Part, Submission, Text, Turn, Video
from seemly.context import ConversationMemory, Window, build_windows
from seemly.result import Failure

__all__ = ["Leaf", "Tree", "take_apart"]

_EXTRAS = {"image": "nudity", "video": "media", "audio": "media"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text within a submission, the field it stands in, and the earlier turns that it is also read with."""

    field: str | None
    text: str
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A submission with its leaves, and what of it could not be read. `timestamp` is in Unix milliseconds."""

    submission: Submission
    leaves: tuple[Leaf, ...]
    failures: tuple[Failure, ...]
    timestamp: float


def take_apart(channel: Channel, submission: Submission, memory: ConversationMemory | None, now: float) -> Tree:
    """The leaves of a submission, read with the earlier turns that the channel allows. `now` is in Unix seconds.

    The submission's own text enters the memory, so that the next submission sees it.
    """
    if submission.timestamp is not None:
        now = submission.timestamp / 1000.0
    content = submission.content
    if type(content) is Text and memory is None and not channel.context_enabled:
        return Tree(submission, (Leaf(None, content.text),), (), now * 1000.0)
    parts = content.data.items() if isinstance(content, Object) else ((None, content),)
    history = _recall(channel, submission, memory, now)
    leaves = tuple(
        Leaf(field, part.text, build_windows(part.text, submission.author_id, history))
        for field, part in parts
        if isinstance(part, Text)
    )
    if memory is not None and leaves and not submission.do_not_store:
        text = "\n".join(leaf.text for leaf in leaves)[:MAX_TEXT]
        memory.remember(submission.conversation_id, Turn(text, submission.author_id, now * 1000.0), now)
    return Tree(submission, leaves, tuple(_find_unread(channel, parts)), now * 1000.0)


def _recall(
    channel: Channel, submission: Submission, memory: ConversationMemory | None, now: float
) -> tuple[Turn, ...]:
    if not channel.context_enabled:
        return ()
    if submission.history is not None:
        return tuple(submission.history)
    return () if memory is None else memory.recall(submission.conversation_id, submission.author_id, now)


def _find_unread(channel: Channel, parts: Iterable[tuple[str | None, Part | Object]]) -> Iterable[Failure]:
    for field, part in parts:
        if isinstance(part, Image | Video | Audio) and getattr(channel, f"enable_{part.type}_moderation"):
            extra = f'pip install "seemly[{_EXTRAS[part.type]}]"'
            message = f"nothing that reads {part.type} content is installed; install the extra: {extra}"
            yield Failure(f"decode:{field or part.type}", message)
