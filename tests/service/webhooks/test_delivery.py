"""Deliveries: claimed by one worker each, attempted again, given up, delivered by hand, and logged."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.adapters.store.memory import MemoryStore
from seemly.adapters.worker import Job, Worker
from seemly.core.errors import ConfigError, FetchError, NotFoundError
from seemly.service.authors.blocks import lift_expired
from seemly.service.base.environment import Environment
from seemly.service.base.ports import ALL
from seemly.service.base.records import Attempt, Delivery, Event, Member, Organization, Project, Webhook
from seemly.service.webhooks.delivery import (
    Answer,
    Mail,
    Recorded,
    list_attempts,
    list_deliveries,
    record,
    redeliver,
    send,
)
from seemly.service.webhooks.events import emit
from seemly.service.webhooks.schedule import HOLD_MS, MOST_AT_ONCE, Claim, Schedule, claim
from seemly.service.webhooks.signatures import sign, verify_signature

START = 1_760_000_000_000
SECRET = "whsec_test"
EXACT = Schedule(jitter=0.0)

Reply = Answer | Exception


@dataclass
class Clock:
    ms: int = START

    def __call__(self) -> int:
        return self.ms


@dataclass
class Receiver:
    """Answers what it was told to, the last of it over and over, and takes `took_ms` for it."""

    replies: Sequence[Reply] = (Answer(200, b"ok"),)
    clock: Clock | None = None
    took_ms: int = 0
    seen: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self.seen.append((url, headers, body))
        if self.clock:
            self.clock.ms += self.took_ms
        reply = self.replies[min(len(self.seen), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply


@dataclass
class Outbox:
    mails: list[Mail] = field(default_factory=list)
    error: Exception | None = None

    def send(self, mail: Mail) -> None:
        if self.error:
            raise self.error
        self.mails.append(mail)


def open_service(clock: Clock, events: int = 1) -> Environment:
    """A project with one webhook, which is to hear of that many events."""
    numbers = count(1)
    env = Environment(MemoryStore(), clock, lambda prefix: f"{prefix}_{next(numbers):06}")
    with env.store.transaction() as tx:
        tx.add(Organization(id="org", name="Acme", created_ms=START))
        for key, role, email in [
            ("mem_1", "owner", "owner@acme.example"),
            ("mem_2", "admin", "admin@acme.example"),
            ("mem_3", "member", "member@acme.example"),
            ("mem_4", "admin", None),
        ]:
            tx.add(Member(id=key, organization_id="org", created_ms=START, role=role, email=email))
        tx.add(
            Project(
                id="proj",
                organization_id="org",
                name="Shop",
                created_ms=START,
                updated_ms=START,
                webhook_secret=SECRET,
            )
        )
        tx.add(
            Webhook(
                id="wh",
                project_id="proj",
                name="Bot",
                url="https://bot.example/hook?token=abc",
                created_ms=START,
                event_types=("author.blocked",),
            )
        )
    for number in range(events):
        happen(env, number)
    return env


def add_webhooks(env: Environment, number: int, **more: object) -> None:
    """As many as the first, `wh_1` and so on."""
    with env.store.transaction() as tx:
        tx.add_all([replace(tx.get(Webhook, "wh"), id=f"wh_{each}", **more) for each in range(1, number + 1)])


def happen(env: Environment, number: int = 0) -> Event:
    with env.store.transaction() as tx:
        event = emit(env, tx, "proj", "author.blocked", {"id": f"run_{number}", "author": {"name": "Zoë"}})
    assert event is not None
    return event


def attempt(env: Environment, receiver: Receiver, schedule: Schedule = EXACT) -> Recorded | None:
    """Claim one, send it, record it."""
    held = claim(env, 1)
    if not held:
        return None
    recorded = record(env, schedule, held[0], send(env, receiver, held[0]))
    assert recorded is not None
    return recorded


def deliveries(env: Environment) -> list[Delivery]:
    with env.store.read() as tx:
        return tx.find(Delivery)


def change(env: Environment, kind: type, key: str, **changes: object) -> None:
    with env.store.transaction() as tx:
        tx.put(replace(tx.get(kind, key), **changes))


def test_an_event_is_sent_signed_and_logged() -> None:
    clock = Clock()
    env = open_service(clock, events=0)
    event = happen(env)
    receiver = Receiver((Answer(201, b"took \xff\0 it"),), clock, 120)
    recorded = attempt(env, receiver)
    assert recorded
    assert (recorded.delivery.state, recorded.delivery.attempts, recorded.mail) == ("delivered", 1, None)
    [(url, headers, body)] = receiver.seen
    assert url == "https://bot.example/hook?token=abc"
    assert body == event.body.encode()
    assert dict(headers) == {
        "webhook-version": "v2",
        "webhook-event-id": event.id,
        "svc-signature": sign(body, SECRET),
        "User-Agent": "Svc/1.0",
        "Content-Type": "application/json",
    }
    assert verify_signature(body, headers["svc-signature"], SECRET, now=clock)["id"] == event.id
    [logged] = list_attempts(env, "proj")
    assert logged == Attempt(
        id=logged.id,
        project_id="proj",
        delivery_id=recorded.delivery.id,
        number=1,
        at_ms=START,
        duration_ms=120,
        url=url,
        headers=headers,
        payload=event.body,
        status=201,
        body="took �� it",
    )
    assert claim(env, 10) == []


def test_nothing_that_could_leak_is_in_a_repr() -> None:
    clock = Clock()
    env = open_service(clock)
    [held] = claim(env, 1)
    outcome = send(env, Receiver((Answer(500, b"private"),)), held)
    shown = repr((held, outcome, Answer(500, b"private"), record(env, Schedule(()), held, outcome)))
    for secret in ("private", "token", SECRET, "Zo", "acme.example"):
        assert secret not in shown


def test_attempts_follow_the_schedule_and_the_last_is_told_to_owners_and_admins() -> None:
    clock = Clock()
    env = open_service(clock)
    receiver = Receiver(
        (Answer(500), FetchError("the webhook did not answer within 5 seconds"), Answer(404), Answer(302))
    )
    gaps = []
    for _ in range(4):
        recorded = attempt(env, receiver)
        assert recorded
        assert recorded.mail is None
        assert recorded.delivery.state == "waiting"
        gaps.append(recorded.delivery.next_ms - clock.ms)
        clock.ms = recorded.delivery.next_ms - 1
        assert claim(env, 1) == []
        clock.ms += 1
    assert gaps == [5_000, 30_000, 120_000, 600_000]
    last = attempt(env, receiver)
    assert last
    assert (last.delivery.state, last.delivery.attempts) == ("failed", 5)
    assert last.mail
    assert last.mail.to == ("owner@acme.example", "admin@acme.example")
    assert "status 302" in last.mail.text
    assert last.delivery.event_id in last.mail.text
    assert "token" not in last.mail.text
    assert SECRET not in last.mail.text
    assert (
        len({(headers["webhook-event-id"], headers["svc-signature"], body) for _, headers, body in receiver.seen}) == 1
    )
    assert [(each.number, each.status) for each in list_attempts(env, "proj")] == [
        (5, 302),
        (4, 302),
        (3, 404),
        (2, None),
        (1, 500),
    ]
    assert list_attempts(env, "proj", limit=1, offset=3)[0].error == "the webhook did not answer within 5 seconds"
    clock.ms += 10**9
    assert claim(env, 1) == []


def test_of_a_foreign_error_only_the_type_is_logged() -> None:
    env = open_service(Clock())
    attempt(env, Receiver((ValueError("bot.example"),)))
    assert list_attempts(env, "proj")[0].error == "the request could not be sent: ValueError"


def test_one_mail_a_period_tells_of_a_webhook() -> None:
    def mails(schedule: Schedule) -> list[bool]:
        clock = Clock()
        env = open_service(clock, events=3)
        found = []
        for _ in range(3):
            recorded = attempt(env, Receiver((Answer(500),)), schedule)
            assert recorded
            found.append(recorded.mail is not None)
            clock.ms += 300_000
        return found

    assert mails(Schedule(())) == [True, False, True]
    assert mails(Schedule((), mail_ms=0)) == [True, True, True]


def test_nobody_is_told_where_nobody_has_an_address() -> None:
    env = open_service(Clock())
    for key in ("mem_1", "mem_2"):
        change(env, Member, key, email=None)
    recorded = attempt(env, Receiver((Answer(500),)), Schedule(()))
    assert recorded
    assert (recorded.delivery.state, recorded.mail) == ("failed", None)


@pytest.mark.parametrize(
    "broken",
    [{"waits_ms": (-1,)}, {"waits_ms": (3_600_000,)}, {"jitter": 1.1}, {"jitter": -0.1}, {"mail_ms": -1}],
)
def test_a_schedule_that_cannot_be_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Schedule(**broken)


@given(seed=st.text(), attempts=st.integers(1, 4), jitter=st.floats(0, 1))
def test_jitter_stays_in_its_share(seed: str, attempts: int, jitter: float) -> None:
    schedule = Schedule(jitter=jitter)
    wait = schedule.waits_ms[attempts - 1]
    assert abs(schedule.wait_ms(attempts, seed) - wait) <= wait * jitter + 1


def test_jitter_spreads_what_failed_together() -> None:
    waits = [Schedule().wait_ms(1, f"del_{number}") for number in range(1000)]
    assert min(waits) < 4_100
    assert max(waits) > 5_900
    assert 4_900 < sum(waits) / 1000 < 5_100


replies = st.one_of(
    st.builds(Answer, st.integers(100, 599), st.binary(max_size=20)),
    st.sampled_from([FetchError("gone"), OSError("gone"), ValueError("gone")]),
)


@given(
    answers=st.lists(replies, min_size=1, max_size=8),
    took_ms=st.integers(0, 5_000),
    late_ms=st.lists(st.integers(0, 10**6), min_size=8, max_size=8),
    jitter=st.floats(0, 1),
)
def test_whatever_is_answered(answers: list[Reply], took_ms: int, late_ms: list[int], jitter: float) -> None:
    clock = Clock()
    env = open_service(clock)
    receiver = Receiver(answers, clock, took_ms)
    mails = 0
    for late in late_ms:
        recorded = attempt(env, receiver, Schedule(jitter=jitter))
        if recorded:
            mails += recorded.mail is not None
            clock.ms = max(clock.ms, recorded.delivery.next_ms) + late
    [delivery] = deliveries(env)
    log = list_attempts(env, "proj")[::-1]
    taken = [each.status is not None and 200 <= each.status < 300 for each in log]
    assert len(log) == delivery.attempts == len(receiver.seen) <= 5
    assert [each.number for each in log] == list(range(1, len(log) + 1))
    assert all(one.at_ms + one.duration_ms <= two.at_ms for one, two in pairwise(log))
    assert delivery.state == ("delivered" if any(taken) else "failed")
    assert taken.count(True) == (delivery.state == "delivered") == taken[-1]
    assert mails == (delivery.state == "failed")
    assert len({body for _, _, body in receiver.seen}) == 1


@given(steps=st.lists(st.tuples(st.integers(1, 5), st.integers(0, 40_000)), max_size=20))
def test_no_row_is_held_twice(steps: list[tuple[int, int]]) -> None:
    """Two workers that claim in turn and never record: what one holds comes to the other only after its time."""
    clock = Clock()
    env = open_service(clock, events=6)
    until: dict[str, int] = {}
    for most, pause in steps:
        for held in claim(env, most):
            assert until.get(held.delivery.id, 0) <= clock.ms
            until[held.delivery.id] = held.delivery.held_until_ms
            assert held.delivery.held_until_ms == clock.ms + HOLD_MS
        clock.ms += pause


def test_threads_never_claim_the_same() -> None:
    env = open_service(Clock(), events=0)
    add_webhooks(env, 29)
    happen(env)
    happen(env)
    found: list[Claim] = []

    def work() -> None:
        while held := claim(env, 3):
            found.extend(held)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len({each.delivery.id for each in found}) == 60


def test_of_a_webhook_few_are_attempted_at_once_and_others_go_on() -> None:
    env = open_service(Clock(), events=80)
    add_webhooks(env, 1, event_types=("author.unblocked",))
    with env.store.transaction() as tx:
        emit(env, tx, "proj", "author.unblocked", {})
    assert [each.webhook.id for each in claim(env, 10)] == ["wh"] * MOST_AT_ONCE + ["wh_1"]
    assert claim(env, 10) == []


def test_webhooks_take_turns_however_much_each_is_to_hear_of() -> None:
    clock = Clock()
    env = open_service(clock, events=20)
    add_webhooks(env, 2)
    clock.ms += 1
    happen(env, 20)
    heard: list[str] = []

    class Listening(Receiver):
        def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            with env.store.read() as tx:
                heard.extend(each.webhook_id for each in tx.find(Delivery) if each.held_until_ms)
            return Answer(200)

    Worker(env, Listening(), threads=1).run_once()
    assert heard[:3] == ["wh", "wh_1", "wh_2"] or heard[:3] == ["wh", "wh_2", "wh_1"]
    assert heard[3:] == ["wh"] * 20


def test_a_webhook_that_hangs_keeps_no_other_back() -> None:
    clock = Clock()
    env = open_service(clock, events=80)
    add_webhooks(env, 1, url="https://live.example/", event_types=("author.unblocked",))
    clock.ms += 1
    with env.store.transaction() as tx:
        for _ in range(5):
            emit(env, tx, "proj", "author.unblocked", {})
    stop, heard = threading.Event(), threading.Event()
    hanging: list[str] = []
    lively: list[str] = []

    class Hanging(Receiver):
        def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            if "live" not in url:
                hanging.append(url)
                assert stop.wait(30)
                return Answer(500)
            lively.append(url)
            if len(lively) == 5:
                heard.set()
            return Answer(200)

    running = threading.Thread(target=Worker(env, Hanging(), threads=4, poll_s=0.01).run, args=(stop,))
    running.start()
    assert heard.wait(20)
    assert len(hanging) <= MOST_AT_ONCE
    stop.set()
    running.join(20)


class Counting(MemoryStore):
    """Counts the transactions that may write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def transaction(self, *, durable: bool = True):  # type: ignore[no-untyped-def]
        self.writes += 1
        return super().transaction(durable=durable)


