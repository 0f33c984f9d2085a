"""Several things done together, of which one that fails does not take the others with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from seemly.errors import SeemlyError

__all__ = ["attempt", "go_on"]

T = TypeVar("T")
R = TypeVar("R")


def attempt(act: Callable[[], T]) -> T | SeemlyError:
    """What `act` returns, or the SeemlyError that it raises."""
    try:
        return act()
    except SeemlyError as error:
        return error


def go_on(
    found: Sequence[T | SeemlyError], act: Callable[[Sequence[T]], Sequence[R | SeemlyError]]
) -> list[R | SeemlyError]:
    """What `act` makes of those that have not failed, one each, in order; those that have stay as they are."""
    left = [each for each in found if not isinstance(each, SeemlyError)]
    made = iter(act(left) if left else ())
    return [each if isinstance(each, SeemlyError) else next(made) for each in found]
