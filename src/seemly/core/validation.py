"""Checks a configuration value against the types and bounds that its own annotations state.

`Annotated[float, Interval(ge=0.1, le=60)]` is read here when a value is constructed, and by pydantic when it is
parsed from JSON, so that each bound is written once.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len

from seemly.core.errors import ConfigError, Issue
from seemly.core.frozen import FrozenMapping

__all__ = ["check_fields", "find_issues"]


def check_fields(value: Any, *more: Issue) -> None:
    """Raise a ConfigError that lists every field of the dataclass `value` that is wrong, and `more`."""
    issues = [*find_issues(value), *more]
    if issues:
        raise ConfigError(f"this {type(value).__name__} cannot work", issues)


def find_issues(value: Any) -> list[Issue]:
    """Every field of the dataclass `value` that is not of the type, or within the bounds, of its annotation."""
    kind: Any = type(value)
    return [
        Issue(name, problem)
        for name, hint, welcome in _hints(kind)
        if type(held := getattr(value, name)) not in welcome and (problem := _problem(held, hint)) is not None
    ]


@cache
def _hints(cls: Any) -> list[tuple[str, Any, frozenset[type]]]:
    """Each field's name and annotation, and the types all of whose values that takes."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return [(each.name, hints[each.name], _welcome(hints[each.name])) for each in fields(cls)]


def _welcome(hint: Any) -> frozenset[type]:
    # Most values are of these: to look closely at each would take longer than all else that is done to a submission.
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return frozenset().union(*map(_welcome, typing.get_args(hint)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return frozenset({dict, FrozenMapping})
    # A float may be no number.
    return frozenset({hint}) if isinstance(hint, type) and hint is not float else frozenset()


def _problem(value: Any, hint: Any) -> str | None:
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return _problem(value, hint.__origin__) or _out_of_bounds(value, hint.__metadata__)
    if origin is Literal:
        allowed = typing.get_args(hint)
        return None if value in allowed else f"must be one of {', '.join(map(str, allowed))}"
    if origin in (types.UnionType, typing.Union):
        problems = [_problem(value, each) for each in typing.get_args(hint)]
        return None if None in problems else next(each for each in problems if each is not None)
    if origin is tuple:
        if not isinstance(value, tuple):
            return "must be a tuple"
        of = typing.get_args(hint)
        each_hint = [of[0]] * len(value) if of[-1] is Ellipsis else list(of)
        wrong = (_problem(each, expected) for each, expected in zip(value, each_hint, strict=False))
        return next((f"holds an entry that {problem}" for problem in wrong if problem), None)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return None if isinstance(value, Mapping) else "must be a mapping"
    return _wrong_type(value, hint)


def _wrong_type(value: Any, expected: Any) -> str | None:
    if expected is Any or expected is object:
        return None
    if expected is float:
        number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        return None if number else "must be a number"
    if expected is int:
        return None if isinstance(value, int) and not isinstance(value, bool) else "must be a whole number"
    if expected in (None, types.NoneType):
        return None if value is None else "must be absent"
    return None if isinstance(value, expected) else f"must be of type {expected.__name__}"


def _out_of_bounds(value: Any, metadata: tuple[Any, ...]) -> str | None:
    for bound in metadata:
        if isinstance(bound, Interval):
            low, high = typing.cast("float", bound.ge), typing.cast("float", bound.le)
            if not low <= value <= high:
                return f"must be from {low} to {high}"
        if isinstance(bound, Len):
            if len(value) < bound.min_length:
                return f"must have at least {bound.min_length}"
            if bound.max_length is not None and len(value) > bound.max_length:
                return f"must have at most {bound.max_length}"
    return None
