"""Judge the policies that are read straight from a model's labels, all of a text's together.

These are most of a channel's policies. What each found is made into values only when somebody asks for it; the decision
needs numbers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from seemly.core.frozen import FrozenMapping
from seemly.engine.decision import NOTHING_WEIGHED, Weighed, measure_severity
from seemly.engine.result import LabelResult, PolicyResult
from seemly.policies.classifier import Classifier
from seemly.policies.protocol import MENTION, Finding, Label

if TYPE_CHECKING:
    from seemly.engine.plan import BoundPolicy

__all__ = ["UNSUPPORTED", "ScoredPolicies"]

UNSUPPORTED = FrozenMapping({"language_supported": False})
"""The data of a finding in a language that its policy is not supported for."""


class _Entry(NamedTuple):
    """A policy: the column of its label, its sub-labels with their columns, and how the channel treats it."""

    id: str
    column: int
    parts: tuple[tuple[str, int], ...]
    threshold: float
    weight: float
    flag: bool
    rejects: bool
    supported: bool


class ScoredPolicies:
    """The policies of a channel that need nothing but scores. Immutable; safe to share between threads."""

    def __init__(self, policies: Sequence[BoundPolicy], labels: Sequence[str]) -> None:
        columns = {label: column for column, label in enumerate(labels)}
        self._entries: dict[int, _Entry] = {}
        self._any_language: set[int] = set()
        for position, bound in enumerate(policies):
            policy = bound.policy
            if type(policy) is not Classifier or bound.calibration is not None:
                continue
            parts = tuple((name, columns[part]) for part, name in policy.parts)
            rejects = bound.max_action == "reject"
            self._entries[position] = _Entry(
                bound.spec.id, columns[policy.label], parts, bound.threshold, bound.weight, bound.flag, rejects, True
            )
            if bound.any_language:
                self._any_language.add(position)
        self._every = tuple(self._entries.values())
        self._limited: dict[frozenset[int], tuple[_Entry, ...]] = {}

    def __contains__(self, position: int) -> bool:
        return position in self._entries

    def find(self, position: int, scores: Sequence[float], *, supported: bool) -> Finding:
        """Return what the policy at that position of the plan found in a text with these scores."""
        entry = self._entries[position]
        labels = tuple([Label(name, scores[column]) for name, column in entry.parts])
        return Finding(scores[entry.column], labels=labels, data=None if supported else UNSUPPORTED)

    def weigh(self, scores: Sequence[float], unsupported: frozenset[int]) -> Weighed:
        """Return what the decision needs to know of a text with these scores."""
        flagged = shadow_flagged = False
        flag_probability = severity = uncapped = 0.0
        top: _Entry | None = None
        for entry in self._entries_for(unsupported):
            _, column, _, threshold, weight, flag, rejects, _ = entry
            probability = scores[column]
            if probability < threshold:
                if not flag:
                    continue
                each = 0.5 * probability / threshold
            else:
                if not flag:
                    shadow_flagged = True
                    continue
                flagged = True
                each = measure_severity(probability, threshold, weight)
            if probability > flag_probability:
                flag_probability = probability
            if rejects and each > uncapped:
                uncapped = each
            if top is None or each > severity or (each == severity and entry.id < top.id):
                severity, top = each, entry
        if top is None:
            return NOTHING_WEIGHED._replace(shadow_flagged=shadow_flagged)
        return Weighed(flagged, shadow_flagged, flag_probability, severity, uncapped, top.id, top.threshold)

    def report(self, scores: Sequence[float], unsupported: frozenset[int], *, active: bool) -> list[PolicyResult]:
        """Return each policy's result for a text with these scores. `active` is false in a dry run."""
        return [_report(entry, scores, active) for entry in self._entries_for(unsupported)]

    def _entries_for(self, unsupported: frozenset[int]) -> tuple[_Entry, ...]:
        if not unsupported:
            return self._every
        entries = self._limited.get(unsupported)
        if entries is None:
            entries = tuple(
                entry._replace(supported=False, flag=entry.flag and position in self._any_language)
                if position in unsupported
                else entry
                for position, entry in self._entries.items()
            )
            self._limited[unsupported] = entries
        return entries


def _report(entry: _Entry, scores: Sequence[float], active: bool) -> PolicyResult:
    threshold, flags = entry.threshold, active and entry.flag
    labels = tuple(
        [
            LabelResult(name, scores[column], flags and name != MENTION and scores[column] >= threshold)
            for name, column in entry.parts
        ]
    )
    probability = scores[entry.column]
    data = None if entry.supported else UNSUPPORTED
    flagged = flags and probability >= threshold
    return PolicyResult(entry.id, "classifier", probability, flagged, (), labels, (), data, threshold)
