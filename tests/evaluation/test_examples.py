import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seemly.core.content import Submission, Text
from seemly.core.errors import ConfigError, DataError
from seemly.evaluation import formatting
from seemly.evaluation.examples import Example, read_examples

POLICIES = ("toxicity", "spam")


def _read(source: Any, **how: Any) -> tuple[Example, ...]:
    return read_examples(source, policies=POLICIES, **how)


@pytest.mark.parametrize(
    "row",
    [
        {"text": "hello", "toxicity": True, "spam": 0.25},
        {"text": "hello", "labels": {"toxicity": 1, "spam": "0.25"}},
        {"content": {"type": "text", "text": "hello"}, "toxicity": "Yes", "spam": 0.25},
        ("hello", {"toxicity": True, "spam": 0.25}),
        Example("hello", {"toxicity": True, "spam": 0.25}),
        (Submission(content=Text("hello")), {"toxicity": 1.0, "spam": 0.25}),
    ],
)
def test_a_row_has_many_forms(row: object) -> None:
    (example,) = _read([row])
    assert dict(example.labels) == {"toxicity": 1.0, "spam": 0.25}


def test_what_else_a_mapping_has_is_told_apart() -> None:
    row = {
        "body": "hello", "toxic": 0, "id": 7, "source": "forum", "n": 3, "tags": ["a"], "authorId": 12,
        "timestamp": "2024-05-01T00:00:00", "metadata": {"plan": "free"},
    }  # fmt: skip
    (example,) = _read([row], text="body", labels={"toxic": "toxicity"})
    assert (dict(example.labels), example.id) == ({"toxicity": 0.0}, "7")
    assert dict(example.attributes) == {"source": "forum", "n": 3}
    assert example.content == {
        "content": "hello", "authorId": "12", "timestamp": 1714521600000.0, "metadata": {"plan": "free"},
        "contentId": "7",
    }  # fmt: skip


def test_columns_of_a_table_that_say_nothing_to_the_engine_are_attributes() -> None:
    row = {
        "text": "hello",
        "channel": "forum",
        "labels": "a b",
        "policies": 3,
        "content": "mail",
        "metaType": "comment",
    }
    (example,) = _read([row])
    assert dict(example.attributes) == {"channel": "forum", "labels": "a b", "policies": 3, "content": "mail"}
    assert example.content == {"content": "hello", "metaType": "comment"}
    (submitted,) = _read([{"content": "hello", "channel": "forum", "source": "web"}])
    assert dict(submitted.attributes) == {"source": "web"}


def test_labels_may_be_numbers_of_numpy() -> None:
    labels = {"toxicity": np.bool_(True), "spam": np.float32(0.5)}
    assert dict(_read([("hello", labels)])[0].labels) == {"toxicity": 1.0, "spam": 0.5}


def test_labels_may_list_policies_and_the_rest_are_attributes() -> None:
    (example,) = _read([{"text": "hello", "toxicity": 1, "spam": 0}], labels=["spam"])
    assert (dict(example.labels), dict(example.attributes)) == ({"spam": 0.0}, {"toxicity": 1})


