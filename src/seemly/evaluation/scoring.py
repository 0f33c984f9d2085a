"""Score labelled examples with an engine, and keep what it gave for each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, cast

import numpy as np

from seemly.core.channel import Action, Channel
from seemly.core.content import Object, Submission, Text
from seemly.core.errors import ContentError, DataError, Issue
from seemly.core.frozen import EMPTY
from seemly.core.submission import parse_submission
from seemly.engine.engine import Engine, Rejected
from seemly.engine.plan import BoundPolicy, compile_plan
from seemly.engine.result import ModerationResult
from seemly.evaluation.examples import Example
from seemly.evaluation.metrics import Floats
from seemly.evaluation.progress import Progress

__all__ = ["Found", "Recorder", "Scored", "ScoredRow", "bound_policies", "choose_policies", "read_result", "score"]


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
