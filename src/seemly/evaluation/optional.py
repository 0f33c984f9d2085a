"""The packages of the `notebook` extra, imported when something needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from seemly.errors import ConfigError

__all__ = ["need"]


def need(module: str) -> Any:
    """The module of that name. Raises ConfigError, which names the extra, where its package isn't installed."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(f'this needs {package}, which is not installed: pip install "seemly[notebook]"') from error
