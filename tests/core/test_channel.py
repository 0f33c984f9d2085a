import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.channel import PRESETS, Calibration, Channel, Condition, PolicySettings, Rule, Triage, Wordlist
from seemly.core.errors import ConfigError
from tests.support.strategies import channels

SPEC_FIELDS = {
    "key", "name", "description", "contentType", "flaggingMode", "contextEnabled", "enableImageModeration",
    "enableVideoModeration", "enableAudioModeration", "enableVoiceModeration", "includeTranscriptInResponse",
    "transcriptionQuality", "unicodeSpoofDetectionEnabled", "frameCaptureInterval", "maxFramesPerVideo", "spreadFrames",
}  # fmt: skip


def test_the_wire_form_has_every_field_of_the_spec() -> None:
    assert set(Channel().dump()) >= SPEC_FIELDS


def test_defaults() -> None:
    channel = Channel(key="comments")
    assert (channel.flagging_mode, channel.context_enabled, channel.enable_voice_moderation) == ("ACTIVE", False, False)
    assert (channel.enable_image_moderation, channel.enable_video_moderation, channel.enable_audio_moderation) == (
        True,
    ) * 3
    assert (channel.frame_capture_interval, channel.max_frames_per_video) == (1.0, 20)
    assert (channel.triage.review, channel.triage.reject) == (0.5, 0.9)
    assert channel.unicode_spoof_detection_enabled


@given(channels())
def test_a_channel_survives_the_wire_and_pickling(channel: Channel) -> None:
    wire = json.loads(json.dumps(channel.dump()))
    assert Channel.parse(wire) == channel
    assert pickle.loads(pickle.dumps(channel)) == channel
    assert hash(Channel.parse(wire)) == hash(channel)
    jsonschema.validate(wire, Channel.json_schema())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("frame_capture_interval", 0.09),
        ("frame_capture_interval", 60.1),
        ("frame_capture_interval", float("nan")),
        ("frame_capture_interval", "1"),
        ("max_frames_per_video", 0),
        ("max_frames_per_video", 1001),
        ("max_frames_per_video", 1.5),
        ("max_frames_per_video", True),
        ("flagging_mode", "active"),
        ("transcription_quality", "BEST"),
        ("content_type", "tweet"),
        ("key", ""),
        ("key", "k" * 101),
        ("key", None),
        ("context_enabled", "yes"),
        ("policies", [PolicySettings("url")]),
        ("policies", ("url",)),
        ("policies", (PolicySettings("url"), PolicySettings("url"))),
        ("wordlists", (Wordlist("a"), Wordlist("a"))),
        ("rules", (Rule("a", (), "allow"), Rule("a", (), "allow"))),
        ("triage", "strict"),
        ("expected_scripts", ("",)),
    ],
)
def test_a_bad_value_is_refused_where_it_is_given(field: str, value: Any) -> None:
    given: dict[str, Any] = {field: value}
    with pytest.raises(ConfigError) as caught:
        Channel(**given)
    assert [issue.path for issue in caught.value.issues] == [field]


@pytest.mark.parametrize(("low", "high"), [(0.1, 60), (0.5, 1)])
def test_bounds_are_inclusive(low: float, high: float) -> None:
    assert Channel(frame_capture_interval=low).frame_capture_interval == low
    assert Channel(frame_capture_interval=high).frame_capture_interval == high
    assert Channel(max_frames_per_video=1000).max_frames_per_video == 1000


def test_every_problem_is_reported_at_once_with_its_path() -> None:
    wire = {
        "key": "x",
        "maxFramesPerVideo": 5000,
        "flaggingMode": "maybe",
        "colour": "blue",
        "triage": {"review": 0.9, "reject": 0.5},
        "policies": [{"id": "url", "threshold": 2}, {"id": ""}],
        "rules": [
            {
                "key": "a",
                "action": "ban",
                "conditions": [{"field": "severity", "operator": "in", "value": 3}, {"field": "x", "operator": "like"}],
            }
        ],
    }
    with pytest.raises(ConfigError) as caught:
        Channel.parse(wire)
    assert {issue.path for issue in caught.value.issues} == {
        "maxFramesPerVideo", "flaggingMode", "colour", "triage.review", "policies.0.threshold", "policies.1.id",
        "rules.0.action", "rules.0.conditions.0.value", "rules.0.conditions.1.operator",
    }  # fmt: skip


@pytest.mark.parametrize(
    "wire",
    [
        {"maxFramesPerVideo": True},
        {"maxFramesPerVideo": "5"},
        {"contextEnabled": "off"},
        {"contextEnabled": 1},
        {"frameCaptureInterval": "1e1"},
        {"policies": [{"id": "url", "threshold": "0.5"}]},
        {"policies": [{"id": "url", "options": {"at": object()}}]},
    ],
)
def test_a_value_of_another_kind_is_refused_rather_than_read_as_one(wire: Any) -> None:
    with pytest.raises(ConfigError):
        Channel.parse(wire)


