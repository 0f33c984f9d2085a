"""Every endpoint over HTTP: what it answers, field by field, and whose key opens it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema
import pytest

from seemly.adapters.server.endpoint import Endpoint
from seemly.adapters.server.routes import ENDPOINTS
from tests.support import service_server
from tests.support.service_server import Ids, Service, read_body, serving

CHANNEL = """id projectId key name description isDefault contentType flaggingMode contextEnabled enableImageModeration
    enableVideoModeration enableAudioModeration enableVoiceModeration includeTranscriptInResponse transcriptionQuality
    unicodeSpoofDetectionEnabled frameCaptureInterval maxFramesPerVideo spreadFrames createdAt updatedAt"""
PROJECT = """id name description domain context globalFlaggingMode enableRequestLogging casebookEnabled rateLimit
    retentionDays createdAt updatedAt"""
ACTION = """id key name description type builtIn position filterInQueueIds queueBehaviour possibleValues freeText
    valueRequired createdAt"""
AUTHOR = """id external_id status block trust_level name email company profile_picture external_link first_seen
    last_seen last_incident risk_evaluation metrics metadata"""
QUEUE = "id name description filter totalItemsCount resolvedItemsCount unresolvedItemsCount"
MEMBER = "id name email role createdAt"
ORGANIZATION = "id name plan quota createdAt"
KEY = "id name hint projectId projects channels projectIds createdAt expiresAt stopsAt lastUsedAt"
WEBHOOK = "id projectId name url eventTypes description enabled payloadVersion createdAt"
LISTED = "id key name description projectId channelId createdAt"
WORDLIST = f"{LISTED} mode match mask words"
DELIVERY = "id eventId webhookId state attempts createdAt nextAttemptAt"
RESULT = "content author evaluation recommendation policies insights meta errors"

HAPPY: dict[str, tuple[Any, str]] = {
    "moderate": ({"content": {"type": "text", "text": "bad"}, "authorId": "jo"}, RESULT),
    "moderateImage": ({"url": "https://example.com/a.png"}, "status contentId request flagged labels errors"),
    "executeAction": ({"actionId": "reject", "contentIds": ["{item_id}"]}, "success"),
    "listActions": (None, ACTION),
    "createAction": ({"name": "Thank", "key": "thank", "type": "AUTHOR_CUSTOM"}, ACTION),
    "getAction": (None, ACTION),
    "updateAction": ({"name": "Warn them", "possibleValues": [{"value": "once"}]}, ACTION),
    "deleteAction": (None, "deleted id"),
    "executeActionById": ({"authorIds": ["{author_id}"], "value": "mind"}, "actionId ids success"),
    "listQueues": (None, QUEUE),
    "createQueue": ({"name": "Flagged", "filter": {"isFlagged": "FLAGGED"}}, QUEUE),
    "getQueue": (None, "queue"),
    "updateQueue": ({"description": "All of it"}, QUEUE),
    "deleteQueue": (None, "deleted id"),
    "listItems": (None, "items pagination"),
    "getStats": (None, "actionStats reviewStats topReviewers trends"),
    "resolveItem": ({"comment": "fine"}, "success resolvedAt comment"),
    "unresolveItem": ({}, "success status unresolvedAt"),
    "listAuthors": (None, "authors pagination"),
    "createAuthor": ({"external_id": "ann", "name": "Ann", "manual_trust_level": 3}, AUTHOR),
    "getAuthor": (None, AUTHOR),
    "updateAuthor": ({"email": "jo@example.com", "metadata": {"email_verified": True}}, AUTHOR),
    "deleteAuthor": (None, "success"),
    "eraseAuthor": (None, "success erasedContent"),
    "exportAuthor": (None, "lines"),
    "listProjects": (None, PROJECT),
    "createProject": ({"name": "Shop", "domain": "shop.example", "context": "a market"}, f"{PROJECT} secretKey"),
    "getProject": (None, PROJECT),
    "updateProject": ({"description": "Ours", "rateLimit": 100}, PROJECT),
    "deleteProject": (None, "deleted id"),
    "duplicateProject": ({}, f"{PROJECT} secretKey"),
    "listChannels": (None, CHANNEL),
    "createChannel": ({"name": "Posts", "key": "posts", "contentType": "post"}, CHANNEL),
    "getChannel": (None, CHANNEL),
    "updateChannel": ({"flaggingMode": "DRY_RUN", "maxFramesPerVideo": 1000, "frameCaptureInterval": 0.1}, CHANNEL),
    "deleteChannel": (None, "deleted id"),
    "duplicateChannel": ({}, CHANNEL),
    "getChannelPolicies": (None, "policies"),
    "putChannelPolicies": ({"policies": [{"id": "toxicity", "threshold": 0.9}]}, "policies"),
    "getChannelRules": (None, "rules"),
    "putChannelRules": (
        {"rules": [{"key": "r", "conditions": [{"field": "any_flagged", "operator": "is"}], "action": "reject"}]},
        "rules",
    ),
    "getChannelTriage": (None, "triage"),
    "putChannelTriage": ({"triage": "strict"}, "triage"),
    "getChannelHashlists": (None, "hashlists"),
    "putChannelHashlists": ({"hashlists": []}, "hashlists"),
    "getChannelExpectedLanguages": (None, "expectedLanguages"),
    "putChannelExpectedLanguages": ({"expectedLanguages": ["en"]}, "expectedLanguages"),
    "getChannelExpectedScripts": (None, "expectedScripts"),
    "putChannelExpectedScripts": ({"expectedScripts": ["Latin"]}, "expectedScripts"),
    "getChannelAccurateShare": (None, "accurateShare"),
    "putChannelAccurateShare": ({"accurateShare": 0.5}, "accurateShare"),
    "listWordlists": (None, LISTED),
    "createWordlist": ({"channelId": "{channel_id}", "key": "names", "words": ["Grawlix"]}, WORDLIST),
    "getWordlist": (None, WORDLIST),
    "updateWordlist": ({"mode": "allow", "words": ["a", "b"]}, WORDLIST),
    "deleteWordlist": (None, "deleted id"),
    "getWordlistStatus": (None, "progress remainingWords totalWords"),
    "addWords": ({"words": ["Norb", "blorb"]}, "addedCount totalCount addedWords"),
    "removeWords": ({"words": ["blorb"]}, "removedCount totalCount removedWords"),
    "listWebhooks": (None, WEBHOOK),
    "createWebhook": ({"name": "H", "url": "https://example.com/h", "eventTypes": ["author.action"]}, WEBHOOK),
    "getWebhook": (None, WEBHOOK),
    "updateWebhook": ({"enabled": False}, WEBHOOK),
    "deleteWebhook": (None, "deleted id"),
    "listOwnWebhooks": (None, WEBHOOK),
    "createOwnWebhook": ({"name": "H", "url": "https://example.com/h", "eventTypes": ["AUTHOR_ACTION"]}, WEBHOOK),
    "getOwnWebhookSecret": (None, "secret"),
    "getWebhookSecret": (None, "secret"),
    "rollWebhookSecret": (None, "secret"),
    "listDeliveries": (None, DELIVERY),
    "listAttempts": (None, "id deliveryId number at durationMs url headers payload status body error"),
    "redeliver": (None, DELIVERY),
    "listKeys": (None, KEY),
    "createKey": ({"name": "Reader", "projects": "read", "expiresInDays": 30}, f"{KEY} secret"),
    "createProjectKey": ({"name": "Second"}, f"{KEY} secret"),
    "rollKey": ({"delay": "1h"}, f"{KEY} secret"),
    "deleteKey": (None, "deleted id"),
    "listActivity": (None, "id keyId what targetId at"),
    "getOrganization": (None, ORGANIZATION),
    "updateOrganization": ({"name": "Acme"}, ORGANIZATION),
    "listMembers": (None, MEMBER),
    "addMember": ({"name": "Jo", "email": "jo@example.com", "role": "admin"}, MEMBER),
    "updateMember": ({"role": "owner"}, MEMBER),
    "removeMember": (None, "deleted id"),
    "getAccount": (None, "id paid_plan_name text_api_quota remaining_quota current_project"),
    "checkKey": (None, "status message project"),
    "checkKeyByPost": ({}, "status message project"),
}
"""A body and the fields that are answered, of each endpoint; of a list those of each of its entries."""

EMPTY_LISTS = {"listAttempts"}
"""What is empty, as nothing is delivered here: `test_adapters_server_webhooks` has it full."""

PLACES = {"deleteQueue": {"queue_id": "own_queue_id"}}
"""Where a path's id is not that of the first of its kind."""


