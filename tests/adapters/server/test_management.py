"""Management over HTTP: projects, channels, wordlists and keys, and that what changes takes effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from seemly.service.base.requests import MAX_INTEGER
from tests.support.service_server import Ids, Service, read_body, serving

DAY_MS = 86_400_000
HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def service(served: Service) -> Iterator[Service]:
    yield served
    served.clock.ahead_ms = 0


@pytest.fixture
def ids(service: Service) -> Ids:
    return Ids(service)


def moderate(ids: Ids, text: str, **more: Any) -> Any:
    return ids.call("POST", "/moderate", {"content": {"type": "text", "text": text}, "channel": "second", **more})


def flagged(result: Any) -> set[str]:
    return {each["id"] for each in result["policies"] if each["flagged"]}


def works(service: Service, secret: str) -> bool:
    answer = service.send("GET", "/auth", key=secret)
    if answer.status_code != 200:
        read_body(answer, 401, "UNAUTHORIZED")
    return answer.status_code == 200


def test_a_new_project_comes_with_all_it_needs(service: Service, ids: Ids) -> None:
    made = service.manage(
        "POST", "/projects", {"name": "Chat", "domain": "chat.example", "context": "a dating app", "usedByMinors": True}
    )
    assert made["secretKey"].startswith("proj_")
    [channel] = service.manage("GET", f"/projects/{made['id']}/channels")
    assert (channel["isDefault"], channel["key"]) == (True, "default")
    assert service.manage("GET", f"/channels/{channel['id']}/policies")["policies"]
    assert [each["name"] for each in service.call("GET", "/queue", key=made["secretKey"])] == ["Review"]
    assert service.call("GET", "/account", key=made["secretKey"])["current_project"] == {
        "id": made["id"],
        "name": "Chat",
    }
    for answer in (service.manage("GET", f"/projects/{made['id']}"), *service.manage("GET", "/projects")):
        assert "secretKey" not in answer


def test_a_project_is_changed_field_by_field(ids: Ids) -> None:
    before = ids.manage("GET", "/projects/{project_id}")
    after = ids.manage("PUT", "/projects/{project_id}", {"description": "Ours", "retentionDays": 30, "name": None})
    assert {**after, "updatedAt": ""} == {**before, "description": "Ours", "retentionDays": 30, "updatedAt": ""}
    assert ids.manage("PUT", "/projects/{project_id}", {"description": None})["description"] is None


def test_a_project_that_is_deleted_is_gone_with_its_keys(service: Service, ids: Ids) -> None:
    ids["channel_id"], ids["item_id"]
    key = ids["project_key"]
    assert ids.manage("DELETE", "/projects/{project_id}") == {"deleted": True, "id": ids["project_id"]}
    assert not works(service, key)
    for path in ("/projects/{project_id}", "/channels/{channel_id}", "/projects/{project_id}/channels"):
        read_body(service.send("GET", ids.fill(path), key=service.organization_key), 404, "NOT_FOUND")


def test_a_duplicate_of_a_project_has_everything_but_content_keys_and_webhooks(service: Service, ids: Ids) -> None:
    ids["wordlist_id"], ids["webhook_id"], ids["item_id"], ids["action_id"], ids["own_queue_id"]
    ids.manage("PUT", "/projects/{project_id}", {"description": "Ours"})
    copy = ids.manage("POST", "/projects/{project_id}/duplicate")
    assert (copy["name"], copy["description"]) == ("Of a test (copy)", "Ours")
    assert copy["secretKey"] != ids["project_key"]
    key = copy["secretKey"]
    assert flagged(service.call("POST", "/moderate", {"content": "a blorb", "channel": "second"}, key=key)) == {
        "wordlist:own"
    }
    queues = {each["name"]: each["totalItemsCount"] for each in service.call("GET", "/queue", key=key)}
    assert queues == {"Review": 1, "Own": 1}
    assert "Warn" in [each["name"] for each in service.call("GET", "/actions", key=key)]
    assert service.manage("GET", f"/projects/{copy['id']}/webhooks") == []
    secrets = [
        service.manage("GET", f"/projects/{each}/webhook-secret")["secret"] for each in (copy["id"], ids["project_id"])
    ]
    assert len(set(secrets)) == 2


def test_a_channel_is_changed_field_by_field(ids: Ids) -> None:
    before = ids.manage("GET", "/channels/{channel_id}")
    changes = {
        "name": "Other", "key": "other", "description": "Ours", "contentType": None, "flaggingMode": "DRY_RUN", "contextEnabled": True,
        "enableImageModeration": False, "enableVideoModeration": False, "enableAudioModeration": False, "enableVoiceModeration": True,
        "includeTranscriptInResponse": True, "transcriptionQuality": "SPEED", "unicodeSpoofDetectionEnabled": False,
        "frameCaptureInterval": 60, "maxFramesPerVideo": 1, "spreadFrames": True,
    }  # fmt: skip
    after = dict(before)
    for name, value in changes.items():
        after |= {name: value}
        told = ids.manage("PUT", "/channels/{channel_id}", {name: value})
        assert {**told, "updatedAt": ""} == {**after, "updatedAt": ""}
    assert {**ids.manage("GET", "/channels/{channel_id}"), "updatedAt": ""} == {**after, "updatedAt": ""}


def test_a_key_is_unique_in_its_project_and_one_channel_is_the_default(service: Service, ids: Ids) -> None:
    ids["channel_id"]
    path = ids.fill("/projects/{project_id}/channels")
    taken = service.send("POST", path, {"name": "Again", "key": "second"}, service.organization_key)
    read_body(taken, 409, "CONFLICT")
    renamed = service.send("PUT", ids.fill("/channels/{channel_id}"), {"key": "default"}, service.organization_key)
    read_body(renamed, 409, "CONFLICT")
    refused = service.send("DELETE", ids.fill("/channels/{default_channel_id}"), key=service.organization_key)
    read_body(refused, 400, "BAD_REQUEST")
    ids.manage("PUT", "/channels/{channel_id}", {"isDefault": True})
    listed = ids.manage("GET", "/projects/{project_id}/channels")
    assert [each["key"] for each in listed if each["isDefault"]] == ["second"]
    assert ids.manage("DELETE", "/channels/{default_channel_id}")["deleted"] is True


def test_a_duplicate_of_a_channel_has_everything(service: Service, ids: Ids) -> None:
    ids["wordlist_id"]
    ids.manage("PUT", "/channels/{channel_id}/policies", {"policies": [{"id": "toxicity", "enabled": False}]})
    copy = ids.manage("POST", "/channels/{channel_id}/duplicate", {"key": "copied"})
    assert (copy["name"], copy["key"], copy["isDefault"], copy["contentType"]) == (
        "Second (copy)",
        "copied",
        False,
        "comment",
    )
    result = moderate(ids, "a bad blorb", channel="copied")
    assert flagged(result) == {"wordlist:own"}
    assert "toxicity" not in {each["id"] for each in result["policies"]}


def test_wordlists_take_effect_on_the_next_request(ids: Ids) -> None:
    ids["channel_id"]
    assert flagged(moderate(ids, "a blorb")) == set()
    ids["wordlist_id"]
    assert flagged(moderate(ids, "a blorb")) == {"wordlist:own"}
    removed = ids.manage("DELETE", "/wordlist/{wordlist_id}/words", {"words": ["BLORB", "none"]})
    assert removed == {"removedCount": 1, "totalCount": 1, "removedWords": ["blorb"]}
    assert flagged(moderate(ids, "a blorb")) == set()
    removed = ids.manage("DELETE", "/wordlist/{wordlist_id}/words?words=florb", {"words": None})
    assert removed["removedWords"] == ["florb"]
    ids.manage("POST", "/wordlist/{wordlist_id}/words", {"words": ["florb"]})
    added = ids.manage("POST", "/wordlist/{wordlist_id}/words", {"words": ["Norb", "florb"]})
    assert added == {"addedCount": 1, "totalCount": 2, "addedWords": ["norb"]}
    assert flagged(moderate(ids, "a norb")) == {"wordlist:own"}
    ids.manage("PUT", "/wordlist/{wordlist_id}", {"words": ["blorb"]})
    assert flagged(moderate(ids, "a norb")) == set()
    ids.manage("DELETE", "/wordlist/{wordlist_id}")
    assert flagged(moderate(ids, "a blorb")) == set()


def test_a_projects_key_manages_the_projects_wordlists(service: Service, ids: Ids) -> None:
    """Those of its own project; where no channel is named, the default channel's."""
    made = ids.call("POST", "/wordlist", {"name": "Bad words!", "words": ["blorb", "florb", "norb", "vorp"]})
    assert (made["key"], made["channelId"]) == ("bad-words", ids["default_channel_id"])
    assert made["organizationId"] == service.organization_id
    assert ids.call("POST", "/wordlist", {"name": "Bad words"})["key"] == "bad-words-2"
    one = f"/wordlist/{made['id']}"
    for query, removed in (
        ("words=blorb", ["blorb"]),
        ("words=florb,norb", ["florb", "norb"]),
        ("words=x&words=vorp", ["vorp"]),
    ):
        assert ids.call("DELETE", f"{one}/words?{query}")["removedWords"] == removed
    assert ids.call("PUT", one, {"words": ["a, b", "c"]})["words"] == ["a, b", "c"]
    assert ids.call("DELETE", f"{one}/words?words=a,%20b&words=none")["removedWords"] == ["a, b"]
    assert len(ids.call("GET", "/wordlist")) == 2
    # It reaches no other project's.
    for method, path in (("GET", one), ("PUT", one), ("DELETE", one), ("POST", f"{one}/words")):
        read_body(service.send(method, path, None if method == "GET" else {"words": ["x"]}), 404, "NOT_FOUND")
    elsewhere = {"channelId": ids["default_channel_id"], "key": "x"}
    read_body(service.send("POST", "/wordlist", elsewhere), 404, "NOT_FOUND")
    assert service.call("GET", "/wordlist") == []
    read_body(service.send("POST", "/wordlist", {"key": "x"}, service.organization_key), 400, "BAD_REQUEST")


