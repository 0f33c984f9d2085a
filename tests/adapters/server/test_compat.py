"""The addresses of Perspective API and OpenAI, called over the network by the clients written for them."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')
pytest.importorskip("uvicorn", reason='needs "seemly[server]"')
pytest.importorskip("prometheus_client", reason='needs "seemly[server]"')
pytest.importorskip("openai", reason="needs the client of OpenAI: pip install openai")
pytest.importorskip("googleapiclient", reason="needs the client of Google: pip install google-api-python-client")

import httpx
import openai
import uvicorn
from fastapi import FastAPI
from googleapiclient import discovery
from googleapiclient.errors import HttpError

from seemly.adapters.server.compat import moderations_router, perspective_router
from seemly.core.channel import Channel, PolicySettings
from seemly.core.errors import ForbiddenError, NotFoundError, TooManyRequestsError, UnauthorizedError
from seemly.engine.engine import Engine

KEY = "sk-very-secret"
RUDE, KIND = "You are a worthless idiot.", "Thanks, that was a lovely game."
SCORE_TYPE = {"value": {"type": "number"}, "type": {"type": "string"}}
OBJECT = {"type": "object", "additionalProperties": {"type": "any"}}


def authenticate(key: str, _request: Any) -> str:
    refusals = {"expired": ForbiddenError("the key has expired"), "busy": TooManyRequestsError("too many requests", 7)}
    if key in refusals:
        raise refusals[key]
    if key not in (KEY, "nowhere"):
        raise UnauthorizedError("the key is unknown: make another one")
    return key


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    engine = Engine(Channel(policies=(PolicySettings("spam", enabled=False),)), tier="fast").warm_up()

    def find_engine(caller: str) -> Engine:
        if caller == "nowhere":
            raise NotFoundError("the project is gone")
        return engine

    app = FastAPI()
    app.include_router(perspective_router(authenticate, find_engine, max_body=100_000))
    app.include_router(moderations_router(authenticate, find_engine))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10.0)
    listener.close()


def describe(address: str) -> dict[str, Any]:
    """What Google's clients are told of Perspective API by its discovery document, at another address."""

    def method(name: str, takes: str, gives: str) -> dict[str, Any]:
        return {
            "id": f"commentanalyzer.comments.{name}",
            "path": f"v1alpha1/comments:{name}",
            "flatPath": f"v1alpha1/comments:{name}",
            "httpMethod": "POST",
            "parameters": {},
            "parameterOrder": [],
            "request": {"$ref": takes},
            "response": {"$ref": gives},
        }

    names = (
        "AnalyzeCommentRequest",
        "AnalyzeCommentResponse",
        "SuggestCommentScoreRequest",
        "SuggestCommentScoreResponse",
    )
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": "commentanalyzer:v1alpha1",
        "name": "commentanalyzer",
        "version": "v1alpha1",
        "protocol": "rest",
        "rootUrl": f"{address}/",
        "servicePath": "",
        "baseUrl": f"{address}/",
        "batchPath": "batch",
        "parameters": {
            "key": {"type": "string", "location": "query"},
            "alt": {"type": "string", "location": "query", "default": "json"},
        },
        "schemas": {name: {"id": name, **OBJECT} for name in names},
        "resources": {
            "comments": {"methods": {"analyze": method("analyze", *names[:2]), "suggestscore": method("suggestscore", *names[2:])}}
        },
    }  # fmt: skip


@contextmanager
def perspective(address: str, key: str = KEY) -> Iterator[Any]:
    with discovery.build_from_document(describe(address), developerKey=key) as service, service.comments() as comments:
        yield comments


def ask(text: str, **more: Any) -> dict[str, Any]:
    attributes = {"TOXICITY": {}, "INSULT": {}, "PROFANITY": {}}
    return {"comment": {"text": text}, "requestedAttributes": attributes, "languages": ["en"], **more}


@contextmanager
def moderations(address: str, key: str = KEY) -> Iterator[Any]:
    with openai.OpenAI(api_key=key, base_url=f"{address}/v1", max_retries=0) as client:
        yield client.moderations


