"""The console's pages for owners and admins, over HTTP, and what members may not do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from seemly.service.base.records import (
    Action,
    Activity,
    Author,
    ChannelRecord,
    Delivery,
    Item,
    Key,
    Member,
    Webhook,
    WordlistRecord,
)
from seemly.service.base.review_records import ChannelVersion, Session
from seemly.service.review.decisions import UNDO_MS, release_due
from tests.support.console import CLIENTS, PASSWORD, Reviewer
from tests.support.service_server import Service, serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("administration")) as running, CLIENTS:
        yield running


@pytest.fixture(scope="module")
def member(service: Service) -> Reviewer:
    return Reviewer(service)


@pytest.fixture(scope="module")
def admin(service: Service) -> Reviewer:
    return Reviewer(service, "admin")


@pytest.fixture(scope="module")
def owner(service: Service) -> Reviewer:
    return Reviewer(service, "owner")


def logged(service: Service, what: str) -> list[Activity]:
    return [each for each in service.all(Activity) if each.what == what]


FORMS = [
    "/members", "/members/x/role", "/members/x/remove", "/members/x/sign-out", "/keys", "/keys/x/roll",
    "/keys/x/delete", "{p}/settings", "{p}/settings/erase", "{p}/actions", "{p}/actions/x/delete", "{p}/wordlists",
    "{p}/wordlists/try", "{p}/wordlists/x/words", "{p}/wordlists/x/delete", "{p}/webhooks", "{p}/webhooks/x",
    "{p}/deliveries/x/again", "{p}/channels/x", "{p}/channels/x/versions/y",
]  # fmt: skip


@pytest.mark.parametrize("path", FORMS)
def test_members_change_no_settings(service: Service, member: Reviewer, path: str) -> None:
    before = len(service.all(Activity))
    answer = member.post(path.format(p=member.project), {}, "/account")
    assert (answer.status_code, "only owners and admins" in answer.text.lower()) == (403, True)
    assert len(service.all(Activity)) == before


def test_members_see_no_settings(member: Reviewer) -> None:
    for path in (*member.more_pages()[1:], "/audit.csv", f"{member.project}/decisions.jsonl"):
        assert member.get(path).status_code == 403, path
    page = member.read(f"{member.project}/overview")
    assert "Members" not in page
    assert "Settings" not in page


@pytest.mark.parametrize("who", ["admin", "owner"])
def test_every_page_is_there(request: pytest.FixtureRequest, who: str) -> None:
    reviewer: Reviewer = request.getfixturevalue(who)
    for path in reviewer.more_pages():
        answer = reviewer.get(path)
        assert answer.status_code == 200, path
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", answer.text)


def test_a_member_is_invited_changed_signed_out_and_removed(service: Service, admin: Reviewer) -> None:
    email = f"{service.new('new')}@example.com"
    page = admin.post("/members", {"email": email, "name": "New", "role": "member"})
    link = re.search(r"(http://127\.0\.0\.1:\d+/console/welcome/\w+[\w-]*)", page.text)
    assert link is not None
    new = Reviewer(service, join=False)
    answer = new.http.get(link[1])
    assert email in answer.text
    path = "/welcome/" + link[1].rpartition("/")[2]
    assert new.post(path, {"password": PASSWORD, "again": PASSWORD}).status_code == 200
    (made,) = [each for each in service.all(Member) if each.email == email]
    assert admin.post(f"/members/{made.id}/role", {"role": "admin"}, "/members").status_code == 200
    assert new.get("/members").status_code == 200
    assert admin.post(f"/members/{made.id}/sign-out", {}, "/members").status_code == 200
    assert not [each for each in service.all(Session) if each.member_id == made.id]
    assert new.get("/members").url.path == "/console/sign-in"
    assert admin.post(f"/members/{made.id}/remove", {}, "/members").status_code == 200
    assert not [each for each in service.all(Member) if each.id == made.id]
    for what in ("member.invited", "member.updated", "member.sessions_closed", "member.removed"):
        assert [
            each for each in logged(service, what) if each.member_id == admin.member.id and each.target_id == made.id
        ]


@pytest.mark.parametrize(
    ("path", "fields"),
    [("role", {"role": "member"}), ("remove", {}), ("sign-out", {})],
)
def test_admins_do_not_touch_owners(service: Service, admin: Reviewer, owner: Reviewer, path: str, fields: Any) -> None:
    assert admin.post(f"/members/{owner.member.id}/{path}", fields, "/members").status_code == 403
    assert admin.post("/members", {"email": owner.email}).status_code == 400
    assert admin.post("/members", {"email": "x@example.com", "role": "owner"}).status_code == 403
    assert owner.get("/members").status_code == 200


def test_keys_are_made_rolled_and_deleted(service: Service, admin: Reviewer) -> None:
    page = admin.post("/keys", {"name": "Of the console", "project": service.project_id, "days": "30"}).text
    secret = re.search(r"proj_[\w-]+", page)
    assert secret is not None
    assert service.send("GET", "/queue", key=secret[0]).status_code == 200
    (made,) = [each for each in service.all(Key) if each.name == "Of the console"]
    page = admin.post(f"/keys/{made.id}/roll", {"delay": "now"}, "/keys").text
    again = re.search(r"proj_[\w-]+", page)
    assert again is not None
    assert service.send("GET", "/queue", key=secret[0]).status_code == 401
    newer = next(each for each in service.all(Key) if each.name == "Of the console" and each.id != made.id)
    admin.post(f"/keys/{newer.id}/delete", {}, "/keys")
    assert service.send("GET", "/queue", key=again[0]).status_code == 401
    page = admin.post("/keys", {"name": "Management", "project": "", "projects": "read"}).text
    assert re.search(r"sk_org_[\w-]+", page)
    assert secret[0] not in admin.read("/keys")
    assert {each.member_id for each in logged(service, "key.rolled")} == {admin.member.id}


def test_the_audit_log_is_filtered_and_saved(service: Service, admin: Reviewer) -> None:
    service.call("GET", "/queue")
    admin.post(f"{admin.project}/settings", {"name": "Renamed", "retentionDays": "30"})
    page = admin.read("/audit?what=project")
    assert "project.updated" in page
    assert admin.member.name in page
    assert "member." not in page.split("<tbody>")[1]
    assert "Nothing." in admin.read("/audit?what=project&member=nobody")
    rows = admin.get(f"/audit.csv?what=project.updated&member={admin.member.id}")
    assert rows.headers["content-disposition"] == 'attachment; filename="audit-log.csv"'
    assert rows.text.splitlines()[0] == "time_ms,what,target,member_id,member,key_id"
    assert f"project.updated,{service.project_id},{admin.member.id},{admin.member.name}," in rows.text


def test_a_name_is_no_formula(service: Service, owner: Reviewer) -> None:
    with service.env.store.transaction() as tx:
        tx.put(Member(id="mem_calc", organization_id=service.organization_id, created_ms=0, name="=1+1"))
        tx.add(
            Activity(
                id="act_calc", organization_id=service.organization_id, key_id=None, what="calculated", target_id="x",
                at_ms=1, member_id="mem_calc",
            )
        )  # fmt: skip
    assert ",'=1+1," in owner.get("/audit.csv?what=calculated").text


def test_settings_are_saved_and_authors_erased(service: Service, admin: Reviewer) -> None:
    assert "Saved" in admin.post(f"{admin.project}/settings", {"name": "Project", "retentionDays": ""}).text
    assert admin.post(f"{admin.project}/settings", {"name": ""}).status_code == 400
    service.moderate("bad", contentId="to erase", authorId="erased")
    page = f"{admin.project}/settings"
    assert admin.post(f"{page}/erase", {"author": "erased"}, page).status_code == 200
    assert not [each for each in service.all(Author) if each.external_id == "erased"]
    assert not [each for each in service.all(Item) if each.content_id == "to erase"]
    assert admin.post(f"{page}/erase", {"author": "erased"}, page).status_code == 404
    assert len(logged(service, "author.erased")) == 1


def test_actions_are_made_and_deleted(service: Service, admin: Reviewer) -> None:
    page = f"{admin.project}/settings"
    fields = {
        "name": "Escalate", "type": "ITEM_CUSTOM", "queueBehaviour": "REMOVE", "values": "legal\n\npolice",
        "valueRequired": "yes",
    }  # fmt: skip
    assert admin.post(f"{admin.project}/actions", fields, page).status_code == 200
    (made,) = [each for each in service.all(Action) if each.name == "Escalate"]
    assert (made.possible_values, made.value_required, made.queue_behaviour) == (("legal", "police"), True, "REMOVE")
    assert admin.post(f"{admin.project}/actions/{made.id}/delete", {}, page).status_code == 200
    assert admin.post(f"{admin.project}/actions/{admin.action('allow')}/delete", {}, page).status_code == 403


def test_a_text_is_tried_and_not_kept(service: Service, admin: Reviewer) -> None:
    page = f"{admin.project}/wordlists"
    fields = {"channelId": service.channel_id, "key": "own", "name": "Own", "mode": "block", "words": "Blorb\nflorb"}
    assert admin.post(page, fields).status_code == 200
    (made,) = service.all(WordlistRecord)
    assert made.words == ("blorb", "florb")
    before = len(service.all(Item))
    tried = admin.post(f"{page}/try", {"text": "a blorb <b>", "channel": "default"}, page).text
    assert re.search(r"<mark[^>]*>blorb<span", tried)
    assert "&lt;b&gt;" in tried
    assert len(service.all(Item)) == before
    admin.post(f"{page}/{made.id}/words", {"words": "gorp", "do": "add"}, page)
    admin.post(f"{page}/{made.id}/words", {"words": "blorb", "do": "remove"}, page)
    assert service.all(WordlistRecord)[0].words == ("florb", "gorp")
    assert admin.post(page, fields).status_code == 409
    assert admin.post(f"{page}/{made.id}/delete", {}, page).status_code == 200
    assert service.all(WordlistRecord) == []
    assert {each.member_id for each in logged(service, "wordlist.created")} == {admin.member.id}


def test_webhooks_are_made_and_events_delivered_again(service: Service, admin: Reviewer) -> None:
    page = f"{admin.project}/webhooks"
    fields = {"name": "Hook", "url": "http://127.0.0.1:9/hook", "eventTypes": ["author.blocked", "author.unblocked"]}
    assert admin.post(page, fields).status_code == 200
    assert admin.post(page, {**fields, "url": "ftp://x"}).status_code == 400
    (made,) = service.all(Webhook)
    service.call("POST", "/authors", {"external_id": "hooked"})
    service.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["hooked"]})
    (delivery,) = service.all(Delivery)
    assert "author.blocked" in admin.read(page)
    assert "Nothing was sent yet" in admin.read(f"{admin.project}/deliveries/{delivery.id}")
    assert admin.post(f"{admin.project}/deliveries/{delivery.id}/again", {}, page).status_code == 200
    assert len(logged(service, "delivery.repeated")) == 1
    admin.post(f"{page}/{made.id}", {"do": "disable"}, page)
    assert not service.all(Webhook)[0].enabled
    assert admin.post(f"{admin.project}/deliveries/{delivery.id}/again", {}, page).status_code == 404
    admin.post(f"{page}/{made.id}", {"do": "delete"}, page)
    assert service.all(Webhook) == []


def test_the_overview_counts_and_decisions_come_as_labels(service: Service, admin: Reviewer) -> None:
    for number in range(3):
        service.moderate("bad", contentId=f"counted {number}", authorId="counted")
    items = sorted(service.all(Item), key=lambda each: each.content_id)
    items = [each for each in items if each.content_id.startswith("counted")]
    admin.decide(items[0], "reject", policy="toxicity", spent="4000")
    admin.decide(items[1], "allow", spent="2000")
    service.clock.ahead_ms += UNDO_MS
    release_due(service.env)
    page = unescape(admin.read(f"{admin.project}/overview"))
    assert re.search(rf"{admin.member.name}</th><td class=\"number\">2<", page)
    assert re.search(r"toxicity</th><td class=\"number\">\d+<", page)
    assert re.search(r'aria-label="Items by day: \d{4}-\d\d-\d\d \d+', page)
    lines = [json.loads(each) for each in admin.get(f"{admin.project}/decisions.jsonl").text.splitlines()]
    told = {each["contentId"]: each for each in lines}
    assert (told["counted 0"]["toxicity"], told["counted 0"]["outcome"]) == (1, "reject")
    assert told["counted 1"]["toxicity"] == 0


def test_thresholds_are_held_against_decisions_published_and_rolled_back(service: Service, admin: Reviewer) -> None:
    for text, author in (("bad", "tuned"), ("so so", "tuned 2"), ("so so", "tuned 3"), ("fine", "tuned 4")):
        service.moderate(text, contentId=service.new(author), authorId=author)
    by_author = {each.external_id: each.id for each in service.all(Author)}
    items = {each.author_id: each for each in service.all(Item)}
    for author, action in (("tuned", "reject"), ("tuned 2", "allow"), ("tuned 3", "allow"), ("tuned 4", "allow")):
        policy = "toxicity" if action == "reject" else ""
        assert admin.decide(items[by_author[author]], action, policy=policy).status_code == 200
    service.clock.ahead_ms += UNDO_MS
    release_due(service.env)
    page = f"{admin.project}/channels/{service.channel_id}"
    now = admin.read(page).partition("<legend>toxicity</legend>")[2]
    assert re.search(r"Now: flags \d+, precision (\d\d?|under 1) %, recall 100 %", now)
    then = admin.read(f"{page}?toxicity=0.9").partition("<legend>toxicity</legend>")[2]
    assert re.search(r"Then, at 0\.9: flags \d+, precision \d+ %, recall 100 %", then)
    assert "Would flag no more" in then
    fields = {"toxicity": "0.9", "insult": "nan", "note": "fewer false alarms"}
    assert "Saved" in admin.post(page, fields).text
    (channel,) = service.all(ChannelRecord)
    (version,) = service.all(ChannelVersion)
    assert [each["threshold"] for each in channel.settings["policies"] if each["id"] == "toxicity"] == [0.9]
    assert (version.note, version.by, version.revision) == (
        "fewer false alarms",
        admin.member.name,
        channel.revision - 1,
    )
    assert not service.moderate("so so")["policies"][0]["flagged"]
    assert admin.post(f"{page}/versions/none", {}, page).status_code == 404
    assert "Saved" in admin.post(f"{page}/versions/{version.id}", {}, page).text
    (rolled,) = service.all(ChannelRecord)
    assert (rolled.settings, rolled.revision) == (version.settings, channel.revision + 1)
    assert "rolled back to revision" in admin.read(page)
    assert len(logged(service, "channel.policies.updated")) == len(logged(service, "channel.rolled_back")) == 1
