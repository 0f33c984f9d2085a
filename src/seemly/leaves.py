"""A submission taken apart into what policies read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from seemly.channel import Channel
from seemly.content import MAX_TEXT, Content, Object, Submission, Text, Turn
from seemly.context import ConversationMemory, Recollection, Window, build_windows
from seemly.decode import Decoder, find_texts
from seemly.errors import ModelError, PolicyFailed, shorten
from seemly.frozen import FrozenMapping
from seemly.plan import Plan
from seemly.result import Failure

__all__ = ["Leaf", "Surroundings", "Tree", "take_apart", "tell"]

MAX_IN_CONTEXT = 20
"""The most text fields of an object that are also read with earlier turns: each costs two more readings a window."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from outside: time (Unix seconds), ids, earlier turns, decoders by type of content.

    `strict` raises PolicyFailed in place of a partial result; without `remember` the memory is only read.
    """

    clock: Callable[[], float]
    new_id: Callable[[], str]
    memory: ConversationMemory | None
    decoders: Mapping[str, Decoder]
    strict: bool
    versions: FrozenMapping
    remember: bool = True


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


def take_apart(plan: Plan, submission: Submission, around: Surroundings) -> Tree:
    """The leaves of a submission, with the earlier turns that the channel allows.

    Where `around.remember` is set its own text enters the memory, so that the next submission sees it.
    """
    channel, memory, now = plan.channel, around.memory, around.clock()
    timestamp = now * 1000.0 if submission.timestamp is None else submission.timestamp
    content = submission.content
    if type(content) is Text and memory is None and not channel.context_enabled:
        return Tree(submission, (Leaf(None, content.text),), (), timestamp)
    texts, failures = _read(content, channel, around.decoders)
    recalled = _recall(channel, submission, memory, now)
    leaves = tuple(
        Leaf(name, text, build_windows(text, recalled) if len(texts) <= MAX_IN_CONTEXT else ()) for name, text in texts
    )
    if memory is not None and around.remember and texts and not submission.do_not_store:
        turn = Turn("\n".join(text for _, text in texts), submission.author_id, timestamp)
        memory.remember(submission.conversation_id, turn, now)
    return Tree(submission, leaves, tuple(failures), timestamp)


def _read(
    content: Content, channel: Channel, decoders: Mapping[str, Decoder]
) -> tuple[list[tuple[str | None, str]], list[Failure]]:
    """Every text of the content with its field, and what could not be read; what the channel passes over is neither."""
    parts = content.data.items() if isinstance(content, Object) else ((None, content),)
    texts: list[tuple[str | None, str]] = []
    failures: list[Failure] = []
    for name, part in parts:
        if not isinstance(part, Text) and not getattr(channel, f"enable_{part.type}_moderation"):
            continue
        try:
            texts.extend([(name, text[:MAX_TEXT]) for text in find_texts(part, decoders)])
        except Exception as error:  # noqa: BLE001  (whatever a decoder raises must not cost the other fields)
            where = part.type if name is None else shorten(name)
            failures.append(Failure(f"decode:{where}", tell(error)))
    return texts, failures


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


def tell(error: Exception) -> str:
    """What may be said of an error: a foreign exception's own words could quote the content."""
    return str(error) if isinstance(error, PolicyFailed | ModelError) else f"raised {type(error).__name__}"
