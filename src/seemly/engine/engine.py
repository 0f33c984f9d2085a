"""The engine: one channel, compiled, ready to moderate."""

from __future__ import annotations

import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from seemly.core.channel import Channel, PolicySettings
from seemly.core.content import Submission
from seemly.core.errors import ConfigError, ContentError, Issue
from seemly.core.frozen import FrozenMapping
from seemly.core.locks import ProcessLock
from seemly.core.submission import parse_submission
from seemly.core.version import __version__
from seemly.engine.context import ConversationMemory
from seemly.engine.extraction import RunContext
from seemly.engine.models import Models
from seemly.engine.pipeline import run_batch
from seemly.engine.plan import compile_plan
from seemly.engine.result import ModerationResult
from seemly.media.decoding import BUILTIN_DECODERS, Decoder, Fetch
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import Registry

if TYPE_CHECKING:
    from seemly.engine.explain import Explanation

__all__ = ["DEFAULT_TIER", "Engine", "Rejected"]

DEFAULT_TIER = "cascade"
"""The tier of text models that an engine uses unless told otherwise."""

_OVERRIDES = 32
"""How many engines for requests' own `policies` are kept."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item of `moderate_many` that could not be moderated: its position in the input, and why."""

    index: int
    error: ContentError


_Shared = tuple[
    str,
    Registry,
    Models,
    Mapping[str, Decoder | str],
    Fetch | None,
    ConversationMemory | None,
    bool,
    bool,
    Callable[[], float],
    Callable[[], str],
]
"""Everything that an engine is made of but its channel."""


def _new_id() -> str:
    return secrets.token_hex(16)


