"""Decisions of reviewers: they wait, are undone or done; items are claimed, noted, browsed and counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from seemly.core.errors import ConflictError, ContentError, ForbiddenError, NotFoundError
from seemly.service.authors.authors import delete_author
from seemly.service.base.ports import where
from seemly.service.base.records import Action, ActionRun, Activity, Item, Member, Placement, Queue
from seemly.service.base.review_records import Claim, Decision, Note, Report, ReviewRequest
from seemly.service.management.projects import REVIEW_FILTER
from seemly.service.retention import erase_author
from seemly.service.review.browse import browse, find_at, gather_context, get_item
from seemly.service.review.claims import CLAIM_MS, claim_item, claimed_items, find_claims, release_claims
from seemly.service.review.decisions import UNDO_MS, decide, release_due, reopen, undo
from seemly.service.review.exposure import count_shown, get_exposure
from seemly.service.review.filters import Filter
from seemly.service.review.notes import add_note, list_notes
from seemly.service.review.queues import delete_queue
from seemly.service.review.reports import count_reports, report_content
from seemly.service.review.second_reviews import appeal, ask_second_opinion, find_requests
from tests.support.service_fakes import Service


class Desk(Service):
    """A service with two reviewers, three items of one author in one conversation, and a queue of all of them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        with self.store.transaction() as tx:
            owner = tx.find(Member)[0]
            self.ann, self.bob = (replace(owner, id=f"mem_{name}", name=name, role="member") for name in ("Ann", "Bob"))
            tx.add_all([self.ann, self.bob])
        for number, text in enumerate(("fine", "bad", "so so")):
            self.clock.ms += 1_000
            self.submit(text, contentId=f"c{number}", authorId="jo", conversationId="talk")
        self.items = [self.item(f"c{number}") for number in range(3)]
        self.change(Queue, self.all(Queue)[0].id, filter={})
        self.queue = self.all(Queue)[0]
        self.forget_events()

    def decide(self, action: str, *items: Item, member: Member | None = None, **more: Any) -> Any:
        wire = {"actionId": action, "itemIds": [each.id for each in items], **more}
        return decide(self.env, self.project_id, member or self.ann, wire)

    def browse(self, **wanted: Any) -> list[str]:
        with self.store.read() as tx:
            found = browse(self.env, tx, self.project_id, self.queue.id, Filter(check_status="unchecked", **wanted))
            return [each.content_id for each in found.items]

    def add_action(self, **changes: Any) -> Action:
        action = Action(
            id=self.env.new_id("act"), project_id=self.project_id, key="own", name="Own", created_ms=0, **changes
        )
        with self.store.transaction() as tx:
            tx.add(action)
        return action


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("action", "event", "recommended"),
    [("reject", "queue_item.rejected", "reject"), ("allow", "queue_item.allowed", "allow")],
)
def test_a_decision_waits_and_is_then_done(desk: Desk, action: str, event: str, recommended: str) -> None:
    batch = desk.decide(action, desk.items[1], comment="rude", policy="toxicity", spent=1_500, queueId=desk.queue.id)
    assert batch.leaves
    assert desk.item("c1").status == "pending"
    assert (desk.types(), desk.browse()) == ([], ["c2", "c0"])
    desk.clock.ms += UNDO_MS - 1
    assert release_due(desk.env) == 0
    desk.clock.ms += 1
    assert release_due(desk.env) == 1
    assert release_due(desk.env) == 0
    item = desk.item("c1")
    assert (item.status, item.action, item.reviewer, item.resolved_ms) == (
        "resolved",
        recommended,
        "Ann",
        desk.clock.ms,
    )
    assert desk.types() == [event]
    (run,) = desk.all(ActionRun)
    assert (run.comment, run.reviewer, run.at_ms) == ("rude", "Ann", desk.clock.ms)
    (decision,) = desk.all(Decision)
    assert (decision.state, decision.outcome, decision.policy, decision.spent_ms) == (
        "released", action, "toxicity", 1_500,
    )  # fmt: skip
    assert (desk.all(Activity)[-1].what, desk.all(Activity)[-1].member_id) == (f"decision.{action}", desk.ann.id)