def with_endpoints(endpoints: Iterable[Endpoint]) -> pytest.MarkDecorator:
    """A test of each of them."""
    return pytest.mark.parametrize("endpoint", list(endpoints), ids=lambda each: each.name)


every = with_endpoints(ENDPOINTS)
of_projects = with_endpoints(each for each in ENDPOINTS if each.key == "project")
of_organizations = with_endpoints(each for each in ENDPOINTS if each.key == "organization")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def ids(service: Service) -> Ids:
    return Ids(service)


def fill_path(endpoint: Endpoint, ids: Ids) -> str:
    path = endpoint.path
    for name, other in PLACES.get(endpoint.name, {}).items():
        path = path.replace(f"{{{name}}}", f"{{{other}}}")
    return ids.fill(path)


def key_for(endpoint: Endpoint, ids: Ids) -> str:
    return ids.service.organization_key if endpoint.key == "organization" else ids["project_key"]


@every
def test_it_answers_with_exactly_its_fields(endpoint: Endpoint, ids: Ids) -> None:
    body, fields = HAPPY[endpoint.name]
    prepare = {
        "listWordlists": "wordlist_id",
        "listWebhooks": "webhook_id",
        "listOwnWebhooks": "webhook_id",
        "listDeliveries": "delivery_id",
    }
    if endpoint.name in prepare:
        ids[prepare[endpoint.name]]
    answer = ids.service.send(endpoint.method, fill_path(endpoint, ids), ids.fill(body), key_for(endpoint, ids))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    jsonschema.validate(told, endpoint.gives)
    entries = told if isinstance(told, list) else [told]
    assert entries or endpoint.name in EMPTY_LISTS
    for each in entries:
        assert set(each) == set(fields.split())


