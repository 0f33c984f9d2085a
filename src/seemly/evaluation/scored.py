"""What a run of an engine over examples found, compact: columns of probabilities, and a row for what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seemly.channel import Action, Channel
from seemly.content import Object, Submission, Text
from seemly.errors import DataError, Issue
from seemly.evaluation.ranking import Floats
from seemly.frozen import EMPTY

__all__ = ["Scored", "ScoredRow"]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One example, what it was, and what became of it.

    `number` is its row, from 1; `severity` 0 to 1; `flagged` the policies that flagged; `failed` the policies and
    decoders without a verdict; `counts` how many matches each policy found of each entity type; `latency_ms`, in
    milliseconds, what a call of its own took, None where that was not measured.
    """

    number: int
    id: str | None
    submission: Submission = field(repr=False)
    action: Action
    severity: float
    flagged: tuple[str, ...]
    language: str | None
    failed: tuple[str, ...] = ()
    counts: tuple[tuple[str, str | None, int], ...] = ()
    attributes: Mapping[str, Any] = EMPTY
    latency_ms: float | None = None

    @property
    def text(self) -> str:
        """The text; of an object its text fields, a line each; empty for media."""
        content = self.submission.content
        if isinstance(content, Object):
            return "\n".join(part.text for part in content.data.values() if isinstance(part, Text))
        return content.text if isinstance(content, Text) else ""

    @property
    def length(self) -> int:
        """How long the text is, in code points."""
        return len(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Examples as an engine with `channel` judged them, by the text models of `tier`.

    `probabilities` and `truth` have shape [rows, policies]; NaN where a policy failed, or no one knows. `labels` are
    (policy, label) pairs, and `label_probabilities` has shape [rows, labels]. `refused` says which rows the engine
    would not take, and why; they are not among `rows`.
    """

    channel: Channel
    tier: str
    policies: tuple[str, ...]
    probabilities: Floats
    truth: Floats
    labels: tuple[tuple[str, str], ...]
    label_probabilities: Floats
    rows: tuple[ScoredRow, ...]
    refused: tuple[Issue, ...] = ()

    def __repr__(self) -> str:
        return f"Scored({self.channel.key!r}, {len(self.rows):,} examples, {len(self.refused):,} issues)"

    @property
    def labelled(self) -> tuple[str, ...]:
        """The policies that some row has a truth for."""
        unknown = np.isnan(self.truth)
        return tuple(policy for i, policy in enumerate(self.policies) if not unknown[:, i].all())

    def scores(self, policy: str) -> tuple[Floats, Floats]:
        """The probabilities and the truths of a policy, both of shape [rows], NaN where there is none.

        Raises DataError for a policy that did not run.
        """
        if policy not in self.policies:
            raise DataError(f"the policy {policy!r} did not run; those that did are {', '.join(self.policies)}")
        column = self.policies.index(policy)
        return self.probabilities[:, column], self.truth[:, column]

    def known_scores(self, policy: str) -> tuple[Floats, Floats]:
        """The same without the rows that lack either."""
        scores, truth = self.scores(policy)
        both = ~np.isnan(scores) & ~np.isnan(truth)
        return scores[both], truth[both]