def test_what_is_undone_is_told_to_nobody(desk: Desk) -> None:
    before = desk.snapshot(Decision, Activity)
    batch = desk.decide("reject", *desk.items)
    assert desk.browse() == []
    with pytest.raises(NotFoundError):
        undo(desk.env, desk.project_id, desk.bob, batch.id)
    assert undo(desk.env, desk.project_id, desk.ann, batch.id) == 3
    assert undo(desk.env, desk.project_id, desk.ann, batch.id) == 0
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 0
    assert desk.snapshot(Decision, Activity) == before
    assert desk.browse() == ["c2", "c1", "c0"]
    assert desk.decide("allow", desk.items[0]).leaves


@pytest.mark.parametrize("done", [False, True])
def test_after_ten_seconds_it_takes_a_decision_of_its_own(desk: Desk, done: bool) -> None:
    batch = desk.decide("reject", desk.items[1])
    desk.clock.ms += UNDO_MS
    if done:
        release_due(desk.env)
    with pytest.raises(ConflictError):
        undo(desk.env, desk.project_id, desk.ann, batch.id)
    release_due(desk.env)
    assert reopen(desk.env, desk.project_id, desk.bob, desk.items[1].id).status == "pending"
    assert reopen(desk.env, desk.project_id, desk.bob, desk.items[1].id).status == "pending"
    assert [each.what for each in desk.all(Activity)][-2:] == ["decision.reject", "item.reopened"]
    assert desk.browse() == ["c2", "c1", "c0"]


def test_a_bulk_is_done_or_undone_together(desk: Desk) -> None:
    desk.decide("reject", *desk.items)
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 3
    assert {each.status for each in desk.all(Item)} == {"resolved"}
    assert desk.types() == ["queue_item.rejected"] * 3


def test_two_reviewers_do_not_decide_the_same(desk: Desk) -> None:
    claim_item(desk.env, desk.project_id, desk.ann, desk.items[0].id)
    with pytest.raises(ConflictError, match="open"):
        desk.decide("allow", desk.items[0], member=desk.bob)
    desk.decide("allow", desk.items[0])
    for member in (desk.ann, desk.bob):
        with pytest.raises(ConflictError, match="a moment ago"):
            desk.decide("reject", desk.items[0], member=member)
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    with pytest.raises(ConflictError, match="meanwhile"):
        desk.decide("reject", desk.items[0], member=desk.bob, seen=0)
    assert desk.decide("reject", desk.items[0], member=desk.bob, seen=desk.clock.ms).leaves


def test_an_action_on_the_author_leaves_the_item(desk: Desk) -> None:
    batch = desk.decide("suspend", desk.items[1], duration=3_600_000, value="spam")
    assert not batch.leaves
    assert desk.browse() == ["c2", "c1", "c0"]
    desk.decide("reject", desk.items[1])
    with pytest.raises(ConflictError):
        desk.decide("suspend", desk.items[1], duration=1)
    assert desk.author().status == "enabled"
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 2
    author = desk.author()
    assert (author.status, author.block_until_ms, author.block_reason) == (
        "suspended", desk.clock.ms + 3_600_000, "spam",
    )  # fmt: skip
    decide(desk.env, desk.project_id, desk.ann, {"actionId": "unblock", "authorId": author.id})
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 1
    assert desk.author().status == "enabled"
    assert sorted(desk.types()) == ["author.suspended", "author.unblocked", "queue_item.rejected"]


