"""An engine measured on labelled examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from seemly.core.channel import Action
from seemly.core.errors import ConfigError, DataError
from seemly.engine.engine import Engine
from seemly.engine.plan import BoundPolicy
from seemly.evaluation.examples import Labels, Source, read_examples
from seemly.evaluation.metrics import PolicyFigures, measure
from seemly.evaluation.results import ActionCount, Evaluation, Latency, Misjudged, Slice
from seemly.evaluation.scoring import Scored, ScoredRow, bound_policies, choose_policies, score

__all__ = ["evaluate"]

_CALLS = 200
"""How many calls the latency is taken from."""
_ENOUGH = 10
"""The fewest examples of either kind that a slice has figures for."""
_BANDS = ((20, "0-19"), (100, "20-99"), (500, "100-499"), (2_000, "500-1999"), (math.inf, "2000+"))
"""The bands of lengths: the length that each stays below, and its name."""
_ORDER = {name: i for i, (_, name) in enumerate(_BANDS)}
_UNKNOWN = "unknown"


def evaluate(
    engine: Engine,
    examples: Source,
    *,
    text: str = "text",
    labels: Labels = None,
    slices: Sequence[str] = (),
    policies: Sequence[str] | None = None,
    progress: bool | None = None,
    batch_size: int = 128,
    bootstrap: int = 200,
    seed: int = 0,
    worst: int = 20,
) -> Evaluation:
    """Run the engine over labelled examples and measure how well it does.

    `examples`, `text` and `labels` are as `read_examples` takes them. `policies` are the ones to measure, by default
    those with labels. `slices` names attributes to measure the values of apart; `language` and `length` (in code
    points) are there without a column. `bootstrap` is the number of resamples that intervals come from, 0 for none;
    `seed` fixes them. `worst` is how many errors of each kind and policy to keep. `progress` draws a line on
    standard error; None does so on a terminal and in a notebook. Everything is held in memory, texts included.

    Latency comes from up to 200 of the examples, moderated once more, each in a call of its own.

    Raises DataError for examples that are missing, wrong, or without labels, and for a slice or policy that there
    isn't; ConfigError for another argument that cannot work.
    """
    if bootstrap < 0 or worst < 0:
        raise ConfigError("bootstrap and worst must not be negative")
    given = read_examples(examples, text=text, labels=labels, policies=engine.policies)
    if not any(each.labels for each in given):
        raise DataError(
            "the examples have no labels: name a column for each policy, or map columns with labels=; the policies "
            f"are {', '.join(engine.policies)}"
        )
    scored = score(engine, given, batch_size=batch_size, progress=progress, timed=_CALLS)
    chosen = choose_policies(scored, policies)
    bound = [each for each in bound_policies(engine) if each.spec.id in chosen]
    every = np.arange(len(scored.rows))
    return Evaluation(
        scored,
        _measure(scored, bound, every, bootstrap, seed),
        _count_actions(scored, chosen),
        _summarize_latency(scored.rows),
        tuple(_slice(scored, bound, slices, bootstrap, seed)),
        tuple(error for each in bound for error in _find_worst(scored, each, worst)),
    )


def _measure(
    scored: Scored, policies: Sequence[BoundPolicy], rows: NDArray[np.intp], bootstrap: int, seed: int
) -> tuple[PolicyFigures, ...]:
    """The figures of the policies over the rows at these positions."""
    figures: list[PolicyFigures] = []
    for each in policies:
        scores, truth = scored.scores(each.spec.id)
        found = measure(
            each.spec.id,
            scores[rows],
            truth[rows],
            threshold=each.threshold,
            flag=each.flag,
            bootstrap=bootstrap,
            seed=seed,
        )
        figures.append(found)
    return tuple(figures)


def _count_actions(scored: Scored, policies: Sequence[str]) -> tuple[ActionCount, ...]:
    truth = np.stack([scored.scores(each)[1] for each in policies], axis=1)
    positive = (truth >= 0.5).any(axis=1)
    unlabelled = np.isnan(truth).all(axis=1)
    actions = np.array([row.action for row in scored.rows])
    return tuple(
        ActionCount(
            action,
            int((here & positive).sum()),
            int((here & ~positive & ~unlabelled).sum()),
            int((here & unlabelled).sum()),
        )
        for action in get_args(Action)
        for here in [actions == action]
    )


def _summarize_latency(rows: Sequence[ScoredRow]) -> Latency:
    taken = [row.latency_ms for row in rows if row.latency_ms is not None]
    p50, p95, p99 = np.percentile(taken, (50, 95, 99)).tolist()
    return Latency(p50, p95, p99, len(taken))


def _slice(
    scored: Scored, policies: Sequence[BoundPolicy], attributes: Sequence[str], bootstrap: int, seed: int
) -> Iterator[Slice]:
    for attribute in attributes:
        values = [_value(row, attribute) for row in scored.rows]
        if all(value is None for value in values) and attribute != "language":
            known = sorted({"language", "length"}.union(*(row.attributes for row in scored.rows)))
            raise DataError(f"no example has the attribute {attribute!r} to slice by; there are {', '.join(known)}")
        groups: dict[str, list[int]] = {}
        for i, value in enumerate(values):
            groups.setdefault(_UNKNOWN if value is None else str(value), []).append(i)
        order = _ORDER if attribute == "length" else {}
        for name in sorted(groups, key=lambda name: (name == _UNKNOWN, order.get(name, -1), name)):
            rows = np.array(groups[name])
            enough = [each for each in policies if _is_enough(scored, each.spec.id, rows)]
            yield Slice(attribute, name, len(rows), _measure(scored, enough, rows, bootstrap, seed))


def _value(row: ScoredRow, attribute: str) -> object:
    if attribute in row.attributes or attribute not in ("language", "length"):
        return row.attributes.get(attribute)
    if attribute == "language":
        return row.language
    length = row.length
    return next(name for limit, name in _BANDS if length < limit)


def _is_enough(scored: Scored, policy: str, rows: NDArray[np.intp]) -> bool:
    truth = scored.scores(policy)[1][rows]
    return int((truth >= 0.5).sum()) >= _ENOUGH and int((truth < 0.5).sum()) >= _ENOUGH


def _find_worst(scored: Scored, policy: BoundPolicy, most: int) -> list[Misjudged]:
    scores, truth = scored.scores(policy.spec.id)
    kinds: tuple[tuple[Literal["false_positive", "false_negative"], NDArray[np.bool_], int], ...] = (
        ("false_positive", (scores >= policy.threshold) & (truth < 0.5), -1),
        ("false_negative", (scores < policy.threshold) & (truth >= 0.5), 1),
    )
    found: list[Misjudged] = []
    for kind, wrong, sign in kinds:
        positions = np.flatnonzero(wrong)
        for i in positions[np.argsort(sign * scores[positions], kind="stable")][:most].tolist():
            row = scored.rows[i]
            found.append(
                Misjudged(policy.spec.id, kind, row.number, row.id, row.text, float(scores[i]), float(truth[i]))
            )
    return found