def test_googles_client_scores_comments(address: str) -> None:
    with perspective(address) as comments:
        bodies = [ask(text, clientToken="7", doNotStore=True) for text in (RUDE, KIND)]
        rude, kind = (comments.analyze(body=body).execute() for body in bodies)
    assert rude["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.5
    assert kind["attributeScores"]["TOXICITY"]["summaryScore"]["value"] < 0.5
    assert set(rude["attributeScores"]) == {"TOXICITY", "INSULT", "PROFANITY"}
    assert (rude["clientToken"], rude["languages"]) == ("7", ["en"])
    (span,) = rude["attributeScores"]["INSULT"]["spanScores"]
    assert (span["begin"], span["end"]) == (0, len(RUDE))


def test_googles_client_suggests_scores(address: str) -> None:
    body = {"comment": {"text": RUDE}, "attributeScores": {"TOXICITY": {"summaryScore": {"value": 1}}}}
    with perspective(address) as comments:
        assert comments.suggestscore(body={**body, "clientToken": "7"}).execute()["clientToken"] == "7"


@pytest.mark.parametrize(
    ("key", "text", "attribute", "status"),
    [
        (KEY, RUDE, "ATTACK_ON_COMMENTER", 400),
        (KEY, RUDE, "SPAM", 400),
        (KEY, "", "TOXICITY", 400),
        ("wrong", RUDE, "TOXICITY", 401),
        ("expired", RUDE, "TOXICITY", 403),
        ("nowhere", RUDE, "TOXICITY", 404),
        ("busy", RUDE, "TOXICITY", 429),
    ],
)
def test_googles_client_understands_errors(address: str, key: str, text: str, attribute: str, status: int) -> None:
    with perspective(address, key) as comments, pytest.raises(HttpError) as caught:
        comments.analyze(body={**ask(text), "requestedAttributes": {attribute: {}}}).execute()
    assert caught.value.status_code == status
    assert caught.value.reason == json.loads(caught.value.content)["error"]["message"]


def test_openais_client_moderates(address: str) -> None:
    with moderations(address) as client:
        response = client.create(input=[RUDE, KIND], model="omni-moderation-latest")
        parts = client.create(input=[{"type": "text", "text": RUDE}])
    assert [each.flagged for each in response.results] == [True, False]
    assert response.results[0].categories.harassment is True
    assert response.results[0].category_scores.harassment_threatening < 0.5
    assert response.results[0].category_applied_input_types.sexual_minors == []
    assert response.id.startswith("modr-")
    assert type(response).model_validate(response.to_dict(), strict=False)
    assert [each.flagged for each in parts.results] == [True]


@pytest.mark.parametrize(
    ("key", "given", "error"),
    [
        (KEY, [], openai.BadRequestError),
        (KEY, [{"type": "image_url", "image_url": {"url": "ftp://a"}}], openai.BadRequestError),
        ("wrong", RUDE, openai.AuthenticationError),
        ("expired", RUDE, openai.PermissionDeniedError),
        ("nowhere", RUDE, openai.NotFoundError),
        ("busy", RUDE, openai.RateLimitError),
    ],
)
def test_openais_client_understands_errors(
    address: str, key: str, given: Any, error: type[openai.APIStatusError]
) -> None:
    with moderations(address, key) as client, pytest.raises(error) as caught:
        client.create(input=given)
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["message"]
    assert caught.value.response.headers.get("retry-after") == ("7" if key == "busy" else None)


def test_a_key_may_come_in_a_header(address: str) -> None:
    path = f"{address}/v1alpha1/comments:analyze"
    for headers in ({"X-Goog-Api-Key": KEY}, {"Authorization": f"Bearer {KEY}"}):
        assert httpx.post(path, json=ask(RUDE), headers=headers).status_code == 200


def test_a_key_in_the_address_counts_for_perspective_only(address: str) -> None:
    response = httpx.post(f"{address}/v1/moderations", params={"key": KEY}, json={"input": RUDE})
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "invalid_api_key"
    for name in ("analyze", "suggestscore"):
        response = httpx.post(f"{address}/v1alpha1/comments:{name}", json=ask(RUDE))
        assert (response.status_code, response.json()["error"]["status"]) == (401, "UNAUTHENTICATED")


def test_a_key_in_the_address_reaches_no_log(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "uvicorn"):
        for params in ({"key": KEY, "alt": "json"}, {"alt": "json", "key": "sk-wrong"}):
            httpx.post(f"{address}/v1alpha1/comments:analyze", params=params, json=ask(RUDE))
            httpx.get(f"{address}/v1alpha1/comments:suggestscore", params=params)
        for _ in range(100):
            lines = [each.getMessage() for each in caplog.records if each.name == "uvicorn.access"]
            if len(lines) == 4:
                break
            time.sleep(0.01)
    assert len(lines) == 4
    assert all("/v1alpha1/comments" in line and "?alt=json" in line and "sk-" not in line for line in lines)


@pytest.mark.parametrize(
    ("content", "status"), [(b"{", 400), (b"", 400), (b"[]", 400), (b'"\xff"', 400), (b" " * 100_001, 413)]
)
def test_a_body_that_cannot_be_read_is_refused_in_googles_shape(address: str, content: bytes, status: int) -> None:
    response = httpx.post(f"{address}/v1alpha1/comments:analyze", params={"key": KEY}, content=content)
    assert response.status_code == response.json()["error"]["code"] == status
    assert response.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_a_lone_surrogate_in_a_token_comes_back(address: str) -> None:
    body = json.dumps(ask("\ud800 hello", clientToken="\udfff"))
    response = httpx.post(f"{address}/v1alpha1/comments:analyze", params={"key": KEY}, content=body)
    assert response.json()["clientToken"] == "\udfff"