def test_a_wordlists_key_is_unique_in_its_channel(service: Service, ids: Ids) -> None:
    ids["wordlist_id"]
    body = ids.fill({"channelId": "{channel_id}", "key": "own"})
    read_body(service.send("POST", "/wordlist", body, service.organization_key), 409, "CONFLICT")
    assert [each["key"] for each in ids.manage("GET", "/wordlist?channelId={channel_id}")] == ["own"]


@pytest.mark.parametrize(
    ("part", "value", "before", "after"),
    [
        ("policies", [{"id": "toxicity", "flag": False}], "reject", "allow"),
        ("triage", "allow_everything", "reject", "allow"),
        ("triage", {"review": 0.99, "reject": 0.99}, "reject", "allow"),
        ("rules", [{"key": "r", "conditions": [{"field": "any_flagged", "operator": "is"}], "action": "review"}], "reject", "review"),
    ],
)  # fmt: skip
def test_the_parts_of_a_channel_take_effect(part: str, value: Any, before: str, after: str, ids: Ids) -> None:
    ids["channel_id"]
    assert moderate(ids, "bad")["recommendation"]["action"] == before
    put = ids.manage("PUT", f"/channels/{{channel_id}}/{part}", {part: value})
    assert ids.manage("GET", f"/channels/{{channel_id}}/{part}") == put
    assert moderate(ids, "bad")["recommendation"]["action"] == after


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("policies", [{"id": "none"}]),
        ("policies", [{"id": "toxicity", "options": {"loud": True}}]),
        ("rules", [{"key": "r", "conditions": [{"field": "shoe_size", "operator": "is"}], "action": "allow"}]),
        ("triage", {"review": 0.9, "reject": 0.1}),
        ("hashlists", [{"key": "h", "file": "/etc/passwd"}]),
        ("expectedScripts", ["Klingon"]),
        ("expectedLanguages", ["EN"]),
        ("accurateShare", 2),
    ],
)
def test_a_part_that_cannot_work_is_refused_and_changes_nothing(
    part: str, value: Any, service: Service, ids: Ids
) -> None:
    before = ids.manage("GET", f"/channels/{{channel_id}}/{part}")
    answer = service.send("PUT", ids.fill(f"/channels/{{channel_id}}/{part}"), {part: value}, service.organization_key)
    told = read_body(answer, 400, "BAD_REQUEST")
    assert all(each["path"][0] == part for each in told["issues"])
    assert ids.manage("GET", f"/channels/{{channel_id}}/{part}") == before


