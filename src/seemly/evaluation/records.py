"""From the results of moderation to columns and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from seemly.channel import Action, Channel
from seemly.content import Submission
from seemly.errors import ContentError, DataError, Issue
from seemly.evaluation.examples import Example
from seemly.evaluation.scored import Scored, ScoredRow
from seemly.result import ModerationResult

__all__ = ["Found", "Recorder", "read_result"]

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Found:
    """What a result says, whatever form it has. `probabilities` are by policy, `labels` by policy and label."""

    id: str | None
    action: Action
    severity: float
    language: str | None
    timestamp: float
    probabilities: Mapping[str, float]
    labels: Mapping[tuple[str, str], float]
    counts: tuple[tuple[str, str | None, int], ...]
    flagged: tuple[str, ...]
    failed: tuple[str, ...]


def read_result(result: object, where: str) -> Found:
    """What a ModerationResult, or the dict that its `to_dict` gave, says.

    Raises DataError that names `where` for anything else.
    """
    if isinstance(result, ModerationResult):
        return Found(
            result.content.id,
            result.recommendation.action,
            result.evaluation.severity_score,
            result.language,
            result.meta.timestamp,
            {each.id: each.probability for each in result.policies},
            {(each.id, label.id): label.probability for each in result.policies for label in each.labels},
            _count([(each.id, match.entity_type) for each in result.policies for match in each.matches]),
            tuple(each.id for each in result.policies if each.flagged),
            tuple(each.id for each in result.errors),
        )
    try:
        return _read_wire(cast("Mapping[str, Any]", result))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(
            "these results cannot be used", [Issue(where, "must be a ModerationResult, or what its to_dict gives")]
        ) from None


def _read_wire(wire: Mapping[str, Any]) -> Found:
    policies = wire["policies"]
    return Found(
        wire["content"]["id"],
        wire["recommendation"]["action"],
        float(wire["evaluation"]["severity_score"]),
        next((each["value"] for each in wire["insights"] if each["id"] == "language"), None),
        wire["meta"]["timestamp"],
        {each["id"]: float(each["probability"]) for each in policies},
        {(each["id"], label["id"]): label["probability"] for each in policies for label in each.get("labels", ())},
        _count([(each["id"], match.get("entity_type")) for each in policies for match in each.get("matches", ())]),
        tuple(each["id"] for each in policies if each["flagged"]),
        tuple(each["id"] for each in wire["errors"]),
    )


def _count(matches: Iterable[tuple[str, str | None]]) -> tuple[tuple[str, str | None, int], ...]:
    return tuple((policy, kind, number) for (policy, kind), number in Counter(matches).items())


class Recorder:
    """Takes results as they come, and keeps of each what `Scored` holds."""

    def __init__(self, channel: Channel, policies: Sequence[str], tier: str) -> None:
        self.channel = channel
        self.tier = tier
        self.policies = tuple(policies)
        self.rows: list[ScoredRow] = []
        self.refused: list[Issue] = []
        self._probabilities: list[list[float]] = []
        self._truth: list[list[float]] = []
        self._labels: list[Mapping[tuple[str, str], float]] = []

    def add(self, number: int, example: Example, submission: Submission, found: Found) -> None:
        """The example of row `number`, as it was submitted, and what was found in it."""
        self.rows.append(
            ScoredRow(
                number,
                example.id,
                submission,
                found.action,
                found.severity,
                found.flagged,
                found.language,
                found.failed,
                found.counts,
                example.attributes,
            )
        )
        truths = (example.labels.get(each) for each in self.policies)
        self._probabilities.append([found.probabilities.get(each, _NAN) for each in self.policies])
        self._truth.append([_NAN if each is None else float(each) for each in truths])
        self._labels.append(found.labels)

    def refuse(self, number: int, error: ContentError) -> None:
        """Row `number` could not be moderated."""
        self.refused.extend(each.under(f"row {number}") for each in error.issues or [Issue("", error.message)])

    def close(self, latencies: Mapping[int, float]) -> Scored:
        """Everything that was added. `latencies`, in milliseconds, are by position among the rows."""
        shape = len(self.rows), len(self.policies)
        labels = tuple(dict.fromkeys(label for each in self._labels for label in each))
        parts = [[each.get(label, _NAN) for label in labels] for each in self._labels]
        rows = self.rows.copy()
        for position, latency in latencies.items():
            rows[position] = replace(rows[position], latency_ms=latency)
        return Scored(
            self.channel,
            self.tier,
            self.policies,
            np.array(self._probabilities, np.float64).reshape(shape),
            np.array(self._truth, np.float64).reshape(shape),
            labels,
            np.array(parts, np.float64).reshape(len(self.rows), len(labels)),
            tuple(rows),
            tuple(self.refused),
        )