def test_a_worker_with_nothing_to_do_writes_nothing() -> None:
    clock = Clock()
    plain = open_service(clock)
    store = Counting()
    store._tables = plain.store._tables  # type: ignore[attr-defined]
    env = replace(plain, store=store)
    worker = Worker(env, Receiver((Answer(500),)), jobs=[Job("lift", 1.0, lambda: lift_expired(env))])
    assert worker.run_once() == 1
    store.writes = 0
    for _ in range(4):
        clock.ms += 1_000
        assert worker.run_once() == 0
    assert store.writes == 0
    clock.ms += 10_000
    assert worker.run_once() == 1


YEAR_MS = 365 * 86_400_000


def test_what_a_clock_that_ran_ahead_put_off_is_due() -> None:
    clock = Clock(START + YEAR_MS)
    env = open_service(clock, events=2)
    attempt(env, Receiver((Answer(500),)))
    [dead] = claim(env, 1)
    assert dead.delivery.held_until_ms > START + YEAR_MS
    clock.ms = START
    receiver = Receiver()
    assert Worker(env, receiver).run_once() == 2
    assert {each.state for each in deliveries(env)} == {"delivered"}


def test_what_failed_by_a_clock_that_ran_ahead_keeps_no_mail_back() -> None:
    clock = Clock(START + YEAR_MS)
    env = open_service(clock, events=2)
    for now in (START + YEAR_MS, START):
        clock.ms = now
        recorded = attempt(env, Receiver((Answer(500),)), Schedule(()))
        assert recorded
        assert recorded.mail