def test_a_limited_key_sees_its_projects_only(service: Service, ids: Ids) -> None:
    ids["channel_id"], ids["wordlist_id"]
    key = service.manage(
        "POST", "/keys", {"name": "L", "projects": "write", "channels": "write", "projectIds": [ids["project_id"]]}
    )["secret"]
    assert [each["id"] for each in service.call("GET", "/projects", key=key)] == [ids["project_id"]]
    assert service.call("GET", ids.fill("/channels/{channel_id}"), key=key)["key"] == "second"
    assert [each["id"] for each in service.call("GET", "/wordlist", key=key)] == [ids["wordlist_id"]]
    for path in (
        f"/projects/{service.project_id}",
        f"/channels/{service.channel_id}",
        f"/projects/{service.project_id}/channels",
    ):
        read_body(service.send("GET", path, key=key), 404, "NOT_FOUND")
    for path in ("/projects", ids.fill("/projects/{project_id}/duplicate")):
        told = read_body(service.send("POST", path, {"name": "P"}, key), 403, "FORBIDDEN")
        assert "limited to some projects" in told["message"]
    read_body(service.send("GET", "/keys", key=key), 403, "FORBIDDEN")


@pytest.mark.parametrize("days", [30, 90, 365, None])
def test_a_key_expires(days: int | None, service: Service) -> None:
    made = service.manage("POST", "/keys", {"name": "K", "projects": "read", "expiresInDays": days})
    assert made["secret"].startswith("sk_org_")
    assert (made["expiresAt"] is None) == (days is None)
    service.clock.ahead_ms = ((days or 4_000) * DAY_MS) - HOUR_MS
    assert works(service, made["secret"])
    service.clock.ahead_ms += HOUR_MS
    assert works(service, made["secret"]) == (days is None)


