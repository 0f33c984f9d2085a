"""What every store promises; `test_adapters_store` holds the databases to the same."""

from __future__ import annotations

import threading
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seemly.adapters.store.memory import UNIQUE, MemoryStore
from seemly.core.errors import ConflictError, NotFoundError
from seemly.core.frozen import FrozenMapping, freeze
from seemly.service.base.ports import ALL, Order, Query, Store, Transaction, Where, where
from seemly.service.base.records import (
    KINDS,
    Action,
    Author,
    ChannelRecord,
    Delivery,
    Item,
    Key,
    Organization,
    Placement,
    Project,
    Usage,
    Webhook,
    WordlistRecord,
)  # fmt: skip
from seemly.service.base.references import REFERENCES
from tests.support.named_records import a_record, empty

BY_SEVERAL = [HealthCheck.differing_executors]
"""One contract is run for several stores, each with a class of its own: an example that fails one is of interest to all."""

texts = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("\0\ud83d\ude00\udfff\U0010ffff\U00100000\U0010d800\"'\\u%_/aB"),
    ),
    max_size=12,
) | st.sampled_from(["\0", "\\u0000", "\\\0", "\U0010ffffNaN", '"\U0010ffffNaN"', "null", "NaN", "x" * 20_000])
wholes = st.integers(-(2**63), 2**63 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Everything that a field of a type can hold."""
    origin = typing.get_origin(hint)
    if origin is Literal:
        return st.sampled_from(typing.get_args(hint))
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*map(values_of, typing.get_args(hint)))
    if origin is tuple:
        return st.lists(texts, max_size=4).map(tuple)
    if hint is Mapping or origin is Mapping:
        return st.dictionaries(texts, json_values, max_size=4).map(freeze)
    plain = {str: texts, int: wholes, bool: st.booleans(), float: st.floats(allow_nan=False), types.NoneType: st.none()}
    return plain[hint]


def records_of(kind: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind)
    # An id or key of some thousand letters is too much for an index of PostgreSQL.
    short = {"id", *UNIQUE.get(kind, ()), *(name for name in hints if name.endswith("_id"))}
    return st.builds(
        kind,
        **{
            each.name: values_of(hints[each.name]).filter(
                lambda value: not isinstance(value, str) or len(value) < 1_000
            )
            if each.name in short
            else values_of(hints[each.name])
            for each in fields(kind)
        },
    )


authors = st.builds(
    Author,
    id=st.text("abc", min_size=1, max_size=3),
    project_id=st.sampled_from("pq"),
    external_id=st.text("xy", max_size=3),
    first_seen_ms=st.integers(0, 3),
    last_seen_ms=st.integers(0, 3),
    name=st.none() | st.text("aA%_/\\й\ud800", max_size=3),
    manual_level=st.none() | st.integers(-1, 1),
    status=st.sampled_from(["enabled", "blocked"]),
)
names = st.text("aA%_/\\Йй\ud800", max_size=2)
levels = st.integers(-1, 2)
conditions = st.one_of(
    st.builds(Where, st.just("name"), st.sampled_from(["is", "is_not"]), st.none() | names),
    st.builds(Where, st.just("name"), st.sampled_from(["in", "not_in"]), st.lists(st.none() | names, max_size=3)),
    st.builds(Where, st.just("name"), st.just("contains"), names),
    st.builds(Where, st.just("manual_level"), st.sampled_from(["is", "is_not"]), st.none() | levels),
    st.builds(
        Where, st.just("manual_level"), st.sampled_from(["in", "not_in"]), st.lists(st.none() | levels).map(tuple)
    ),
    st.builds(Where, st.just("manual_level"), st.sampled_from(["at_least", "below"]), levels),
    st.builds(Where, st.just("last_seen_ms"), st.sampled_from(["is", "at_least", "below", "is_not"]), levels),
    st.builds(Where, st.just("id"), st.just("is"), st.text("abc", min_size=1, max_size=2)),
    st.builds(Where, st.just("external_id"), st.just("is"), st.text("xy", max_size=2)),
    st.builds(Where, st.just("project_id"), st.just("is"), st.sampled_from("pq")),
)
orders = st.builds(
    Order, st.sampled_from(["manual_level", "last_seen_ms", "status", "external_id", "id"]), st.booleans()
)


def meets(record: Any, condition: Where) -> bool:
    held, value = getattr(record, condition.field), condition.value
    match condition.operator:
        case "is":
            return held == value
        case "is_not":
            return held != value
        case "in":
            return held in value
        case "not_in":
            return held not in value
        case "at_least":
            return held is not None and held >= value
        case "below":
            return held is not None and held < value
        case "contains":
            return held is not None and value.lower() in held.lower()
    raise AssertionError(condition.operator)


def answer(records: list[Any], query: Query) -> list[Any]:
    """What a query is to find, worked out step by step."""
    found = sorted((each for each in records if all(meets(each, one) for one in query.conditions)), key=lambda r: r.id)
    for order in reversed(query.order):
        held = [each for each in found if getattr(each, order.field) is not None]
        held.sort(key=lambda record: getattr(record, order.field), reverse=order.descending)
        found = held + [each for each in found if getattr(each, order.field) is None]
    found = found[query.offset :]
    return found if query.limit is None else found[: query.limit]


def an_author(number: int = 1, **changes: Any) -> Author:
    plain = Author(id=f"a{number}", project_id="p", external_id=f"e{number}", first_seen_ms=1, last_seen_ms=number)
    return replace(plain, **changes)


def an_item(number: int = 1, **changes: Any) -> Item:
    plain = Item(
        id=f"i{number}", project_id="p", content_id=f"c{number}", channel_id="ch", channel_key="default", created_ms=1,
        updated_ms=1, timestamp_ms=number,
    )  # fmt: skip
    return replace(plain, **changes)


def a_delivery(number: int) -> Delivery:
    return Delivery(id=f"d{number:03}", project_id="p", event_id="e", webhook_id="w", created_ms=1, next_ms=1)


PAIRS = [
    (
        ChannelRecord(id="1", project_id="p", key="k", name="", created_ms=1, updated_ms=1),
        ("project_id", "key"),
    ),
    (WordlistRecord(id="1", project_id="p", channel_id="c", key="k", created_ms=1), ("channel_id", "key")),
    (Key(id="1", organization_id="o", project_id=None, name="", digest="d", hint="", created_ms=1), ("digest",)),
    (Usage(id="1", organization_id="o", month="2026-01"), ("organization_id", "month")),
    (an_author(1, id="1"), ("project_id", "external_id")),
    (an_item(1, id="1"), ("project_id", "content_id")),
    (Placement(id="1", project_id="p", queue_id="q", item_id="i", present=True, at_ms=1), ("queue_id", "item_id")),
    (Action(id="1", project_id="p", key="k", name="", created_ms=1), ("project_id", "key")),
]


NAMING = [(kind, field) for kind, named in REFERENCES.items() for field in named]
NAMING_IDS = [f"{kind.__name__} {field}" for kind, field in NAMING]


def all_of(store: Store) -> list[Any]:
    with store.read() as tx:
        return [record for kind in KINDS for record in tx.find(kind)]


def run(store: Store, change: Callable[[Transaction], object], caught: tuple[type[Exception], ...]) -> None:
    """Make a change in a transaction that makes another too, and goes on after some errors."""
    with store.transaction() as tx:
        tx.add(Organization(id="another", name="", created_ms=0))
        with suppress(*caught):
            change(tx)


class StoreContract:
    """Tests of a `store`, which a class that derives from this one gives as a fixture."""

    @settings(max_examples=100, suppress_health_check=BY_SEVERAL)
    @given(st.data())
    def test_whatever_a_record_holds_comes_back(self, store: Store, data: st.DataObject) -> None:
        record = data.draw(st.sampled_from(KINDS).flatmap(records_of))
        kind = type(record)
        other = replace(data.draw(records_of(kind)), id=record.id)
        empty(store, record, other)
        with store.transaction() as tx:
            tx.add(record)
            assert tx.get(kind, record.id) == record
            assert tx.find(kind, where("id", record.id)) == [record]
        with store.transaction() as tx:
            tx.put(other)
        with store.read() as tx:
            found = tx.get(kind, record.id, lock=False)
            assert found == other
            assert [type(getattr(found, each.name)) for each in fields(kind)] == [
                type(getattr(other, each.name)) for each in fields(kind)
            ]

    @settings(max_examples=100, suppress_health_check=BY_SEVERAL)
    @given(
        st.lists(authors, max_size=8, unique_by=(lambda a: a.id, lambda a: (a.project_id, a.external_id))),
        st.lists(conditions, max_size=2),
        st.lists(orders, max_size=2),
        st.none() | st.integers(0, 5),
        st.integers(0, 3),
    )
    def test_a_query_finds_what_it_says(
        self,
        store: Store,
        kept: list[Author],
        asked: list[Where],
        order: list[Order],
        limit: int | None,
        offset: int,
    ) -> None:
        query = Query(tuple(asked), tuple(order), limit, offset)
        empty(store, *kept)
        with store.transaction() as tx:
            tx.add_all(kept)
            expected = answer(kept, query)
            assert tx.find(Author, query) == expected
            assert tx.find(Author, replace(query, lock="wait")) == expected
            assert tx.count(Author, query) == len(answer(kept, Query(query.conditions)))
            assert tx.remove(Author, query) == len(expected)
            assert tx.find(Author) == answer([each for each in kept if each not in expected], ALL)

    def test_text_is_found_whatever_its_case_and_signs(self, store: Store) -> None:
        empty(store, an_item())
        held = ["Straße 100% sure", "ПРИВЕТ_мир", "a/b\\c", "nul\0 half \ud800", "Ünder"]
        with store.transaction() as tx:
            tx.add_all([an_item(number, text=text) for number, text in enumerate(held)])
            for wanted, number in [
                ("0% S", 0), ("STRA", 0), ("привет_", 1), ("A/B\\", 2), ("NUL\0", 3), ("\ud800", 3), ("ü", 4),
            ]:  # fmt: skip
                assert [each.id for each in tx.find(Item, where("text", wanted, "contains"))] == [f"i{number}"]
            for wanted in ("1_0", "привет%", "\udfff", "0%%"):
                assert tx.find(Item, where("text", wanted, "contains")) == []
            assert tx.count(Item, where("text", "", "contains")) == len(held)

    def test_tuples_are_searched_for_what_they_hold(self, store: Store) -> None:
        empty(store, an_item())
        labels = [(), ("toxicity",), ("toxicity", "spam"), ("\0", '"\ud800"'), ("\\u0000",)]
        with store.transaction() as tx:
            tx.add_all([an_item(number, labels=held) for number, held in enumerate(labels)])
            for wanted, numbers in [
                (("spam",), [2]), (("toxicity", "nothing"), [1, 2]), (("spam", "\0"), [2, 3]), (('"\ud800"',), [3]),
                ((), []), (("tox",), []), (("\\u0000",), [4]),
            ]:  # fmt: skip
                found = tx.find(Item, where("labels", wanted, "holds_any"))
                assert [each.id for each in found] == [f"i{number}" for number in numbers]

    def test_thousands_of_values_can_be_asked_for(self, store: Store) -> None:
        empty(store, an_item())
        with store.transaction() as tx:
            tx.add_all([an_item(number) for number in range(20)])
            wanted = tuple(f"i{number}" for number in range(10, 70_000))
            assert tx.count(Item, where("id", wanted, "in")) == 10
            assert tx.count(Item, where("id", wanted, "not_in")) == 10

    def test_conditions_of_other_types(self, store: Store) -> None:
        empty(store, an_item())
        with store.transaction() as tx:
            tx.add(an_item(1, flagged=True, severity=0.1, client_action=freeze({"a": None})))
            tx.add(an_item(2, severity=0.75))
            for condition, found in [
                (where("flagged", True), "i1"),
                (where("flagged", (False, None), "in"), "i2"),
                (where("severity", 0.1), "i1"),
                (where("severity", (0.75,), "in"), "i2"),
                (where("severity", 0.5, "at_least"), "i2"),
                (where("client_action", None), "i2"),
                (where("client_action", None, "is_not"), "i1"),
            ]:
                assert [each.id for each in tx.find(Item, condition)] == [found]

    @pytest.mark.parametrize(("record", "key"), PAIRS, ids=[type(record).__name__ for record, _ in PAIRS])
    def test_a_key_is_its_own(self, store: Store, record: Any, key: tuple[str, ...]) -> None:
        kind = type(record)
        assert UNIQUE[kind] == key
        twin = replace(record, id="2")
        other = replace(record, id="3", **{key[-1]: "other"})
        moved = replace(record, **{key[-1]: "moved"})
        empty(store, record, other, moved)
        with store.transaction() as tx:
            tx.add(record)
            for change in (tx.add, tx.put):
                with pytest.raises(ConflictError):
                    change(twin)
            with pytest.raises(ConflictError):
                tx.add_all([other, twin])
            tx.add(other)
            with pytest.raises(ConflictError):
                tx.put(replace(other, **{key[-1]: getattr(record, key[-1])}))
            tx.put(other)
        with store.read() as tx:
            assert tx.find(kind) == [record, other]
            assert tx.find(kind, Query(tuple(Where(each, "is", getattr(record, each)) for each in key))) == [record]
        with store.transaction() as tx:
            tx.put(moved)
            tx.add(twin)
        with store.transaction() as tx:
            tx.remove(kind, where("id", "2"))
            tx.put(record)

    def test_every_key_is_tried(self) -> None:
        assert {type(record) for record, _ in PAIRS} == set(UNIQUE)

    @pytest.mark.parametrize(("kind", "field"), NAMING, ids=NAMING_IDS)
    def test_what_a_record_names_must_be_there(self, store: Store, kind: type, field: str) -> None:
        record = replace(a_record(kind, "1"), **{field: "there"})
        lost = replace(record, **{field: "nowhere"})
        empty(store, record)
        before = all_of(store)

        def add_and_put(tx: Transaction) -> None:
            tx.add(record)
            tx.put(lost)

        changes: list[Callable[[Transaction], object]] = [
            lambda tx: tx.add(lost), lambda tx: tx.add_all([lost]), lambda tx: tx.put(lost), add_and_put,
        ]  # fmt: skip
        for change in changes:
            for caught in ((), (NotFoundError,)):
                with pytest.raises(NotFoundError, match=kind.__name__) as told:
                    run(store, change, caught)
                assert "nowhere" not in str(told.value)
                assert all_of(store) == before
        with store.transaction() as tx:
            tx.add(record)

    @pytest.mark.parametrize(("kind", "field"), NAMING, ids=NAMING_IDS)
    def test_what_a_record_names_is_not_removed(self, store: Store, kind: type, field: str) -> None:
        record, named = replace(a_record(kind, "1"), **{field: "there"}), REFERENCES[kind][field]
        empty(store, record)
        with store.transaction() as tx:
            tx.add(record)
        before = all_of(store)
        for caught in ((), (RuntimeError,)):
            with pytest.raises(RuntimeError, match=f"need this {named.__name__}"):
                run(store, lambda tx: tx.remove(named, where("id", "there")), caught)
            assert all_of(store) == before
        with store.transaction() as tx:
            assert sum(tx.remove(each, ALL) for each in reversed(KINDS)) == len(before)

    def test_what_need_not_be_named_can_be_left_out(self, store: Store) -> None:
        may = [(kind, field) for kind, field in NAMING if typing.get_type_hints(kind)[field] == str | None]
        for kind, field in may:
            record = replace(a_record(kind, "1"), **{field: None})
            empty(store, record)
            with store.transaction() as tx:
                tx.add(record)
                tx.put(record)
        assert {field for _, field in may} == {"project_id", "author_id", "item_id"}

    def test_an_empty_key_binds_nothing(self, store: Store) -> None:
        action = Action(id="1", project_id="p", key=None, name="", created_ms=1)
        empty(store, action)
        with store.transaction() as tx:
            tx.add(action)
            tx.put(replace(action, id="2"))
            assert tx.count(Action) == 2

    def test_an_id_is_its_own(self, store: Store) -> None:
        project = Project(id="p", organization_id="o", name="one", created_ms=1, updated_ms=1)
        empty(store, project)
        with store.transaction() as tx:
            tx.add(project)
            with pytest.raises(ConflictError) as caught:
                tx.add(replace(project, name="two"))
            assert "two" not in str(caught.value)
            with pytest.raises(ConflictError):
                tx.add_all([replace(project, id="q"), project])
            tx.add_all([])
            assert tx.find(Project) == [project]

    def test_what_fails_leaves_no_trace(self, store: Store) -> None:
        empty(store, an_author())
        with store.transaction() as tx:
            tx.add_all([an_author(1), an_author(2)])

        def fail() -> None:
            with store.transaction() as tx:
                tx.add(an_author(3))
                tx.put(an_author(1, level=4))
                tx.remove(Author, where("id", "a2"))
                assert [each.id for each in tx.find(Author)] == ["a1", "a3"]
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        with store.transaction() as tx:
            assert tx.find(Author) == [an_author(1), an_author(2)]
            tx.add(an_author(3))

    def test_reading_changes_and_locks_nothing(self, store: Store) -> None:
        empty(store)
        with store.read() as tx:
            for change in (
                lambda: tx.add(an_author()),
                lambda: tx.add_all([an_author()]),
                lambda: tx.put(an_author()),
                lambda: tx.remove(Author, ALL),
                lambda: tx.get(Author, "a1", lock=True),
                lambda: tx.find(Author, Query(lock="skip")),
            ):
                with pytest.raises(RuntimeError, match="only reads"):
                    change()
            assert tx.find(Author) == []
            assert tx.get(Author, "a1") is None

    def test_reading_sees_one_moment(self, store: Store) -> None:
        empty(store, an_author())
        with store.read() as before:
            assert before.count(Author) == 0
            with store.transaction() as tx:
                tx.add(an_author())
                tx.add(an_item())
            assert before.count(Author) == 0
            assert before.find(Item) == []
        with store.read() as after:
            assert (after.count(Author), after.count(Item)) == (1, 1)

    def test_no_change_of_several_threads_is_lost(self, store: Store) -> None:
        empty(store, an_author())
        with store.transaction() as tx:
            tx.add(an_author(total_content=0))

        def count(_: int) -> None:
            with store.transaction() as tx:
                author = tx.get(Author, "a1", lock=True)
                assert author is not None
                tx.put(replace(author, total_content=author.total_content + 1))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(count, range(60)))
        with store.read() as tx:
            assert tx.find(Author) == [an_author(total_content=60)]

    def test_each_delivery_is_claimed_once(self, store: Store) -> None:
        empty(store, a_delivery(0))
        with store.transaction() as tx:
            tx.add_all([a_delivery(number) for number in range(40)])
        claimed: list[str] = []
        barrier = threading.Barrier(5)

        def claim(_: int) -> None:
            barrier.wait()
            due = Query(
                (Where("state", "is", "waiting"), Where("next_ms", "below", 5), Where("held_until_ms", "below", 5)),
                order=(Order("next_ms"),),
                limit=3,
                lock="skip",
            )
            while True:
                with store.transaction() as tx:
                    found = tx.find(Delivery, due)
                    for each in found:
                        tx.put(replace(each, held_until_ms=100))
                if not found:
                    return
                claimed.extend(each.id for each in found)

        with ThreadPoolExecutor(5) as pool:
            list(pool.map(claim, range(5)))
        assert sorted(claimed) == [f"d{number:03}" for number in range(40)]

    def test_of_those_who_add_the_same_one_wins(self, store: Store) -> None:
        empty(store, an_item())
        barrier = threading.Barrier(6)

        def add(number: int) -> bool:
            barrier.wait()
            try:
                with store.transaction() as tx:
                    tx.add(an_item(number, content_id="same"))
            except ConflictError:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(add, range(6))) == [False] * 5 + [True]
        with store.read() as tx:
            assert tx.count(Item) == 1

    def test_json_comes_back_frozen(self, store: Store) -> None:
        settings = freeze({"b": [1, {"c": 1.0}], "a": {}, "deep": [[[["x"]]]]})
        channel = ChannelRecord(id="c", project_id="p", key="k", name="", created_ms=1, updated_ms=1, settings=settings)
        webhook = Webhook(id="w", project_id="p", name="", url="", created_ms=1, event_types=("a", "b"))
        empty(store, channel, webhook)
        with store.transaction() as tx:
            tx.add(channel)
            tx.add(webhook)
        with store.read() as tx:
            found = tx.get(ChannelRecord, "c")
            assert found is not None
            assert list(found.settings) == ["b", "a", "deep"]
            assert isinstance(found.settings["b"][1], FrozenMapping)
            assert isinstance(found.settings["b"][1]["c"], float)
            assert tx.find(Webhook) == [webhook]

    def test_it_says_that_it_works(self, store: Store) -> None:
        store.check()


def test_each_kind_comes_after_those_that_its_records_name() -> None:
    for kind, named in REFERENCES.items():
        assert all(KINDS.index(each) < KINDS.index(kind) for each in named.values())


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    store = MemoryStore()
    yield store
    store.close()


class TestMemoryStore(StoreContract):
    def test_a_transaction_within_one_is_refused(self, store: Store) -> None:
        with store.transaction(), pytest.raises(RuntimeError, match="already"), store.transaction():
            pass
        with store.transaction() as tx:
            tx.remove(Author, ALL)
