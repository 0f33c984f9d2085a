"""The store on SQLite and PostgreSQL: the contract of every store, and what only databases have."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import time
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')
pytest.importorskip("alembic", reason='needs "seemly[server]"')
pytest.importorskip("psycopg", reason='needs "seemly[server]"')

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hypothesis import example, given
from hypothesis import strategies as st

from seemly.adapters.store.column_types import Document, Names, Words, dump, escape, load, unescape
from seemly.adapters.store.connections import open_engine, writing
from seemly.adapters.store.errors import StoreUnavailableError
from seemly.adapters.store.memory import UNIQUE
from seemly.adapters.store.migrate import configure, upgrade
from seemly.adapters.store.queries import finding, shape_of, values_of
from seemly.adapters.store.sql_store import SqlStore
from seemly.adapters.store.statements import Statement
from seemly.adapters.store.tables import METADATA, TABLES
from seemly.core.errors import ConfigError, ConflictError, ContentError
from seemly.core.frozen import freeze
from seemly.service.base.ports import Order, Query, Record, Where, where
from seemly.service.base.records import KINDS, ActionRun, Attempt, Author, Delivery, Event, Item, Placement
from seemly.service.base.references import REFERENCES
from tests.support.named_records import a_record, empty, keep_named
from tests.support.postgres import PostgresServer
from tests.support.store_contract import (
    NAMING,
    StoreContract,
    a_delivery,
    an_author,
    an_item,
    json_values,
    texts,
)  # fmt: skip

SPAWN = multiprocessing.get_context("spawn")
NUMBERS = count()

NewUrl = Callable[[], str]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewUrl:
    """Makes empty databases, and gives their URLs."""
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path_factory.mktemp('db')}/seemly.db"
    server = request.getfixturevalue("server")
    return lambda: server.create(f"db{next(NUMBERS)}")


@pytest.fixture(scope="module")
def url(new_url: NewUrl) -> str:
    return new_url()


@pytest.fixture(scope="module")
def store(url: str) -> Iterator[SqlStore]:
    store = SqlStore(url)
    store.migrate()
    yield store
    store.close()


@pytest.fixture(scope="module")
def on_postgresql(store: SqlStore, url: str) -> SqlStore:
    if url.startswith("sqlite"):
        pytest.skip("SQLite lets one transaction write at a time")
    return store


class TestSqlStore(StoreContract):
    pass


# Migrations


def test_the_migrations_make_the_tables_of_the_schema(new_url: NewUrl) -> None:
    engine = open_engine(new_url(), 1)
    with writing(engine.connect()) as connection, connection.begin():
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []
        command.downgrade(configure(connection), "base")
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
        upgrade(connection)
        assert set(sa.inspect(connection).get_table_names()) == {*METADATA.tables, "alembic_version"}
    engine.dispose()


def test_what_names_nothing_goes_before_it_is_checked(new_url: NewUrl) -> None:
    def row(kind: type, record_id: str, **named: Any) -> Any:
        return replace(a_record(kind, record_id), **dict.fromkeys(REFERENCES.get(kind, {}), "kept") | named)

    values: Any = {"severity": 0.1, "flagged": True, "created_ms": 2**62, "labels": ("a", "\0"), "text": "'\ud800"}
    kept = [
        *(row(kind, "kept") for kind in KINDS if kind is not Placement),
        row(Item, "rich", result=freeze({"b": [1, 0.1, None], "a": float("inf")}), **values),
    ]
    lost = [row(kind, f"lost {field}", **{field: "nowhere"}) for kind, field in NAMING]
    # All of an organization that is not there.
    below = [row(kind, "below", **dict.fromkeys(REFERENCES[kind], "below")) for kind in KINDS[1:]]
    left = [*kept, row(Item, "lost author_id", author_id=None)]

    engine = open_engine(new_url(), 1)
    with writing(engine.connect()) as connection, connection.begin():
        command.upgrade(configure(connection), "0002")
        before = describe(connection)
        insert(connection, [*kept, *lost, *below])
        upgrade(connection)
        assert {(kind, key) for kind in KINDS for (key,) in connection.execute(sa.select(TABLES[kind].c.id))} == {
            (type(each), each.id) for each in left
        }
        command.downgrade(configure(connection), "0002")
        assert describe(connection) == before
        insert(connection, [each for each in lost if not isinstance(each, Item)])
        upgrade(connection)
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    with pytest.raises(sa.exc.IntegrityError), writing(engine.connect()) as connection, connection.begin():
        insert(connection, lost[:1])
    store = SqlStore(engine.url.render_as_string(hide_password=False))
    with store.read() as tx:
        assert {repr(record) for kind in KINDS for record in tx.find(kind)} == {*map(repr, left)}
    store.close()
    engine.dispose()


def describe(connection: sa.Connection) -> dict[str, Any]:
    """What the database itself says of its tables."""
    inspector = sa.inspect(connection)
    return {
        name: (
            [(each["name"], str(each["type"]), each["nullable"]) for each in inspector.get_columns(name)],
            inspector.get_pk_constraint(name),
            sorted(inspector.get_unique_constraints(name), key=str),
            sorted(inspector.get_indexes(name), key=str),
            inspector.get_foreign_keys(name),
        )
        for name in inspector.get_table_names()
    }


def insert(connection: sa.Connection, records: Sequence[Any]) -> None:
    for record in records:
        table = TABLES[type(record)]
        connection.execute(sa.insert(table).values({each.name: getattr(record, each.name) for each in table.c}))


def test_each_field_has_its_column() -> None:
    columns = {str: Words, int: sa.BigInteger, bool: sa.Boolean, float: sa.Double, tuple: Names, Mapping: Document}
    assert tuple(TABLES) == KINDS
    for kind, table in TABLES.items():
        assert [column.name for column in table.c] == [each.name for each in fields(kind)]
        for name, hint in typing.get_type_hints(kind).items():
            parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
            meant = next(part for part in parts if part is not types.NoneType)
            plain = typing.get_origin(meant) or meant
            assert table.c[name].nullable == (types.NoneType in parts), (table.name, name)
            assert type(table.c[name].type) is columns[str if plain is typing.Literal else plain], (table.name, name)


def test_keys_are_the_same_in_memory_and_in_the_schema() -> None:
    found = {
        kind: tuple(each.columns.keys())
        for kind, table in TABLES.items()
        for each in table.constraints
        if isinstance(each, sa.UniqueConstraint)
    }
    assert found == UNIQUE


def test_each_column_that_names_a_record_leads_an_index() -> None:
    leading = {
        (table.name, next(iter(each.columns)).name)
        for table in TABLES.values()
        for each in (*table.indexes, *(each for each in table.constraints if isinstance(each, sa.UniqueConstraint)))
    }
    naming = {(TABLES[kind].name, field) for kind, field in NAMING}
    assert naming == {
        (key.parent.table.name, key.parent.name) for table in TABLES.values() for key in table.foreign_keys
    }
    assert naming <= leading


def migrate(url: str, *records: Record) -> None:
    """Make the tables, with what some records name."""
    store = SqlStore(url)
    store.migrate()
    store.check()
    keep_named(store, *records)
    store.close()


def test_several_processes_migrate_at_once(new_url: NewUrl) -> None:
    url = new_url()
    processes = [SPAWN.Process(target=migrate, args=(url,)) for _ in range(3)]
    for each in processes:
        each.start()
    for each in processes:
        each.join(60)
    assert [each.exitcode for each in processes] == [0, 0, 0]
    migrate(url)


def test_several_threads_migrate_at_once(new_url: NewUrl) -> None:
    url = new_url()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate, [url] * 4))
    store = SqlStore(url)
    store.check()
    with store.read() as tx:
        assert tx.count(Item) == 0
    store.close()


def test_a_new_sqlite_database_that_another_writes_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.execute, ["COMMIT"])
    release.start()
    migrate(f"sqlite:///{path}")
    release.join()
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_a_database_without_tables_says_so(new_url: NewUrl) -> None:
    store = SqlStore(new_url())
    with pytest.raises(StoreUnavailableError, match="migrate"):
        store.check()
    with pytest.raises(StoreUnavailableError, match="migrate"), store.read() as tx:
        tx.count(Item)
    store.close()


def test_tables_of_a_newer_release_are_left_alone(new_url: NewUrl) -> None:
    url = new_url()
    migrate(url)
    engine = open_engine(url, 1)
    with writing(engine.connect()) as connection, connection.begin():
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    store = SqlStore(url)
    store.check()
    with pytest.raises(ConfigError, match="newer release"):
        store.migrate()
    store.close()


# Escaping


@given(texts)
@example("\ud83d\ude00")
def test_escaped_text_comes_back(text: str) -> None:
    written = escape(text)
    assert "\0" not in written
    written.encode()
    assert unescape(written) == text


@given(texts.filter(lambda text: not set(text) & {"\0", "\U0010ffff"} and text.isprintable()))
def test_ordinary_text_is_kept_as_it_is(text: str) -> None:
    assert escape(text) == text


@given(json_values | st.recursive(st.floats() | texts, st.lists))
def test_escaped_json_comes_back(value: Any) -> None:
    written = dump(value)
    assert "\0" not in written
    assert repr(load(written)) == repr(value) == repr(load(written.encode()))


def test_numbers_that_json_lacks_come_back(store: SqlStore) -> None:
    empty(store, an_item())
    result = freeze({"a": [float("inf"), float("-inf")], "b": "NaN", "c": '"NaN" Infinity', "d": "\0\U0010ffffNaN"})
    with store.transaction() as tx:
        tx.add(an_item(result=result))
        tx.add(an_item(2, result=freeze({"a": float("nan")})))
    with store.read() as tx:
        assert tx.get(Item, "i1") == an_item(result=result)
        found = tx.get(Item, "i2")
        assert found is not None
        assert found.result["a"] != found.result["a"]


# What does not fit


@pytest.mark.parametrize(
    "record",
    [an_author(level=2**63), an_author(total_content=-(10**30)), an_author(status=None)],
    ids=["too large", "far too small", "missing"],
)
def test_what_no_column_takes_is_content_that_is_wrong(store: SqlStore, record: Author) -> None:
    empty(store, record)
    with pytest.raises(ContentError) as caught, store.transaction() as tx:
        tx.put(record)
    assert "e1" not in str(caught.value)
    with store.read() as tx:
        assert tx.count(Author) == 0


def test_a_key_that_is_too_long_for_an_index(on_postgresql: SqlStore) -> None:
    import random

    drawn = random.Random(1)
    long = "".join(chr(drawn.randrange(0x4E00, 0x9FFF)) for _ in range(5_000))
    with pytest.raises(ContentError, match="too long"), on_postgresql.transaction() as tx:
        tx.add(an_author(external_id=long))


@pytest.mark.parametrize("address", ["nonsense secret", "mysql://u:secret@host/db", "sqlite+aiosqlite:///secret.db"])
def test_an_address_of_something_else_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="address") as caught:
        SqlStore(address)
    assert "secret" not in str(caught.value)


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}/none/x.db", "postgresql://u:secret@127.0.0.1:9/db"):
        store = SqlStore(url)
        with pytest.raises(StoreUnavailableError) as caught:
            store.check()
        assert "secret" not in f"{caught.value}{caught.value.__cause__}"
        assert caught.value.to_dict()["code"] == "SERVICE_UNAVAILABLE"


# Reopening, crashes, a full disk


def test_what_was_kept_is_there_when_it_is_opened_again(new_url: NewUrl) -> None:
    url = new_url()
    migrate(url, an_item())
    for number in range(3):
        store = SqlStore(url)
        store.migrate()
        with store.transaction() as tx:
            assert tx.count(Item) == number
            tx.add(an_item(number))
        store.close()


def test_a_closed_store_opens_again(store: SqlStore) -> None:
    store.close()
    store.check()


def write_on(url: str, told: Connection) -> None:
    store = SqlStore(url)
    for number in count():
        with store.transaction() as tx:
            tx.add(an_item(number, text="x" * 3_000))
            tx.add_all([a_delivery(number)])
            tx.put(an_author(number))
        told.send(number)


def test_a_process_that_is_killed_leaves_whole_transactions(new_url: NewUrl) -> None:
    url = new_url()
    migrate(url, a_delivery(0))
    here, there = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=write_on, args=(url, there))
    process.start()
    there.close()
    told = [here.recv() for _ in range(25)]
    process.kill()
    process.join()
    while True:
        try:
            told.append(here.recv())
        except EOFError:
            break
    store = SqlStore(url)
    with store.read() as tx:
        items, authors, deliveries = tx.find(Item), tx.count(Author), tx.count(Delivery)
    assert {f"i{number}" for number in told} <= {each.id for each in items}
    assert len(items) == authors == deliveries
    with store.transaction() as tx:
        tx.add(an_item(10**6))
    store.close()


def add_same(url: str, ready: Any, told: Any) -> None:
    store = SqlStore(url)
    ready.wait()
    won = 0
    for number in range(30):
        try:
            with store.transaction() as tx:
                tx.add(an_item(id=f"{multiprocessing.current_process().pid}-{number}", content_id=f"c{number}"))
            won += 1
        except ConflictError:
            pass
    told.put(won)
    store.close()


def test_two_processes_add_the_same_content(new_url: NewUrl) -> None:
    url = new_url()
    migrate(url, an_item())
    ready, told = SPAWN.Barrier(2), SPAWN.Queue()
    processes = [SPAWN.Process(target=add_same, args=(url, ready, told)) for _ in range(2)]
    for each in processes:
        each.start()
    won = [told.get(timeout=60) for _ in processes]
    for each in processes:
        each.join(60)
    assert sum(won) == 30
    store = SqlStore(url)
    with store.read() as tx:
        assert tx.count(Item) == 30
    store.close()


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/seemly.db"
    migrate(url, an_item())
    store = SqlStore(url, connections=1)
    with store.transaction() as tx:
        tx.add(an_item(1))
    sa.event.listen(store._engine, "checkout", lambda held, *_: held.execute("PRAGMA max_page_count = 120"))
    with pytest.raises(StoreUnavailableError, match="full"), store.transaction() as tx:
        tx.add_all([an_item(2), an_item(3, text="x" * 1_000_000)])

    def go_on_regardless() -> None:
        with store.transaction() as tx:
            tx.add(an_item(2))
            for _ in range(2):
                with suppress(StoreUnavailableError):
                    tx.put(an_item(3, text="x" * 1_000_000))
            with suppress(StoreUnavailableError):
                tx.add(an_item(4))

    with pytest.raises(StoreUnavailableError, match="full"):
        go_on_regardless()
    with store.transaction() as tx:
        assert [each.id for each in tx.find(Item)] == ["i1"]
        tx.put(an_item(1, severity=1.0))
    store.close()


def test_a_database_in_memory_is_shared_by_threads() -> None:
    store = SqlStore("sqlite://")
    store.migrate()
    store.check()
    keep_named(store, an_item())

    def add(number: int) -> None:
        with store.transaction() as tx:
            tx.add(an_item(number))
        with store.read() as tx:
            assert tx.get(Item, f"i{number}") == an_item(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(20)))

    def interrupt() -> None:
        with store.transaction() as tx:
            tx.add(an_item(20))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    with store.read() as tx:
        assert tx.count(Item) == 20
    store.close()


# Locks


def ask(store: SqlStore, tx: Any, sql: str) -> list[Any]:
    """What the database itself answers within a transaction."""
    found: list[Any] = tx._run(Statement(sa.text(sql), (), store._engine.dialect), (), lambda cursor: cursor.fetchall())
    return found


def test_who_skips_leaves_out_what_is_held_and_who_waits_gets_it(on_postgresql: SqlStore) -> None:
    store = on_postgresql
    empty(store, a_delivery(1))
    with store.transaction() as tx:
        tx.add_all([a_delivery(1), a_delivery(2)])
    waited: list[Delivery | None] = []

    def wait() -> None:
        with store.transaction() as tx:
            waited.append(tx.get(Delivery, "d001", lock=True))

    with store.transaction() as tx:
        held = tx.find(Delivery, Query(limit=1, lock="wait"))
        with store.transaction() as other:
            assert [each.id for each in other.find(Delivery, Query(lock="skip"))] == ["d002"]
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.2)
        assert not waited
        tx.put(replace(held[0], attempts=1))
    thread.join()
    assert waited == [replace(a_delivery(1), attempts=1)]


def test_of_two_who_wait_for_each_other_one_is_told(on_postgresql: SqlStore) -> None:
    store = on_postgresql
    empty(store, an_author())
    with store.transaction() as tx:
        tx.add_all([an_author(1), an_author(2)])
    barrier = threading.Barrier(2)

    def cross(ids: tuple[str, str]) -> str:
        try:
            with store.transaction() as tx:
                tx.get(Author, ids[0], lock=True)
                barrier.wait()
                tx.get(Author, ids[1], lock=True)
        except StoreUnavailableError as error:
            return str(error)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(cross, [("a1", "a2"), ("a2", "a1")]))
    assert told == ["another transaction was in the way: try again", "done"]


def test_the_store_finds_back_to_a_server_that_was_away(server: PostgresServer) -> None:
    store = SqlStore(server.create(f"db{next(NUMBERS)}"))
    store.migrate()
    keep_named(store, an_item())
    with store.transaction() as tx:
        tx.add(an_item(1))

    def lose() -> None:
        with store.transaction() as tx:
            tx.add(an_item(2))
            server.stop()
            tx.add(an_item(3))

    with pytest.raises(StoreUnavailableError):
        lose()
    for use in (store.check, store.migrate):
        with pytest.raises(StoreUnavailableError) as caught:
            use()
        assert "seemly@" not in str(caught.value)
    server.start()
    store.check()
    with store.read() as tx:
        assert [each.id for each in tx.find(Item)] == ["i1"]
    store.close()


def test_connections_that_the_server_ended_are_made_anew(on_postgresql: SqlStore) -> None:
    store = on_postgresql
    empty(store, an_item())
    with ExitStack() as stack:
        for _ in range(4):
            assert stack.enter_context(store.read()).find(Item) == []
    with store.transaction() as tx:
        end = """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND datname = current_database()
        """
        ended = ask(store, tx, end)
    assert len(ended) >= 3
    assert set(ended) == {(True,)}
    for number in range(8):
        with store.transaction() as tx:
            tx.add(an_item(number))
    with store.read() as tx:
        assert tx.count(Item) == 8


def test_a_key_that_is_taken_among_many_is_told_as_such(store: SqlStore) -> None:
    empty(store, an_item())
    many = [an_item(number) for number in range(300)]
    for taken in (0, 1, 150, 299):
        with store.transaction() as tx:
            tx.put(an_item(1_000, content_id=f"c{taken}"))
            with pytest.raises(ConflictError):
                tx.add_all(many)
            with pytest.raises(ConflictError):
                tx.put(many[taken])
            assert [each.id for each in tx.find(Item)] == ["i1000"]
            tx.put(an_item(1_001))
            tx.remove(Item, where("id", "i1001"))


def test_the_socket_and_the_old_name_of_the_scheme_work(server: PostgresServer) -> None:
    store = SqlStore(server.socket_url("postgres") + "&options=-c%20statement_timeout%3D200ms")
    with pytest.raises(StoreUnavailableError, match="too long"), store.read() as tx:
        ask(store, tx, "SELECT pg_sleep(5)")
    store.close()


# Speed


OF_PROJECT = Where("project_id", "is", "p")
NEWEST = Order("created_ms", descending=True)


@pytest.mark.parametrize(
    ("kind", "query", "index"),
    [
        (Item, Query((Where("project_id", "is", "p"), Where("content_id", "is", "c"))), "content_id"),
        (Item, Query((OF_PROJECT,), (NEWEST,), 50), "items_project_id_created_ms"),
        (Item, Query((OF_PROJECT, Where("status", "is", "pending")), (NEWEST,), 50), "project_id_status_created_ms"),
        (
            Item,
            Query((OF_PROJECT, Where("updated_ms", "below", 9)), (Order("updated_ms"),), 50),
            "project_id_updated_ms (project_id=? AND updated_ms<?)",
        ),
        (
            Item,
            Query((Where("project_id", "is", "p"), Where("status", "is", "pending")), (Order("severity", True),), 50),
            "status_severity",
        ),
        (Item, Query((Where("project_id", "is", "p"), Where("conversation_id", "is", "c"))), "conversation_id"),
        (Item, Query((Where("project_id", "is", "p"), Where("author_id", "is", "a"))), "author_id"),
        (
            Delivery,
            Query(
                (
                    Where("state", "is", "waiting"),
                    Where("next_ms", "below", 9),
                    Where("held_until_ms", "below", 9),
                    Where("webhook_id", "not_in", ("w",)),
                ),
                (Order("next_ms"),),
                1,
            ),
            "state_next_ms_webhook_id_held_until_ms (state=? AND next_ms<?)",
        ),
        (
            Delivery,
            Query((Where("held_until_ms", "at_least", 9),), (Order("held_until_ms"),)),
            "deliveries_held_until_ms (held_until_ms>?)",
        ),
        (Delivery, Query((OF_PROJECT,), (NEWEST,), 50), "project_id_created_ms"),
        (Delivery, Query((Where("event_id", "is", "e"),), (NEWEST,)), "event_id"),
        (Delivery, Query((Where("webhook_id", "is", "w"),), (NEWEST,), 50), "webhook_id_created_ms"),
        (Attempt, Query((OF_PROJECT,), (Order("at_ms", True), Order("number", True)), 50), "project_id_at_ms"),
        (
            Attempt,
            Query((OF_PROJECT, Where("delivery_id", "is", "d")), (Order("number", True),), 50),
            "delivery_id_number",
        ),
        (
            Event,
            Query((OF_PROJECT, Where("created_ms", "below", 9)), (Order("created_ms"),), 50),
            "project_id_created_ms (project_id=? AND created_ms<?)",
        ),
        (Event, Query((Where("item_id", "in", ("i",)),), limit=50), "item_id"),
        (Event, Query((Where("author_id", "is", "a"),), limit=50), "author_id"),
        (
            ActionRun,
            Query((Where("queue_id", "is", "q"), Where("at_ms", "at_least", 9)), (Order("at_ms", True),)),
            "queue_id_at_ms (queue_id=? AND at_ms>?)",
        ),
        (Placement, Query((OF_PROJECT,)), "project_id"),
        (Author, Query((Where("block_until_ms", "below", 9),), (Order("block_until_ms"),)), "block_until_ms"),
        (Item, where("id", ("a", "b"), "in"), "autoindex_items"),
    ],
)
def test_what_the_service_asks_for_has_an_index(kind: type, query: Query, index: str) -> None:
    engine = open_engine("sqlite://", 1)
    with writing(engine.connect()) as connection, connection.begin():
        upgrade(connection)
        asked = finding(kind, shape_of(query), connection.dialect)
        explained = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked.text}", tuple(asked.write(values_of(query))))
        plan = " ".join(str(row) for row in explained)
    engine.dispose()
    assert index in plan
    assert f"SCAN {TABLES[kind].name}" not in plan
    # A whole project's rows are never sorted for a page of them.
    assert not query.limit or not query.order or "TEMP B-TREE FOR ORDER BY" not in plan
