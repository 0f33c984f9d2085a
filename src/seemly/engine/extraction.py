"""A submission taken apart into what policies read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from seemly.core.channel import Channel
from seemly.core.content import Object, Submission, Text, Turn
from seemly.core.errors import SeemlyError, shorten
from seemly.core.frozen import FrozenMapping
from seemly.engine.context import ConversationMemory, Recollection, build_windows
from seemly.engine.decision import measure_severity
from seemly.engine.leaf import Leaf
from seemly.engine.media_reader import Media, read_media
from seemly.engine.plan import Plan
from seemly.engine.result import Failure, MediaResult
from seemly.media.decoding import Capture, Decoder, Fetch
from seemly.policies.protocol import Finding, Item
from seemly.text.normalize import normalize

__all__ = ["NO_TEXT", "Extracted", "RunContext", "take_apart", "tell"]

NO_TEXT = normalize("")
"""What stands in place of a text where a policy reads a picture."""

MAX_IN_CONTEXT = 20
"""The most texts of a submission that are also read with earlier turns: each costs two more readings a window."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run takes from outside: time (Unix seconds), ids, earlier turns, decoders by type of content.

    `fetch` gets what a URL names. `strict` raises PolicyFailed in place of a partial result; with `early_exit` a frame
    that is enough to reject a video ends the looking; without `remember` the memory is only read.
    """

    clock: Callable[[], float]
    new_id: Callable[[], str]
    memory: ConversationMemory | None
    decoders: Mapping[str, Decoder | str]
    fetch: Fetch | None
    strict: bool
    early_exit: bool
    versions: FrozenMapping
    remember: bool = True


@dataclass(frozen=True, slots=True)
class Extracted:
    """A submission with its leaves, what of it could not be read, and what is told of its media. `timestamp` is in Unix
    milliseconds; `lost` and `unread` are those of all its media."""

    submission: Submission
    leaves: tuple[Leaf, ...]
    failures: tuple[Failure, ...]
    timestamp: float
    media: tuple[MediaResult, ...] = ()
    lost: frozenset[str] = frozenset()
    unread: bool = False


def take_apart(plan: Plan, submission: Submission, around: RunContext) -> Extracted:
    """The leaves of a submission, with the earlier turns that the channel allows.

    Where `around.remember` is set its own text enters the memory, so that the next submission sees it.
    """
    channel, memory, now = plan.channel, around.memory, around.clock()
    timestamp = now * 1000.0 if submission.timestamp is None else submission.timestamp
    content = submission.content
    if type(content) is Text and memory is None and not channel.context_enabled:
        return Extracted(submission, (Leaf(None, content.text),), (), timestamp)
    leaves, failures, media = _read(plan, submission, around)
    told = tuple(each.result for each in media)
    lost = frozenset[str]().union(*(each.lost for each in media))
    recalled = _recall(channel, submission, memory, now)
    texts = [leaf.text for leaf in leaves if leaf.sight is None]
    if (recalled.conversation or recalled.author) and len(texts) <= MAX_IN_CONTEXT:
        leaves = [
            replace(leaf, windows=build_windows(leaf.text, recalled)) if leaf.sight is None else leaf for leaf in leaves
        ]
    if memory is not None and around.remember and texts and not submission.do_not_store:
        memory.remember(submission.conversation_id, Turn("\n".join(texts), submission.author_id, timestamp), now)
    unread = any(each.unread for each in media)
    return Extracted(submission, tuple(leaves), tuple(failures), timestamp, told, lost, unread)


def _read(plan: Plan, submission: Submission, around: RunContext) -> tuple[list[Leaf], list[Failure], list[Media]]:
    """The leaves of every part of the content, and what could not be read; what the channel passes over is neither."""
    content, channel = submission.content, plan.channel
    parts = content.data.items() if isinstance(content, Object) else ((None, content),)
    capture = Capture.of(channel, around.fetch)
    enough = _find_enough(plan, submission) if around.early_exit else None
    leaves: list[Leaf] = []
    failures: list[Failure] = []
    opened: list[Media] = []
    for name, part in parts:
        if isinstance(part, Text):
            leaves.append(Leaf(name, part.text))
        elif getattr(channel, f"enable_{part.type}_moderation"):
            media = read_media(part, name, plan, capture, around.decoders, enough)
            where = part.type if name is None else shorten(name)
            leaves.extend(media.leaves)
            failures.extend(Failure(f"decode:{where}", tell(error)) for error in media.failures)
            opened.append(media)
    return leaves, failures, opened


def _find_enough(plan: Plan, submission: Submission) -> Callable[[Sequence[Leaf]], bool] | None:
    """What tells whether leaves are enough to reject, whatever else the submission holds: None where nothing is."""
    channel, client = plan.channel, submission.client_action
    if channel.rules or channel.triage.reject >= 1.0 or (client is not None and client.behavior == "override"):
        return None

    def decides(leaves: Sequence[Leaf]) -> bool:
        items = [Item(NO_TEXT, sight=leaf.sight) for leaf in leaves if leaf.sight is not None]
        return any(
            measure_severity(finding.probability, bound.threshold, bound.weight) >= channel.triage.reject
            for bound in plan.policies
            if bound.flag and "image" in bound.spec.leaves
            for finding in _ask(bound.policy.check, items)
        )

    return decides


def _ask(check: Callable[[Sequence[Item]], Sequence[Finding]], items: Sequence[Item]) -> Sequence[Finding]:
    """What a policy finds; one that fails decides nothing here, and is told of when everything is read."""
    try:
        return check(items)
    except Exception:  # noqa: BLE001  (whatever a policy raises)
        return ()


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
    return str(error) if isinstance(error, SeemlyError) else f"raised {type(error).__name__}"