def test_the_log_of_a_delivery_is_not_of_another_project() -> None:
    env = open_service(Clock())
    [delivery] = deliveries(env)
    for named in ({"webhook_id": "wh"}, {"event_id": delivery.event_id}):
        assert list_deliveries(env, "proj", **named) == [delivery]
        assert list_deliveries(env, "other", **named) == []


def test_what_a_dead_worker_sent_is_sent_again() -> None:
    clock = Clock()
    env = open_service(clock)
    receiver = Receiver()
    [held] = claim(env, 1)
    send(env, receiver, held)
    clock.ms += HOLD_MS - 1
    assert attempt(env, receiver) is None
    clock.ms += 1
    recorded = attempt(env, receiver)
    assert recorded
    assert recorded.delivery.state == "delivered"
    assert receiver.seen[0] == receiver.seen[1]


@pytest.mark.parametrize(("late", "state"), [(200, "delivered"), (500, "waiting")])
def test_a_worker_that_comes_late_leaves_the_hold_of_another(late: int, state: str) -> None:
    clock = Clock()
    env = open_service(clock)
    [slow] = claim(env, 1)
    outcome = send(env, Receiver((Answer(late),)), slow)
    clock.ms += HOLD_MS
    [held] = claim(env, 1)
    recorded = record(env, EXACT, slow, outcome)
    assert recorded
    assert recorded.delivery.state == state
    assert recorded.delivery.held_until_ms == held.delivery.held_until_ms
    recorded = record(env, EXACT, held, send(env, Receiver((Answer(500),)), held))
    assert recorded
    assert (recorded.delivery.state, recorded.delivery.attempts) == (state, 2)
    assert recorded.delivery.held_until_ms == 0


