import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.evaluation.formatting import plain, render_table
from seemly.evaluation.metrics import Confusion, Ranking, draw_weights, find_interval, measure

# Few distinct scores, so that ties come up.
LABELLED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30).filter(
    lambda pairs: len({truth for _, truth in pairs}) == 2
)


def _arrays(pairs: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score / 6 for score, _ in pairs]), np.array([truth for _, truth in pairs])


@given(LABELLED)
def test_auc_is_how_often_a_positive_scores_above_a_negative(pairs: list[tuple[int, bool]]) -> None:
    scores, truth = _arrays(pairs)
    wins = [(a > b) + 0.5 * (a == b) for a in scores[truth] for b in scores[~truth]]
    assert Ranking.of(scores, truth).auc() == pytest.approx(np.mean(wins))


@given(LABELLED)
def test_average_precision_sums_precision_over_recall(pairs: list[tuple[int, bool]]) -> None:
    scores, truth = _arrays(pairs)
    expected, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        flagged = scores >= threshold
        recall = (flagged & truth).sum() / truth.sum()
        expected += (recall - before) * (flagged & truth).sum() / flagged.sum()
        before = recall
    assert Ranking.of(scores, truth).average_precision() == pytest.approx(expected)


@given(LABELLED, st.data())
def test_a_weight_counts_an_example_that_often(pairs: list[tuple[int, bool]], data: st.DataObject) -> None:
    scores, truth = _arrays(pairs)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs))))
    repeated = Ranking.of(np.repeat(scores, weights), np.repeat(truth, weights))
    ranking = Ranking.of(scores, truth)
    assert ranking.auc(weights.astype(float)) == pytest.approx(repeated.auc(), nan_ok=True)
    assert ranking.average_precision(weights.astype(float)) == pytest.approx(repeated.average_precision(), nan_ok=True)


@given(LABELLED)
def test_the_curves_pass_where_the_confusion_is(pairs: list[tuple[int, bool]]) -> None:
    scores, truth = _arrays(pairs)
    for threshold in set(scores.tolist()):
        found = measure("p", scores, truth.astype(float), threshold=threshold, flag=True, bootstrap=0, seed=0)
        assert found.roc is not None
        assert found.precision_recall is not None
        i = found.roc.thresholds.tolist().index(threshold)
        assert (found.roc.fpr[i], found.roc.tpr[i]) == (found.confusion.fpr, found.confusion.recall)
        assert found.precision_recall.precision[i - 1] == found.confusion.precision
        assert found.roc.thin(3).tpr[[0, -1]].tolist() == [0.0, 1.0]


def test_agrees_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="a cross-check against scikit-learn, of the extra `train`")
    random = np.random.default_rng(3)
    scores = random.random(500).round(2)
    truth = random.random(500) < scores
    ranking = Ranking.of(scores, truth)
    assert ranking.auc() == pytest.approx(metrics.roc_auc_score(truth, scores))
    assert ranking.average_precision() == pytest.approx(metrics.average_precision_score(truth, scores))


def test_figures_of_a_small_table() -> None:
    scores = np.array([0.95, 0.85, 0.4, 0.15, 0.1, np.nan, 0.5])
    truth = np.array([1.0, 0.0, 1.0, 0.0, 0.25, 1.0, np.nan])
    found = measure("toxicity", scores, truth, threshold=0.5, flag=False, bootstrap=50, seed=1)
    assert (found.positives, found.negatives, found.unlabelled, found.failed) == (2, 3, 1, 1)
    assert found.confusion == Confusion(1, 1, 1, 2)
    assert found.auc is not None
    assert found.auc.value == pytest.approx(5 / 6)
    assert found.auc.low is not None
    assert found.auc.high is not None
    assert found.auc.low <= found.auc.value <= found.auc.high
    assert found.reliability is not None
    assert found.reliability.counts.tolist() == [0, 2, 0, 0, 1, 0, 0, 0, 1, 1]
    assert found.reliability.observed[1] == pytest.approx(0.125)
    assert found.reliability.ece == pytest.approx((2 * 0.0 + 0.6 + 0.85 + 0.05) / 5)
    assert found.reliability.brier == pytest.approx((0.05**2 + 0.85**2 + 0.6**2 + 0.15**2 + 0.15**2) / 5)


@pytest.mark.parametrize("truth", [[1.0, 1.0], [0.0, 0.0], [np.nan, np.nan]])
def test_what_needs_both_kinds_is_none_without_them(truth: list[float]) -> None:
    found = measure("p", np.array([0.1, 0.9]), np.array(truth), threshold=0.5, flag=True, bootstrap=5, seed=0)
    assert (found.auc, found.average_precision, found.roc, found.precision_recall) == (None,) * 4
    assert (found.reliability is None) == bool(np.isnan(truth).all())
    assert found.to_row()["auc"] is None


@pytest.mark.parametrize(
    ("cells", "shares"),
    [
        ((8, 2, 4, 6), {"precision": 0.8, "recall": 8 / 12, "f1": 16 / 22, "fpr": 0.25}),
        ((0, 0, 0, 5), {"precision": None, "recall": None, "f1": None, "fpr": 0.0}),
        ((0, 0, 3, 0), {"precision": None, "recall": 0.0, "f1": 0.0, "fpr": None}),
    ],
)
def test_shares_of_a_confusion(cells: tuple[int, int, int, int], shares: dict[str, float | None]) -> None:
    wire = Confusion(*cells).to_dict()
    assert {name: wire[name] for name in shares} == pytest.approx(shares)


def test_resamples_are_fixed_by_their_seed() -> None:
    one, again, other = ([draw.tolist() for draw in draw_weights(20, 3, seed)] for seed in (1, 1, 2))
    assert one == again != other
    assert all(sum(draw) == 20 for draw in one)


def test_an_interval_leaves_out_what_could_not_be_told() -> None:
    assert find_interval([float("nan")]) == (None, None)
    assert find_interval([0.5, float("nan"), 0.5]) == (0.5, 0.5)


def test_plain_values_are_json_and_cells_are_escaped() -> None:
    assert plain({"a": np.array([1.0, np.inf]), "b": (np.int64(2), float("nan"))}) == {"a": [1.0, None], "b": [2, None]}
    table = render_table("<t>", ["<h>"], [["<script>", 1234, 0.5, None, "\ud800", "x" * 300]])
    assert "<script>" not in table
    assert "&lt;script&gt;</td><td>1,234</td><td>0.500</td><td></td><td>?</td>" in table
    assert "x" * 200 not in table
