"""The console over HTTP: getting in, and every page and form, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from seemly.service.access.codes import STEP_MS, make_code
from seemly.service.base.records import Activity, Author, Item, Queue, Webhook
from seemly.service.base.review_records import Decision, Session
from seemly.service.review.decisions import UNDO_MS, release_due
from tests.support.console import CLIENTS, PASSWORD, Reviewer, show_all
from tests.support.service_server import Service, serving

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("console")) as running, CLIENTS:
        show_all(running)
        yield running


@pytest.fixture(scope="module")
def ann(service: Service) -> Reviewer:
    return Reviewer(service)


@pytest.fixture(scope="module")
def bob(service: Service) -> Reviewer:
    return Reviewer(service, "admin")


def submit(service: Service, text: str = "bad", **more: Any) -> Item:
    content_id = service.new("content")
    service.moderate(text, contentId=content_id, **more)
    return next(each for each in service.all(Item) if each.content_id == content_id)


def refresh(service: Service, item: Item) -> Item:
    return next(each for each in service.all(Item) if each.id == item.id)


def pass_time(service: Service, ms: int = UNDO_MS) -> None:
    service.clock.ahead_ms += ms
    release_due(service.env)


# Getting in

PAGES = [
    "", "/account", "/p/{p}/queues", "/p/{p}/q/{q}", "/p/{p}/q/{q}/review", "/p/{p}/items/{i}",
    "/p/{p}/items/{i}/found", "/p/{p}/authors", "/p/{p}/authors/{a}",
]  # fmt: skip


@pytest.fixture(scope="module")
def ids(service: Service) -> dict[str, str]:
    item = submit(service, authorId="the author")
    queue = service.all(Queue)[0]
    return {"p": service.project_id, "q": queue.id, "i": item.id, "a": str(item.author_id)}


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_reached_without_a_session(service: Service, ids: dict[str, str], path: str) -> None:
    url = f"{service.url}/console{path.format_map(ids)}"
    for headers in ({}, {"Authorization": f"Bearer {service.organization_key}"}, {"Cookie": "seemly_session=ses_x"}):
        answer = service.http.get(url, headers=headers, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in")
    answer = service.http.post(url, follow_redirects=False)
    assert answer.status_code in (401, 403, 405)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_what_it_may_load(ann: Reviewer, ids: dict[str, str], path: str) -> None:
    answer = ann.get(path.format_map(ids))
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", answer.text)


def test_sessions_do_not_open_the_interface(ann: Reviewer) -> None:
    secret = ann.http.cookies["seemly_session"]
    for headers in ({}, {"Authorization": f"Bearer {secret}"}):
        answer = ann.http.get(f"{ann.service.url}/v1/queue", headers=headers)
        assert answer.status_code == 401


def test_the_cookie_is_for_the_console_and_not_for_scripts(service: Service) -> None:
    new = Reviewer(service, join=False)
    fields = {"password": PASSWORD, "again": PASSWORD}
    answer = new.post(f"/welcome/{new.invitation}", fields, follow_redirects=False)
    cookie = next(each for each in answer.headers.get_list("set-cookie") if each.startswith("seemly_session="))
    assert {"HttpOnly", "Path=/console", "SameSite=lax"} <= set(cookie.split("; "))
    assert new.get(f"/welcome/{new.invitation}").status_code == 401


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"password": "short", "again": "short"}, "characters"),
        ({"password": PASSWORD, "again": "something else"}, "not the same"),
    ],
)
def test_a_password_that_will_not_do_is_told(service: Service, fields: dict[str, str], told: str) -> None:
    new = Reviewer(service, join=False)
    answer = new.post(f"/welcome/{new.invitation}", fields)
    assert (answer.status_code, told in answer.text) == (400, True)
    assert new.get(f"/welcome/{new.invitation}").status_code == 200


def test_sign_in_and_out(service: Service, ann: Reviewer) -> None:
    other = Reviewer(service)
    old = other.http.cookies["seemly_session"]
    assert other.post("/sign-out", {}, "/account").url.path == "/console/sign-in"
    assert other.get("/account", follow_redirects=False).status_code == 303
    thief = service.http.get(f"{other.base}/account", headers={"Cookie": f"seemly_session={old}"})
    assert thief.status_code == 303
    wrong = other.post("/sign-in", {"email": other.email, "password": "not it"})
    assert (wrong.status_code, "not right" in wrong.text, "seemly_session" in other.http.cookies) == (401, True, False)
    answer = other.post("/sign-in", {"email": other.email.upper(), "password": PASSWORD})
    assert answer.url.path == f"/console/p/{service.project_id}/queues"
    assert other.http.cookies["seemly_session"] != old
    assert ann.get("/account").status_code == 200


def test_a_session_that_an_attacker_chose_is_not_taken_over(service: Service) -> None:
    victim = Reviewer(service, join=False)
    victim.http.cookies.set("seemly_session", "ses_chosen", path="/console")
    victim.post(f"/welcome/{victim.invitation}", {"password": PASSWORD, "again": PASSWORD})
    assert victim.http.get(f"{victim.base}/account").status_code == 200
    thief = service.http.get(f"{victim.base}/account", headers={"Cookie": "seemly_session=ses_chosen"})
    assert thief.status_code == 303


def test_signing_in_again_ends_the_session_before(service: Service) -> None:
    other = Reviewer(service)
    old = other.http.cookies["seemly_session"]
    token = other.token("/account")
    answer = other.http.post(f"{other.base}/sign-in", data={"token": token, "email": other.email, "password": PASSWORD})
    assert answer.status_code == 200
    assert other.http.cookies["seemly_session"] != old
    assert len([each for each in service.all(Session) if each.member_id == other.member.id]) == 1


@pytest.mark.parametrize(
    ("token", "headers"),
    [
        ("", {}),
        ("0" * 64, {}),
        ("é", {}),
        (None, {"Sec-Fetch-Site": "cross-site"}),
        (None, {"Sec-Fetch-Site": "same-site"}),
    ],
)
def test_forms_of_other_sites_do_nothing(
    ann: Reviewer, bob: Reviewer, token: str | None, headers: dict[str, str]
) -> None:
    item = submit(ann.service)
    page = f"{ann.project}/items/{item.id}"
    data = {"token": ann.token(page) if token is None else token, "itemIds": item.id, "actionId": ann.action("reject")}
    answer = ann.http.post(f"{ann.base}{ann.project}/decide", data=data, headers=headers)
    assert answer.status_code == 403
    answer = ann.http.post(f"{ann.base}{ann.project}/decide", data={**data, "token": bob.token(page)})
    assert answer.status_code == 403
    assert not [each for each in ann.service.all(Decision) if each.item_id == item.id]


def test_attempts_are_limited_for_each_account(service: Service) -> None:
    other = Reviewer(service, join=False)
    fields = {"email": other.email, "password": "wrong"}
    statuses = [other.post("/sign-in", fields).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]


def test_codes_are_asked_for_once_they_are_on(service: Service) -> None:
    other = Reviewer(service)
    found = re.search(r'name="secret" value="(\w+)"', other.read("/account"))
    assert found is not None
    code = make_code(found[1], service.clock() // STEP_MS)
    fields = {"secret": found[1], "current": PASSWORD, "code": code}
    assert other.post("/account/codes", {**fields, "secret": "x"}, "/account").status_code == 400
    assert other.post("/account/codes", {**fields, "code": "no"}, "/account").status_code == 400
    assert "Saved" in other.post("/account/codes", fields, "/account").text
    other.post("/sign-out", {}, "/account")
    given = {"email": other.email, "password": PASSWORD}
    assert other.post("/sign-in", {**given, "code": code}).status_code == 401
    service.clock.ahead_ms += STEP_MS
    code = make_code(found[1], service.clock() // STEP_MS)
    assert other.post("/sign-in", {**given, "code": code}).status_code == 200
    assert "Saved" in other.post("/account/codes/stop", {"current": PASSWORD}, "/account").text


def test_a_password_is_changed_and_other_browsers_are_signed_out(service: Service) -> None:
    other = Reviewer(service)
    second = Reviewer(service, join=False)
    second.post("/sign-in", {"email": other.email, "password": PASSWORD})
    new = {"current": PASSWORD, "password": "another long one", "again": "another long one"}
    assert other.post("/account/password", {**new, "again": "x"}, "/account").status_code == 400
    assert other.post("/account/password", {**new, "current": "x"}, "/account").status_code == 400
    assert other.post("/account/password", new, "/account").status_code == 200
    assert second.get("/account").url.path == "/console/sign-in"
    second.post("/sign-in", {"email": other.email, "password": "another long one"})
    (theirs,) = re.findall(r"/account/sessions/(\w+)/close", other.read("/account"))
    assert other.post(f"/account/sessions/{theirs}/close", {}, "/account").status_code == 200
    assert second.get("/account").url.path == "/console/sign-in"


# Reviewing


def test_a_list_shows_items_by_their_text(service: Service, ann: Reviewer) -> None:
    word = service.new("word")
    submit(service, f"{word} first", authorId="jo")
    submit(service, f"{word} second")
    page = ann.read(f"{ann.queue()}?q={word}")
    assert page.index(f"{word} second") < page.index(f"{word} first")
    assert "2 items" in page
    oldest = ann.read(f"{ann.queue()}?q={word}&sort=oldest")
    assert oldest.index(f"{word} first") < oldest.index(f"{word} second")
    assert "1 item<" in ann.read(f"{ann.queue()}?q={word}&author=jo")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("policy=toxicity", 1),
        ("policy=nothing", 0),
        ("action=reject", 1),
        ("action=reject&action=allow", 2),
        ("severity=90", 1),
        ("severity=nan&after=yesterday&page=x&action=burn", 2),
        ("status=resolved", 0),
        ("status=all", 2),
        ("language=xx", 0),
        ("before=2001-01-01", 0),
        ("after=2001-01-01", 2),
        ("media=image", 0),
    ],
)
def test_a_list_is_narrowed_down_by_its_address(service: Service, ann: Reviewer, query: str, count: int) -> None:
    if not [each for each in service.all(Item) if each.conversation_id == "narrow"]:
        submit(service, "bad", conversationId="narrow", authorId="narrow")
        submit(service, "quite fine", conversationId="narrow", authorId="narrow")
    page = ann.read(f"{ann.queue()}?author=narrow&{query}")
    assert page.count('name="itemIds"') == count


@pytest.mark.parametrize("action", ["allow", "reject"])
def test_one_item_is_decided_after_ten_seconds(service: Service, ann: Reviewer, action: str) -> None:
    item = submit(service)
    answer = ann.decide(item, action, comment="because", policy="toxicity", spent="1500")
    assert "Undo" in answer.text
    assert refresh(service, item).status == "pending"
    pass_time(service)
    done = refresh(service, item)
    assert (done.status, done.action, done.reviewer) == ("resolved", action, ann.member.name)
    page = ann.read(f"{ann.project}/items/{item.id}")
    assert "because" in page
    assert ann.post(f"{ann.project}/items/{item.id}/reopen", {}, f"{ann.project}/items/{item.id}").status_code == 200
    assert refresh(service, item).status == "pending"
    activities = sorted(service.all(Activity), key=lambda each: each.at_ms)
    logged = [(each.what, each.member_id) for each in activities if each.target_id == item.id]
    assert logged == [(f"decision.{action}", ann.member.id), ("item.reopened", ann.member.id)]


def test_what_is_undone_tells_no_webhook(service: Service, ann: Reviewer) -> None:
    with service.env.store.transaction() as tx:
        tx.put(
            Webhook(
                id="wh", project_id=service.project_id, name="w", url="http://127.0.0.1:9", created_ms=0,
                event_types=("queue_item.rejected",),
            )
        )  # fmt: skip
    item = submit(service)
    page = ann.decide(item, "reject").text
    found = re.search(r'action="/console(/p/\w+/undo/\w+)"', page)
    assert found is not None
    back = f"{ann.project}/items/{item.id}"
    assert ann.post(found[1], {"to": back}, back).url.path == f"/console{back}"
    assert ann.post(found[1], {"to": "https://example.com"}, back).url.host == "127.0.0.1"
    pass_time(service)
    assert refresh(service, item).status == "pending"
    assert service.manage("GET", f"/projects/{service.project_id}/deliveries") == []


def test_one_after_the_other(service: Service, ann: Reviewer) -> None:
    items = [submit(service, f"bad {number}", authorId="series") for number in range(3)]
    queue = ann.queue()
    seen = []
    page = ann.get(f"{queue}/review?author=series&sort=oldest")
    for _ in items:
        found = re.search(r'name="itemIds" value="(\w+)"', page.text)
        assert found is not None
        seen.append(found[1])
        wire = {
            "token": re.findall(r'name="token" value="(\w+)"', page.text)[0],
            "itemIds": found[1],
            "actionId": ann.action("allow"),
            "queueId": queue.rpartition("/")[2],
            "at": "0",
            "query": "author=series&sort=oldest",
        }
        page = ann.http.post(f"{ann.base}{ann.project}/decide", data=wire)
    assert seen == [each.id for each in items]
    assert "Nothing left" in page.text
    pass_time(service)


def test_what_one_has_open_is_not_handed_to_another(service: Service, ann: Reviewer, bob: Reviewer) -> None:
    items = [submit(service, authorId="shared") for _ in range(2)]
    path = f"{ann.queue()}/review?author=shared&sort=oldest"
    assert items[0].id in ann.read(path)
    assert items[1].id in bob.read(path)
    assert f"open at {ann.member.name}" in bob.read(f"{ann.queue()}?author=shared")
    page = bob.read(f"{bob.project}/items/{items[0].id}")
    assert f"{ann.member.name} has this open" in page
    answer = bob.decide(items[0], "allow")
    assert (answer.status_code, "open" in answer.text) == (409, True)
    answer = ann.post(f"{ann.project}/items/{items[0].id}/claim", {}, f"{ann.project}/items/{items[0].id}")
    assert answer.status_code == 204


def test_several_are_decided_at_once(service: Service, ann: Reviewer) -> None:
    items = [submit(service, f"bad bulk {number}", authorId="bulk") for number in range(4)]
    queue = ann.queue()
    listed = f"{queue}?author=bulk"
    page = ann.post(f"{queue}/bulk?author=bulk", {"itemIds": [each.id for each in items[:2]]}, listed).text
    assert "Decide on 2 items" in page
    page = ann.post(f"{queue}/bulk?author=bulk", {"all": "yes"}, listed).text
    assert "Decide on 4 items" in page
    assert page.count("bad bulk") == 3
    fields = {"itemIds": " ".join(each.id for each in items), "actionId": ann.action("reject"), "then": "list"}
    answer = ann.post(f"{ann.project}/decide", {**fields, "queueId": queue.rpartition("/")[2]}, listed)
    assert "Rejected: 4 items" in answer.text
    pass_time(service)
    assert {refresh(service, each).status for each in items} == {"resolved"}
    assert ann.post(f"{queue}/bulk", {}, listed).status_code == 400


def test_actions_ask_for_what_they_need(service: Service, ann: Reviewer) -> None:
    made = service.call(
        "POST", "/actions",
        {"name": "Move", "type": "ITEM_CUSTOM", "possibleValues": [{"value": "x"}], "valueRequired": True},
    )  # fmt: skip
    item = submit(service, authorId="asked")
    page = ann.read(f"{ann.project}/items/{item.id}")
    assert f'name="value:{made["id"]}"' in page
    path, fields = f"{ann.project}/items/{item.id}", {"itemIds": item.id, "actionId": made["id"]}
    assert ann.post(f"{ann.project}/decide", fields, path).status_code == 400
    assert ann.post(f"{ann.project}/decide", {**fields, f"value:{made['id']}": "x"}, path).status_code == 200
    suspend = ann.action("suspend")
    fields = {"itemIds": item.id, "actionId": suspend, f"duration:{suspend}": "3600000"}
    assert ann.post(f"{ann.project}/decide", fields, path).status_code == 200
    pass_time(service)
    author = next(each for each in service.all(Author) if each.external_id == "asked")
    assert author.status == "suspended"
    page = ann.read(f"{ann.project}/authors/{author.id}")
    assert "suspended until" in page
    unblock = ann.action("unblock")
    answer = ann.post(
        f"{ann.project}/decide", {"authorId": author.id, "actionId": unblock}, f"{ann.project}/authors/{author.id}"
    )
    assert answer.url.path.endswith(author.id)
    pass_time(service)
    assert next(each for each in service.all(Author) if each.id == author.id).status == "enabled"
    ann.post(f"{ann.project}/authors/{author.id}/level", {"level": "4"}, f"{ann.project}/authors/{author.id}")
    assert next(each for each in service.all(Author) if each.id == author.id).level == 4


def test_notes_conversation_and_history_stand_beside_an_item(service: Service, ann: Reviewer) -> None:
    submit(service, "what came before", conversationId="talk", authorId="talker")
    item = submit(service, "so so", conversationId="talk", authorId="talker")
    path = f"{ann.project}/items/{item.id}"
    assert "look here" in ann.post(f"{path}/notes", {"text": "look here"}, path).text
    page = ann.read(path)
    assert "what came before" in page
    assert "Also wrote" in page
    assert ann.post(f"{path}/notes", {"text": ""}, path).status_code == 400


def test_bars_have_names_and_thresholds(service: Service, ann: Reviewer) -> None:
    item = submit(service, "bad")
    page = ann.read(f"{ann.project}/items/{item.id}")
    assert re.search(r'aria-label="toxicity: 97 %, threshold \d+ %, flagged"', page)
    assert "the severity reaches" in page


def test_what_was_found_is_marked_in_place(service: Service, ann: Reviewer) -> None:
    item = submit(service, "write to jo@example.com please")
    page = ann.read(f"{ann.project}/items/{item.id}")
    assert re.search(r"<mark[^>]*>jo@example.com<span", page)
    found = ann.read(f"{ann.project}/items/{item.id}/found")
    assert "<mark" in found
    assert "<!doctype" not in found


def test_scripts_in_content_are_text(service: Service, ann: Reviewer) -> None:
    author = service.call("POST", "/authors", {"external_id": SCRIPT, "name": SCRIPT, "metadata": {SCRIPT: SCRIPT}})
    item = submit(
        service, SCRIPT, authorId=SCRIPT, conversationId=SCRIPT, metadata={SCRIPT: {"deep": SCRIPT}},
    )  # fmt: skip
    path = f"{ann.project}/items/{item.id}"
    ann.post(f"{path}/notes", {"text": SCRIPT}, path)
    ann.decide(item, "reject", comment=SCRIPT)
    made = service.call("POST", "/queue", {"name": SCRIPT, "description": SCRIPT})
    pages = [
        path, f"{path}/found", f"{path}?explain=1", ann.queue(), f"{ann.queue()}?q=<script>&policy={SCRIPT}&status=all",
        f"{ann.project}/queues", f"{ann.project}/authors", f"{ann.project}/authors/{author['id']}",
        f"{ann.project}/q/{made['id']}",
    ]  # fmt: skip
    for each in pages:
        answer = ann.get(each)
        assert answer.status_code == 200, each
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
    assert "&lt;script&gt;alert(1)" in ann.get(path).text
    service.call("DELETE", f"/queue/{made['id']}")
    pass_time(service)


def test_text_that_utf8_has_no_form_for_is_shown(service: Service, ann: Reviewer) -> None:
    content_id = service.new("content")
    body = json.dumps({"content": {"type": "text", "text": "half \ud800 of it"}, "contentId": content_id})
    answer = service.send("POST", "/moderate", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    item = next(each for each in service.all(Item) if each.content_id == content_id)
    assert "half ? of it" in ann.read(f"{ann.project}/items/{item.id}")


def test_queues_are_made_changed_and_deleted(service: Service, bob: Reviewer) -> None:
    fields = {"name": "Worst", "policies": "toxicity, insult", "severity": "80", "action": ["review", "reject"]}
    answer = bob.post(f"{bob.project}/queues", fields)
    queue_id = answer.url.path.rpartition("/")[2]
    made = service.call("GET", f"/queue/{queue_id}")["queue"]
    assert made["filter"] == {
        "labels": ["toxicity", "insult"], "recommendationActions": ["review", "reject"], "minSeverity": 80,
    }  # fmt: skip
    page = f"{bob.project}/q/{queue_id}"
    assert "Worse" in bob.post(page, {"name": "Worse"}).text
    assert bob.post(f"{page}/delete", {}, page).url.path.endswith("/queues")
    activities = sorted(service.all(Activity), key=lambda each: each.at_ms)
    assert [each.what for each in activities if each.target_id == queue_id] == [
        "queue.created",
        "queue.updated",
        "queue.deleted",
    ]


NOWHERE = [
    "/p/prj_none/queues", "/p/{p}/q/que_none", "/p/{p}/items/item_none", "/p/{p}/authors/none", "/p/{p}/nothing",
    "/p/{p}/items/%00", "/static/console.py", "/static/..%2fapp.py",
]  # fmt: skip


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_not_there_is_told(ann: Reviewer, ids: dict[str, str], path: str) -> None:
    assert ann.get(path.format_map(ids)).status_code == 404


def test_files_are_served_for_good(ann: Reviewer) -> None:
    page = ann.get("/account").text
    for each in re.findall(r'(?:href|src)="/console(/static/[^"]+)"', page):
        answer = ann.get(each)
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in ann.get("/static/console.js").headers["cache-control"]


def test_the_console_is_found_where_it_is_mounted(tmp_path: Path) -> None:
    from fastapi import FastAPI

    from tests.support.service_server import running

    with serving(tmp_path) as inner:
        outer = FastAPI()
        outer.mount("/moderation", inner.app)
        with running(outer) as server:
            answer = inner.http.get(f"http://127.0.0.1:{server.port}/moderation/console", follow_redirects=True)
            assert answer.url.path == "/moderation/console/sign-in"
            assert 'href="/moderation/console/static/console.css' in answer.text


def test_reports_and_appeals_stand_on_the_item(service: Service, ann: Reviewer, bob: Reviewer) -> None:
    item = submit(service, authorId="appealing")
    path = f"{ann.project}/items/{item.id}"
    for reporter in ("r1", "r2"):
        body = {"contentId": item.content_id, "reporterId": reporter, "reason": SCRIPT, "comment": SCRIPT}
        assert service.send("POST", "/reports", body).status_code == 201
    assert "reported 2×" in ann.read(f"{ann.queue()}?reported=yes&author=appealing")
    assert "Reported by 2 users" in ann.read(path)
    ann.decide(item, "reject")
    pass_time(service)
    body = {"contentId": item.content_id, "authorId": "appealing", "message": SCRIPT}
    assert service.send("POST", "/appeals", body).status_code == 201
    assert "The author appeals" in ann.read(path)
    assert "<script>alert" not in ann.get(path).text
    service.clock.ahead_ms += 200_000
    assert ann.decide(refresh(service, item), "reject").status_code == 403
    service.clock.ahead_ms += 200_000
    assert bob.decide(refresh(service, item), "allow").status_code == 200
    pass_time(service)
    assert refresh(service, item).action == "allow"


def test_another_reviewer_is_asked(service: Service, ann: Reviewer, bob: Reviewer) -> None:
    item = submit(service, authorId="asking")
    path = f"{ann.project}/items/{item.id}"
    queue = ann.queue()
    fields = {"message": "is it irony?", "queueId": queue.rpartition("/")[2], "at": "0", "query": "author=asking"}
    assert "Nothing left" in ann.post(f"{path}/ask", fields, path).text
    page = bob.read(f"{queue}/review?author=asking")
    assert f"{ann.member.name} asks for a second opinion: is it irony?" in page
    assert "second opinion asked" in bob.read(f"{queue}?author=asking")


def test_items_of_the_same_text_are_decided_together(service: Service, ann: Reviewer) -> None:
    text = service.new("the same text")
    items = [submit(service, text, authorId=f"alike {number}") for number in range(3)]
    queue = ann.queue()
    path = f"{ann.project}/items/{items[0].id}?queue={queue.rpartition('/')[2]}"
    page = unescape(ann.post(f"{queue}/bulk", {"alike": items[0].id}, path).text)
    assert "Decide on 3 items" in page
    together = re.search(r'name="itemIds" value="(\w+ \w+ \w+)"', page)
    assert together is not None
    assert set(together[1].split()) == {each.id for each in items}
    assert ann.post(f"{queue}/bulk", {"alike": "item_none"}, path).status_code == 404
