"""The channel and the engine that a command line asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.core.channel import Channel
from seemly.core.errors import ConfigError
from seemly.core.version import __version__
from seemly.engine.context import ConversationMemory
from seemly.engine.engine import DEFAULT_TIER, Engine
from seemly.engine.models import Models
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

    from seemly.media.decoding import Fetch

__all__ = ["describe_engine", "describe_models", "find_registry", "open_channel", "open_engine"]


def open_channel(path: Path | None) -> Channel:
    """The channel of a file, or one with every default. Raises ConfigError."""
    return Channel() if path is None else Channel.load(path)


def find_registry() -> Registry:
    """The built-in policies and those that installed packages offer. Raises ConfigError."""
    return BUILTIN | Registry.discover()


def open_engine(channel: Path | None, tier: str | None, models: Models | None, *, fetch: bool = False) -> Engine:
    """An engine, with a memory where its channel reads context; with `fetch` it gets what URLs name.

    Raises ConfigError.
    """
    opened = open_channel(channel)
    return Engine(
        opened,
        tier=tier or DEFAULT_TIER,
        registry=find_registry(),
        models=models,
        memory=ConversationMemory() if opened.context_enabled else None,
        fetch=_find_fetch() if fetch else None,
    )


def _find_fetch() -> Fetch:
    try:
        from seemly.adapters.http.fetch import Fetcher
    except ModuleNotFoundError as error:
        raise ConfigError('--fetch needs an extra: pip install "seemly[fetch]"') from error
    return Fetcher().fetch


def describe_engine(engine: Engine) -> str:
    """What its figures depend on besides the channel: the model and the version of seemly."""
    return f"tier {engine.tier} ({describe_models(engine)}), seemly {__version__}"


def describe_models(engine: Engine) -> str:
    """Its models and their versions."""
    return ", ".join(f"{name} {version}" for name, version in engine.models.versions(engine.tier).items())
