"""Run a batch so that one failure does not abort the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from seemly.core.errors import SeemlyError

__all__ = ["attempt", "go_on"]

T = TypeVar("T")
R = TypeVar("R")


def attempt(act: Callable[[], T]) -> T | SeemlyError:
    """Return what `act` returns, or the SeemlyError that it raises."""
    try:
        return act()
    except SeemlyError as error:
        return error


def go_on(
    found: Sequence[T | SeemlyError], act: Callable[[Sequence[T]], Sequence[R | SeemlyError]]
) -> list[R | SeemlyError]:
    """Apply `act` to the values that have not failed, and return its results in their places; errors stay.

    If `act` raises a SeemlyError, each of these values becomes that error.
    """
    left = [each for each in found if not isinstance(each, SeemlyError)]
    made = attempt(lambda: act(left) if left else ())
    answers: Sequence[R | SeemlyError] = [made] * len(left) if isinstance(made, SeemlyError) else made
    following = iter([answer for _, answer in zip(left, answers, strict=True)])
    return [each if isinstance(each, SeemlyError) else next(following) for each in found]
