"""An evaluation: an engine's figures on labelled examples, to print, plot, store and fit by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from seemly.core.channel import Action, Channel
from seemly.evaluation.formatting import need, plain, render_table
from seemly.evaluation.metrics import Floats, PolicyFigures
from seemly.evaluation.scoring import Scored

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ActionCount", "Evaluation", "Latency", "Misjudged", "Slice"]


@dataclass(frozen=True, slots=True)
class ActionCount:
    """How many examples an action fell on.

    `positive`: some policy's label is true; `negative`: none is, and one at least is known; `unlabelled`: no one is.
    """

    action: Action
    positive: int
    negative: int
    unlabelled: int


@dataclass(frozen=True, slots=True)
class Latency:
    """What a call of its own takes, in milliseconds, over `calls` calls: the median, and the slowest 5 % and 1 %."""

    p50: float
    p95: float
    p99: float
    calls: int


@dataclass(frozen=True, slots=True)
class Slice:
    """The figures of the examples that share a value of an attribute. `count` is how many there are.

    `value` is `unknown` for those that have none. Lengths are in the order of their bands, others by name.
    A policy is there if the slice has at least 10 examples of both kinds for it.
    """

    attribute: str
    value: str
    count: int
    policies: tuple[PolicyFigures, ...]


@dataclass(frozen=True, slots=True)
class Misjudged:
    """An example on the wrong side of a policy's threshold. `text` is there to be read, and left out of the repr."""

    policy: str
    kind: Literal["false_positive", "false_negative"]
    row: int
    id: str | None
    text: str = field(repr=False)
    probability: float
    truth: float


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """How well an engine does on labelled examples. `evaluation[policy]` has the figures of one policy.

    `policies` are those that the examples have labels for; `worst` are, for each policy, the highest-scored
    negatives and the lowest-scored positives that are on the wrong side of its threshold, worst first. `scored` has
    every example, refused rows included in its `refused`.
    """

    scored: Scored
    policies: tuple[PolicyFigures, ...]
    actions: tuple[ActionCount, ...]
    latency: Latency
    slices: tuple[Slice, ...] = ()
    worst: tuple[Misjudged, ...] = ()

    def __repr__(self) -> str:
        areas = [f"{each.id} {each.auc.value:.3f}" for each in self.policies if each.auc is not None]
        return f"Evaluation({self.channel.key!r}, {len(self.scored.rows):,} examples, AUC: {', '.join(areas) or None})"

    @property
    def channel(self) -> Channel:
        """The channel that was evaluated."""
        return self.scored.channel

    def __getitem__(self, policy: str) -> PolicyFigures:
        for each in self.policies:
            if each.id == policy:
                return each
        raise KeyError(policy)

    def __contains__(self, policy: object) -> bool:
        return any(each.id == policy for each in self.policies)

    def scores(self, policy: str) -> tuple[Floats, Floats]:
        """The probabilities and truths of a policy, both of shape [n], of the examples that have both.

        Raises DataError for a policy that did not run.
        """
        return self.scored.known_scores(policy)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each policy. Raises ConfigError without pandas."""
        return need("pandas").DataFrame([each.to_row() for each in self.policies]).set_index("policy")

    def scores_dataframe(self, *, text: bool = False) -> Any:
        """A pandas DataFrame with a row for each example; the text only where asked for.

        The probability of each policy is in a column of its name, the truth in `<policy>.truth`. Raises ConfigError
        without pandas.
        """
        scored = self.scored
        columns: dict[str, Any] = {
            name: [getattr(row, name) for row in scored.rows]
            for name in ("number", "id", "action", "severity", "language", "length", "latency_ms")
        }
        if text:
            columns["text"] = [row.text for row in scored.rows]
        for i, policy in enumerate(scored.policies):
            columns[policy] = scored.probabilities[:, i]
        for policy in scored.labelled:
            columns[f"{policy}.truth"] = scored.scores(policy)[1]
        return need("pandas").DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """JSON's types: every figure, without the curves of slices, and the texts of `worst`."""
        return {
            "channel": self.channel.key,
            "examples": len(self.scored.rows),
            "refused": [each.to_dict() for each in self.scored.refused],
            "policies": [each.to_dict() for each in self.policies],
            "actions": plain(self.actions),
            "latency": plain(self.latency),
            "slices": [
                {
                    "attribute": each.attribute,
                    "value": each.value,
                    "count": each.count,
                    "policies": [policy.to_row() for policy in each.policies],
                }
                for each in self.slices
            ],
            "worst": plain(self.worst),
        }

    def _repr_html_(self) -> str:
        names = ("policy", "positives", "negatives", "auc", "average_precision", "precision", "recall", "f1", "ece")
        rows = [each.to_row() for each in self.policies]
        table = render_table(
            f"{self.channel.key}: {len(self.scored.rows):,} examples",
            names,
            [[row[name] for name in names] for row in rows],
        )
        actions = render_table(
            "actions",
            ("action", "positive", "negative", "unlabelled"),
            [(each.action, each.positive, each.negative, each.unlabelled) for each in self.actions],
        )
        return f"<div>{table}{actions}</div>"

    def plot_roc(self, policies: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """ROC curves. Raises ConfigError without matplotlib."""
        from seemly.evaluation.plots import plot_roc

        return plot_roc(self, policies, ax)

    def plot_precision_recall(self, policies: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Precision-recall curves. Raises ConfigError without matplotlib."""
        from seemly.evaluation.plots import plot_precision_recall

        return plot_precision_recall(self, policies, ax)

    def plot_reliability(self, policies: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Reliability diagrams. Raises ConfigError without matplotlib."""
        from seemly.evaluation.plots import plot_reliability

        return plot_reliability(self, policies, ax)

    def plot_scores(self, policies: Sequence[str] | None = None) -> Figure:
        """Histograms of the probabilities of positives and negatives. Raises ConfigError without matplotlib."""
        from seemly.evaluation.plots import plot_scores

        return plot_scores(self, policies)

    def plot_confusion(self, policies: Sequence[str] | None = None) -> Figure:
        """What was flagged against what should have been. Raises ConfigError without matplotlib."""
        from seemly.evaluation.plots import plot_confusion

        return plot_confusion(self, policies)
