"""The engines of the service's channels: built when first needed, kept while in use, all over the same models."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from seemly.core.locks import ProcessLock
from seemly.engine.engine import DEFAULT_TIER, Engine
from seemly.engine.models import Models
from seemly.media.decoding import BUILTIN_DECODERS, Decoder, Fetch
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import Registry
from seemly.service.base.environment import Environment
from seemly.service.base.records import ChannelRecord
from seemly.service.management.channels import build_channel, find_wordlists

__all__ = ["Engines"]


class Engines:
    """One engine for each revision of a channel, at most `size` of them, the least recently used going first.

    A channel that changed, or whose wordlists did, has another revision and so another engine, in whatever process.
    What is kept here can be lost at any time: it is built again. Safe to share between threads. The other arguments
    are as for `Engine`.
    """

    def __init__(
        self,
        env: Environment,
        *,
        models: Models | None = None,
        tier: str = DEFAULT_TIER,
        registry: Registry = BUILTIN,
        decoders: Mapping[str, Decoder | str] = BUILTIN_DECODERS,
        fetch: Fetch | None = None,
        size: int = 256,
    ) -> None:
        self.env = env
        self.models = Models() if models is None else models
        self._tier = tier
        self._registry = registry
        self._decoders = decoders
        self._fetch = fetch
        self._size = size
        self._engines: OrderedDict[tuple[str, int, bool], Engine] = OrderedDict()
        self._lock = ProcessLock()

    def find(self, record: ChannelRecord, *, dry_run: bool = False) -> Engine:
        """The engine of a channel; with `dry_run` one that flags nothing, whatever the channel says.

        Call it outside a transaction: it may read the channel's wordlists. Raises ConfigError where the channel
        cannot work.
        """
        key = (record.id, record.revision, dry_run)
        with self._lock:
            engine = self._engines.get(key)
            if engine is not None:
                self._engines.move_to_end(key)
                return engine
        # Built outside the lock, so that a large channel keeps nobody else waiting; of two made at once one is kept.
        engine = self._make(record, dry_run)
        with self._lock:
            engine = self._engines.setdefault(key, engine)
            while len(self._engines) > self._size:
                self._engines.popitem(last=False)
            return engine

    def warm_up(self) -> None:
        """Load what the first verdict of any channel would load. Raises ModelError where a model does not load."""
        Engine(tier=self._tier, models=self.models, decoders=self._decoders).warm_up()

    def _make(self, record: ChannelRecord, dry_run: bool) -> Engine:
        with self.env.store.read() as tx:
            channel = build_channel(record, find_wordlists(tx, record.id))
        return Engine(
            replace(channel, flagging_mode="DRY_RUN") if dry_run else channel,
            tier=self._tier,
            registry=self._registry,
            models=self.models,
            decoders=self._decoders,
            fetch=self._fetch,
            clock=self._seconds,
            new_id=self._new_id,
        )

    def _seconds(self) -> float:
        return self.env.now() / 1000.0

    def _new_id(self) -> str:
        return self.env.new_id("content")
