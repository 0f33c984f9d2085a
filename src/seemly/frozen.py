"""Mappings that do not change: options, metadata and signals that come as JSON and are kept in frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["EMPTY", "FrozenMapping", "freeze", "thaw"]


class FrozenMapping(Mapping[str, Any]):
    """A read-only, hashable, picklable mapping. Equal to any mapping with the same items."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._items = {str(key): freeze(value) for key, value in (items or {}).items()}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMapping({sorted(self._items)})"

    def __reduce__(self) -> tuple[type[FrozenMapping], tuple[dict[str, Any]]]:
        return FrozenMapping, (dict(self._items),)


EMPTY = FrozenMapping()


def freeze(value: Any) -> Any:
    """The same JSON value with mappings and lists made immutable, at every depth."""
    if isinstance(value, FrozenMapping):
        return value
    if isinstance(value, Mapping):
        return FrozenMapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(freeze(each) for each in value)
    return value


def thaw(value: Any) -> Any:
    """The plain dicts and lists that `freeze` was given."""
    if isinstance(value, Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(each) for each in value]
    return value
