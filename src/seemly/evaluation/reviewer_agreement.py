"""Whether what the engine recommended is what people decided, over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

import numpy as np

from seemly.core.channel import Action
from seemly.core.errors import ConfigError, DataError, Issue
from seemly.evaluation.formatting import need, plain, render_table
from seemly.evaluation.results import Evaluation
from seemly.evaluation.scoring import read_result

__all__ = ["Agreement", "Decisions", "Period", "agreement"]

T = TypeVar("T")

By = Literal["day", "week", "month"]

Decisions = Mapping[str, Action | bool | None] | Sequence[Action | bool | None]
"""What people decided, by content id or in the order of the results.

True, `review` and `reject` mean that it called for an action, False and `allow` that it did not, None that no one
looked.
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ACTIONS: Mapping[object, bool] = {"allow": False, "review": True, "reject": True, False: False, True: True}


@dataclass(frozen=True, slots=True)
class Period:
    """How far the engine and people agreed in one period, over what both judged.

    `start` is its first day (UTC, ISO 8601), None for all time. `both`, `engine_only`, `human_only` and `neither`
    count who called for an action; `rejects` are the engine's rejects, `rejects_upheld` those that people rejected
    or, where they only said yes or no, acted on.
    """

    start: str | None
    both: int
    engine_only: int
    human_only: int
    neither: int
    rejects: int
    rejects_upheld: int

    @property
    def count(self) -> int:
        """How many both judged."""
        return self.both + self.engine_only + self.human_only + self.neither

    @property
    def rate(self) -> float:
        """The share that they agreed on, 0 to 1."""
        return (self.both + self.neither) / self.count

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: the agreement beyond that of chance, 1 at most; None where chance leaves no room.

        (Cohen, 1960, "A coefficient of agreement for nominal scales".)
        """
        engine, human = self.both + self.engine_only, self.both + self.human_only
        chance = (engine * human + (self.count - engine) * (self.count - human)) / self.count**2
        return None if chance == 1.0 else (self.rate - chance) / (1.0 - chance)

    @property
    def reject_precision(self) -> float | None:
        """The share of the engine's rejects that people upheld, None where there were none."""
        return self.rejects_upheld / self.rejects if self.rejects else None

    def to_dict(self) -> dict[str, Any]:
        """The counts and the shares."""
        shares = {"rate": self.rate, "kappa": self.kappa, "reject_precision": self.reject_precision}
        return {**plain(self), "count": self.count, **shares}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement over all, and in each period that has any, in order. `unjudged` are results no one looked at."""

    overall: Period
    periods: tuple[Period, ...]
    unjudged: int

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each period. Raises ConfigError without pandas."""
        return need("pandas").DataFrame([each.to_dict() for each in self.periods])

    def to_dict(self) -> dict[str, Any]:
        """JSON's types."""
        return {
            "overall": self.overall.to_dict(),
            "periods": [each.to_dict() for each in self.periods],
            "unjudged": self.unjudged,
        }

    def _repr_html_(self) -> str:
        rows = [(each, each.start) for each in self.periods] + [(self.overall, "all")]
        return render_table(
            "agreement with people",
            ("from", "count", "rate", "kappa", "rejects", "upheld"),
            [(start, each.count, each.rate, each.kappa, each.rejects, each.reject_precision) for each, start in rows],
        )


@dataclass(frozen=True, slots=True)
class _Judged:
    """One result that someone looked at."""

    engine: bool
    human: bool
    reject: bool
    upheld: bool


def agreement(
    results: Evaluation | Iterable[object],
    human: Decisions,
    *,
    by: By | None = "month",
    on: Literal["action", "flagged"] = "action",
) -> Agreement:
    """How far the engine's recommendations agree with what people decided, over time.

    `results` are ModerationResults, the dicts that their `to_dict` gave, or an Evaluation. `by` is the length of a
    period, in UTC, weeks from Monday; an example's time is when it was submitted, and None takes all as one.
    `on` says what counts as the engine calling for an action: an `action` other than allow, or that a policy
    `flagged`.

    Raises DataError where there is nothing that both judged, a decision is not one, the two differ in length, or
    something that is to be put into a period has no timestamp, or not one in the years 1 to 9999; ConfigError for
    another `by` or `on`.
    """
    if by not in ("day", "week", "month", None) or on not in ("action", "flagged"):
        raise ConfigError('by must be "day", "week", "month" or None, and on "action" or "flagged"')
    entries = list(_read(results))
    decisions = _look_up(human, entries) if isinstance(human, Mapping) else list(human)
    if len(decisions) != len(entries):
        raise DataError(f"there are {len(decisions):,} decisions for {len(entries):,} results")
    by_start: dict[str | None, list[_Judged]] = {}
    issues: list[Issue] = []
    for number, ((_, action, flagged, time), given) in enumerate(zip(entries, decisions, strict=True), start=1):
        decision = bool(given) if isinstance(given, np.bool_) else given
        if decision is None:
            continue
        if not isinstance(decision, str | bool) or decision not in _ACTIONS:
            issues.append(Issue(f"row {number}", "a decision must be allow, review, reject, true or false"))
            continue
        try:
            start = None if by is None else _start(time, by)
        except ValueError as error:
            issues.append(Issue(f"row {number}.timestamp", f"{error}; give by=None to take all as one period"))
            continue
        engine = action != "allow" if on == "action" else flagged
        reject = action == "reject"
        judged = _Judged(engine, _ACTIONS[decision], reject, reject and decision in ("reject", True))
        by_start.setdefault(start, []).append(judged)
    if issues:
        raise DataError("these decisions cannot be used", issues)
    if not by_start:
        raise DataError("there is no result that someone decided on; decisions are found by content id, or by position")
    periods = tuple(_summarize(start, by_start[start]) for start in sorted(by_start, key=str))
    every = [each for group in by_start.values() for each in group]
    return Agreement(_summarize(None, every), periods, len(entries) - len(every))


_Entry = tuple[str | None, Action, bool, float | None]
"""The content id, the action, whether anything flagged, and the time in Unix milliseconds."""


def _read(results: Evaluation | Iterable[object]) -> Iterator[_Entry]:
    if isinstance(results, Evaluation):
        for row in results.scored.rows:
            yield row.id, row.action, bool(row.flagged), row.submission.timestamp
    else:
        for number, result in enumerate(results, start=1):
            found = read_result(result, f"row {number}")
            yield found.id, found.action, bool(found.flagged), found.timestamp


def _look_up(human: Mapping[str, T], entries: Iterable[_Entry]) -> list[T | None]:
    return [None if key is None else human.get(key) for key, *_ in entries]


def _start(time: float | None, by: By) -> str:
    """The first day of the period that a time, in Unix milliseconds, is in. Raises ValueError, which says why not."""
    if time is None:
        raise ValueError("is missing")
    try:
        day = (_EPOCH + timedelta(milliseconds=time)).date()
    except (TypeError, ValueError, OverflowError):
        raise ValueError("must be Unix milliseconds in the years 1 to 9999") from None
    if by == "month":
        day = day.replace(day=1)
    elif by == "week":
        day = day.fromordinal(day.toordinal() - day.weekday())
    return day.isoformat()


def _summarize(start: str | None, judged: Sequence[_Judged]) -> Period:
    return Period(
        start,
        sum(each.engine and each.human for each in judged),
        sum(each.engine and not each.human for each in judged),
        sum(each.human and not each.engine for each in judged),
        sum(not each.engine and not each.human for each in judged),
        sum(each.reject for each in judged),
        sum(each.upheld for each in judged),
    )
