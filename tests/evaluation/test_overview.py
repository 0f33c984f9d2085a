from __future__ import annotations

from seemly.core.channel import Channel
from seemly.evaluation import evaluate
from seemly.evaluation.examples import Example
from seemly.evaluation.overview import Overview, render_overview, summarize
from tests.support.evaluation_fakes import build_engine

SCORES = {"awful": {"toxicity": 0.97}, "rude": {"toxicity": 0.6}, "sly": {"toxicity": 0.2}, "odd": {"toxicity": 0.7}}
EXAMPLES = [
    Example("awful", {"toxicity": 1.0}),
    Example("rude", {"toxicity": 1.0}),
    Example("sly", {"toxicity": 1.0}),
    Example("odd", {"toxicity": 0.0}),
    Example("fine", {"toxicity": 0.0}),
    Example("good", {"toxicity": 0.0}),
    Example("nice", {}),
]


def test_an_overview_counts_what_the_channel_does() -> None:
    found = summarize(evaluate(build_engine(SCORES), EXAMPLES, bootstrap=0))
    assert found == Overview(7, reviewed=2, rejected=1, positives=3, missed=1, negatives=3, in_error=1)


def test_the_page_says_so_first() -> None:
    evaluation = evaluate(build_engine(SCORES), EXAMPLES, bootstrap=0)
    page = render_overview(evaluation)
    assert "1 of 3 harmful ones are allowed, and 1 of 3 harmless ones are not" in page
    assert "66.7% of 3 found, 33.3% in error" in page
    assert page in evaluation._repr_html_()


def test_no_labels_of_a_kind_are_no_share() -> None:
    evaluation = evaluate(build_engine(SCORES, Channel()), [Example("fine", {"toxicity": 0.0})], bootstrap=0)
    assert "<span>–</span>missed" in render_overview(evaluation)
