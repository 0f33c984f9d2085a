from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.cli import inputs
from seemly.cli.inputs import BadRow, Columns, Place, Row, read_rows, read_texts
from seemly.core.content import Submission


def read(data: bytes, form: Any = None, columns: Columns = Columns()) -> list[Row | BadRow]:  # noqa: B008
    return list(read_rows(io.BytesIO(data), "rows", form, columns, lambda _size: None))


def said(row: Row | BadRow) -> object:
    """What a row comes to: its text, its wire form, or what is wrong with it."""
    if isinstance(row, BadRow):
        return f"! {row.problem}"
    if isinstance(row.item, Submission):
        return getattr(row.item.content, "text", None)
    return row.item


def lines(rows: list[Row | BadRow]) -> list[int]:
    return [row.place.line for row in rows]


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\nthree\n", ["", "", "three"]),
        (b"\xef\xbb\xbfone\n", ["one"]),
        ("ä\u2028b\u0085c\x0cd\n".encode(), ["ä\u2028b\u0085c\x0cd"]),
        (b"good\n\xff\xfa\ngood", ["good", "! not valid UTF-8", "good"]),
        (b"nul\x00 is text\n", ["nul\x00 is text"]),
    ],
)
def test_reads_plain_lines(data: bytes, texts: list[str]) -> None:
    rows = read(data, "lines")
    assert [said(row) for row in rows] == texts
    assert lines(rows) == list(range(1, len(texts) + 1))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'"a text"', "a text"),
        (b'{"text": "a text"}', "a text"),
        (b'{"text": "a text", "type": "comment"}', "a text"),
        (b'{"type": "text", "text": "a text"}', {"type": "text", "text": "a text"}),
        (b'{"content": "a text", "text": "x"}', {"content": "a text", "text": "x"}),
        (b'{"text": "\\ud800"}', "\ud800"),
        (b'{"body": "a text"}', "! the field 'text' is missing"),
        (b'{"text": null}', "! the field 'text' must be a string"),
        (b'{"text": 4}', "! the field 'text' must be a string"),
        (b"[1]", "! must be a JSON string or object"),
        (b"null", "! must be a JSON string or object"),
        (b'{"text": "a', "! not valid JSON: Unterminated string starting at (column 10)"),
        (b'{"text": "\xe4"}', "! not valid UTF-8"),
        (b'{"text": ' + b"1" * 5000 + b"}", "! not valid JSON: a number with too many digits"),
        (b"[" * 200_000, "! not valid JSON: nested too deeply"),
    ],
)
def test_reads_a_row_of_json(line: bytes, expected: object) -> None:
    rows = read(b'"before"\n\n  \n' + line + b'\n"after"\n', "jsonl")
    assert [said(row) for row in rows] == ["before", expected, "after"]
    assert lines(rows) == [1, 4, 5]


def test_a_named_text_field_is_read_whatever_else_the_row_has() -> None:
    row = b'{"body": "a text", "content": "x", "type": "text", "metadata": "foreign", "timestamp": "2024"}'
    assert said(read(row, "jsonl", Columns("body"))[0]) == "a text"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_takes_up_ids(form: str) -> None:
    ids = {"text": "a", "contentId": "c1", "authorId": "7", "conversationId": ""}
    data = json.dumps(ids) if form == "jsonl" else "\n".join([",".join(ids), ",".join(ids.values())])
    (row,) = read(data.encode(), form)
    assert isinstance(row, Row)
    assert isinstance(row.item, Submission)
    assert (row.item.content_id, row.item.author_id, row.item.conversation_id) == ("c1", "7", None)


def test_another_column_can_hold_the_id() -> None:
    (row,) = read(b'{"text": "a", "id": 12}', "jsonl", Columns(id="id"))
    assert isinstance(row, Row)
    assert isinstance(row.item, Submission)
    assert row.item.content_id == "12"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"text\none\ntwo\n", [(2, "one"), (3, "two")]),
        (b"\xef\xbb\xbftext,x\none,1\n", [(2, "one")]),
        (b"x, text \n1,one\n", [(2, "one")]),
        (b"text\r\none\r\n\r\ntwo\r\n", [(2, "one"), (4, "two")]),
        (b'text,x\n"a, ""b""",1\n', [(2, 'a, "b"')]),
        (b'text,x\n"a\nb",1\nc,2\n', [(2, "a\nb"), (4, "c")]),
        (b"x,text\n1\n2,b\n", [(2, "! has no value for the column 'text'"), (3, "b")]),
        (b"x,text\n1,b,more\n", [(2, "b")]),
        (b"x,text\n\xe4,a\n2,b\n", [(2, "! not valid UTF-8"), (3, "b")]),
        (b'text,x\n"a"b,1\nc,2\n', [(2, "! not valid CSV: ',' expected after '\"'"), (3, "c")]),
        (b'text,x\na,1\n"b,2\n', [(2, "a"), (3, "! not valid CSV: unexpected end of data")]),
        (b"a,b\nc,d\n", [(1, "! the header has no column 'text', and the file is skipped")]),
    ],
)  # fmt: skip
def test_reads_csv(data: bytes, expected: list[tuple[int, str]]) -> None:
    assert [(row.place.line, said(row)) for row in read(data, "csv")] == expected


