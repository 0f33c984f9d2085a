"""Lay evaluations and replays out as tables, for a terminal and for a page alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from seemly.evaluation.metrics import Confusion, Estimate, PolicyFigures
from seemly.evaluation.replay_results import Replay
from seemly.evaluation.results import Evaluation
from seemly.evaluation.thresholds import FittedThreshold

__all__ = ["Table", "tabulate_evaluation", "tabulate_fitted", "tabulate_replay"]


_SHARES = ("precision", "recall", "f1", "fpr")


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of str, numbers and None, which stands for what isn't known."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def tabulate_evaluation(evaluation: Evaluation) -> tuple[Table, ...]:
    """The figures of each policy, the actions, the latency, and for each attribute sliced by its values."""
    scored = evaluation.scored
    figures = Table(
        f"channel {evaluation.channel.key}: {len(scored.rows):,} examples, with 95% intervals",
        ("policy", "positive", "negative", "AUC", "average precision", "threshold", *_SHARES, "calibration error"),
        tuple(_row(each) for each in evaluation.policies),
    )
    actions = Table(
        "actions, by whether some label is positive",
        ("action", "positive", "negative", "unlabelled"),
        tuple((each.action, each.positive, each.negative, each.unlabelled) for each in evaluation.actions),
    )
    return figures, actions, _tabulate_latency(evaluation), *_tabulate_slices(evaluation)


def tabulate_fitted(fitted: Sequence[FittedThreshold], evaluation: Evaluation) -> Table:
    """The thresholds chosen on an evaluation, beside those that its channel has."""
    return Table(
        "fitted thresholds, with what they achieve on these examples (expect somewhat less on others)",
        ("policy", "target", "old", "new", *_SHARES),
        tuple(
            (each.policy, each.target, evaluation[each.policy].threshold, each.threshold, *_shares(each.confusion))
            for each in fitted
        ),
    )


def tabulate_replay(replay: Replay, most: int) -> tuple[Table, ...]:
    """The counts of actions and flags, and the examples that change, at most `most`, the most moved first."""
    changed = replay.changed
    actions = Table(
        f"channel {replay.old.key} → {replay.new.key}: {len(changed):,} of {len(replay.outcomes):,} examples change",
        ("old action", "new action", "examples"),
        tuple((each.old, each.new, each.count) for each in replay.transitions),
    )
    policies = Table(
        "flags",
        ("policy", "newly flagged", "no longer flagged", "still flagged"),
        tuple((each.id, each.newly_flagged, each.no_longer_flagged, each.still_flagged) for each in replay.policies),
    )
    examples = Table(
        "examples that change" + (f", {most:,} of {len(changed):,}" if len(changed) > most else ""),
        ("row", "old action", "new action", "old severity", "new severity", "text"),
        tuple(
            (each.row, each.old_action, each.new_action, each.old_severity, each.new_severity, each.text)
            for each in changed[:most]
        ),
    )
    return tuple(table for table in (actions, policies, examples) if table.rows)


def _tabulate_latency(evaluation: Evaluation) -> Table:
    latency = evaluation.latency
    row = (latency.p50, latency.p95, latency.p99, latency.calls)
    return Table("milliseconds of a call of its own", ("median", "95%", "99%", "calls"), (row,))


def _tabulate_slices(evaluation: Evaluation) -> Iterable[Table]:
    for attribute, slices in groupby(evaluation.slices, lambda each: each.attribute):
        rows = tuple(
            (each.value, each.count, policy.id, policy.positives, _estimate(policy.auc), *_shares(policy.confusion))
            for each in slices
            for policy in each.policies
        )
        title = f"by {attribute}, where there are enough examples of both kinds"
        yield Table(title, (attribute, "examples", "policy", "positive", "AUC", *_SHARES), rows)


def _row(figures: PolicyFigures) -> tuple[object, ...]:
    return (
        figures.id,
        figures.positives,
        figures.negatives,
        _estimate(figures.auc),
        _estimate(figures.average_precision),
        figures.threshold,
        *_shares(figures.confusion),
        figures.reliability and figures.reliability.ece,
    )


def _shares(confusion: Confusion) -> tuple[float | None, ...]:
    return confusion.precision, confusion.recall, confusion.f1, confusion.fpr


def _estimate(estimate: Estimate | None) -> str | None:
    if estimate is None:
        return None
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} ({estimate.low:.3f}-{estimate.high:.3f})"