def test_an_id_that_is_too_long_for_a_submission_stays_with_the_example() -> None:
    (example,) = _read([{"text": "hello", "id": "x" * 101}])
    assert (example.id, example.content) == ("x" * 101, {"content": "hello"})


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "there are no examples"),
        ("missing.jsonl", "missing.jsonl cannot be read: No such file"),
        ("data.xlsx", "must end in .jsonl"),
        ({"text": "hello"}, "must be an iterable"),
        (7, "must be an iterable"),
        ([7], "row 1: must be an Example"),
        ([{"toxicity": 1}], "no row has the column 'text': name the one that has the text"),
        ([{"text": "fine"}, {"toxicity": 1}], "row 2.text: is missing"),
        ([Example("hello", None)], "row 1.labels: must be a mapping"),  # type: ignore[arg-type]
        ([Example("hello", {}, ["a"])], "row 1.attributes: must be a mapping"),  # type: ignore[arg-type]
        ([{"text": None}], "row 1.text: is missing"),
        ([{"text": "fine"}, {"text": 7}], "row 2.text: must be a string"),
        ([("hello", {"toxicity": 2})], "row 1.labels.toxicity: must be true, false, empty, or a share from 0 to 1"),
        ([{"text": "hello", "toxicity": "perhaps"}], "row 1.toxicity: must be true"),
        ([{"text": "hello", "toxicity": [1]}], "row 1.toxicity: must be true"),
        ([{"text": "hello", "toxicity": float("nan")}], "row 1.toxicity: is NaN"),
        ([{"text": "hello", "toxicity": "nan"}], "row 1.toxicity: is NaN"),
        ([{"text": "hello", "timestamp": "soon"}], "row 1.timestamp: must be Unix milliseconds"),
        ([{"text": "hello", "timestamp": [1]}], "row 1.timestamp: must be Unix milliseconds"),
        ([("hello", {"rude": True})], "labels.rude: no policy that runs; toxicity, spam do"),
    ],
)
def test_what_is_wrong_is_named(rows: object, problem: str) -> None:
    with pytest.raises(DataError, match=problem.replace(".", r"\.")):
        _read(rows)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ({"toxic": "rude"}, "labels.rude: no policy that runs"),
        ({"unseen": "toxicity"}, "labels.unseen: no row has such a column"),
        ({"toxic": "spam", "other": "spam"}, "names spam more than once"),
        ("toxicity", "labels must map columns"),
    ],
)
def test_labels_that_cannot_work(labels: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        _read([{"text": "hello", "toxic": 1}], labels=labels)


def test_every_problem_is_counted_and_none_quotes_the_content() -> None:
    with pytest.raises(DataError) as caught:
        _read([{"text": "hello", "toxicity": "a secret"}] * 30)
    assert len(caught.value.issues) == 21
    assert str(caught.value.issues[-1]) == "and 10 more"
    assert "secret" not in str(caught.value)
    assert caught.value.to_dict()["code"] == "BAD_REQUEST"


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20)
ROWS = st.lists(
    st.tuples(TEXTS, st.none() | st.booleans() | st.floats(0, 1), st.none() | st.booleans()), min_size=1, max_size=8
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS)
def test_files_say_what_was_written(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]]) -> None:
    folder = tmp_path_factory.mktemp("rows")
    records = [{"text": text, "toxicity": toxicity, "spam": spam} for text, toxicity, spam in rows]
    lines = folder / "rows.jsonl"
    lines.write_text("\n\n".join(json.dumps(each) for each in records), encoding="utf-8")
    table = folder / "rows.csv"
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, ["text", "toxicity", "spam"])
        writer.writeheader()
        writer.writerows(records)
    expected = [
        (text, {name: None if value is None else float(value) for name, value in (("toxicity", a), ("spam", b))})
        for text, a, b in rows
    ]
    for path in (lines, str(table)):
        assert [(each.content["content"], dict(each.labels)) for each in _read(path)] == expected  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("a.jsonl", b'{"text": "hello"}\n{"text": \n', "row 2: is not valid JSON"),
        ("a.jsonl", b'"caf\xe9"', "a.jsonl is not UTF-8"),
        ("a.csv", b"text,toxicity\nhello,1,2\n", "row 1: has more cells than the header"),
        ("a.csv", b'text\n"hello" there\n', "row 1: is not valid CSV"),
        ("a.csv", b"text\nhello\n" + b"x" * 200_000, "row 2: has a cell of over 131,072 characters; the rows after"),
        ("a.tsv", b"body\ttoxicity\nhello\t1\nhello\t0\n", "no row has the column 'text': name the one [^;]*$"),
        ("a.csv", b"", "there are no examples"),
    ],
)
def test_files_that_are_damaged(
    tmp_path: Path, name: str, body: bytes, problem: str, request: pytest.FixtureRequest
) -> None:
    # The limit is the whole process's, and the training code, which other tests import, lifts it.
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit(131_072)))
    (tmp_path / name).write_bytes(body)
    with pytest.raises(DataError, match=problem):
        _read(tmp_path / name)


def test_a_dataframe_and_parquet(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="DataFrames are read with pandas, of the extra `notebook`")
    pytest.importorskip("pyarrow", reason="Parquet is read with pyarrow, of the extra `notebook`")
    frame = pandas.DataFrame({"text": ["one", "two"], "toxicity": [1.0, float("nan")], "n": [1, 2]})
    frame["when"] = pandas.to_datetime(["2024-05-01", None])
    read = _read(frame)
    assert [dict(each.labels) for each in read] == [{"toxicity": 1.0}, {"toxicity": None}]
    assert [dict(each.attributes) for each in read] == [{"n": 1}, {"n": 2}]
    assert _read(type("Frame", (pandas.DataFrame,), {})(frame)) == read
    frame.drop(columns="when").to_parquet(tmp_path / "rows.parquet")
    assert [each.labels["toxicity"] for each in _read(tmp_path / "rows.parquet")] == [1.0, None]
    (tmp_path / "bad.parquet").write_bytes(b"not parquet")
    with pytest.raises(DataError, match="not valid Parquet"):
        _read(tmp_path / "bad.parquet")


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ConfigError, match=r"needs no_such_package.*seemly\[notebook\]"):
        formatting.need("no_such_package.part")