def test_reads_tsv() -> None:
    assert [said(row) for row in read(b"id\ttext\n1\ta, b\n", "tsv")] == ["a, b"]


def test_a_row_over_several_lines_names_them_all() -> None:
    (row,) = read(b'text,x\n"a\nb"c,1\n', "csv")
    assert str(row.place) == "rows:2-3"


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b'{"text": "a"}\n', ["a"]),
        (b'\xef\xbb\xbf {"text": "a"}\n', ["a"]),
        (b'"a"\n"b"\n', ["a", "b"]),
        (b'{"text": "a\n"b"\n', ["! not valid JSON: Unterminated string starting at (column 10)", "b"]),
        (b'"a" he said\n', ['"a" he said']),
        (b"12\n", ["12"]),
        (b'\xff\n"b"\n', ["! not valid UTF-8", '"b"']),
    ],
)
def test_the_first_line_tells_json_from_plain_lines(data: bytes, texts: list[str]) -> None:
    assert [said(row) for row in read(data)] == texts


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_refuses_utf16_once(mark: bytes) -> None:
    (row,) = read(mark + b"a\x00\n\x00b\x00\n\x00", "lines")
    assert said(row) == "! the file is UTF-16, and skipped: convert it to UTF-8"


@pytest.mark.parametrize("form", ["lines", "jsonl", "csv"])
def test_an_endless_line_is_skipped_without_being_held(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_LINE", 64)
    long = b'"' + b"x" * 1000 + b'"'
    head, row = {"lines": (b"a", b"b"), "jsonl": (b'"a"', b'"b"'), "csv": (b"text", b"b")}[form]
    rows = read(head + b"\n" + long + b"\n" + row, form)
    assert [row.place.line for row in rows if isinstance(row, BadRow)] == [2]
    assert "longer than" in str(said(rows[-2]))
    assert (rows[-1].place.line, said(rows[-1])) == (3, "b")


def test_counts_every_byte() -> None:
    data = b"one\r\ntwo\n\nlast"
    sizes: list[int] = []
    list(read_rows(io.BytesIO(data), None, "lines", Columns(), sizes.append))
    assert sum(sizes) == len(data)


def test_arguments_are_utf8() -> None:
    good, bad = read_texts(["größe 🙂", "caf\udce9"])
    assert (said(good), good.place.to_dict()) == ("größe 🙂", {"line": 1})
    assert (said(bad), str(bad.place)) == ("! not valid UTF-8", "argument 2")


@pytest.mark.parametrize(
    ("place", "shown", "wire"),
    [
        (Place(3), "line 3", {"line": 3}),
        (Place(3, "a.csv"), "a.csv:3", {"file": "a.csv", "line": 3}),
        (Place(3, "a.csv", 3), "a.csv:3", {"file": "a.csv", "line": 3}),
        (Place(3, "a.csv", 5), "a.csv:3-5", {"file": "a.csv", "line": 3}),
    ],
)
def test_a_place_says_where(place: Place, shown: str, wire: dict[str, Any]) -> None:
    assert (str(place), place.to_dict()) == (shown, wire)


@given(st.binary(max_size=200), st.sampled_from(["lines", "jsonl", "csv", "tsv", None]))
def test_no_bytes_stop_a_reader(data: bytes, form: Any) -> None:
    rows = read(data, form)
    assert lines(rows) == sorted(lines(rows))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(str.strip), max_size=8))
def test_every_format_brings_texts_back(texts: list[str]) -> None:
    as_json = "".join(json.dumps(text) + "\n" for text in texts)
    assert [said(row) for row in read(as_json.encode(), "jsonl")] == texts
    as_csv = "text\n" + "".join('"' + text.replace('"', '""') + '"\n' for text in texts)
    assert [said(row) for row in read(as_csv.encode(), "csv")] == texts
