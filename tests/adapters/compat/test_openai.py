"""OpenAI's moderations, answered in process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from seemly import BUILTIN, Channel, Engine, PolicySettings
from seemly.adapters.compat.openai import CATEGORIES, DEFAULT_MODEL, MAX_INPUTS, ModerationsError, moderate
from seemly.core.content import Audio, Image, Video
from seemly.media.decoding import Capture
from seemly.media.image import Picture
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy, FakeModels, FakeViewer

RUDE, THREAT, HATE = "You fool.", "I will hurt you, fool.", "They are vermin, hurt them."
SCORES: Mapping[str, Mapping[str, float]] = {
    RUDE: {"toxicity": 0.6, "insult": 0.8, "threat": 0.1},
    THREAT: {"toxicity": 0.9, "insult": 0.5, "threat": 0.7, "violence": 0.65},
    HATE: {"toxicity": 0.9, "hate": 0.8, "threat": 0.6, "violence": 0.2},
    "sad": {"self_harm": 0.75},
    "hot": {"sexual": 0.95},
    "damn it": {"profanity": 0.99, "spam": 0.99},
}
UNCOVERED = {"illicit", "illicit/violent", "self-harm/intent", "self-harm/instructions", "sexual/minors"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


class Red:
    """Finds a red picture in every image."""

    def decode(self, part: Image | Video | Audio, capture: Capture) -> Iterable[Picture]:
        yield Picture(np.full((4, 4, 3), (255, 0, 0), np.uint8))


def make(channel: Channel | None = None, *, viewers: Iterable[FakeViewer] = (), **given: Any) -> Engine:
    return Engine(channel, models=FakeModels(SCORES, viewers=list(viewers)), decoders={"image": Red()}, **given)


def ask(given: Any, engine: Engine | None = None) -> dict[str, Any]:
    (result,) = moderate({"input": given}, engine or make())["results"]
    found: dict[str, Any] = result
    return found


def refused(request: Any, engine: Engine | None = None) -> dict[str, Any]:
    with pytest.raises(ModerationsError) as caught:
        moderate(request, engine or make())
    error: dict[str, Any] = {**caught.value.to_dict()["error"], "status": caught.value.status}
    assert set(error) == {"message", "type", "param", "code", "status"}
    return error


def true_of(result: Mapping[str, Any]) -> set[str]:
    return {name for name, flagged in result["categories"].items() if flagged}


def test_a_response_has_openais_shape() -> None:
    response = moderate({"input": RUDE}, make())
    assert response["id"].startswith("modr-")
    assert response["model"] == DEFAULT_MODEL == "omni-moderation-latest"
    (result,) = response["results"]
    assert set(result) == {"flagged", "categories", "category_scores", "category_applied_input_types"}
    names = {
        "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent", "self-harm",
        "self-harm/intent", "self-harm/instructions", "sexual", "sexual/minors", "violence", "violence/graphic",
    }  # fmt: skip
    assert names == set(CATEGORIES)
    assert all(set(result[part]) == names for part in result if part != "flagged")


def test_the_model_is_echoed_and_ids_differ() -> None:
    first, second = (moderate({"input": "a", "model": "text-moderation-stable"}, make()) for _ in range(2))
    assert first["model"] == "text-moderation-stable"
    assert first["id"] != second["id"]


@pytest.mark.parametrize(
    ("text", "flagged", "scores"),
    [
        (RUDE, {"harassment"}, {"harassment": 0.8, "harassment/threatening": 0.1, "hate": 0.0}),
        (
            THREAT,
            {"harassment", "harassment/threatening", "violence"},
            {"harassment": 0.9, "harassment/threatening": 0.7, "violence": 0.65, "hate/threatening": 0.0},
        ),
        (
            HATE,
            {"harassment", "harassment/threatening", "hate", "hate/threatening"},
            {"hate": 0.8, "hate/threatening": 0.6, "violence": 0.2},
        ),
        ("sad", {"self-harm"}, {"self-harm": 0.75}),
        ("hot", {"sexual"}, {"sexual": 0.95}),
        ("damn it", set(), {"harassment": 0.0}),
        ("", set(), {"harassment": 0.0}),
    ],
)
def test_categories_come_from_policies_and_labels(text: str, flagged: set[str], scores: dict[str, float]) -> None:
    result = ask(text)
    assert true_of(result) == flagged
    assert result["flagged"] is bool(flagged)
    assert {name: result["category_scores"][name] for name in scores} == pytest.approx(scores)
    for name, kinds in result["category_applied_input_types"].items():
        assert kinds == ([] if name in UNCOVERED or name == "violence/graphic" else ["text"])


def test_what_is_not_covered_has_no_score() -> None:
    off = Channel(policies=(PolicySettings("violence", enabled=False), PolicySettings("hate", enabled=False)))
    result = ask(HATE, make(off))
    gone = UNCOVERED | {"violence", "violence/graphic", "hate", "hate/threatening"}
    assert {name for name, kinds in result["category_applied_input_types"].items() if not kinds} == gone
    assert all(result["category_scores"][name] == 0.0 and not result["categories"][name] for name in gone)
    assert result["category_scores"]["harassment/threatening"] == pytest.approx(0.6)


def test_the_channels_thresholds_decide() -> None:
    assert not ask(RUDE, make(Channel(policies=(PolicySettings("toxicity", threshold=0.85),))))["flagged"]
    assert not ask(RUDE, make(Channel(flagging_mode="DRY_RUN")))["flagged"]


def test_every_text_of_a_list_has_its_result() -> None:
    results = moderate({"input": [RUDE, "hello", THREAT]}, make())["results"]
    assert [each["flagged"] for each in results] == [True, False, True]


def test_parts_are_one_input() -> None:
    eyes = FakeViewer({"nudity": 0.9, "gore": 0.7})
    result = ask([{"type": "text", "text": RUDE}, PICTURE], make(viewers=[eyes]))
    assert true_of(result) == {"harassment", "sexual", "violence", "violence/graphic"}
    assert result["category_scores"]["violence/graphic"] == pytest.approx(0.7)
    applied = result["category_applied_input_types"]
    assert applied["sexual"] == applied["violence"] == ["text", "image"]
    assert applied["violence/graphic"] == ["image"]
    assert applied["harassment"] == applied["self-harm"] == ["text"]


def test_an_image_alone_applies_to_what_was_looked_for() -> None:
    applied = ask([PICTURE], make(viewers=[FakeViewer({"nudity": 0.9})]))["category_applied_input_types"]
    assert {name: kinds for name, kinds in applied.items() if kinds} == {"sexual": ["image"]}


def test_the_words_in_a_picture_are_read() -> None:
    result = ask([PICTURE], make(viewers=[FakeViewer({"text": 1.0}, [THREAT])]))
    assert true_of(result) == {"harassment", "harassment/threatening", "violence"}
    assert result["category_applied_input_types"]["harassment"] == ["image"]
    assert result["category_applied_input_types"]["violence/graphic"] == []


def test_an_image_that_nothing_looks_at_is_refused() -> None:
    broken = Engine(models=FakeModels(), decoders={})
    off = make(Channel(enable_image_moderation=False), viewers=[FakeViewer({"nudity": 0.9})])
    for engine in (make(), broken, off):
        error = refused({"input": [{"type": "text", "text": RUDE}, PICTURE]}, engine)
        assert (error["status"], error["type"], error["code"]) == (400, "invalid_request_error", "image_not_read")
    assert refused({"input": [PICTURE, PICTURE]}, broken)["param"] == "input[0]"


@pytest.mark.parametrize(
    ("request_", "param"),
    [
        ([], None),
        ({}, "input"),
        ({"input": None}, "input"),
        ({"input": []}, "input"),
        ({"input": 5}, "input"),
        ({"input": [5]}, "input[0]"),
        ({"input": [RUDE, {"type": "text", "text": RUDE}]}, "input[0]"),
        ({"input": [{"type": "text"}]}, "input[0]"),
        ({"input": [{"type": "video_url"}]}, "input[0]"),
        ({"input": [PICTURE, {"type": "image_url"}]}, "input[1]"),
        ({"input": [{"type": "image_url", "image_url": {"url": "/etc/passwd"}}]}, "input[0]"),
        ({"input": [{"type": "image_url", "image_url": "data:,"}]}, "input[0]"),
        ({"input": ["a"] * (MAX_INPUTS + 1)}, "input"),
        ({"input": [{"type": "text", "text": "a"}] * 1_001}, "input"),
        ({"input": "a" * 100_001}, "input"),
        ({"input": "a", "model": 1}, "model"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused(request_: Any, param: str | None) -> None:
    error = refused(request_)
    assert (error["status"], error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert RUDE not in error["message"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_policy_that_fails_is_an_error_of_the_server(strict: bool) -> None:
    others = Registry(spec for spec in BUILTIN if spec.id != "hate")
    engine = make(registry=others | Registry([FailingPolicy.spec("hate", RuntimeError(RUDE))]), strict=strict)
    error = refused({"input": RUDE}, engine)
    assert (error["status"], error["type"]) == (500, "server_error")
    assert RUDE not in error["message"]


def test_the_real_model_tells_rude_from_kind() -> None:
    engine = Engine(tier="fast")
    results = moderate({"input": ["You are a worthless idiot.", "Thanks, that was a lovely game."]}, engine)["results"]
    assert [each["categories"]["harassment"] for each in results] == [True, False]