@pytest.mark.parametrize("wire", [None, [], "key", 3])
def test_what_is_no_mapping_is_refused(wire: Any) -> None:
    with pytest.raises(ConfigError, match="mapping"):
        Channel.parse(wire)


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_may_be_given_by_name(name: str) -> None:
    wire = {"key": "x", "triage": name}
    assert Channel.parse(wire).triage == PRESETS[name]
    jsonschema.validate(wire, Channel.json_schema())


def test_an_unknown_preset_is_reported_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="balanced"):
        Channel.parse({"key": "x", "triage": "relaxed"})


@pytest.mark.parametrize(
    ("name", "thresholds"),
    [
        ("strict", (0.40, 0.70)),
        ("balanced", (0.50, 0.90)),
        ("forgiving", (0.70, 0.95)),
        ("skip_reviewing", (0.75, 0.75)),
        ("always_review", (0.50, 1.0)),
        ("review_everything", (0.0, 1.0)),
        ("allow_everything", (1.0, 1.0)),
    ],
)
def test_presets(name: str, thresholds: tuple[float, float]) -> None:
    assert (PRESETS[name].review, PRESETS[name].reject) == thresholds


def test_json_and_toml_files_say_the_same(tmp_path: Path) -> None:
    channel = Channel(
        key="market",
        policies=(PolicySettings("url", flag=True, options={"allow": ["example.com"]}),),
        wordlists=(Wordlist("brands", ("Rolex*",)),),
        rules=(Rule("r", (Condition("severity", "at_least", 0.8),), "reject"),),
        triage=Triage(0.3, 0.6),
    )
    as_json, as_toml = tmp_path / "channel.json", tmp_path / "channel.toml"
    as_json.write_text(json.dumps(channel.dump()), encoding="utf-8")
    as_toml.write_text(
        'key = "market"\n[triage]\nreview = 0.3\nreject = 0.6\n[[policies]]\nid = "url"\nflag = true\n'
        'options = { allow = ["example.com"] }\n[[wordlists]]\nkey = "brands"\nwords = ["Rolex*"]\n'
        '[[rules]]\nkey = "r"\naction = "reject"\n'
        '[[rules.conditions]]\nfield = "severity"\noperator = "at_least"\nvalue = 0.8\n',
        encoding="utf-8",
    )
    assert Channel.load(as_json) == Channel.load(as_toml) == channel


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_a_broken_file_is_a_config_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "channel.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        Channel.load(path)


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Channel.load(tmp_path / "none.toml")


def test_options_cannot_be_changed_through_what_they_were_made_of() -> None:
    options = {"allow": ["a.example"]}
    settings = PolicySettings("url", options=options)
    options["allow"].append("b.example")
    assert settings.options == {"allow": ("a.example",)}
    with pytest.raises(TypeError):
        settings.options["allow"] = ()  # type: ignore[index]


@pytest.mark.parametrize(
    ("probability", "expected"), [(0.0, 0.1), (0.2, 0.1), (0.4, 0.5), (0.3, 0.3), (0.9, 0.9), (1.0, 0.9)]
)
def test_calibration_is_linear_between_its_points(probability: float, expected: float) -> None:
    calibration = Calibration((0.2, 0.4, 0.8), (0.1, 0.5, 0.9))
    assert calibration(probability) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "mapped"),
    [((0.2, 0.1), (0.1, 0.2)), ((0.1, 0.2), (0.5, 0.4)), ((0.1, 0.2, 0.3), (0.5, 0.6)), ((0.1,), (0.1,))],
)
def test_a_calibration_must_be_monotone(scores: tuple[float, ...], mapped: tuple[float, ...]) -> None:
    with pytest.raises(ConfigError):
        Calibration(scores, mapped)


@given(
    st.lists(st.integers(0, 1_000).map(lambda n: n / 1_000), min_size=2, max_size=6, unique=True).map(sorted),
    st.lists(st.integers(0, 1_000).map(lambda n: n / 1_000), min_size=6, max_size=6).map(sorted),
    st.floats(0, 1),
)
def test_the_least_score_for_a_probability_is_mapped_to_it(xs: list[float], ys: list[float], wanted: float) -> None:
    calibration = Calibration(tuple(xs), tuple(ys[: len(xs)]))
    least = calibration.find_least(wanted)
    assert calibration(least) >= wanted - 1e-6 or least == 1.0
    assert least == 0.0 or calibration(least * 0.999 - 1e-9) <= wanted + 1e-6