@pytest.mark.parametrize(("delay", "hours"), [("now", 0), (None, 0), ("1h", 1), ("24h", 24), ("7d", 168)])
def test_a_key_that_is_rolled_stops_after_its_delay(delay: str | None, hours: int, service: Service) -> None:
    old = service.manage("POST", "/keys", {"name": "K", "projects": "read", "expiresInDays": 30})
    new = service.manage("POST", f"/keys/{old['id']}/roll", {"delay": delay})
    assert [new[each] for each in ("name", "projects", "channels", "projectIds")] == [
        old[each] for each in ("name", "projects", "channels", "projectIds")
    ]
    assert works(service, old["secret"]) == (hours > 0)
    service.clock.ahead_ms = hours * HOUR_MS + 1_000
    assert not works(service, old["secret"])
    assert works(service, new["secret"])
    service.clock.ahead_ms = 30 * DAY_MS + 1_000
    assert not works(service, new["secret"])


def test_a_key_that_is_rolled_does_not_outlive_itself(service: Service) -> None:
    old = service.manage("POST", "/keys", {"name": "K", "expiresInDays": 30})
    service.clock.ahead_ms = 29 * DAY_MS
    service.manage("POST", f"/keys/{old['id']}/roll", {"delay": "7d"})
    service.clock.ahead_ms = 30 * DAY_MS + 1_000
    assert not works(service, old["secret"])


def test_no_key_makes_one_that_outlives_it(service: Service, ids: Ids) -> None:
    everything = {"projects": "write", "channels": "write"}
    maker = service.manage("POST", "/keys", {"name": "K", **everything, "expiresInDays": 30})
    service.clock.ahead_ms = DAY_MS
    for path, body in (
        ("/keys", {"name": "Own", **everything, "expiresInDays": None}),
        ("/keys", {"name": "Own", "expiresInDays": 365}),
        ("/projects/{project_id}/keys", {"name": "Own"}),
        (f"/keys/{maker['id']}/roll", {"delay": "7d"}),
    ):
        made = service.call("POST", ids.fill(path), body, key=maker["secret"])
        assert made["expiresAt"] == maker["expiresAt"]
    # It stops in a week now, and so does what it makes.
    [held] = [each for each in service.manage("GET", "/keys") if each["id"] == maker["id"]]
    made = service.call("POST", "/keys", {"name": "Own"}, key=maker["secret"])
    assert made["expiresAt"] == held["stopsAt"] < held["expiresAt"]


def test_a_key_is_rolled_once(service: Service) -> None:
    old = service.manage("POST", "/keys", {"name": "K", "expiresInDays": 30})
    new = service.manage("POST", f"/keys/{old['id']}/roll", {"delay": "7d"})
    again = service.send("POST", f"/keys/{old['id']}/roll", {}, service.organization_key)
    assert "rolled already" in read_body(again, 409, "CONFLICT")["message"]
    service.clock.ahead_ms = 31 * DAY_MS
    late = service.send("POST", f"/keys/{new['id']}/roll", {}, service.organization_key)
    assert "expired" in read_body(late, 409, "CONFLICT")["message"]


