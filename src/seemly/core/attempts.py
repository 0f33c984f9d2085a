"""Several things done together, of which one that fails does not take the others with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from seemly.core.errors import SeemlyError

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
    """What `act` makes of those that have not failed, one each, in order; those that have stay as they are.

    A SeemlyError that `act` raises is what comes of each of them.
    """
    left = [each for each in found if not isinstance(each, SeemlyError)]
    made = attempt(lambda: act(left) if left else ())
    answers: Sequence[R | SeemlyError] = [made] * len(left) if isinstance(made, SeemlyError) else made
    following = iter([answer for _, answer in zip(left, answers, strict=True)])
    return [each if isinstance(each, SeemlyError) else next(following) for each in found]
