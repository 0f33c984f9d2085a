"""Queues on databases: what their filters find there, and how little is read for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')
pytest.importorskip("psycopg", reason='needs "seemly[server]"')

from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.adapters.store.memory import MemoryStore
from seemly.adapters.store.sql_store import SqlStore
from seemly.core.frozen import freeze
from seemly.service.base.environment import Environment
from seemly.service.base.ports import ALL, Order, Query
from seemly.service.base.records import ActionRun, Author, Item, Placement, Queue
from seemly.service.review.filters import Filter, LabelFilter, seek
from seemly.service.review.items import list_items
from seemly.service.review.queues import find_items, read_queue
from tests.support.named_records import keep_named

MANY = 10_100
LABELS = ("spam", 'q"\0uo\\te', "ü%s:x?")


def _item(number: int, policies: Sequence[dict[str, Any]] = (), **fields: Any) -> Item:
    flagged = tuple(each["id"] for each in policies if each["flagged"])
    times: Any = dict.fromkeys(["created_ms", "updated_ms", "timestamp_ms"], number)
    return Item(
        id=f"item_{number:06}", project_id="p", content_id=f"c{number}", channel_id="", channel_key="", labels=flagged,
        flagged=bool(flagged), result=freeze({"policies": list(policies)}) if policies else freeze({}), **times, **fields,
    )  # fmt: skip


def _policy(label: str, number: int) -> dict[str, Any]:
    """One of a policy's outcomes; `number` says which."""
    policy: dict[str, Any] = {"id": label, "probability": [0, 0.1, 0.3, 1][number % 4], "flagged": number % 3 == 0}
    matches: list[list[Any]] = [[], [{"match": "x"}]]
    return {**policy, "matches": matches[number % 2]} if number % 5 else policy


