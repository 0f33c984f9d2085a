"""Thresholds chosen on labelled examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seemly.core.channel import Channel, PolicySettings
from seemly.core.errors import ConfigError, DataError, Issue
from seemly.engine.engine import Engine
from seemly.evaluation.examples import Labels, Source, read_examples
from seemly.evaluation.metrics import Confusion, Floats, Ranking
from seemly.evaluation.results import Evaluation
from seemly.evaluation.scoring import Scored, choose_policies, score

__all__ = [
    "Costs", "FittedThreshold", "Target", "apply_thresholds", "change_policy", "find_thresholds", "fit_thresholds",
    "parse_target",
]  # fmt: skip

_BOUND = re.compile(r"(?:(precision|recall)\s*>=|(fpr)\s*<=)\s*(\d+\.?\d*|\.\d+)")


@dataclass(frozen=True, slots=True)
class Costs:
    """What an error of each kind costs, in any unit. Raises ConfigError unless both are above 0."""

    false_positive: float
    false_negative: float

    def __post_init__(self) -> None:
        if not (self.false_positive > 0 and self.false_negative > 0):
            raise ConfigError("both costs must be above 0")

    def __str__(self) -> str:
        return f"costs {self.false_positive:g}:{self.false_negative:g}"


Target = str | Costs
"""`precision>=0.95`, `recall>=0.9`, `fpr<=0.01`, `f1` (the largest), or the smallest Costs."""


@dataclass(frozen=True, slots=True)
class FittedThreshold:
    """A threshold and what it achieves on the examples that it was chosen on; on others, expect somewhat less."""

    policy: str
    target: str
    threshold: float
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class _Bound:
    """A figure that must reach `limit`, 0 to 1, or, for the false positive rate, stay within it."""

    figure: str
    limit: float

    def __str__(self) -> str:
        return f"{self.figure}{'<=' if self.figure == 'fpr' else '>='}{self.limit:g}"


Aim = Costs | _Bound | Literal["f1"]


class _UnreachableError(Exception):
    """No threshold meets the target; the message says what comes nearest."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Every threshold that flags a set of its own, falling, and how many it flags; all of shape [candidates]."""

    thresholds: Floats
    tp: Floats
    fp: Floats
    positives: int
    negatives: int

    @property
    def precision(self) -> Floats:
        """0 where nothing is flagged."""
        total = self.tp + self.fp
        return np.divide(self.tp, total, out=np.zeros_like(total), where=total > 0)

    def pick(self, allowed: NDArray[np.bool_], merit: Floats, then: Floats) -> int:
        """The candidate with the most merit, then the most of `then`, then the highest threshold."""
        positions = np.flatnonzero(allowed)
        order = np.lexsort((positions, -then[positions], -merit[positions]))
        return int(positions[order[0]])


def fit_thresholds(
    source: Evaluation | Engine,
    examples: Source = None,
    *,
    target: Target | Mapping[str, Target],
    policies: Sequence[str] | None = None,
    minimum: int = 10,
    text: str = "text",
    labels: Labels = None,
    progress: bool | None = None,
) -> Channel:
    """The channel of `source` with thresholds that meet the target; nothing else in it changes.

    Takes what `find_thresholds` takes, which also tells what each threshold achieves, and raises what it raises.
    """
    found = find_thresholds(
        source,
        examples,
        target=target,
        policies=policies,
        minimum=minimum,
        text=text,
        labels=labels,
        progress=progress,
    )
    return apply_thresholds(source.channel, found)


def apply_thresholds(channel: Channel, found: Iterable[FittedThreshold]) -> Channel:
    """The channel with these thresholds in place of its own."""
    for each in found:
        channel = change_policy(channel, each.policy, threshold=each.threshold)
    return channel


def find_thresholds(
    source: Evaluation | Engine,
    examples: Source = None,
    *,
    target: Target | Mapping[str, Target],
    policies: Sequence[str] | None = None,
    minimum: int = 10,
    text: str = "text",
    labels: Labels = None,
    progress: bool | None = None,
) -> tuple[FittedThreshold, ...]:
    """The threshold for each policy that meets the target, and what it achieves.

    `source` is an Evaluation, or an Engine to run over `examples`. Among the thresholds that meet it, a bound on
    precision or on the false positive rate takes the one with the most recall, a bound on recall the one with the
    most precision, `f1` and Costs the best there is. Thresholds lie halfway between two neighbouring scores, so that
    examples with the same score are always on the same side. `target` may map policies to a target each. `policies`
    are by default those of such a mapping, else those with labels. `minimum` is the fewest positives, and negatives,
    that a threshold is chosen from. On the cascade tier thresholds also say which texts the accurate model reads:
    evaluate the new channel before relying on the figures.

    Raises DataError that lists each policy with too few labels, and each whose target no threshold meets with the
    best there is; ConfigError for a target that isn't one.
    """
    aims = {each: parse_target(aim) for each, aim in target.items()} if isinstance(target, Mapping) else {}
    common = None if isinstance(target, Mapping) else parse_target(target)
    if aims and policies is None:
        policies = tuple(aims)
    scored = _score(source, examples, text, labels, progress)
    found: list[FittedThreshold] = []
    issues: list[Issue] = []
    for policy in choose_policies(scored, policies):
        aim = aims.get(policy, common)
        scores, truth = scored.known_scores(policy)
        candidates = _list_candidates(scores, truth >= 0.5)
        if aim is None:
            issues.append(Issue(policy, "has no target"))
        elif min(candidates.positives, candidates.negatives) < max(1, minimum):
            have = f"{candidates.positives:,} positive and {candidates.negatives:,} negative examples"
            issues.append(Issue(policy, f"has {have}, and needs {max(1, minimum):,} of each"))
        else:
            try:
                found.append(_choose(policy, aim, candidates))
            except _UnreachableError as error:
                issues.append(Issue(policy, str(error)))
    if issues:
        raise DataError("some thresholds cannot be chosen", issues)
    return tuple(found)


