from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.errors import ContentError, Issue
from seemly.core.frozen import FrozenMapping
from seemly.service.base.requests import MAX_INTEGER, Body

COLOURS = ("red", "green")

READERS: dict[str, Callable[..., Any]] = {
    "text": lambda body, *rest, **named: body.text("f", *rest, **named),
    "flag": lambda body, *rest, **named: body.flag("f", *rest, **named),
    "integer": lambda body, *rest, **named: body.integer("f", *rest, **named),
    "number": lambda body, *rest, **named: body.number("f", *rest, **named),
    "choice": lambda body, *rest, **named: body.choice("f", COLOURS, *rest, **named),
    "choices": lambda body, *rest, **named: body.choices("f", COLOURS, *rest, **named),
    "texts": lambda body, *rest, **named: body.texts("f", *rest, **named),
    "mapping": lambda body, *rest, **named: body.mapping("f", *rest, **named),
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def issues_of(body: Body) -> list[Issue]:
    with pytest.raises(ContentError, match="invalid input data") as caught:
        body.done()
    return list(caught.value.issues)


@pytest.mark.parametrize(
    ("reader", "value", "read"),
    [("text", "a", "a"), ("text", "", ""), ("flag", False, False), ("integer", 0, 0), ("integer", MAX_INTEGER, MAX_INTEGER), ("integer", 1.0, 1), ("number", 1, 1.0), ("number", 0.5, 0.5), ("choice", "green", "green"), ("choices", ["red", "red"], ("red",)), ("texts", ["b", "a", "b"], ("b", "a")), ("mapping", {"a": [1]}, {"a": (1,)})],
)  # fmt: skip
def test_a_field_is_read(reader: str, value: Any, read: Any) -> None:
    body = Body({"f": value})
    assert READERS[reader](body) == read
    body.done()


@pytest.mark.parametrize(
    ("reader", "value", "issue"),
    [
        ("text", 1, "f: must be text"),
        ("text", "x" * 1001, "f: must have 0 to 1,000 characters"),
        ("text", "a\0", "f: must not hold null characters or halves of surrogate pairs"),
        ("text", "\ud800", "f: must not hold null characters or halves of surrogate pairs"),
        ("flag", 1, "f: must be true or false"),
        ("flag", "true", "f: must be true or false"),
        ("integer", True, "f: must be a whole number"),
        ("integer", 1.5, "f: must be a whole number"),
        ("integer", -1, f"f: must be from 0 to {MAX_INTEGER}"),
        ("integer", 2**53, f"f: must be from 0 to {MAX_INTEGER}"),
        ("number", "1", "f: must be a number"),
        ("number", False, "f: must be a number"),
        ("number", float("nan"), f"f: must be from 0.0 to {MAX_INTEGER}"),
        ("number", float("inf"), f"f: must be from 0.0 to {MAX_INTEGER}"),
        ("number", 10**400, f"f: must be from 0.0 to {MAX_INTEGER}"),
        ("choice", "blue", "f: must be one of red, green"),
        ("choices", "red", "f: must be a list"),
        ("choices", ["red", "blue"], "f.1: must be one of red, green"),
        ("texts", {}, "f: must be a list"),
        ("texts", ["a"] * 101, "f: must have 0 to 100 entries"),
        ("texts", ["", 5], "f.0: must have 1 to 1,000 characters; f.1: must be text"),
        ("mapping", [], "f: must be an object"),
    ],
)
def test_a_wrong_field_is_named(reader: str, value: Any, issue: str) -> None:
    body = Body({"f": value})
    READERS[reader](body)
    assert "; ".join(map(str, issues_of(body))) == issue


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("wire", [{}, {"f": None}])
def test_a_field_without_a_default_is_required(reader: str, wire: dict[str, Any]) -> None:
    body = Body(wire)
    READERS[reader](body)
    assert issues_of(body) == [Issue("f", "is missing")]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("wire", [{}, {"f": None}, None])
def test_an_optional_field_has_its_default(reader: str, wire: dict[str, Any] | None) -> None:
    body = Body(wire)
    assert READERS[reader](body, "kept") == "kept"
    body.done()


@pytest.mark.parametrize("reader", ["text", "flag", "integer", "number", "choice", "mapping"])
def test_null_can_be_a_value(reader: str) -> None:
    assert READERS[reader](Body({"f": None}), "kept", null=True) is None
    assert READERS[reader](Body({}), "kept", null=True) == "kept"


def test_everything_wrong_is_raised_at_once_with_its_path() -> None:
    body = Body({"filter": {"days": "x"}, "values": [{"value": 1}, 2], "unknown": 3})
    body.text("name")
    body.part("filter").integer("days")
    for each in body.parts("values"):
        each.text("value", None)
    body.blame([Issue("rules.0.key", "is odd")])
    assert issues_of(body) == [
        Issue("name", "is missing"),
        Issue("filter.days", "must be a whole number"),
        Issue("values.1", "must be an object"),
        Issue("values.0.value", "must be text"),
        Issue("rules.0.key", "is odd"),
    ]


def test_parts_that_are_missing_are_empty() -> None:
    body = Body({"n": 1})
    assert body.parts("values") == []
    assert not body.part("filter").has("days")
    assert body.has("n")
    body.done()


@pytest.mark.parametrize("wire", [[], "x", 3, True])
def test_a_body_is_an_object(wire: Any) -> None:
    assert issues_of(Body(wire)) == [Issue("", "must be an object")]


def test_a_body_is_json_of_some_depth() -> None:
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"a": deep}
    assert issues_of(Body(deep)) == [Issue("", "is nested deeper than 32 levels")]
    assert issues_of(Body({"a": object()})) == [Issue("", "holds something other than JSON values")]


def test_given_fields_are_those_that_are_there() -> None:
    assert Body({"a": None, "b": [1], "c": 2}).given(["a", "b", "d"]) == {"a": None, "b": (1,)}


def test_one_is_not_true() -> None:
    body = Body({"f": 1})
    body.choice("f", (True, False))
    assert issues_of(body)


@given(json_values)
def test_whatever_is_sent_is_read_or_refused(value: Any) -> None:
    for reader, types in {
        "text": str, "flag": bool, "integer": int, "number": float, "choice": str, "choices": tuple, "texts": tuple, "mapping": FrozenMapping,
    }.items():  # fmt: skip
        body = Body({"f": value})
        read = READERS[reader](body)
        assert isinstance(read, types | int if reader == "number" else types)
        body.part("f").parts("a")
        try:
            body.done()
        except ContentError as error:
            assert all(each.path.startswith("f") for each in error.issues)