class Engine:
    """Moderates content by one channel, in process.

    `tier` chooses the text model; `registry` the policies there are; `models` is shared between engines to share
    what they load; `decoders` take content that is not text apart, by its type, and `fetch` gets what is given by its
    URL (`Fetcher().fetch` of `seemly.adapters.http.fetch`): without one, nothing is fetched. `memory` supplies earlier
    turns to channels with `context_enabled`. With `strict`, a policy's failure raises PolicyFailed in place of a
    partial result; with `early_exit`, a video is looked at no further once a frame is enough to reject it, unless the
    channel has rules. `clock` gives Unix seconds.

    Everything that can be wrong with the configuration is a ConfigError here, never later. An engine is safe to use
    from several threads, pickles as its configuration, and works on after a fork.
    """

    def __init__(
        self,
        channel: Channel | None = None,
        *,
        tier: str = DEFAULT_TIER,
        registry: Registry = BUILTIN,
        models: Models | None = None,
        decoders: Mapping[str, Decoder | str] | tuple[()] = BUILTIN_DECODERS,
        fetch: Fetch | None = None,
        memory: ConversationMemory | None = None,
        strict: bool = False,
        early_exit: bool = False,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        _check_arguments(
            channel=(channel, Channel | None),
            tier=(tier, str),
            registry=(registry, Registry),
            models=(models, Models | None),
            decoders=(decoders or {}, Mapping),
            fetch=(fetch, Callable | None),
            memory=(memory, ConversationMemory | None),
            clock=(clock, Callable),
            new_id=(new_id, Callable),
        )
        self.channel = Channel() if channel is None else channel
        self.tier = tier
        self.registry = registry
        self.models = Models() if models is None else models
        self.memory = memory
        self._plan = compile_plan(self.channel, registry, self.models, tier)
        versions = _versions(self.models, tier)
        self._around = RunContext(clock, new_id, memory, decoders or {}, fetch, strict, early_exit, versions)
        self._overrides: OrderedDict[tuple[PolicySettings, ...], Engine] = OrderedDict()
        self._lock = ProcessLock()
        self._executor: tuple[int, ThreadPoolExecutor] | None = None

    def __repr__(self) -> str:
        return f"Engine({self.channel.key!r}, tier={self.tier!r}, policies={list(self.policies)})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.channel, *self._shared(self.memory))

    @property
    def policies(self) -> tuple[str, ...]:
        """The ids of the policies that run, in the order of the registry."""
        return tuple(each.spec.id for each in self._plan.policies)

    def with_channel(self, channel: Channel) -> Engine:
        """An engine for another channel that shares this one's models and memory."""
        return _rebuild(channel, *self._shared(self.memory))

    def with_own_memory(self) -> Engine:
        """An engine that shares everything with this one but its memory: its own is empty, of the same limits."""
        # A memory copies, as it pickles, without its turns.
        return _rebuild(self.channel, *self._shared(copy(self.memory)))

    def warm_up(self, *, media: bool = False) -> Engine:
        """Load everything that the first verdict on a text would load, and with `media` what looks at pictures and
        listens, too. Returns the engine itself.

        Raises ModelError where a model does not load.
        """
        samples = ["Write to jo@example.com or +44 20 7946 0958, see https://example.com", "Ответь мне, привет"]
        self._plan.scorer.warm_up()
        if media:
            self.models.senses.warm_up(self.channel.transcription_quality)
        without_memory = replace(self._around, memory=None, strict=False)
        run_batch(self._plan, [parse_submission(sample) for sample in samples], without_memory)
        return self

    def moderate(self, content: object) -> ModerationResult:
        """Moderate one item: a str, a content object, a Submission, or the wire's dict for any of these.

        Raises ContentError where the item is not of a shape that can be moderated.
        """
        submission = self._parse(content)
        return self._engine_for(submission)._run([submission])[0]

    @overload
    def moderate_many(
        self, items: Iterable[object], *, batch_size: int = ..., on_error: Literal["raise"] = ...
    ) -> Iterator[ModerationResult]: ...

    @overload
    def moderate_many(
        self, items: Iterable[object], *, batch_size: int = ..., on_error: Literal["return"]
    ) -> Iterator[ModerationResult | Rejected]: ...

    def moderate_many(
        self, items: Iterable[object], *, batch_size: int = 128, on_error: Literal["raise", "return"] = "raise"
    ) -> Iterator[ModerationResult | Rejected]:
        """Moderate a stream lazily, in order, `batch_size` items at a time, in bounded memory.

        With `on_error="return"`, an item that cannot be moderated comes back as a Rejected in its place; otherwise
        its ContentError is raised once the results before it are out, and so is what the iterable itself raises.
        Raises ConfigError for a wrong argument.
        """
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ConfigError("batch_size must be a whole number of at least 1")
        if on_error not in ("raise", "return"):
            raise ConfigError('on_error must be "raise" or "return"')
        return self._stream(items, batch_size, on_error == "raise")

    async def amoderate(self, content: object) -> ModerationResult:
        """`moderate` in a thread of the engine's own, so that the event loop goes on. Calls queue up in order."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self._thread(), self.moderate, content)

    def explain(self, content: object) -> Explanation:
        """Which words carried each classifier's probability, what was matched, and what decided."""
        from seemly.engine.explain import explain

        submission = self._parse(content)
        engine = self._engine_for(submission)
        around = replace(engine._around, remember=False)
        return explain(engine._plan, submission, run_batch(engine._plan, [submission], around)[0])

    def _shared(self, memory: ConversationMemory | None) -> _Shared:
        around = self._around
        how = memory, around.strict, around.early_exit, around.clock, around.new_id
        return self.tier, self.registry, self.models, around.decoders, around.fetch, *how

    def _parse(self, content: object) -> Submission:
        submission = parse_submission(content)
        if submission.channel is not None and submission.channel != self.channel.key:
            message = "names another channel than this engine's; submit it to the engine of that channel"
            raise ContentError("invalid input data", [Issue("channel", message)])
        return submission

    def _run(self, submissions: list[Submission]) -> list[ModerationResult]:
        return run_batch(self._plan, submissions, self._around)

    def _stream(self, items: Iterable[object], batch_size: int, raises: bool) -> Iterator[ModerationResult | Rejected]:
        waiting: list[Submission] = []
        engine = self
        source = enumerate(items)
        if self._around.strict:
            # A failure raises, and must not take results of its batch with it.
            batch_size = 1
        while True:
            try:
                index, item = next(source)
                submission = self._parse(item)
                own = self._engine_for(submission)
            except StopIteration:
                yield from engine._run(waiting)
                return
            except ContentError as error:
                yield from engine._run(waiting)
                waiting = []
                if raises:
                    raise
                yield Rejected(index, error)
                continue
            except BaseException:
                yield from engine._run(waiting)
                raise
            if own is not engine:
                yield from engine._run(waiting)
                waiting, engine = [], own
            waiting.append(submission)
            if len(waiting) == batch_size:
                yield from engine._run(waiting)
                waiting = []

    def _engine_for(self, submission: Submission) -> Engine:
        """The engine that a submission's own `policies` ask for: itself where there are none."""
        wanted = submission.policies
        if wanted is None:
            return self
        with self._lock:
            engine = self._overrides.get(wanted)
            if engine is not None:
                self._overrides.move_to_end(wanted)
                return engine
        named = {each.id for each in wanted}
        others = tuple(PolicySettings(each, enabled=False) for each in self._every_policy() if each not in named)
        try:
            merged = tuple(self._merge(each) for each in wanted)
            engine = self.with_channel(replace(self.channel, policies=(*merged, *others)))
        except ConfigError as error:
            raise ContentError("invalid input data", error.issues or [Issue("policies", error.message)]) from None
        with self._lock:
            self._overrides[wanted] = engine
            if len(self._overrides) > _OVERRIDES:
                self._overrides.popitem(last=False)
        return engine

    def _merge(self, wanted: PolicySettings) -> PolicySettings:
        """The channel's settings for a policy, with what a request says of it in their place."""
        known = next((each for each in self.channel.policies if each.id == wanted.id), PolicySettings(wanted.id))
        return replace(
            known,
            enabled=wanted.enabled,
            flag=known.flag if wanted.flag is None else wanted.flag,
            threshold=known.threshold if wanted.threshold is None else wanted.threshold,
            weight=known.weight if wanted.weight is None else wanted.weight,
            calibration=known.calibration if wanted.calibration is None else wanted.calibration,
            options={**known.options, **wanted.options},
        )

    def _thread(self) -> ThreadPoolExecutor:
        """The engine's own thread, a new one where the process was forked off since."""
        with self._lock:
            pid = os.getpid()
            if self._executor is None or self._executor[0] != pid:
                self._executor = pid, ThreadPoolExecutor(max_workers=1, thread_name_prefix="seemly")
            return self._executor[1]

    def _every_policy(self) -> Iterator[str]:
        yield from (spec.id for spec in self.registry)
        yield from (f"wordlist:{each.key}" for each in self.channel.wordlists)
        yield from (f"hash:{each.key}" for each in self.channel.hashlists)


def _rebuild(
    channel: Channel,
    tier: str,
    registry: Registry,
    models: Models,
    decoders: Mapping[str, Decoder | str],
    fetch: Fetch | None,
    memory: ConversationMemory | None,
    strict: bool,
    early_exit: bool,
    clock: Callable[[], float],
    new_id: Callable[[], str],
) -> Engine:
    return Engine(
        channel,
        tier=tier,
        registry=registry,
        models=models,
        decoders=decoders,
        fetch=fetch,
        memory=memory,
        strict=strict,
        early_exit=early_exit,
        clock=clock,
        new_id=new_id,
    )


def _check_arguments(**given: tuple[object, Any]) -> None:
    issues = [
        Issue(name, f"must not be of type {type(value).__name__}")
        for name, (value, kind) in given.items()
        if not isinstance(value, kind)
    ]
    if issues:
        raise ConfigError("this engine cannot work", issues)


def _versions(models: Models, tier: str) -> FrozenMapping:
    return FrozenMapping({"seemly": __version__, **models.versions(tier)})
