"""Say what an evaluation comes to at the channel's thresholds: how much is reviewed, missed, and flagged in error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.engine.html_parts import escape_text, find_hue, render_bar

if TYPE_CHECKING:
    from seemly.evaluation.metrics import PolicyFigures
    from seemly.evaluation.results import Evaluation

__all__ = ["Overview", "render_overview", "summarize"]


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts over the examples of an evaluation.

    `missed` are positives that were allowed, `in_error` negatives that were reviewed or rejected. An example is
    positive if some label is true, and negative if none is and at least one is known.
    """

    examples: int
    reviewed: int
    rejected: int
    positives: int
    missed: int
    negatives: int
    in_error: int


def summarize(evaluation: Evaluation) -> Overview:
    """Return the counts of an evaluation."""
    by_action = {each.action: each for each in evaluation.actions}
    totals = {action: each.positive + each.negative + each.unlabelled for action, each in by_action.items()}
    allowed = by_action.get("allow")
    negatives = sum(each.negative for each in evaluation.actions)
    return Overview(
        examples=sum(totals.values()),
        reviewed=totals.get("review", 0),
        rejected=totals.get("reject", 0),
        positives=sum(each.positive for each in evaluation.actions),
        missed=0 if allowed is None else allowed.positive,
        negatives=negatives,
        in_error=negatives - (0 if allowed is None else allowed.negative),
    )


def render_overview(evaluation: Evaluation) -> str:
    """Return a sentence, a tile for each share, and for each policy a bar of what it finds."""
    counts = summarize(evaluation)
    tiles = "".join(
        f'<div class="tile"><span>{_share(part, whole)}</span>{what}'
        f'<div class="quiet">{part:,} of {whole:,}</div></div>'
        for what, part, whole in (
            ("reviewed", counts.reviewed, counts.examples),
            ("rejected", counts.rejected, counts.examples),
            ("missed", counts.missed, counts.positives),
            ("flagged in error", counts.in_error, counts.negatives),
        )
    )
    bars = "".join(map(_render_policy, evaluation.policies))
    return (
        f"<p>At the thresholds of this channel, {counts.reviewed + counts.rejected:,} of {counts.examples:,} examples "
        f"are reviewed or rejected. {counts.missed:,} of {counts.positives:,} harmful ones are allowed, and "
        f"{counts.in_error:,} of {counts.negatives:,} harmless ones are not.</p>"
        f'<div class="tiles">{tiles}</div><p class="quiet">Each bar: the share of positives that the policy finds.</p>'
        f'<div class="bars">{bars}</div>'
    )


def _render_policy(figures: PolicyFigures) -> str:
    confusion, hue = figures.confusion, find_hue(figures.id)
    found, clean = confusion.tp + confusion.fn, confusion.fp + confusion.tn
    told = f"{_share(confusion.tp, found)} of {found:,} found, {_share(confusion.fp, clean)} in error"
    return (
        f'<span class="name" style="--hue:{hue}">{escape_text(figures.id)}</span>'
        f"{render_bar(figures.id, confusion.recall or 0.0, None, strong=figures.flag)}"
        f'<span>{told} <span class="quiet">threshold {figures.threshold:.2f}</span></span>'
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
