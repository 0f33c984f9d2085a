"""Mappings that do not change: options, metadata and signals that come as JSON and are kept in frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["EMPTY", "MAX_DEPTH", "FrozenMapping", "freeze", "thaw"]

MAX_DEPTH = 32
"""How deep JSON that is kept may be nested."""

_PLAIN = frozenset({str, int, float, bool, type(None)})


class FrozenMapping(Mapping[str, Any]):
    """A read-only, picklable mapping, hashable where its values are. Equal to any mapping with the same items."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._items = dict(items or {})

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMapping({len(self._items)} items)"

    def __reduce__(self) -> tuple[type[FrozenMapping], tuple[dict[str, Any]]]:
        return FrozenMapping, (dict(self._items),)


EMPTY = FrozenMapping()


def freeze(value: Any, depth: int = MAX_DEPTH) -> Any:
    """The same JSON value with mappings and lists made immutable.

    Raises ValueError for what is not JSON, or nested deeper than `depth`.
    """
    # Most values are of these very types, which is told much sooner than what they derive from.
    if type(value) in _PLAIN or isinstance(value, str | int | float):
        return value
    if depth == 0:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("has a key that is not a string")
        return FrozenMapping({key: freeze(each, depth - 1) for key, each in value.items()})
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(freeze(each, depth - 1) for each in value)
    raise ValueError("holds something other than JSON values")


def thaw(value: Any) -> Any:
    """The plain dicts and lists that `freeze` was given."""
    if isinstance(value, Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(each) for each in value]
    return value
