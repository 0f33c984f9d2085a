"""How well an engine does on labelled examples, and how to set a channel by them.

    from seemly.evaluation import evaluate, fit_thresholds

    evaluation = evaluate(engine, "labelled.jsonl", slices=("language",))
    evaluation["toxicity"].auc                        # Estimate(value=0.94, low=0.92, high=0.95)
    better = fit_thresholds(evaluation, target="precision>=0.95")     # a new Channel

Names load when they are first used; tables and plots need `pip install "seemly[notebook]"`, nothing else does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seemly.core.errors import DataError
    from seemly.evaluation.calibration import calibrate
    from seemly.evaluation.comparison import Comparison, Difference, Disagreement, PolicyComparison, compare
    from seemly.evaluation.draft_replay import replay
    from seemly.evaluation.examples import Example, read_examples
    from seemly.evaluation.measurement import evaluate
    from seemly.evaluation.metrics import (
        Confusion,
        Estimate,
        PolicyFigures,
        PrecisionRecallCurve,
        Reliability,
        RocCurve,
    )
    from seemly.evaluation.replay_results import PolicyChange, Replay, Replayed, Transition
    from seemly.evaluation.results import ActionCount, Evaluation, Latency, Misjudged, Slice
    from seemly.evaluation.reviewer_agreement import Agreement, Period, agreement
    from seemly.evaluation.scoring import Scored, ScoredRow
    from seemly.evaluation.thresholds import Costs, FittedThreshold, find_thresholds, fit_thresholds

_HOMES = {
    "seemly.core.errors": ("DataError",),
    "seemly.evaluation.calibration": ("calibrate",),
    "seemly.evaluation.comparison": ("Comparison", "Difference", "Disagreement", "PolicyComparison", "compare"),
    "seemly.evaluation.results": ("ActionCount", "Evaluation", "Latency", "Misjudged", "Slice"),
    "seemly.evaluation.examples": ("Example", "read_examples"),
    "seemly.evaluation.metrics": (
        "Confusion", "Estimate", "PolicyFigures", "PrecisionRecallCurve", "Reliability", "RocCurve",
    ),
    "seemly.evaluation.replay_results": ("PolicyChange", "Replay", "Replayed", "Transition"),
    "seemly.evaluation.draft_replay": ("replay",),
    "seemly.evaluation.reviewer_agreement": ("Agreement", "Period", "agreement"),
    "seemly.evaluation.measurement": ("evaluate",),
    "seemly.evaluation.scoring": ("Scored", "ScoredRow"),
    "seemly.evaluation.thresholds": ("Costs", "FittedThreshold", "find_thresholds", "fit_thresholds"),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ActionCount", "Agreement", "Comparison", "Confusion", "Costs", "DataError", "Difference", "Disagreement",
    "Estimate", "Evaluation", "Example", "FittedThreshold", "Latency", "Misjudged", "Period", "PolicyChange",
    "PolicyComparison", "PolicyFigures", "PrecisionRecallCurve", "Reliability", "Replay", "Replayed", "RocCurve",
    "Scored", "ScoredRow", "Slice", "Transition", "agreement", "calibrate", "compare", "evaluate", "find_thresholds",
    "fit_thresholds", "read_examples", "replay",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'seemly.evaluation' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
