"""The original's official Python client against the server: every call, unchanged but for the server's address.

The client checks every answer against strict models, so that a field that is missing or of another type is an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("moderation_api", reason="needs moderation_api: pip install moderation_api==2.2.0")

import moderation_api
from moderation_api import errors

from tests.support.service_server import Ids, Service, serving

Client = Any


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def ids(service: Service) -> Ids:
    return Ids(service)


def connect(service: Service, key: str) -> Client:
    return moderation_api.ModerationAPI(secret_key=key, server_url=f"{service.url}/v1")


def submit(client: Client, text: str = "bad", **more: Any) -> Any:
    return client.content.submit(content={"type": "text", "text": text}, **more)


OF_PROJECTS: dict[str, Callable[[Client, Ids], Any]] = {
    "account.retrieve": lambda client, _: client.account.retrieve(),
    "actions.create": lambda client, _: client.actions.create(name="Thank", key="thank", type_="AUTHOR_CUSTOM"),
    "actions.delete": lambda client, ids: client.actions.delete(id=ids["action_id"]),
    "actions.execute": lambda client, ids: client.actions.execute(action_key="reject", content_ids=[ids["item_id"]]),
    "actions.list": lambda client, _: client.actions.list(),
    "actions.retrieve": lambda client, ids: client.actions.retrieve(id=ids["action_id"]),
    "actions.update": lambda client, ids: client.actions.update(id=ids["action_id"], name="Warn them"),
    "analytics.authors": lambda client, _: client.analytics.authors(),
    "analytics.automation": lambda client, _: client.analytics.automation(),
    "analytics.channels": lambda client, _: client.analytics.channels(),
    "analytics.policies": lambda client, _: client.analytics.policies(),
    "analytics.summary": lambda client, _: client.analytics.summary(),
    "analytics.volumes": lambda client, _: client.analytics.volumes(),
    "authors.create": lambda client, _: client.authors.create(external_id="ann", name="Ann", manual_trust_level=3),
    "authors.delete": lambda client, ids: client.authors.delete(id=ids["author_id"]),
    "authors.list": lambda client, ids: ids["author_id"] and client.authors.list(),
    "authors.retrieve": lambda client, ids: client.authors.retrieve(id=ids["author_id"]),
    "authors.update": lambda client, ids: client.authors.update(id=ids["author_id"], email="jo@example.com"),
    "content.submit": lambda client, _: submit(client, author_id="jo"),
    "queue.get_stats": lambda client, ids: client.queue.get_stats(id=ids["queue_id"]),
    "queue.items.list": lambda client, ids: ids["item_id"] and client.queue.items.list(id=ids["queue_id"]),
    "queue.items.resolve": lambda client, ids: client.queue.items.resolve(id=ids["queue_id"], item_id=ids["item_id"]),
    "queue.items.resolve_many": lambda client, ids: client.queue.items.resolve_many(
        id=ids["queue_id"], item_ids=[ids["item_id"], "none"]
    ),
    "queue.items.unresolve": lambda client, ids: client.queue.items.unresolve(
        id=ids["queue_id"], item_id=ids["item_id"]
    ),
    "queue.list": lambda client, _: client.queue.list(),
    "queue.retrieve": lambda client, ids: client.queue.retrieve(id=ids["queue_id"]),
    "webhook_secret.retrieve": lambda client, _: client.webhook_secret.retrieve(),
    "webhooks.create": lambda client, _: client.webhooks.create(
        name="H", url="https://example.com/h", event_types=["AUTHOR_ACTION", "QUEUE_ITEM_COMPLETED"]
    ),
    "webhooks.delete": lambda client, ids: client.webhooks.delete(id=ids["webhook_id"]),
    "webhooks.list": lambda client, ids: ids["webhook_id"] and client.webhooks.list(),
    "webhooks.retrieve": lambda client, ids: client.webhooks.retrieve(id=ids["webhook_id"]),
    "webhooks.update": lambda client, ids: client.webhooks.update(
        id=ids["webhook_id"], name="H", url="https://example.com/i", event_types=["AUTHOR_ACTION"]
    ),
    "wordlist.create": lambda client, _: client.wordlist.create(name="Bad words", words=["Grawlix"]),
    "wordlist.get_embedding_status": lambda client, ids: client.wordlist.get_embedding_status(id=ids["wordlist_id"]),
    "wordlist.list": lambda client, ids: ids["wordlist_id"] and client.wordlist.list(),
    "wordlist.retrieve": lambda client, ids: client.wordlist.retrieve(id=ids["wordlist_id"]),
    "wordlist.update": lambda client, ids: client.wordlist.update(id=ids["wordlist_id"], words=["a", "b"]),
    "wordlist.words.add": lambda client, ids: client.wordlist.words.add(id=ids["wordlist_id"], words=["norb"]),
    "wordlist.words.remove": lambda client, ids: client.wordlist.words.remove(
        id=ids["wordlist_id"], words=["blorb", "florb"]
    ),
}
"""Every call that takes a project's key."""