def test_members_are_listed_added_changed_and_removed(service: Service) -> None:
    [owner] = service.manage("GET", "/members")
    assert (owner["role"], owner["email"]) == ("owner", None)
    changed = service.manage("PUT", f"/members/{owner['id']}", {"email": "owner@example.com"})
    assert changed == {**owner, "email": "owner@example.com"}
    added = service.manage("POST", "/members", {"name": "Ann", "email": "ann@example.com", "role": "admin"})
    assert service.manage("GET", "/members") == [changed, added]
    for body in ({"email": "ann"}, {"email": "a@b.example\nBcc: c@d.example"}, {"role": "king"}):
        read_body(service.send("PUT", f"/members/{added['id']}", body, service.organization_key), 400, "BAD_REQUEST")
    assert service.manage("DELETE", f"/members/{added['id']}") == {"deleted": True, "id": added["id"]}
    read_body(service.send("DELETE", f"/members/{owner['id']}", key=service.organization_key), 400, "BAD_REQUEST")
    log = service.manage("GET", "/activity?limit=1000")
    own = {each["id"] for each in service.manage("GET", "/keys") if each["name"] == "Organization key"}
    assert {each["what"] for each in log if each["keyId"] in own} >= {
        "member.updated",
        "member.added",
        "member.removed",
    }


def test_an_organization_is_renamed(service: Service) -> None:
    before = service.manage("GET", "/organization")
    assert service.manage("PUT", "/organization", {"name": "Acme", "quota": 1}) == {**before, "name": "Acme"}
    assert service.manage("GET", "/organization")["name"] == "Acme"


def test_a_key_that_is_deleted_is_revoked_at_once(service: Service, ids: Ids) -> None:
    second = ids.manage("POST", "/projects/{project_id}/keys", {"name": "Second"})
    assert second["secret"].startswith("proj_")
    assert works(service, second["secret"])
    service.manage("DELETE", f"/keys/{second['id']}")
    assert not works(service, second["secret"])
    assert works(service, ids["project_key"])
    read_body(service.send("DELETE", f"/keys/{second['id']}", key=service.organization_key), 404, "NOT_FOUND")


def test_a_secret_is_shown_once_and_uses_are_recorded(service: Service) -> None:
    made = service.manage("POST", "/keys", {"name": "K"})
    [listed] = [each for each in service.manage("GET", "/keys") if each["id"] == made["id"]]
    assert "secret" not in listed
    assert listed["lastUsedAt"] is None
    assert made["secret"].endswith(listed["hint"])
    assert works(service, made["secret"])
    [listed] = [each for each in service.manage("GET", "/keys") if each["id"] == made["id"]]
    assert listed["lastUsedAt"] is not None


def test_changes_are_in_the_activity_log_with_their_key(service: Service, ids: Ids) -> None:
    made = service.manage("POST", "/keys", {"name": "K", "projects": "write", "channels": "write"})
    ids["project_id"]
    service.call("PUT", ids.fill("/projects/{project_id}"), {"name": "New"}, key=made["secret"])
    every = service.manage("GET", "/activity?limit=1000")
    assert [(each["what"], each["targetId"]) for each in every if each["keyId"] == made["id"]] == [
        ("project.updated", ids["project_id"])
    ]
    assert service.manage("GET", "/activity?limit=2&offset=1") == every[1:3]
    second = service.call("POST", "/keys", {"name": "Second"}, key=made["secret"])
    service.call("POST", f"/keys/{second['id']}/roll", {}, key=made["secret"])
    service.call("DELETE", f"/keys/{second['id']}", key=made["secret"])
    service.call("POST", ids.fill("/projects/{project_id}/keys"), {"name": "Its"}, key=made["secret"])
    theirs = [each["what"] for each in service.manage("GET", "/activity") if each["keyId"] == made["id"]]
    assert theirs == ["key.created", "key.deleted", "key.rolled", "key.created", "project.updated"]


def test_an_account_is_told_to_either_kind_of_key(service: Service) -> None:
    told = service.manage("GET", "/account")
    assert told == {
        "id": service.organization_id,
        "paid_plan_name": "enterprise",
        "text_api_quota": MAX_INTEGER,
        "remaining_quota": MAX_INTEGER,
    }
    assert service.call("GET", "/auth")["project"] == service.manage("GET", f"/projects/{service.project_id}")["name"]
    assert service.manage("POST", "/auth")["project"] is None