def test_what_an_action_takes_is_checked_at_once(desk: Desk) -> None:
    desk.add_action(type="ITEM_CUSTOM", possible_values=("a", "b"), value_required=True, queue_behaviour="REMOVE")
    for wrong in ({}, {"value": "c"}):
        with pytest.raises(ContentError):
            desk.decide("own", desk.items[0], **wrong)
    with pytest.raises(ContentError):
        desk.decide("suspend", desk.items[0])
    with pytest.raises(NotFoundError):
        desk.decide("no such", desk.items[0])
    with pytest.raises(NotFoundError):
        desk.decide("allow", replace(desk.items[0], id="item_gone"))
    with pytest.raises(ContentError):
        decide(desk.env, desk.project_id, desk.ann, {"actionId": "allow"})
    assert desk.all(Decision) == []
    assert desk.decide("own", desk.items[0], value="a", queueId=desk.queue.id).leaves
    assert desk.browse() == ["c2", "c1"]
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    assert desk.browse() == ["c2", "c1"]
    assert (desk.item("c0").status, desk.types()) == ("resolved", ["queue_item.action"])


def test_an_action_that_is_gone_by_then_has_failed(desk: Desk) -> None:
    own = desk.add_action(type="ITEM_CUSTOM")
    desk.decide("own", desk.items[0])
    with desk.store.transaction() as tx:
        tx.remove(Action, where("id", own.id))
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 0
    assert [each.state for each in desk.all(Decision)] == ["failed"]
    assert release_due(desk.env) == 0


def test_content_that_goes_takes_its_records_along(desk: Desk) -> None:
    desk.decide("reject", desk.items[0])
    claim_item(desk.env, desk.project_id, desk.ann, desk.items[1].id)
    with desk.store.transaction() as tx:
        add_note(desk.env, tx, desk.project_id, desk.ann, desk.items[1].id, {"text": "look"})
    decide(desk.env, desk.project_id, desk.ann, {"actionId": "block", "authorId": "jo"})
    erase_author(desk.env, desk.project_id, "jo")
    assert (desk.all(Decision), desk.all(Claim), desk.all(Note), desk.all(Item)) == ([], [], [], [])


def test_an_author_who_is_deleted_leaves_the_decisions_about_content(desk: Desk) -> None:
    desk.decide("reject", desk.items[0])
    decide(desk.env, desk.project_id, desk.ann, {"actionId": "block", "authorId": "jo"})
    with desk.store.transaction() as tx:
        delete_author(tx, desk.project_id, "jo")
    (left,) = desk.all(Decision)
    assert (left.item_id, left.author_id) == (desk.items[0].id, None)


def test_an_open_item_is_handed_out_to_nobody_else(desk: Desk) -> None:
    def place(member: Member, at: int) -> str | None:
        with desk.store.read() as tx:
            found = find_at(desk.env, tx, desk.project_id, desk.queue.id, Filter(), member, at=at)
        return found.items[0].content_id if found.items else None

    newest = desk.items[2]
    assert claim_item(desk.env, desk.project_id, desk.ann, newest.id).member_id == desk.ann.id
    assert claim_item(desk.env, desk.project_id, desk.bob, newest.id).member_id == desk.ann.id
    assert (place(desk.ann, 0), place(desk.bob, 0), place(desk.bob, 2)) == ("c2", "c1", None)
    with desk.store.read() as tx:
        assert find_claims(desk.env, tx, [newest.id])[newest.id].member_id == desk.ann.id
        assert claimed_items(desk.env, tx, desk.project_id, desk.bob) == (newest.id,)
    desk.clock.ms += CLAIM_MS
    assert place(desk.bob, 0) == "c2"
    assert claim_item(desk.env, desk.project_id, desk.bob, newest.id).member_id == desk.bob.id
    with desk.store.transaction() as tx:
        assert release_claims(tx, desk.bob.id) == 1
    with pytest.raises(NotFoundError):
        claim_item(desk.env, desk.project_id, desk.ann, "item_gone")