def change_policy(channel: Channel, policy: str, **change: Any) -> Channel:
    """The channel with something changed in its settings for a policy, which it may not have named before."""
    if any(each.id == policy for each in channel.policies):
        changed = [replace(each, **change) if each.id == policy else each for each in channel.policies]
    else:
        changed = [*channel.policies, PolicySettings(policy, **change)]
    return replace(channel, policies=tuple(changed))


def _score(source: Evaluation | Engine, examples: Source, text: str, labels: Labels, progress: bool | None) -> Scored:
    if isinstance(source, Evaluation):
        if examples is not None:
            raise ConfigError("an Evaluation has examples of its own; give an Engine to use others")
        return source.scored
    if examples is None:
        raise ConfigError("an Engine needs examples to choose thresholds on")
    given = read_examples(examples, text=text, labels=labels, policies=source.policies)
    return score(source, given, progress=progress)


def parse_target(target: object) -> Aim:
    """What a target aims at. Raises ConfigError for what isn't one."""
    if isinstance(target, Costs):
        return target
    if isinstance(target, str):
        if target.strip() == "f1":
            return "f1"
        bound = _BOUND.fullmatch(target.strip())
        if bound is not None and float(bound[3]) <= 1.0:
            return _Bound(bound[1] or bound[2], float(bound[3]))
    raise ConfigError('a target must read "precision>=0.95", "recall>=0.9", "fpr<=0.01" or "f1", or be Costs')


def _list_candidates(scores: Floats, positive: NDArray[np.bool_]) -> _Candidates:
    ranking = Ranking.of(scores, positive)
    tp, fp = ranking.counts()
    falling = ranking.thresholds
    # Halfway to the next lower score, so that noise in the last digits moves no example across; where there is no
    # number between the two, the score itself.
    lower = np.append(falling[1:], 0.0)[: len(falling)]
    middle = (falling + lower) / 2.0
    thresholds = np.where(middle > lower, middle, falling)
    if len(falling) and falling[0] < (above := (falling[0] + 1.0) / 2.0):
        thresholds = np.concatenate(([above], thresholds))
        tp, fp = np.concatenate(([0.0], tp)), np.concatenate(([0.0], fp))
    hits = int(positive.sum())
    return _Candidates(thresholds, tp, fp, hits, len(positive) - hits)


def _choose(policy: str, target: Aim, candidates: _Candidates) -> FittedThreshold:
    """The best candidate. Raises _UnreachableError."""
    tp, fp = candidates.tp, candidates.fp
    every = np.ones(len(tp), bool)
    if isinstance(target, Costs):
        cost = target.false_positive * fp + target.false_negative * (candidates.positives - tp)
        best = candidates.pick(every, -cost, -fp)
    elif isinstance(target, _Bound):
        best = _meet(target, candidates)
    else:
        best = candidates.pick(every, 2.0 * tp / (tp + fp + candidates.positives), -fp)
    hits, false = int(tp[best]), int(fp[best])
    confusion = Confusion(hits, false, candidates.positives - hits, candidates.negatives - false)
    return FittedThreshold(policy, str(target), float(candidates.thresholds[best]), confusion)


def _meet(bound: _Bound, candidates: _Candidates) -> int:
    tp, fp, precision = candidates.tp, candidates.fp, candidates.precision
    if bound.figure == "fpr":
        values, merit, then = fp / candidates.negatives, tp, -fp
        allowed = values <= bound.limit
    elif bound.figure == "precision":
        values, merit, then = precision, tp, -fp
        allowed = (values >= bound.limit) & (tp > 0)
    else:
        values, merit, then = tp / candidates.positives, precision, tp
        allowed = values >= bound.limit
    if not allowed.any():
        best = int(np.argmin(values) if bound.figure == "fpr" else np.argmax(values))
        near = f"{values[best]:.3f}, at a threshold of {candidates.thresholds[best]:.4g}"
        raise _UnreachableError(f"no threshold has {bound}; the best is {near}")
    return candidates.pick(allowed, merit, then)
