import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import seemly.evaluation
from seemly.core.channel import Channel, PolicySettings
from seemly.core.content import MAX_TEXT, Object, Submission, Text
from seemly.core.errors import ConfigError, DataError
from seemly.engine.context import ConversationMemory
from seemly.evaluation import Confusion, Evaluation, Example, evaluate
from seemly.testing import FailingPolicy, FakePolicy
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

SCORES = {
    "awful": {"toxicity": 0.95, "insult": 0.8},
    "rude": {"toxicity": 0.6},
    "sly": {"toxicity": 0.2},
    "kind": {"toxicity": 0.1},
}
ROWS = [
    {"text": "awful", "toxicity": 1, "spam": 0, "id": "a", "source": "forum"},
    {"text": "rude", "toxicity": 0, "source": "mail"},
    {"text": "sly", "toxicity": 1, "source": "mail"},
    {"text": "kind", "toxicity": 0, "source": "forum"},
    {"text": "who knows", "toxicity": None, "source": "forum"},
]


def _evaluate(rows: Any = ROWS, channel: Channel | None = None, **how: Any) -> Evaluation:
    how.setdefault("bootstrap", 20)
    return evaluate(build_engine(SCORES, channel), rows, **how)


def test_figures_actions_and_latency() -> None:
    found = _evaluate()
    assert [each.id for each in found.policies] == ["toxicity", "spam"]
    toxicity = found["toxicity"]
    assert (toxicity.positives, toxicity.negatives, toxicity.unlabelled, toxicity.failed) == (2, 2, 1, 0)
    assert toxicity.confusion == Confusion(1, 1, 1, 1)
    assert toxicity.auc is not None
    assert toxicity.auc.value == 0.75
    assert found["spam"].auc is None
    assert [(each.action, each.positive, each.negative, each.unlabelled) for each in found.actions] == [
        ("allow", 1, 1, 1), ("review", 0, 1, 0), ("reject", 1, 0, 0),
    ]  # fmt: skip
    assert found.latency.calls == 5
    assert found.latency.p50 <= found.latency.p95 <= found.latency.p99
    assert "spam" in found
    assert "hate" not in found
    with pytest.raises(KeyError):
        found["hate"]


def test_each_example_is_kept() -> None:
    row = _evaluate().scored.rows[0]
    assert (row.number, row.id, row.action, row.flagged, row.text, row.length) == (
        1,
        "a",
        "reject",
        ("toxicity",),
        "awful",
        5,
    )
    assert row.severity == pytest.approx(0.95)
    assert dict(row.attributes) == {"source": "forum"}
    scores, truth = _evaluate().scores("toxicity")
    assert scores.tolist() == pytest.approx([0.95, 0.6, 0.2, 0.1])
    assert truth.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_thresholds_count_whether_the_channel_flags_or_not() -> None:
    channel = Channel(flagging_mode="DRY_RUN", policies=(PolicySettings("toxicity", flag=False, threshold=0.15),))
    found = _evaluate(channel=channel)
    assert (found["toxicity"].threshold, found["toxicity"].flag) == (0.15, False)
    assert found["toxicity"].confusion == Confusion(2, 1, 0, 1)
    assert {row.flagged for row in found.scored.rows} == {()}


def test_the_worst_errors_are_there_to_read_and_hidden_from_the_repr() -> None:
    found = _evaluate()
    assert [(each.kind, each.row, each.text) for each in found.worst] == [
        ("false_positive", 2, "rude"), ("false_negative", 3, "sly"),
    ]  # fmt: skip
    assert "rude" not in repr(found.worst)
    assert "rude" not in repr(found)
    assert "rude" not in repr(found.scored.rows)
    assert _evaluate(worst=0).worst == ()


def test_slices() -> None:
    scores, examples = spread(draw_pairs(120))
    rows = [Example(each.content, each.labels, {"n": i % 3}) for i, each in enumerate(examples[:115])]
    rows += [Example(each.content, each.labels) for each in examples[115:]]
    found = evaluate(build_engine(scores), rows, slices=["n", "length", "language"], bootstrap=0)
    assert [(each.attribute, each.value, each.count) for each in found.slices] == [
        ("n", "0", 39), ("n", "1", 38), ("n", "2", 38), ("n", "unknown", 5), ("length", "0-19", 120),
        ("language", "unknown", 120),
    ]  # fmt: skip
    assert [len(each.policies) for each in found.slices] == [1, 1, 1, 0, 1, 1]
    parts = [each.policies[0].confusion for each in found.slices[:3]]
    assert sum(each.tp for each in parts) <= found["toxicity"].confusion.tp
    assert found.slices[4].policies[0].confusion == found["toxicity"].confusion