def test_a_channel_has_the_interfaces_fields() -> None:
    assert len(CHANNEL.split()) == len(set(CHANNEL.split())) == 21


@every
@pytest.mark.parametrize(
    "header", ["", "Bearer", "Basic am86", "Bearer proj_wrong", "Bearer ключ", "Bearer " + 9_000 * "k"]
)
def test_without_a_key_that_holds_it_is_401(endpoint: Endpoint, header: str, service: Service) -> None:
    """Whatever the path names and the body is."""
    headers = {"Authorization": header.encode()} if header else {}
    path = endpoint.path.replace("{", "").replace("}", "")
    answer = service.send(endpoint.method, path, None, None, headers=headers, content=b"not JSON")
    read_body(answer, 401, "UNAUTHORIZED")
    assert answer.headers["www-authenticate"] == "Bearer"


@of_organizations
def test_a_projects_key_does_not_manage(endpoint: Endpoint, service: Service) -> None:
    """Also where the path names nothing, and the body is no JSON."""
    path = endpoint.path.replace("{", "").replace("}", "")
    told = read_body(service.send(endpoint.method, path, None, content=b"{"), 403, "FORBIDDEN")
    assert "project secret key" in told["message"]


@of_projects
def test_an_organizations_key_does_not_moderate(endpoint: Endpoint, service: Service) -> None:
    path = endpoint.path.replace("{", "").replace("}", "")
    answer = service.send(endpoint.method, path, None, service.organization_key, content=b"{")
    assert "organization key" in read_body(answer, 403, "FORBIDDEN")["message"]


