"""Two engines on the same examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seemly.core.channel import Action
from seemly.core.errors import DataError
from seemly.engine.engine import Engine
from seemly.evaluation.examples import Labels, Source, read_examples
from seemly.evaluation.formatting import need, plain, render_table
from seemly.evaluation.measurement import evaluate
from seemly.evaluation.metrics import Floats, Ranking, draw_weights, find_interval
from seemly.evaluation.results import Evaluation

__all__ = ["Comparison", "Difference", "Disagreement", "PolicyComparison", "compare"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of both engines, and b's minus a's with its 95 % interval from a paired bootstrap.

    An interval that leaves out 0 says that the difference is not one of these examples alone.
    """

    a: float
    b: float
    difference: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PolicyComparison:
    """The figures of one policy, over the examples that both engines scored. None where there are not both kinds."""

    id: str
    examples: int
    auc: Difference | None
    average_precision: Difference | None
    f1: Difference | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An example on which the engines recommend different actions. Severities are 0 to 1."""

    row: int
    id: str | None
    text: str = field(repr=False)
    a_action: Action
    b_action: Action
    a_severity: float
    b_severity: float


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two engines on the same examples: `a` and `b` are their evaluations.

    `disagreements` counts the examples with different actions; `to_read` are those furthest apart in severity.
    """

    a: Evaluation
    b: Evaluation
    policies: tuple[PolicyComparison, ...]
    disagreements: int
    to_read: tuple[Disagreement, ...] = field(repr=False)

    def __contains__(self, policy: object) -> bool:
        return any(each.id == policy for each in self.policies)

    def __getitem__(self, policy: str) -> PolicyComparison:
        for each in self.policies:
            if each.id == policy:
                return each
        raise KeyError(policy)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each policy and figure. Raises ConfigError without pandas."""
        return need("pandas").DataFrame(list(self._rows()), columns=["policy", "figure", "a", "b", *_SHARES])

    def to_dict(self) -> dict[str, Any]:
        """JSON's types, with the texts of `to_read`."""
        return {
            "a": self.a.channel.key,
            "b": self.b.channel.key,
            "examples": len(self.a.scored.rows),
            "policies": plain(self.policies),
            "disagreements": self.disagreements,
            "to_read": plain(self.to_read),
            "latency": {"a": plain(self.a.latency), "b": plain(self.b.latency)},
        }

    def _repr_html_(self) -> str:
        figures = render_table(
            f"{self.a.channel.key} and {self.b.channel.key}, {len(self.a.scored.rows):,} examples",
            ("policy", "figure", "a", "b", *_SHARES),
            self._rows(),
        )
        examples = render_table(
            f"{self.disagreements:,} with different actions",
            ("row", "text", "a", "b"),
            [(each.row, each.text, each.a_action, each.b_action) for each in self.to_read],
        )
        return f"<div>{figures}{examples}</div>"

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for each in self.policies:
            for name, found in (("auc", each.auc), ("average_precision", each.average_precision), ("f1", each.f1)):
                if found is not None:
                    yield each.id, name, found.a, found.b, found.difference, found.low, found.high


_SHARES = ("difference", "low", "high")


def compare(
    engine_a: Engine,
    engine_b: Engine,
    examples: Source,
    *,
    text: str = "text",
    labels: Labels = None,
    policies: Sequence[str] | None = None,
    progress: bool | None = None,
    batch_size: int = 128,
    bootstrap: int = 200,
    seed: int = 0,
    worst: int = 20,
) -> Comparison:
    """Run both engines over the same labelled examples, and say where they differ, and by how much.

    The arguments are those of `evaluate`. Each resample counts the same examples for both engines, so that what
    makes an example hard for either falls out of the difference (Efron and Tibshirani, 1993, "An introduction to the
    bootstrap"). `policies` are by default those with labels that both engines run; `worst` is how many disagreements
    to keep. Raises what `evaluate` raises, and DataError where the engines did not take the same rows.
    """
    shared = [each for each in engine_a.policies if each in engine_b.policies]
    given = read_examples(examples, text=text, labels=labels, policies=shared)

    def run(engine: Engine) -> Evaluation:
        return evaluate(
            engine, given, policies=policies, progress=progress, batch_size=batch_size, bootstrap=0, worst=worst
        )

    a, b = run(engine_a), run(engine_b)
    if [row.number for row in a.scored.rows] != [row.number for row in b.scored.rows]:
        raise DataError("the engines did not take the same rows", {*a.scored.refused, *b.scored.refused})
    apart = [
        Disagreement(row.number, row.id, row.text, row.action, other.action, row.severity, other.severity)
        for row, other in zip(a.scored.rows, b.scored.rows, strict=True)
        if row.action != other.action
    ]
    apart.sort(key=lambda each: (-abs(each.a_severity - each.b_severity), each.row))
    ids = [each.id for each in a.policies if each.id in b]
    found = tuple(_compare(a, b, each, bootstrap, seed) for each in ids)
    return Comparison(a, b, found, len(apart), tuple(apart[:worst]))


def _compare(a: Evaluation, b: Evaluation, policy: str, bootstrap: int, seed: int) -> PolicyComparison:
    of_a, truth = a.scored.scores(policy)
    of_b, _ = b.scored.scores(policy)
    both = ~np.isnan(of_a) & ~np.isnan(of_b) & ~np.isnan(truth)
    positive = truth[both] >= 0.5
    if not positive.any() or positive.all():
        return PolicyComparison(policy, len(positive), None, None, None)
    pair = tuple(
        _Figures(Ranking.of(scores[both], positive), (scores[both] >= each[policy].threshold).astype(float), positive)
        for scores, each in ((of_a, a), (of_b, b))
    )
    every = np.ones(len(positive))
    first, second = (each.measure(every) for each in pair)
    draws = [
        (pair[1].measure(weights) - pair[0].measure(weights)).tolist()
        for weights in draw_weights(len(positive), bootstrap, seed)
    ]
    differences = [
        Difference(float(x), float(y), float(y - x), *find_interval([draw[i] for draw in draws]))
        for i, (x, y) in enumerate(zip(first, second, strict=True))
    ]
    return PolicyComparison(policy, len(positive), *differences)


@dataclass(frozen=True, slots=True, eq=False)
class _Figures:
    """One engine's scores of one policy. `flagged` and `positive` have shape [examples]."""

    ranking: Ranking
    flagged: Floats
    positive: np.typing.NDArray[np.bool_]

    def measure(self, weights: Floats) -> Floats:
        """AUC, average precision and F1, shape [3], with examples counted `weights` times; NaN where there is none."""
        hits = float(weights @ (self.flagged * self.positive))
        total = float(weights @ self.flagged + weights @ self.positive)
        f1 = 2.0 * hits / total if total else float("nan")
        return np.array([self.ranking.auc(weights), self.ranking.average_precision(weights), f1])
