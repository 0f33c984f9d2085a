"""What a running server works with, made once, before it is ready."""

from __future__ import annotations

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from seemly.adapters.server.rate_limits import Rates
from seemly.adapters.server.settings import ServerSettings
from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.service.base.environment import Environment
from seemly.service.moderation.moderation import Moderation

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The environment, the moderation over it, the counters of requests, and the registry of metrics."""

    env: Environment
    moderation: Moderation
    rates: Rates
    settings: ServerSettings
    metrics: CollectorRegistry = field(default_factory=CollectorRegistry)

    def check_channel(self, channel: Channel) -> None:
        """Raise ConfigError for a channel that no engine can be built for."""
        Engine(channel, tier=self.settings.tier, models=self.moderation.engines.models)
