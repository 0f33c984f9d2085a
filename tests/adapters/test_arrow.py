from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="needs the extra arrow")
pytest.importorskip("narwhals", reason="needs the extra arrow")

import pyarrow as pa

from seemly.adapters.arrow import COLUMNS, ArrowModerator, moderate_frame
from seemly.core.channel import Channel, Wordlist
from seemly.core.errors import ConfigError
from seemly.engine.engine import Engine
from seemly.policies.builtin import BUILTIN
from seemly.policies.protocol import Spec
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy

CHANNEL = Channel(key="table", wordlists=(Wordlist("banned", ("forbidden",)),))
TEXTS = ["Good morning", None, "This is forbidden", "Write to jo@example.org", "x" * 100_001, "", "Good morning"]
ACTIONS = ["allow", None, "reject", "review", None, "allow", "allow"]


@pytest.fixture(scope="module")
def moderator() -> ArrowModerator:
    return ArrowModerator(CHANNEL, tier="fast")


@pytest.mark.parametrize(
    "column",
    [
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(TEXTS, pa.string_view()),
    ],
    ids=["string", "large", "dictionary", "view"],
)
def test_a_row_has_what_the_engine_says_of_its_text(moderator: ArrowModerator, column: Any) -> None:
    table = pa.table({"id": range(len(TEXTS)), "text": column})
    found = moderator(table)
    assert found.column_names == ["id", "text", *COLUMNS]
    assert found.column("text").type == column.type
    assert found["action"].to_pylist() == ACTIONS
    engine = Engine(CHANNEL, tier="fast")
    for row in found.to_pylist():
        if row["error"] is not None:
            assert [row[name] for name in COLUMNS[:-1]] == [None] * 7
            continue
        result = engine.moderate(row["text"])
        assert row["severity"] == pytest.approx(result.evaluation.severity_score)
        assert row["flagged"] == result.evaluation.flagged
        assert row["flagged_policies"] == [each.id for each in result.policies if each.flagged]
        assert row["probabilities"] == pytest.approx({each.id: each.probability for each in result.policies})
        assert (row["language"], row["modified_text"]) == (result.language, result.modified_text)
    assert found["error"].to_pylist()[1] == "has no text"
    assert "100,000" in found["error"].to_pylist()[4]


def test_batches_and_chunks_and_nothing_at_all(moderator: ArrowModerator) -> None:
    whole = moderator(pa.table({"text": TEXTS}))
    batch = moderator(pa.record_batch({"text": TEXTS}))
    assert isinstance(batch, pa.RecordBatch)
    assert pa.Table.from_batches([batch]).equals(whole)
    chunked = pa.table({"text": pa.chunked_array([TEXTS[:3], TEXTS[3:]])})
    assert moderator(chunked).equals(whole)
    empty = moderator(pa.table({"text": pa.array([], pa.string())}))
    assert empty.schema.equals(whole.schema)
    assert empty.num_rows == 0


def test_the_columns_that_stay(moderator: ArrowModerator) -> None:
    table = pa.table({"text": ["hello"], "id": [7], "action": ["typed"]}, metadata={"from": "here"})
    with pytest.raises(ConfigError) as raised:
        moderator(table)
    assert str(raised.value.issues[0]) == "action: is there already: leave it out by keep, or give a prefix"
    kept = ArrowModerator(CHANNEL, tier="fast", keep=["id"])(table)
    assert kept.column_names == ["id", *COLUMNS]
    assert kept.schema.metadata == {b"from": b"here"}
    prefixed = ArrowModerator(CHANNEL, tier="fast", prefix="seemly_")(table)
    assert prefixed.column_names == ["text", "id", "action", *(f"seemly_{name}" for name in COLUMNS)]


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        (pa.table({"body": ["hello"]}), "text: is not a column of the table"),
        (pa.table({"text": [1, 2]}), "text: holds int64, not text"),
        (pa.table([pa.array(["a"]), pa.array([1]), pa.array([2])], ["text", "id", "id"]), "id: is the name of several"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(moderator: ArrowModerator, table: Any, wrong: str) -> None:
    with pytest.raises(ConfigError) as raised:
        moderator(table)
    assert str(raised.value.issues[0]).startswith(wrong)


def test_a_text_that_is_no_utf_8_is_a_bad_row(moderator: ArrowModerator) -> None:
    column = pa.Array.from_buffers(pa.string(), 2, pa.array([b"fine", b"\xff\xfe"], pa.binary()).buffers())
    found = moderator(pa.table({"text": column}))
    assert found["action"].to_pylist() == ["allow", None]
    assert found["error"].to_pylist() == [None, "is not valid UTF-8"]


def test_a_policy_that_failed_is_null_and_never_allowed() -> None:
    registry = BUILTIN | Registry([Spec("broken", "classifier", _build_failing)])
    found = ArrowModerator(CHANNEL, tier="fast", registry=registry)(pa.table({"text": ["hello"]}))
    assert found["action"].to_pylist() == ["review"]
    assert found["probabilities"].to_pylist()[0]["broken"] is None
    assert found["probabilities"].to_pylist()[0]["spam"] is not None


def _build_failing(*_given: object) -> FailingPolicy:
    return FailingPolicy()


def test_it_pickles_and_has_one_engine_in_a_process(moderator: ArrowModerator) -> None:
    again = pickle.loads(pickle.dumps(moderator))
    assert again.engine is moderator.engine
    code = (
        "import pickle, sys, pyarrow as pa; m = pickle.load(sys.stdin.buffer); "
        "print(m(pa.table({'text': ['This is forbidden']}))['action'].to_pylist())"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(moderator), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['reject']"


def test_what_cannot_work_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="no such tier"):
        ArrowModerator(CHANNEL, tier="faster")
    with pytest.raises(ConfigError, match="keep must be"):
        ArrowModerator(CHANNEL, tier="fast", keep="some")  # type: ignore[arg-type]


def test_a_frame_of_pandas_keeps_its_index() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame({"body": [*TEXTS, float("nan"), 7, pandas.NA]}, index=range(100, 110))
    found = moderate_frame(frame, CHANNEL, text="body", tier="fast")
    assert type(found) is pandas.DataFrame
    assert list(found.index) == list(frame.index)
    assert [each if isinstance(each, str) else None for each in found["action"]] == [*ACTIONS, None, None, None]
    assert list(found["error"][-3:]) == ["has no text", "is not a text but of type int", "has no text"]
    assert list(frame.columns) == ["body"]


def test_a_frame_of_polars() -> None:
    polars = pytest.importorskip("polars", reason="needs polars")
    frame = polars.DataFrame({"text": TEXTS, "n": range(len(TEXTS))})
    found = moderate_frame(frame, CHANNEL, tier="fast")
    assert isinstance(found, polars.DataFrame)
    assert found.columns == ["text", "n", *COLUMNS]
    assert found["action"].to_list() == ACTIONS
    assert found["probabilities"].struct.field("wordlist:banned").to_list()[2] == 1.0
    with pytest.raises(ConfigError, match="collect a lazy one"):
        moderate_frame(frame.lazy(), CHANNEL)
    with pytest.raises(ConfigError) as raised:
        moderate_frame(found, CHANNEL, text="body", tier="fast")
    assert [issue.path for issue in raised.value.issues] == [*COLUMNS, "body"]