def test_values_to_slice_by_may_be_anything() -> None:
    values: list[Any] = ["None", None, ["a", "b"], ["a", "b"], ["c"]]
    rows = [
        Example(row["text"], {"toxicity": row["toxicity"]}, {"tag": tag}) for row, tag in zip(ROWS, values, strict=True)
    ]
    found = _evaluate(rows, slices=["tag"])
    assert [(each.value, each.count) for each in found.slices] == [
        ("None", 1), ("['a', 'b']", 2), ("['c']", 1), ("unknown", 1),
    ]  # fmt: skip


def test_lengths_are_in_the_order_of_their_bands() -> None:
    lengths = [3_000, 150, 1_000, 5, 50, 19, 20]
    found = _evaluate([("x" * length, {"toxicity": 1}) for length in lengths], slices=["length"])
    assert [(each.value, each.count) for each in found.slices] == [
        ("0-19", 2), ("20-99", 2), ("100-499", 1), ("500-1999", 1), ("2000+", 1),
    ]  # fmt: skip


def test_a_column_named_language_is_taken_for_the_language() -> None:
    found = _evaluate([{**row, "language": "xx"} for row in ROWS], slices=["language"])
    assert [(each.value, each.count) for each in found.slices] == [("xx", 5)]


@pytest.mark.parametrize(
    ("how", "error", "problem"),
    [
        ({"slices": ["mood"]}, DataError, "no example has the attribute 'mood' to slice by; there are language, length, source"),
        ({"policies": ["rude"]}, DataError, "the policy 'rude' did not run; those that did are toxicity"),
        ({"policies": ["hate"]}, DataError, "the examples have no labels: name a column"),
        ({"text": "body"}, DataError, "no row has the column 'body'"),
        ({"examples": ["hello"]}, DataError, "the examples have no labels: name a column for each policy"),
        ({"examples": [("hello", {"toxicity": None})]}, DataError, "the examples have no labels"),
        ({"examples": [("x" * (MAX_TEXT + 1), {"toxicity": 1})]}, DataError, "row 1.content.text: must have at most"),
        ({"bootstrap": -1}, ConfigError, "must not be negative"),
        ({"batch_size": 0}, ConfigError, "batch_size"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated(how: dict[str, Any], error: type[Exception], problem: str) -> None:
    rows = how.pop("examples", ROWS)
    with pytest.raises(error, match=problem):
        _evaluate(rows, **how)


def test_rows_that_the_engine_refuses_are_named_and_left_out() -> None:
    rows = [("x" * (MAX_TEXT + 1), {"toxicity": 1}), *[(row["text"], {"toxicity": row["toxicity"]}) for row in ROWS]]
    rows.append((Submission(content=Text("awful"), channel="another"), {"toxicity": 1}))
    found = _evaluate(rows)
    assert [each.path for each in found.scored.refused] == ["row 1.content.text", "row 7.channel"]
    assert [row.number for row in found.scored.rows] == [2, 3, 4, 5, 6]
    assert found["toxicity"].positives == 2


def test_failures_of_a_policy_are_counted() -> None:
    engine = build_engine({}, None, FailingPolicy.spec("broken", on="!"))
    found = evaluate(engine, [("a!", {"broken": 1}), ("b", {"broken": 0}), ("c", {"broken": 1})], bootstrap=0)
    assert (found["broken"].failed, found["broken"].positives) == (1, 1)
    assert found.scored.rows[0].failed == ("broken",)


def test_objects_are_read_field_by_field() -> None:
    engine = build_engine(SCORES, None, FakePolicy.spec("found", "kin"))
    content = Object({"title": "awful", "body": "kind"})
    found = evaluate(engine, [(content, {"toxicity": 1}), ("kind", {"toxicity": 0})], bootstrap=0)
    assert found.scored.rows[0].text == "awful\nkind"
    assert found.scored.rows[0].counts == (("found", None, 1),)


def test_an_evaluation_has_a_memory_of_its_own() -> None:
    turns = {"such an": {"toxicity": 0.1}, "such an\nidiot": {"toxicity": 0.9}, "idiot": {"toxicity": 0.3}}
    memory = ConversationMemory()
    engine = build_engine(turns, Channel(context_enabled=True), memory=memory)
    engine.moderate({"content": "such an", "conversationId": "c"})
    apart = [{"text": "idiot", "toxicity": 1, "conversationId": "c"}]
    together = [{"text": "such an", "toxicity": 0, "conversationId": "d"}, {**apart[0], "conversationId": "d"}]
    for _ in range(2):
        assert evaluate(engine, apart, bootstrap=0).scores("toxicity")[0].tolist() == pytest.approx([0.3])
        assert evaluate(engine, together, bootstrap=0).scores("toxicity")[0].tolist() == pytest.approx([0.1, 0.9])
    assert [turn.text for turn in memory.recall("c", None, engine._around.clock()).conversation] == ["such an"]
    assert len(memory) == 1


def test_the_same_seed_gives_the_same_evaluation() -> None:
    one, two = (_evaluate(seed=4).to_dict() for _ in range(2))
    for each in (one, two):
        del each["latency"]
    assert one == two


def test_it_can_be_written_down() -> None:
    found = _evaluate(slices=["source"])
    wire = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert wire["policies"][0]["confusion"]["precision"] == 0.5
    assert wire["policies"][0]["roc"]["thresholds"][0] is None
    assert wire["worst"][0]["text"] == "rude"
    assert wire["slices"][0]["value"] == "forum"
    page = found._repr_html_()
    assert "toxicity" in page
    assert "rude" not in page


def test_tables() -> None:
    pytest.importorskip("pandas", reason="tables are made with pandas, of the extra `notebook`")
    found = _evaluate()
    table = found.to_dataframe()
    assert table.loc["toxicity", "auc"] == 0.75
    scores = found.scores_dataframe()
    assert scores["toxicity"].tolist() == pytest.approx([0.95, 0.6, 0.2, 0.1, 0.0])
    assert scores["toxicity.truth"].tolist()[:4] == [1.0, 0.0, 1.0, 0.0]
    assert "text" not in scores
    assert found.scores_dataframe(text=True)["text"].tolist()[0] == "awful"


@pytest.mark.parametrize(
    ("progress", "terminal", "drawn"),
    [(None, True, True), (None, False, False), (False, True, False), (True, False, True)],
)
def test_progress(monkeypatch: pytest.MonkeyPatch, progress: bool | None, terminal: bool, drawn: bool) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    _evaluate(progress=progress)
    assert ("1 done" in stream.getvalue()) == drawn


def test_nothing_of_it_can_be_changed() -> None:
    found = _evaluate()
    with pytest.raises(FrozenInstanceError):
        found.policies = ()  # type: ignore[misc]


@pytest.mark.parametrize("name", seemly.evaluation.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(seemly.evaluation, name) is not None
    assert name in dir(seemly.evaluation)


def test_public_names_are_sorted_and_whole() -> None:
    names = seemly.evaluation.__all__
    assert set(names) == set(seemly.evaluation._HOME_OF)
    assert list(names) == sorted(names, key=lambda name: (not name[0].isupper(), name))
    with pytest.raises(AttributeError, match="evaluator"):
        seemly.evaluation.evaluator  # noqa: B018


def test_importing_the_package_loads_nothing_heavy_and_no_name_hides_another() -> None:
    code = (
        "import sys, seemly.evaluation as e; print('numpy' in sys.modules, 'pandas' in sys.modules)\n"
        "import seemly.evaluation.comparison, seemly.evaluation.draft_replay, seemly.evaluation.reviewer_agreement\n"
        "print(all(callable(getattr(e, name)) for name in e.__all__), 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "False"]


class TestPlots:
    @pytest.fixture(autouse=True)
    def _plain_backend(self) -> Any:
        matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib, of the extra `notebook`")
        matplotlib.use("Agg")
        yield
        matplotlib.pyplot.close("all")

    def test_curves_have_a_line_a_dot_and_a_name_for_each_policy(self) -> None:
        found = _evaluate()
        for plot in (found.plot_roc, found.plot_precision_recall):
            axes = plot()
            assert [each.get_text() for each in axes.get_legend().get_texts()] == [
                "toxicity 0.750" if plot == found.plot_roc else "toxicity 0.833"
            ]
        axes = found.plot_reliability(["toxicity"])
        assert found.plot_reliability(ax=axes) is axes

    def test_a_panel_for_each_policy(self) -> None:
        found = _evaluate()
        for plot in (found.plot_scores, found.plot_confusion):
            assert [each.get_title() for each in plot().axes] == ["toxicity", "spam"]

    def test_panels_without_a_policy_are_hidden(self) -> None:
        rows = [("awful", dict.fromkeys(["toxicity", "spam", "hate", "violence", "sexual"], 1))]
        assert [each.get_visible() for each in _evaluate(rows).plot_confusion().axes] == [True] * 5 + [False] * 3

    def test_what_cannot_be_drawn(self) -> None:
        found = _evaluate()
        draw: Callable[..., object] = found.plot_roc
        with pytest.raises(DataError, match="hate was not measured; toxicity, spam were"):
            draw(["hate"])
        with pytest.raises(DataError, match="no policy has both"):
            draw(["spam"])
        with pytest.raises(DataError, match="no policy to draw"):
            found.plot_scores([])