@pytest.mark.parametrize(("sorting", "order"), [("newest", "210"), ("oldest", "012"), ("worst", "120")])
def test_decided_items_leave_their_place_to_the_next(desk: Desk, sorting: Any, order: str) -> None:
    seen = ""
    for _ in range(3):
        with desk.store.read() as tx:
            wanted = Filter(check_status="unchecked")
            found = find_at(desk.env, tx, desk.project_id, desk.queue.id, wanted, desk.ann, sorting=sorting)
        assert found.total == 3 - len(seen)
        item = found.items[0]
        seen += item.content_id[1:]
        desk.decide("allow", item)
    assert seen == order


def test_an_items_context_is_what_lies_around_it(desk: Desk) -> None:
    desk.submit("elsewhere", contentId="c9", authorId="al")
    desk.decide("reject", desk.items[0])
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    with desk.store.read() as tx:
        context = gather_context(tx, get_item(tx, desk.project_id, desk.items[1].id))
        alone = gather_context(tx, desk.item("c9"))
        with pytest.raises(NotFoundError):
            get_item(tx, "another", desk.items[1].id)
    assert [each.content_id for each in context.conversation] == ["c0", "c1", "c2"]
    assert [each.content_id for each in context.written] == ["c2", "c0"]
    assert [(run.item_id, name) for run, name in context.runs] == [(desk.items[0].id, "Reject")]
    assert context.author == desk.author()
    assert (alone.conversation, alone.written, alone.runs, alone.decisions) == ((), (), (), ())


def test_notes_are_kept_in_order(desk: Desk) -> None:
    for text in ("first", "second"):
        desk.clock.ms += 1
        with desk.store.transaction() as tx:
            add_note(desk.env, tx, desk.project_id, desk.ann, desk.items[0].id, {"text": text})
    for wrong, raised in (({"text": ""}, ContentError), ({}, ContentError)):
        with pytest.raises(raised), desk.store.transaction() as tx:
            add_note(desk.env, tx, desk.project_id, desk.ann, desk.items[0].id, wrong)
    with pytest.raises(NotFoundError), desk.store.transaction() as tx:
        add_note(desk.env, tx, desk.project_id, desk.ann, "item_gone", {"text": "x"})
    with desk.store.read() as tx:
        assert [each.text for each in list_notes(tx, desk.items[0].id)] == ["first", "second"]


def test_what_was_shown_is_counted_by_day_and_severity(desk: Desk) -> None:
    for severity in (0.1, 0.5, 0.95, 0.99):
        count_shown(desk.env, desk.ann, replace(desk.items[0], severity=severity))
    with desk.store.read() as tx:
        today = get_exposure(desk.env, tx, desk.ann)
        assert (today.mild, today.marked, today.severe) == (1, 1, 2)
        assert get_exposure(desk.env, tx, desk.bob).severe == 0
    desk.clock.ms += 24 * 3_600_000
    assert count_shown(desk.env, desk.ann, desk.items[0]).mild <= 1
    with desk.store.read() as tx:
        assert get_exposure(desk.env, tx, desk.ann).severe == 0


def ask(desk: Desk, item: Item, message: str | None = None) -> None:
    with desk.store.transaction() as tx:
        ask_second_opinion(desk.env, tx, desk.project_id, desk.ann, item, {"message": message})


def handed(desk: Desk, member: Member) -> list[str]:
    with desk.store.read() as tx:
        wanted = Filter(check_status="unchecked")
        found = find_at(desk.env, tx, desk.project_id, desk.queue.id, wanted, member)
    return [each.content_id for each in found.items]


