"""Format evaluation results as JSON's own types and as HTML, and import the packages of the `notebook` extra."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from seemly.core.errors import ConfigError

__all__ = ["need", "plain", "render_table", "shown"]


def need(module: str) -> Any:
    """The module of that name. Raises ConfigError, which names the extra, where its package isn't installed."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(f'this needs {package}, which is not installed: pip install "seemly[notebook]"') from error


_LONGEST = 200
"""How many characters of a text a table shows."""


def plain(value: Any) -> Any:
    """Dataclasses and mappings as dicts, arrays and sequences as lists; numbers that are not finite as None."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(value: object) -> str:
    """A cell of a table: numbers with three decimals, nothing for None, long texts cut."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def render_table(title: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """An HTML table. Every cell is escaped, with lone surrogates replaced, since a page cannot carry them."""
    head = "".join(f"<th>{_escape(each)}</th>" for each in header)
    body = "".join("<tr>" + "".join(f"<td>{_escape(shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{_escape(title)}</caption><tr>{head}</tr>{body}</table>"


def _escape(text: str) -> str:
    return escape(text.encode("utf-8", "replace").decode("utf-8"))