def test_a_delivery_that_was_deleted_meanwhile_is_let_go() -> None:
    env = open_service(Clock())
    [held] = claim(env, 1)
    with env.store.transaction() as tx:
        tx.remove(Delivery, ALL)
    assert record(env, EXACT, held, send(env, Receiver(), held)) is None
    assert list_attempts(env, "proj") == []


def test_webhooks_that_are_off_hear_nothing_and_keep_nothing_back() -> None:
    clock = Clock()
    env = open_service(clock, events=5)
    with env.store.transaction() as tx:
        tx.add(replace(tx.get(Webhook, "wh"), id="wh_2"))
        tx.put(replace(tx.get(Webhook, "wh"), enabled=False))
    clock.ms += 1
    happen(env)
    [held] = claim(env, 1)
    assert held.webhook.id == "wh_2"
    assert [each.state for each in deliveries(env)] == ["failed"] * 5 + ["waiting"]
    assert list_attempts(env, "proj") == []


def test_by_hand_the_same_event_gets_new_attempts() -> None:
    clock = Clock()
    env = open_service(clock)
    first = attempt(env, Receiver((Answer(500),)), Schedule(()))
    assert first
    clock.ms += 1
    again = redeliver(env, "proj", first.delivery.id)
    assert (again.event_id, again.webhook_id, again.attempts) == (first.delivery.event_id, "wh", 0)
    assert again.id != first.delivery.id
    receiver = Receiver((Answer(500), Answer(200)))
    second = attempt(env, receiver)
    assert second
    assert second.delivery.state == "waiting"
    sooner = redeliver(env, "proj", again.id)
    assert (sooner.id, sooner.next_ms, sooner.attempts) == (again.id, clock.ms, 1)
    third = attempt(env, receiver)
    assert third
    assert third.delivery.state == "delivered"
    assert [each.id for each in list_deliveries(env, "proj")] == [again.id, first.delivery.id]
    assert [each.id for each in list_deliveries(env, "proj", state="failed", webhook_id="wh")] == [first.delivery.id]
    assert list_deliveries(env, "proj", event_id="evt_other") == []
    assert [each.number for each in list_attempts(env, "proj", delivery_id=again.id)] == [2, 1]
    assert list_attempts(env, "other") == []