OF_ORGANIZATIONS: dict[str, Callable[[Client, Ids], Any]] = {
    "account.retrieve": lambda client, _: client.account.retrieve(),
    "projects.api_keys.create": lambda client, ids: client.projects.api_keys.create(
        id=ids["project_id"], name="Second"
    ),
    "channels.create": lambda client, ids: client.channels.create(project_id=ids["project_id"], name="Posts"),
    "channels.delete": lambda client, ids: client.channels.delete(id=ids["channel_id"]),
    "channels.duplicate": lambda client, ids: client.channels.duplicate(id=ids["channel_id"]),
    "channels.list": lambda client, ids: client.channels.list(project_id=ids["project_id"]),
    "channels.retrieve": lambda client, ids: client.channels.retrieve(id=ids["channel_id"]),
    "channels.update": lambda client, ids: client.channels.update(id=ids["channel_id"], flagging_mode="DRY_RUN"),
    "projects.create": lambda client, _: client.projects.create(name="Shop", domain="shop.example"),
    "projects.delete": lambda client, ids: client.projects.delete(id=ids["project_id"]),
    "projects.duplicate": lambda client, ids: client.projects.duplicate(id=ids["project_id"]),
    "projects.list": lambda client, ids: ids["project_id"] and client.projects.list(),
    "projects.retrieve": lambda client, ids: client.projects.retrieve(id=ids["project_id"]),
    "projects.update": lambda client, ids: client.projects.update(id=ids["project_id"], description="Ours"),
}
"""Every call that takes an organization's key."""

LEFT_OUT = {"feedback.create"}
"""Calls that are about the original's vendor, and that nothing here answers."""


def calls_of(client: Client) -> set[str]:
    """Every call that the client has, by its name; those for `async` left out."""
    found = set()
    for name in type(client)._sub_sdk_map:
        resource = getattr(client, name)
        subs = {sub: getattr(resource, sub) for sub in ("items", "words", "api_keys") if hasattr(resource, sub)}
        for path, each in {name: resource, **{f"{name}.{sub}": value for sub, value in subs.items()}}.items():
            methods = [m for m in vars(type(each)) if not m.startswith("_") and not m.endswith("_async")]
            found |= {f"{path}.{method}" for method in methods if callable(getattr(each, method))}
    return found


def test_every_call_that_there_is_is_tried(service: Service) -> None:
    assert calls_of(connect(service, "none")) == OF_PROJECTS.keys() | OF_ORGANIZATIONS.keys() | LEFT_OUT


@pytest.mark.parametrize("name", sorted(OF_PROJECTS))
def test_a_call_with_a_projects_key_is_answered(name: str, ids: Ids) -> None:
    answer = OF_PROJECTS[name](connect(ids.service, ids["project_key"]), ids)
    assert answer is not None
    result = getattr(answer, "result", None)
    if result is not None:
        assert result.data
        assert result.pagination.total == len(result.data)


@pytest.mark.parametrize("name", sorted(OF_ORGANIZATIONS))
def test_a_call_with_an_organizations_key_is_answered(name: str, ids: Ids) -> None:
    answer = OF_ORGANIZATIONS[name](connect(ids.service, ids.service.organization_key), ids)
    assert answer is not None


