"""An evaluation drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.core.errors import DataError
from seemly.evaluation.formatting import need
from seemly.evaluation.metrics import PolicyFigures
from seemly.evaluation.results import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_confusion", "plot_precision_recall", "plot_reliability", "plot_roc", "plot_scores"]

_SIZE = 5.0
"""The width and height of a plot, in inches."""
_SMALL = 3.2


def plot_roc(evaluation: Evaluation, policies: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """A ROC curve for each policy, with its area and a dot at the channel's threshold.

    Raises DataError where no policy has both positives and negatives, or one named was not measured; ConfigError
    without matplotlib. So do the other plots.
    """
    chosen = [each for each in _choose(evaluation, policies) if each.roc is not None]
    axes = _start(chosen, ax, "false positive rate", "recall")
    for each in chosen:
        if each.roc is not None and each.auc is not None:
            (line,) = axes.plot(each.roc.fpr, each.roc.tpr, label=f"{_name(each)} {each.auc.value:.3f}")
            _dot(axes, each.confusion.fpr, each.confusion.recall, line.get_color())
    axes.plot([0, 1], [0, 1], ":", color="grey")
    axes.legend(title="area under the curve", loc="lower right")
    return axes


def plot_precision_recall(
    evaluation: Evaluation, policies: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """A precision-recall curve for each policy, with its average precision and a dot at the channel's threshold."""
    chosen = [each for each in _choose(evaluation, policies) if each.precision_recall is not None]
    axes = _start(chosen, ax, "recall", "precision")
    for each in chosen:
        curve, mean = each.precision_recall, each.average_precision
        if curve is not None and mean is not None:
            (line,) = axes.step(curve.recall, curve.precision, where="pre", label=f"{_name(each)} {mean.value:.3f}")
            _dot(axes, each.confusion.recall, each.confusion.precision, line.get_color())
    axes.legend(title="average precision", loc="lower left")
    return axes


def plot_reliability(evaluation: Evaluation, policies: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """For each policy, the share of positives in each bin over the mean probability there; the diagonal is perfect."""
    chosen = [each for each in _choose(evaluation, policies) if each.reliability is not None]
    axes = _start(chosen, ax, "mean probability", "share of positives")
    for each in chosen:
        if each.reliability is not None:
            filled = each.reliability.counts > 0
            predicted, observed = each.reliability.predicted[filled], each.reliability.observed[filled]
            axes.plot(predicted, observed, "o-", label=f"{_name(each)} {each.reliability.ece:.3f}")
    axes.plot([0, 1], [0, 1], ":", color="grey")
    axes.legend(title="calibration error", loc="upper left")
    return axes


def plot_scores(evaluation: Evaluation, policies: Sequence[str] | None = None) -> Figure:
    """For each policy, a histogram of the probabilities of negatives and positives, with the channel's threshold."""
    chosen = _choose(evaluation, policies)
    figure, grid = _start_grid(len(chosen))
    edges = np.linspace(0.0, 1.0, 26).tolist()
    for axes, each in zip(grid, chosen, strict=True):
        scores, truth = evaluation.scores(each.id)
        for name, kept, colour in (("negative", truth < 0.5, "tab:blue"), ("positive", truth >= 0.5, "tab:red")):
            axes.hist(scores[kept], edges, alpha=0.6, label=name, color=colour, log=True)
        axes.axvline(each.threshold, linestyle=":", color="black")
        axes.set(title=_name(each), xlabel="probability", ylabel="examples")
    grid[0].legend()
    return figure


def plot_confusion(evaluation: Evaluation, policies: Sequence[str] | None = None) -> Figure:
    """For each policy, how many were flagged against how many should have been, shaded by their share of a row."""
    chosen = _choose(evaluation, policies)
    figure, grid = _start_grid(len(chosen))
    for axes, each in zip(grid, chosen, strict=True):
        found = each.confusion
        cells = np.array([[found.tn, found.fp], [found.fn, found.tp]])
        shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
        for (i, j), number in np.ndenumerate(cells):
            axes.text(j, i, f"{number:,}", ha="center", va="center", color="white" if shares[i, j] > 0.5 else "black")
        axes.set_xticks([0, 1], ["passed", "flagged"])
        axes.set_yticks([0, 1], ["negative", "positive"])
        axes.set_title(_name(each))
    return figure


def _choose(evaluation: Evaluation, policies: Sequence[str] | None) -> list[PolicyFigures]:
    if policies is None:
        return list(evaluation.policies)
    known = [each.id for each in evaluation.policies]
    unknown = [each for each in policies if each not in known]
    if unknown:
        raise DataError(f"{', '.join(unknown)} was not measured; {', '.join(known)} were")
    return [evaluation[each] for each in policies]


def _name(figures: PolicyFigures) -> str:
    """The policy's id as it is to be shown: between two dollar signs, matplotlib would read a formula."""
    return figures.id.replace("$", r"\$")


def _start(chosen: Sequence[PolicyFigures], ax: Axes | None, x: str, y: str) -> Axes:
    """The axes to draw on, new ones unless `ax` is given."""
    if not chosen:
        raise DataError("no policy has both positive and negative examples to draw")
    axes: Axes = ax or need("matplotlib.pyplot").subplots(figsize=(_SIZE, _SIZE), layout="constrained")[1]
    axes.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return axes


def _dot(axes: Axes, x: float | None, y: float | None, colour: Any) -> None:
    if x is not None and y is not None:
        axes.plot([x], [y], "o", color=colour)


def _start_grid(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many axes, up to four in a row."""
    if not count:
        raise DataError("no policy to draw")
    columns = min(4, count)
    rows = -(-count // columns)
    size = (_SMALL * columns, _SMALL * rows)
    figure, grid = need("matplotlib.pyplot").subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    flat = list(grid.flat)
    for unused in flat[count:]:
        unused.set_visible(False)
    return figure, flat[:count]