ITEMS = [
    _item(at, [_policy(label, at // (1 + 7 * place)) for place, label in enumerate(LABELS) if at % (place + 4)])
    for at in range(120)
]

tests = st.builds(
    LabelFilter,
    st.sampled_from([*LABELS, "unknown"]),
    st.sampled_from(["FLAGGED", "NOT_FLAGGED", "THRESHOLDS", "MATCHED"]),
    st.sampled_from([0, 0.1, 0.2, 0.3]),
    st.sampled_from([0.1, 0.3, 1]),
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    if request.param == "postgresql":
        url = request.getfixturevalue("server").create("queues")
    else:
        url = f"sqlite:///{tmp_path_factory.mktemp('db')}/seemly.db"
    made = SqlStore(url)
    made.migrate()
    keep_named(made, *ITEMS)
    with made.transaction() as tx:
        tx.add_all(ITEMS)
    yield made
    made.close()


def _holds(filters: Sequence[LabelFilter], item: Item) -> bool:
    """What the interface says of several, step by step."""
    without = [each.holds(item.result) for each in filters if each.type == "NOT_FLAGGED"]
    others = [each.holds(item.result) for each in filters if each.type != "NOT_FLAGGED"]
    return all(without) and (not others or any(others))


@given(filters=st.lists(tests, max_size=3).map(tuple))
@settings(max_examples=100)
def test_a_database_finds_by_labels_what_memory_finds(filters: tuple[LabelFilter, ...], store: SqlStore) -> None:
    memory = MemoryStore()
    keep_named(memory, *ITEMS)
    with memory.transaction() as tx:
        tx.add_all(ITEMS)
    for each in (memory, store):
        with each.read() as tx:
            query = Query(seek(tx, "p", Filter(label_filters=filters), 0), (Order("id"),))
            found = tx.find(Item, query)
            assert tx.count(Item, query) == len(found)
        assert [item.id for item in found] == [item.id for item in ITEMS if _holds(filters, item)]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    """With many items, of which every second is flagged and every fourth was acted on."""
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('db')}/seemly.db")
    store.migrate()
    policies = (
        [{"id": "spam", "probability": 0.4, "flagged": False}],
        [{"id": "spam", "probability": 0.9, "flagged": True}],
    )
    keep_named(store, _item(0))
    with store.transaction() as tx:
        for name, level in (("jo", 2), ("al", 0)):
            tx.add(Author(id=name, project_id="p", external_id=name, first_seen_ms=0, last_seen_ms=0, level=level))
        tx.add_all([_item(at, policies[at % 2], author_id="al" if at % 2 else "jo") for at in range(MANY)])
        runs = [(f"run_{at}", f"item_{at:06}") for at in range(0, MANY, 4)]
        tx.add_all([ActionRun(id=name, project_id="p", action_id="act", at_ms=0, item_id=item) for name, item in runs])
    yield store
    store.close()


class _Counting:
    """A transaction that counts the items that are read in it."""

    def __init__(self, tx: Any) -> None:
        self._tx = tx
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def find(self, kind: Any, query: Query) -> list[Any]:
        found: list[Any] = self._tx.find(kind, query)
        self.read += len(found) if kind is Item else 0
        return found


def _label(kind: str, **more: float) -> dict[str, Any]:
    return {"filterLabels": [{"label": "spam", "type": kind, **more}]}


@pytest.mark.parametrize(
    ("filter_", "share"),
    [
        ({}, 1),
        (_label("FLAGGED"), 2),
        (_label("NOT_FLAGGED"), 2),
        (_label("THRESHOLDS", maxThreshold=0.5), 2),
        ({"authorTrustLevels": [2, 3]}, 2),
        ({"filteredActionIds": ["act"]}, 4),
    ],
)
@pytest.mark.parametrize(("placed", "present"), [(0, False), (700, False), (700, True), (MANY, True)])
def test_pages_and_counts_are_right_for_any_number_and_read_little(
    filter_: dict[str, Any], share: int, placed: int, present: bool, full: SqlStore
) -> None:
    queue = Queue(id="q", project_id="p", name="Q", created_ms=0, updated_ms=0, filter=freeze(filter_))
    by_filter = [at for at in range(MANY) if _is_in(filter_, at)]
    assert len(by_filter) == MANY // share
    at_hand = range(placed)
    ids = sorted({*by_filter, *at_hand} if present else {*by_filter} - {*at_hand}, reverse=True)
    env = Environment(full)
    with full.transaction() as tx:
        tx.remove(Placement, ALL)
        tx.put(queue)
        tx.add_all([_placement(f"item_{at:06}", present=present) for at in at_hand])
    with full.read() as tx:
        view = read_queue(env, tx, "p", "q")
        assert (view["unresolvedItemsCount"], view["resolvedItemsCount"]) == (len(ids), 0)
        for page in (1, 2, -(-len(ids) // 100)):
            counting: Any = _Counting(tx)
            found = list_items(env, counting, "p", "q", {"pageSize": 100, "pageNumber": page})
            assert [each["id"] for each in found["items"]] == [f"c{at}" for at in ids[100 * page - 100 : 100 * page]]
            assert counting.read <= 200 + (min(placed, MANY - placed) if present else 0)


def _placement(item_id: str, *, present: bool) -> Placement:
    return Placement(id=f"q:{item_id}", project_id="p", queue_id="q", item_id=item_id, present=present, at_ms=0)


def _is_in(filter_: dict[str, Any], at: int) -> bool:
    """Whether the item of that number meets one of the filters above."""
    if "filteredActionIds" in filter_:
        return at % 4 == 0
    if not filter_:
        return True
    return at % 2 == (filter_ == _label("FLAGGED"))


@given(
    hand=st.sets(st.integers(0, 11)), out=st.sets(st.integers(0, 11)), offset=st.integers(0, 13), limit=st.integers(0, 13),
    field=st.sampled_from(["created_ms", "resolved_ms"]), descending=st.booleans(),
)  # fmt: skip
@settings(max_examples=40)
def test_a_page_is_a_part_of_the_whole(
    hand: set[int], out: set[int], offset: int, limit: int, field: str, descending: bool
) -> None:
    store = MemoryStore()
    placed = [(at, True) for at in hand] + [(at, False) for at in out - hand]
    queue = Queue(
        id="q", project_id="p", name="Q", created_ms=0, updated_ms=0, filter=freeze({"mediaTypes": ["image"]})
    )
    items = [
        replace(_item(at), media_type="image" if at % 2 else "text", resolved_ms=at % 4 if at % 3 else None)
        for at in range(12)
    ]
    keep_named(store, queue)
    with store.transaction() as tx:
        tx.add(queue)
        tx.add_all(items)
        tx.add_all([_placement(items[at].id, present=present) for at, present in placed])
        order = Order(field, descending)
        env = Environment(store)
        every = find_items(env, tx, queue, order=order)
        page = find_items(env, tx, queue, order=order, limit=limit, offset=offset)
        sorted_ = [each.id for each in tx.find(Item, Query(order=(order,)))]
    meant = {items[at].id for at in range(12) if at in hand or (at % 2 and at not in out)}
    assert [each.id for each in every.items] == [each for each in sorted_ if each in meant]
    assert list(page.items) == list(every.items)[offset : offset + limit]
    assert page.total == every.total == len(meant)