@with_endpoints(each for each in ENDPOINTS if "{" in each.path)
def test_what_is_not_there_is_404(endpoint: Endpoint, service: Service) -> None:
    path = endpoint.path.replace("{", "").replace("}", "")
    key = service.organization_key if endpoint.key == "organization" else service.project_key
    body, _ = HAPPY[endpoint.name]
    body = {"authorIds": ["nobody"]} if endpoint.name == "executeActionById" else body
    read_body(service.send(endpoint.method, path, body, key), 404, "NOT_FOUND")


@with_endpoints(each for each in ENDPOINTS if "{" in each.path and not each.path.startswith(("/keys", "/members")))
def test_what_is_anothers_is_404(endpoint: Endpoint, service: Service, ids: Ids) -> None:
    """By another project's key, or one that is limited to another project."""
    path, (body, _) = fill_path(endpoint, ids), HAPPY[endpoint.name]
    limited = service.issue(projects="write", channels="write", project_ids=(service.project_id,)).secret
    answer = service.send(
        endpoint.method, path, ids.fill(body), service.project_key if endpoint.key == "project" else limited
    )
    if endpoint.name in ("duplicateProject", "createProjectKey"):
        read_body(answer, *((403, "FORBIDDEN") if endpoint.name == "duplicateProject" else (404, "NOT_FOUND")))
    else:
        read_body(answer, 404, "NOT_FOUND")


NEEDED = {"projects": "projects", "channels": "channels", "wordlists": "channels", "webhooks": "projects"}
"""The resource whose permission opens the endpoints of a tag; the others need both."""


@of_organizations
def test_a_key_that_lacks_the_permission_is_403(endpoint: Endpoint, service: Service, ids: Ids) -> None:
    path, (body, _) = fill_path(endpoint, ids), HAPPY[endpoint.name]
    reads = endpoint.method == "GET" and endpoint.name != "getWebhookSecret"
    poor: list[dict[str, Any]] = [{"projects": "write"}, {"channels": "write"}]
    if endpoint.tag in NEEDED:
        needed = NEEDED[endpoint.tag]
        other = {"projects": "channels", "channels": "projects"}[needed]
        poor = [{other: "write"}, *([] if reads else [{other: "write", needed: "read"}])]
    for access in poor:
        answer = service.send(endpoint.method, path, ids.fill(body), service.issue(**access).secret)
        assert "lacks the permission" in read_body(answer, 403, "FORBIDDEN")["message"]


@of_organizations
def test_a_key_with_just_the_permission_is_enough(endpoint: Endpoint, service: Service, ids: Ids) -> None:
    """Write includes read."""
    path, (body, _) = fill_path(endpoint, ids), HAPPY[endpoint.name]
    reads = endpoint.method == "GET" and endpoint.name != "getWebhookSecret"
    levels = ("read", "write") if reads and endpoint.tag in NEEDED else ("write",)
    resources = (NEEDED[endpoint.tag],) if endpoint.tag in NEEDED else ("projects", "channels")
    for level in levels:
        key = service.issue(**dict.fromkeys(resources, level)).secret
        answer = service.send(endpoint.method, path, ids.fill(body), key)
        assert answer.status_code == 200, answer.text


@with_endpoints(each for each in ENDPOINTS if each.key != "project" and each.path != "/auth")
def test_without_an_enterprise_plan_nothing_is_managed(endpoint: Endpoint, service: Service) -> None:
    path = endpoint.path.replace("{", "").replace("}", "")
    service.change_organization(plan="standard")
    try:
        answer = service.send(endpoint.method, path, HAPPY[endpoint.name][0], service.organization_key)
    finally:
        service.change_organization(plan="enterprise")
    assert "Enterprise" in read_body(answer, 403, "FORBIDDEN")["message"]


def test_the_models_of_these_tests_flag() -> None:
    assert service_server.MODELS.scorer("fast").score(["bad"], ["toxicity"], [0.5])[0, 0] > 0.9
