"""Thresholds held against what reviewers decided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.service.review.tuning import BINS, Outcome, Sample, bin_samples, find_changes, judge_threshold

SAMPLES = [Sample(str(number), probability, wrong) for number, (probability, wrong) in enumerate(
    [(0.0, False), (0.3, False), (0.5, True), (0.6, False), (0.9, True), (1.0, True)]
)]  # fmt: skip


@pytest.mark.parametrize(
    ("threshold", "outcome"),
    [
        (0.0, Outcome(6, 0.5, 1.0)),
        (0.5, Outcome(4, 0.75, 1.0)),
        (0.7, Outcome(2, 1.0, 2 / 3)),
        (1.0, Outcome(1, 1.0, 1 / 3)),
    ],
)
def test_a_threshold_is_judged_by_what_it_flags(threshold: float, outcome: Outcome) -> None:
    assert judge_threshold(SAMPLES, threshold) == outcome


def test_what_cannot_be_told_is_none() -> None:
    assert judge_threshold([], 0.5) == Outcome(0, None, None)
    assert judge_threshold([Sample("a", 0.1, False)], 0.5) == Outcome(0, None, None)


samples = st.lists(st.builds(Sample, st.uuids().map(str), st.floats(0, 1), st.booleans()))


@given(samples, st.floats(0, 1), st.floats(0, 1))
def test_every_sample_is_in_one_bin_and_changes_are_between(found: list[Sample], before: float, after: float) -> None:
    bins = bin_samples(found)
    assert len(bins) == BINS
    assert [sum(each) for each in zip(*bins, strict=True)] == [
        sum(not each.wrong for each in found),
        sum(each.wrong for each in found),
    ]
    changes = find_changes(found, before, after)
    grown = judge_threshold(found, after).flagged - judge_threshold(found, before).flagged
    assert grown == len(changes["flagged"]) - len(changes["freed"])