@pytest.mark.parametrize(("action", "state"), [("reject", "upheld"), ("allow", "overturned")])
def test_an_appeal_is_answered_by_somebody_else(desk: Desk, action: str, state: str) -> None:
    desk.decide("reject", desk.items[1])
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    desk.forget_events()
    with desk.store.transaction() as tx:
        appeal(desk.env, tx, desk.project_id, {"contentId": "c1", "authorId": "jo", "message": "why"})
    assert (desk.item("c1").status, desk.types()) == ("pending", ["queue_item.appealed"])
    assert (handed(desk, desk.ann), handed(desk, desk.bob)) == (["c2", "c0"], ["c2", "c1"])
    with pytest.raises(ForbiddenError):
        desk.decide(action, desk.items[1])
    desk.decide(action, desk.items[1], member=desk.bob)
    desk.clock.ms += UNDO_MS
    assert release_due(desk.env) == 1
    (request,) = desk.all(ReviewRequest)
    assert (request.state, request.answered_by, request.answered_ms) == (state, desk.bob.id, desk.clock.ms)
    with desk.store.transaction() as tx:
        assert appeal(desk.env, tx, desk.project_id, {"contentId": "c1", "authorId": "jo"})["id"] != request.id


def test_a_second_opinion_is_somebody_elses(desk: Desk) -> None:
    ask(desk, desk.items[2], "is this irony?")
    assert (handed(desk, desk.ann), handed(desk, desk.bob)) == (["c1", "c0"], ["c2", "c1"])
    with pytest.raises(ConflictError, match="already"):
        ask(desk, desk.items[2])
    desk.decide("allow", desk.items[2], member=desk.bob)
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    with desk.store.read() as tx:
        assert find_requests(tx, [desk.items[2].id]) == []
    with pytest.raises(ConflictError, match="meanwhile"):
        ask(desk, desk.items[2])
    assert desk.all(Activity)[-2].what == "item.second_opinion_asked"


def test_what_users_reported_is_found(desk: Desk) -> None:
    for reporter in ("al", "bo", "al"):
        with desk.store.transaction() as tx:
            report_content(desk.env, tx, desk.project_id, {"contentId": "c0", "reporterId": reporter})
    assert desk.browse(reported=True) == ["c0"]
    with desk.store.read() as tx:
        assert count_reports(tx, [each.id for each in desk.items]) == {desk.items[0].id: 2}
    with desk.store.transaction() as tx:
        delete_author(tx, desk.project_id, "jo")
    assert {each.reporter_id for each in desk.all(Report)} == {"al", "bo"}


def test_allowed_content_waits_in_a_queue_once_somebody_asks() -> None:
    desk = Desk()
    desk.change(Queue, desk.queue.id, filter=REVIEW_FILTER)
    for text in ("reported", "asked", "appealed", "opened", "left"):
        desk.submit(text, contentId=text, authorId="jo")
    assert desk.browse() == ["c2", "c1"]
    with desk.store.transaction() as tx:
        report_content(desk.env, tx, desk.project_id, {"contentId": "reported", "reporterId": "al"})
    ask(desk, desk.item("asked"))
    desk.decide("reject", desk.item("appealed"), desk.item("opened"))
    desk.clock.ms += UNDO_MS
    release_due(desk.env)
    with desk.store.transaction() as tx:
        appeal(desk.env, tx, desk.project_id, {"contentId": "appealed", "authorId": "jo"})
    reopen(desk.env, desk.project_id, desk.ann, desk.item("opened").id)
    assert sorted(desk.browse()) == ["appealed", "asked", "c1", "c2", "opened", "reported"]
    assert desk.browse(reported=True) == ["reported"]


def test_what_a_queue_has_is_not_put_into_another(desk: Desk) -> None:
    with desk.store.transaction() as tx:
        report_content(desk.env, tx, desk.project_id, {"contentId": "c0", "reporterId": "al"})
        tx.remove(Report, where("project_id", desk.project_id))
    assert desk.all(Placement) == []
    with desk.store.transaction() as tx:
        delete_queue(tx, desk.project_id, desk.queue.id)
        report_content(desk.env, tx, desk.project_id, {"contentId": "c0", "reporterId": "al"})
    assert desk.all(Placement) == []
