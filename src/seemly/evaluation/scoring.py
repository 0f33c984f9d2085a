"""An engine run over examples."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from seemly.content import Submission
from seemly.engine import Engine, Rejected
from seemly.errors import ContentError, DataError
from seemly.evaluation.examples import Example
from seemly.evaluation.records import Recorder, read_result
from seemly.evaluation.scored import Scored
from seemly.plan import BoundPolicy, compile_plan
from seemly.progress import Progress
from seemly.submission import parse_submission

__all__ = ["bound_policies", "choose_policies", "score"]


def bound_policies(engine: Engine) -> tuple[BoundPolicy, ...]:
    """The policies that the engine runs, with the thresholds, weights and flags in effect."""
    return compile_plan(engine.channel, engine.registry, engine.models, engine.tier).policies


def choose_policies(scored: Scored, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The policies to look at: those wanted, else those with labels.

    Raises DataError where one wanted did not run, and where there is no label at all.
    """
    if wanted is None:
        chosen = scored.labelled
    else:
        chosen = tuple(dict.fromkeys(wanted))
        for policy in chosen:
            scored.scores(policy)
    if not set(chosen) & set(scored.labelled):
        known = ", ".join(scored.policies)
        raise DataError(f"the examples have no labels: name a column for each policy, of {known}, or map with labels=")
    return chosen


def score(
    engine: Engine,
    examples: Sequence[Example],
    *,
    batch_size: int = 128,
    progress: bool | None = None,
    timed: int = 0,
) -> Scored:
    """What the engine makes of the examples, in batches, in order, with a memory of their own that starts empty.

    Apart from that, up to `timed` of them, spread evenly, are moderated once more, each in a call of its own, after
    one call that isn't counted: a batch says nothing of what one call takes. `progress` draws a line on standard
    error; None does so on a terminal and in a notebook. Raises DataError where the engine takes none of them.
    """
    engine = engine.with_own_memory()
    recorder = Recorder(engine.channel, engine.policies, engine.tier)
    taken: list[tuple[int, Example, Submission]] = []
    for number, example in enumerate(examples, start=1):
        try:
            taken.append((number, example, parse_submission(example.content)))
        except ContentError as error:
            recorder.refuse(number, error)
    shown = (sys.stderr.isatty() or "ipykernel" in sys.modules) if progress is None else progress
    line = Progress(sys.stderr, total=len(taken), shown=shown)
    outcomes = engine.moderate_many([each for _, _, each in taken], batch_size=batch_size, on_error="return")
    for (number, example, submission), outcome in zip(taken, outcomes, strict=True):
        if isinstance(outcome, Rejected):
            recorder.refuse(number, outcome.error)
        else:
            recorder.add(number, example, submission, read_result(outcome, f"row {number}"))
        line.read(1)
        line.step()
    line.clear()
    if not recorder.rows:
        raise DataError("the engine took none of the examples", recorder.refused)
    return recorder.close(_time_calls(engine, [row.submission for row in recorder.rows], timed))


def _time_calls(engine: Engine, submissions: Sequence[Submission], calls: int) -> dict[int, float]:
    """Milliseconds by position."""
    if not submissions or not calls:
        return {}
    positions = np.unique(np.linspace(0, len(submissions) - 1, min(calls, len(submissions))).astype(int)).tolist()
    latencies: dict[int, float] = {}
    engine.moderate(replace(submissions[0], do_not_store=True))
    for position in positions:
        submission = replace(submissions[position], do_not_store=True)
        started = perf_counter()
        engine.moderate(submission)
        latencies[position] = (perf_counter() - started) * 1000.0
    return latencies