def test_a_result_has_every_shape_that_the_client_knows(service: Service, ids: Ids) -> None:
    rule = {"key": "r", "conditions": [{"field": "any_flagged", "operator": "is", "value": True}], "action": "reject"}
    ids.manage("PUT", "/channels/{default_channel_id}/rules", {"rules": [rule]})
    client = connect(service, ids["project_key"])
    text = "mail jo@example.com, see https://bit.ly/x or http://paypal.com.example.com/login"
    answer = submit(client, text, author_id="jo", content_id="c1", metadata={"a": 1})
    assert (answer.recommendation.action, answer.recommendation.matched_rules[0].name) == ("reject", "r")
    assert answer.casebook is None
    found = {each.id: each for each in answer.policies}
    assert found["personal_information"].flagged
    assert not found["toxicity"].flagged
    assert [each.match for each in found["personal_information"].matches] == ["jo@example.com"]
    assert found["url"].matches[0].signals.is_link_shortener
    assert answer.author.external_id == "jo"
    parts = {"title": {"type": "text", "text": "so so"}, "photo": {"type": "image", "url": "https://example.com/a.png"}}
    mixed = client.content.submit(content={"type": "object", "data": parts})
    assert (mixed.meta.status, mixed.recommendation.action) == ("partial_success", "reject")
    [second, first] = client.queue.items.list(id=ids["queue_id"], sort="LIFO").result.data
    assert (first.content.text, first.author_id, first.content_id) == (text, "jo", "c1")
    assert {each.label: each for each in first.labels}["url"].matches[0].signals.is_link_shortener
    assert second.content.data["title"].text == "so so"


def test_pages_follow_one_another(service: Service, ids: Ids) -> None:
    client = connect(service, ids["project_key"])
    sent = {submit(client, client_action={"action": "review"}).content.id for _ in range(5)}
    page, seen = client.queue.items.list(id=ids["queue_id"], page_size=2), []
    while page is not None:
        seen += [each.id for each in page.result.data]
        page = page.next()
    assert len(seen) == 5
    assert set(seen) == sent
    both = service.send("GET", ids.fill("/queue/{queue_id}/items?page=1&pageNumber=1"), key=ids["project_key"])
    assert both.status_code == 400


def test_errors_are_of_the_clients_own_classes(service: Service, ids: Ids) -> None:
    client = connect(service, ids["project_key"])
    limited = Ids(service)
    limited.manage("PUT", "/projects/{project_id}", {"rateLimit": 1})
    crowd = connect(service, limited["project_key"])
    submit(crowd)
    cases: list[tuple[Any, Callable[[], Any], str]] = [
        (
            errors.BadRequestError,
            lambda: submit(client, policies=[{"id": "pii", "entities": {"x": {}}}]),
            "BAD_REQUEST",
        ),
        (errors.AuthenticationError, lambda: submit(connect(service, "proj_none")), "UNAUTHORIZED"),
        (errors.PermissionDeniedError, lambda: client.projects.list(), "FORBIDDEN"),
        (errors.NotFoundError, lambda: client.actions.retrieve(id="none"), "NOT_FOUND"),
        (
            errors.ConflictError,
            lambda: client.actions.create(name="Reject", key="reject"),
            "CONFLICT",
        ),
        (errors.RateLimitError, lambda: submit(crowd), "TOO_MANY_REQUESTS"),
    ]
    for kind, call, code in cases:
        with pytest.raises(kind) as caught:
            call()
        data = caught.value.data
        assert data.code == code
        assert data.request_id == caught.value.headers["x-request-id"]
        page, _, part = data.doc_url.partition("#")
        explained = service.http.get(f"{service.url}{page}")
        assert explained.status_code == 200
        assert f'id="{part}"' in explained.text
        if kind is errors.BadRequestError:
            assert data.issues[0].path == ["policies", 0, "entities", "x"]
        if kind is errors.RateLimitError:
            assert 0 < int(caught.value.headers["retry-after"]) < 60