def test_what_cannot_be_delivered_by_hand_is_said() -> None:
    env = open_service(Clock())
    [delivery] = deliveries(env)
    with env.store.transaction() as tx:
        tx.add(Project(id="other", organization_id="org", name="", created_ms=START, updated_ms=START))
    for project, key in [("proj", "del_none"), ("other", delivery.id)]:
        with pytest.raises(NotFoundError, match="delivery does not exist"):
            redeliver(env, project, key)
    change(env, Webhook, "wh", enabled=False)
    with pytest.raises(NotFoundError, match="enable it first"):
        redeliver(env, "proj", delivery.id)
    change(env, Webhook, "wh", enabled=True)


def test_a_worker_delivers_what_is_due_and_mails(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    env = open_service(clock, events=10)
    outbox = Outbox()
    receiver = Receiver((Answer(500),))
    caplog.set_level("INFO", "seemly.worker")
    assert Worker(env, receiver, outbox, Schedule(())).run_once() == 10
    assert {each.state for each in deliveries(env)} == {"failed"}
    assert len(outbox.mails) == 1
    assert len(caplog.records) == 10
    assert caplog.records[0].event_id in {headers["webhook-event-id"] for _, headers, _ in receiver.seen}
    for secret in ("bot.example", SECRET, "Zo", "acme"):
        assert secret not in caplog.text
    assert Worker(env, receiver).run_once() == 0


@pytest.mark.parametrize("outbox", [None, Outbox(error=OSError("owner@acme.example"))])
def test_mail_that_fails_is_logged_and_costs_no_event(outbox: Outbox | None, caplog: pytest.LogCaptureFixture) -> None:
    env = open_service(Clock(), events=2)
    assert Worker(env, Receiver((Answer(500),)), outbox, Schedule((), mail_ms=0)).run_once() == 2
    assert ("no mailer" if outbox is None else "the mail failed: OSError") in caplog.text
    assert "acme" not in caplog.text


def test_jobs_run_when_they_are_due_and_fail_alone(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    env = open_service(clock, events=0)
    ran: list[str] = []

    def fail() -> None:
        ran.append("bad")
        raise ValueError("private")

    worker = Worker(env, Receiver(), jobs=[Job("bad", 10.0, fail), Job("good", 60.0, lambda: ran.append("good"))])
    for _ in range(3):
        worker.run_once()
        clock.ms += 30_000
    assert ran == ["bad", "good", "bad", "bad", "good"]
    assert "the job bad failed: ValueError" in caplog.text
    assert "private" not in caplog.text


class Flaky(MemoryStore):
    """A store that is away while it is told to be."""

    away = False

    def transaction(self):  # type: ignore[no-untyped-def]
        if self.away:
            raise ConnectionError("password=hunter2")
        return super().transaction()


def test_a_worker_outlives_its_store_and_finishes_what_it_holds(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    plain = open_service(clock, events=3)
    store = Flaky()
    store._tables = plain.store._tables  # type: ignore[attr-defined]
    env = replace(plain, store=store)
    sending, go = threading.Event(), threading.Event()

    class Slow(Receiver):
        def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            sending.set()
            assert go.wait(10)
            return super().send(url, headers, body)

    receiver = Slow()
    stop = threading.Event()
    store.away = True
    worker = Worker(env, receiver, threads=1, poll_s=0.01)
    running = threading.Thread(target=worker.run, args=(stop,))
    running.start()
    while "tries again: ConnectionError" not in caplog.text:
        assert not stop.wait(0.01)
    assert "hunter2" not in caplog.text
    store.away = False
    assert sending.wait(10)
    stop.set()
    go.set()
    running.join(10)
    assert not running.is_alive()
    found = deliveries(env)
    assert [each.state for each in found] == ["delivered", "waiting", "waiting"]
    assert {each.held_until_ms for each in found} == {0}
