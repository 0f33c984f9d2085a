"""Content that is not text, from decoder to decision, with fakes for what looks and listens."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from seemly.core.channel import Channel, Condition, Hashlist, PolicySettings, Rule
from seemly.core.content import Audio, ClientAction, Image, Object, Submission, Text, Video
from seemly.core.errors import ConfigError, DecodeError, FetchError, ModelError, PolicyFailed
from seemly.engine.engine import Engine
from seemly.engine.explain import Explanation
from seemly.engine.result import Failure, ModerationResult
from seemly.media.decoding import Capture, Piece
from seemly.media.image import IMAGE_LABELS, DetectedText, ImageAnalysis, ImageModel, Picture, Region
from seemly.media.providers import MediaModels
from seemly.media.speech import RATE, Segment, Sound, Transcriber
from seemly.policies.builtin import BUILTIN
from seemly.policies.known_images import spec_of
from seemly.testing import FakeModels, FakeTranscriber, FakeViewer, check_policy

RED = np.zeros((8, 8, 3), np.uint8)
RED[..., 0] = 255
GREY = np.full((8, 8, 3), 100, np.uint8)
SECOND = np.zeros(RATE, np.int16)
RUDE = {"you idiot": {"toxicity": 0.97, "insult": 0.9}, "you\nidiot": {"toxicity": 0.97}}


class WordPieceTokenizer:
    """Gives what the source lists; what is an exception is raised."""

    def decode(self, part: Any, capture: Capture) -> Iterator[Piece]:
        for piece in part.source:
            if isinstance(piece, Exception):
                raise piece
            yield piece


class Counting(FakeViewer):
    """Counts the pictures that it was shown."""

    seen = 0

    def look(self, pictures: Sequence[Any]) -> list[ImageAnalysis]:
        self.seen += len(pictures)
        return super().look(pictures)


class Broken:
    labels: tuple[str, ...] = ("gore",)
    asked = 0

    def look(self, pictures: Sequence[Any]) -> list[ImageAnalysis]:
        self.asked += 1
        raise RuntimeError("secret content")

    def warm_up(self) -> None: ...


class Picky(FakeViewer):
    """Fails at pictures that are not red."""

    def __init__(self) -> None:
        super().__init__({"nudity": 0.98})

    def look(self, pictures: Sequence[Any]) -> list[ImageAnalysis]:
        if any(picture[0, 0, 0] < 200 for picture in pictures):
            raise ValueError("not red")
        return super().look(pictures)


class Lines:
    """Hears one line after the other, each a second long, a second after the sound's beginning."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines

    def transcribe(self, sound: Sound) -> list[Segment]:
        starts = range(sound.time_ms, sound.time_ms + 1000 * len(self.lines), 1000)
        return [Segment(line, start, start + 900, 0.8) for line, start in zip(self.lines, starts, strict=True)]

    def warm_up(self) -> None: ...


class Brightness:
    """Hashes a picture to 32 times its first byte; black ones are too plain."""

    def hash(self, picture: Any) -> bytes | None:
        first = int(picture[0, 0, 0])
        return bytes([first] * 32) if first else None


DECODERS = {"image": WordPieceTokenizer(), "video": WordPieceTokenizer(), "audio": WordPieceTokenizer()}


def engine(
    channel: Channel | None = None,
    *viewers: ImageModel,
    transcriber: Transcriber | None = None,
    hasher: Any = None,
    scores: Any = None,
    **settings: Any,
) -> Engine:
    models = FakeModels(scores or RUDE, viewers=viewers, transcriber=transcriber, hasher=hasher)
    return Engine(channel, models=models, decoders=DECODERS, **settings)


def frames(*pixels: Any) -> Video:
    return Video([Picture(each, 1000 * at) for at, each in enumerate(pixels)])


NUDE = {"nudity": 0.98, "suggestive": 0.4}


def test_what_is_seen_feeds_the_policy_that_it_speaks_for() -> None:
    result = engine(None, FakeViewer(NUDE)).moderate(Image([Picture(RED)]))
    assert result["sexual"].probability == 0.98
    assert {label.id: label.probability for label in result["sexual"].labels} == NUDE
    assert result.recommendation.action == "reject"
    (match,) = result["sexual"].matches
    assert (match.match, match.box, match.span, match.time_ms) == ("a nudity", (0.0, 0.0, 0.5, 0.5), (0, 0), None)
    assert result["toxicity"].probability == 0.0
    assert result.content.modified is None
    assert result.meta.usage == 3


@pytest.mark.parametrize(
    ("label", "policy"),
    [
        ("gore", "violence"),
        ("violence", "violence"),
        ("hate", "hate"),
        ("self_harm", "self_harm"),
        ("nudity", "sexual"),
    ],
)
def test_each_label_that_harms_flags_one_policy(label: str, policy: str) -> None:
    result = engine(None, FakeViewer({label: 0.9})).moderate(Image([Picture(RED)]))
    assert [each.id for each in result.policies if each.flagged] == [policy]


@pytest.mark.parametrize("label", ["suggestive", "weapon", "smoking", "drugs", "alcohol"])
def test_labels_that_only_tell_flag_nothing(label: str) -> None:
    result = engine(None, FakeViewer({label: 0.9})).moderate(Image([Picture(RED)]))
    assert not result.evaluation.flagged
    assert [(each.label, each.score) for each in result.media[0].labels] == [(label, 0.9)]


def test_labels_that_nothing_looks_for_are_said_to_be_uncovered() -> None:
    (media,) = engine(None, FakeViewer(NUDE)).moderate(Image([Picture(GREY)])).media
    assert {each.label: each.score for each in media.labels} == {"nudity": 0.0, "suggestive": 0.0}
    assert media.uncovered == tuple(label for label in IMAGE_LABELS if label not in NUDE)


def test_several_models_are_taken_together() -> None:
    result = engine(None, FakeViewer({"nudity": 0.3, "gore": 0.8}), FakeViewer({"nudity": 0.6})).moderate(
        Image([Picture(RED)])
    )
    assert {each.label: each.score for each in result.media[0].labels} == {"nudity": 0.6, "gore": 0.8}
    assert len(result.media[0].regions) == 3


def test_nothing_that_looks_is_a_failure_that_names_the_extras() -> None:
    result = engine().moderate(Image([Picture(RED)]))
    assert [failure.id for failure in result.errors] == ["decode:image", "hate", "violence", "sexual", "self_harm"]
    assert "seemly[nudity,ocr]" in result.errors[0].message
    assert result.recommendation.action == "review"


def test_a_model_that_fails_costs_its_own_policy_and_is_not_asked_for_ever() -> None:
    broken = Broken()
    result = engine(None, broken, FakeViewer(NUDE)).moderate(frames(*[RED] * 40))
    assert [failure.id for failure in result.errors] == ["decode:video", "violence"]
    assert result.errors[0].message == "raised RuntimeError"
    assert result["sexual"].probability == 0.98
    with pytest.raises(PolicyFailed):
        result["violence"]
    assert broken.asked < 10


def test_a_model_that_fails_at_one_picture_still_sees_the_others() -> None:
    result = engine(None, Picky()).moderate(frames(RED, GREY, RED))
    assert [match.time_ms for match in result.media[0].regions] == [0, 2000]
    assert [failure.id for failure in result.errors] == ["decode:video", "sexual"]
    assert result.evaluation.severity_score > 0.9


@pytest.mark.parametrize(
    "sight",
    [
        None,
        ImageAnalysis({"gore": 1.5}),
        ImageAnalysis({"gore": float("nan")}),
        ImageAnalysis({"gore": np.float32(0.5)}),  # type: ignore[dict-item]
        ImageAnalysis({"something": 0.5}),
        ImageAnalysis({}, (Region("gore", "blood", 0.5, (0.5, 0.5, 0.9, 0.9)),)),
        ImageAnalysis({}, (), (DetectedText("x", 2.0, (0.0, 0.0, 1.0, 1.0)),)),
    ],
    ids=["none", "large", "nan", "numpy", "label", "box", "writing"],
)
def test_a_model_that_says_what_cannot_be_is_a_failed_model(sight: Any) -> None:
    class Odd:
        labels = ("gore",)

        def look(self, pictures: Sequence[Any]) -> list[ImageAnalysis]:
            return [sight for _ in pictures]

        def warm_up(self) -> None: ...

    result = engine(None, Odd(), FakeViewer(NUDE)).moderate(Image([Picture(RED)]))
    assert [failure.id for failure in result.errors] == ["decode:image", "violence"]
    assert "a model of images gave" in result.errors[0].message
    assert result["sexual"].probability == 0.98
    result.to_json(extended=True)


@pytest.mark.parametrize(("on_failure", "action"), [("allow", "review"), ("review", "review"), ("reject", "reject")])
@pytest.mark.parametrize("content", [Image([Picture(GREY)]), Image([DecodeError("damaged")])], ids=["blind", "damaged"])
def test_a_failure_is_never_milder_than_the_policy_says(content: Any, on_failure: Any, action: str) -> None:
    class Blind(Broken):
        labels = ("nudity",)

    channel = Channel(policies=(PolicySettings("sexual", on_failure=on_failure),))
    assert engine(channel, Blind()).moderate(content).recommendation.action == action


def test_a_damaged_image_is_not_milder_than_one_in_which_nothing_is_found() -> None:
    rule = Rule("r", (Condition("policy.url.flagged", "is", False),), "reject")
    made = engine(Channel(rules=(rule,)), FakeViewer(NUDE))
    assert made.moderate(Image([Picture(GREY)])).recommendation.action == "reject"
    assert made.moderate(Image([DecodeError("damaged")])).recommendation.action == "reject"


def test_what_nothing_looks_for_is_said_in_the_policy_too() -> None:
    result = engine(None, FakeViewer({"text": 0.9})).moderate(Image([Picture(RED)]))
    assert result["sexual"].data == {"looked_for": False}
    assert engine(None, FakeViewer(NUDE)).moderate(Image([Picture(RED)]))["sexual"].data is None


def test_writing_that_stands_still_counts_once() -> None:
    viewer = FakeViewer({"text": 0.9}, ("see https://example.com/offer",))
    result = engine(None, viewer).moderate(frames(RED, RED, RED, GREY, RED))
    assert [match.time_ms for match in result["url"].matches] == [0, 4000]


def test_text_beyond_the_longest_is_read_in_parts() -> None:
    made = engine(None)
    result = made.moderate(Image([Text("x" * 99_990 + " write to jo@example.com, soon")]))
    long = made.moderate(Image([Text("x " * 60_000 + "write to jo@example.com")]))
    assert [match.match for match in long["personal_information"].matches] == ["jo@example.com"]
    assert result.errors == ()


def test_speech_that_cannot_be_written_down_leaves_what_was() -> None:
    class Once:
        def transcribe(self, sound: Sound) -> list[Segment]:
            if sound.time_ms:
                raise DecodeError("too noisy")
            return [Segment("you idiot", 0, 500)]

        def warm_up(self) -> None: ...

    made = engine(Channel(include_transcript_in_response=True), transcriber=Once())
    result = made.moderate(Audio([Sound(SECOND, 0), Sound(SECOND, 9_000), Sound(SECOND, 19_000)]))
    assert result.content.transcript == "you idiot"
    assert [each.message for each in result.errors] == ["too noisy"]
    assert result["toxicity"].flagged


def test_a_strict_stream_gives_the_results_before_a_failure() -> None:
    made = engine(None, FakeViewer(NUDE), strict=True)
    stream = made.moderate_many(["hello", "there", Image([DecodeError("damaged")])])
    assert [next(stream).recommendation.action for _ in range(2)] == ["allow", "allow"]
    with pytest.raises(PolicyFailed, match="damaged"):
        next(stream)


def test_a_broken_model_of_ones_own_keeps_nobody_else_from_looking(tmp_path: Any) -> None:
    pytest.importorskip("PIL", reason='needs "seemly[image]"')
    (tmp_path / "image-mine").mkdir()
    (tmp_path / "image-mine" / "manifest.json").write_text("{}", encoding="utf-8")
    senses = MediaModels(roots=lambda: [tmp_path])
    assert any(isinstance(each, ImageModel) for each in senses.viewers())
    with pytest.raises(ModelError, match="image-mine"):
        senses.viewers()[-1].look([])


def test_text_in_images_goes_through_the_policies_of_texts() -> None:
    writings = ("you", "idiot", "call 020 7946 0958", "see https://example.com/offer")
    result = engine(
        None, FakeViewer({"text": 0.9}, writings), scores={"\n".join(writings): {"toxicity": 0.97}}
    ).moderate(Image([Picture(RED)]))
    assert result["toxicity"].probability == pytest.approx(0.97)
    assert result["toxicity"].flagged
    (found,) = result["toxicity"].matches
    assert found.box == pytest.approx((0.0, 0.0, 1.0, 1.0))
    (link,) = result["url"].matches
    assert link.match == "https://example.com/offer"
    assert link.box == pytest.approx((0.0, 0.75, 1.0, 0.25))
    assert any(match.entity_type == "phone" for match in result["personal_information"].matches)
    assert not result.content.masked
    assert result.media[0].texts == writings
    labels = {each.label: each.score for each in result.media[0].labels}
    assert labels["text"] == 0.9
    assert labels["toxic"] == pytest.approx(0.97)
    assert "toxic" not in result.media[0].uncovered


def test_frames_are_told_apart_by_time() -> None:
    result = engine(None, FakeViewer(NUDE)).moderate(frames(GREY, GREY, RED, GREY, RED))
    assert [match.time_ms for match in result["sexual"].matches] == [2000, 4000]
    assert [region.time_ms for region in result.media[0].regions if region.label == "nudity"] == [2000, 4000]
    assert result.media[0].pictures == 5
    wire = result.to_dict(extended=True)
    assert wire["media"][0]["type"] == "video"
    assert wire["policies"][0]["matches"][0]["time_ms"] == 2000
    assert "media" not in result.to_dict()


class Whole:
    """Says of a picture as a whole what it is, without regions."""

    labels = ("gore",)

    def look(self, pictures: Sequence[Any]) -> list[ImageAnalysis]:
        return [ImageAnalysis({"gore": 0.9 if picture[0, 0, 0] > 200 else 0.1}) for picture in pictures]

    def warm_up(self) -> None: ...


def test_a_picture_without_regions_is_found_as_a_whole() -> None:
    result = engine(None, Whole()).moderate(frames(GREY, RED))
    (match,) = result["violence"].matches
    assert (match.box, match.time_ms, match.probability) == ((0.0, 0.0, 1.0, 1.0), 1000, 0.9)


@pytest.mark.parametrize(
    ("channel", "settings", "looked"),
    [
        (Channel(), {"early_exit": True}, 4),
        (Channel(), {}, 40),
        (Channel(rules=(Rule("r", (Condition("severity", "at_least", 0.9),), "allow"),)), {"early_exit": True}, 40),
        (Channel(policies=(PolicySettings("sexual", flag=False),)), {"early_exit": True}, 40),
        (Channel(policies=(PolicySettings("sexual", weight=0.5),)), {"early_exit": True}, 40),
        (Channel(policies=(PolicySettings("sexual", max_action="review"),)), {"early_exit": True}, 40),
    ],
)
def test_a_sure_reject_ends_the_looking_only_where_asked_to(channel: Channel, settings: Any, looked: int) -> None:
    viewer = Counting(NUDE)
    video = frames(*[RED] * 40)
    engine(channel, viewer, **settings).moderate(video)
    assert viewer.seen == looked


def test_what_the_client_overrides_is_looked_at_whole() -> None:
    viewer = Counting(NUDE)
    submission = Submission(content=frames(*[RED] * 8), client_action=ClientAction("allow", "override"))
    engine(None, viewer, early_exit=True).moderate(submission)
    assert viewer.seen == 8


def test_early_exit_never_changes_the_action() -> None:
    video = frames(*[GREY] * 5, *[RED] * 5)
    early = engine(None, FakeViewer(NUDE), early_exit=True).moderate(video)
    whole = engine(None, FakeViewer(NUDE)).moderate(video)
    assert early.recommendation == whole.recommendation
    assert early.media[0].pictures < whole.media[0].pictures


def test_what_came_before_a_fault_counts() -> None:
    result = engine(None, FakeViewer(NUDE)).moderate(
        Video([Picture(RED, 0), DecodeError("the video is damaged"), Picture(RED, 1)])
    )
    assert result["sexual"].flagged
    assert [(each.id, each.message) for each in result.errors] == [("decode:video", "the video is damaged")]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DecodeError("the image is damaged"), "the image is damaged"),
        (FetchError("the URL could not be fetched"), "the URL could not be fetched"),
        (RuntimeError("secret"), "raised RuntimeError"),
    ],
)
def test_only_our_own_words_are_told_of_a_failure(error: Exception, message: str) -> None:
    result = engine(None, FakeViewer(NUDE)).moderate(Object({"face": Image([error]), "bio": "you idiot"}))
    assert [(each.id, each.message) for each in result.errors] == [("decode:face", message)]
    assert result["toxicity"].flagged_fields == ("bio",)


def test_speech_is_written_down_and_moderated_with_its_time() -> None:
    lines = Lines("hello there", "you idiot", "my mail is jo@example.com")
    text = "hello there you idiot my mail is jo@example.com"
    channel = Channel(include_transcript_in_response=True)
    result = engine(channel, transcriber=lines, scores={text: {"toxicity": 0.9}}).moderate(
        Audio([Sound(SECOND, 5_000)])
    )
    assert result.content.transcript == text
    assert result["toxicity"].flagged
    assert [match.time_ms for match in result["toxicity"].matches] == [5_000]
    (mail,) = result["personal_information"].matches
    assert (mail.match, mail.time_ms, mail.box) == ("jo@example.com", 7_000, None)
    assert result.media[0].speech_ms == 1_000
    assert result.to_dict()["content"]["transcript"] == text
    assert engine(transcriber=lines).moderate(Audio([Sound(SECOND, 0)])).content.transcript is None


def test_a_pause_starts_a_new_text() -> None:
    scores = {"you idiot": {"toxicity": 0.9}}
    said = engine(transcriber=FakeTranscriber("you idiot"), scores=scores)
    result = said.moderate(Audio([Sound(SECOND, 0), Sound(SECOND, 20_000)]))
    assert [match.time_ms for match in result["toxicity"].matches] == [0, 20_000]


def test_without_a_transcriber_the_pictures_of_a_video_still_count() -> None:
    class Silent:
        def transcribe(self, sound: Sound) -> list[Segment]:
            raise DecodeError("nothing hears")

        def warm_up(self) -> None: ...

    video = Video([Picture(RED, 0), Sound(SECOND, 0), Sound(SECOND, 2000)])
    result = engine(None, FakeViewer(NUDE), transcriber=Silent()).moderate(video)
    assert result["sexual"].flagged
    assert [each.message for each in result.errors] == ["nothing hears"]


@pytest.mark.parametrize("kind", ["image", "video", "audio"])
def test_kinds_that_the_channel_does_not_moderate_are_not_opened(kind: str) -> None:
    content = {"image": Image, "video": Video, "audio": Audio}[kind]([RuntimeError("must not be opened")])
    channel = Channel(**{f"enable_{kind}_moderation": False})
    result = engine(channel).moderate(Object({"media": content, "bio": "hello"}))
    assert result.errors == (Failure("decode:media", f"the channel has moderation of {kind} switched off"),)
    assert result.media == ()
    assert result.recommendation.action == "review"


def test_an_object_of_every_kind_tells_which_fields_flagged() -> None:
    result = engine(None, FakeViewer(NUDE), transcriber=FakeTranscriber("you idiot")).moderate(
        Object(
            {
                "name": "Jo",
                "avatar": Image([Picture(RED)]),
                "greeting": Audio([Sound(SECOND, 0)]),
                "clip": Video([Picture(GREY, 0), Sound(SECOND, 0)]),
            }
        )
    )
    assert result["sexual"].flagged_fields == ("avatar",)
    assert result["toxicity"].flagged_fields == ("greeting", "clip")
    assert {match.field for match in result["toxicity"].matches} == {"greeting", "clip"}
    assert [(each.type, each.field) for each in result.media] == [
        ("image", "avatar"), ("audio", "greeting"), ("video", "clip"),
    ]  # fmt: skip
    assert result.meta.usage == 6


class TestKnownImages:
    NEAR = "ff" * 31 + "fe"
    LISTED = ("00" * 32, "ff" * 32)

    def moderate(self, *lists: Hashlist, pixels: Any = RED, viewer: FakeViewer | None = None) -> ModerationResult:
        made = engine(Channel(hashlists=lists), viewer or FakeViewer(NUDE), hasher=Brightness())
        return made.moderate(Image([Picture(pixels)]))

    def test_a_blocked_image_is_rejected(self) -> None:
        result = self.moderate(Hashlist("known", (self.NEAR, *self.LISTED)), pixels=RED)
        assert result["hash:known"].flagged
        assert [dict(match.signals or {}) for match in result["hash:known"].matches] == [
            {"entry": 3, "distance": 0}, {"entry": 1, "distance": 1},
        ]  # fmt: skip
        assert result["hash:known"].matches[0].box == (0.0, 0.0, 1.0, 1.0)
        assert result.recommendation.action == "reject"

    def test_others_are_not(self) -> None:
        result = self.moderate(Hashlist("known", self.LISTED), pixels=GREY)
        assert result["hash:known"].probability == 0.0
        assert result.recommendation.action == "allow"

    def test_a_caption_on_an_allowed_image_is_read(self) -> None:
        viewer = FakeViewer({"text": 0.9}, ("you", "idiot"))
        assert self.moderate(Hashlist("ours", self.LISTED, mode="allow"), viewer=viewer)["toxicity"].flagged

    def test_an_allowed_image_is_not_looked_at(self) -> None:
        viewer = Counting(NUDE)
        result = self.moderate(Hashlist("ours", self.LISTED, mode="allow"), viewer=viewer)
        assert viewer.seen == 0
        assert result.recommendation.action == "allow"
        assert result["hash:ours"].matches[0].flagging is False
        assert not result["hash:ours"].flagged

    @pytest.mark.parametrize(("distance", "found"), [(0, False), (1, True)])
    def test_the_distance_is_the_lists_own(self, distance: int, found: bool) -> None:
        result = self.moderate(Hashlist("known", (self.NEAR,), distance=distance))
        assert result["hash:known"].flagged is found

    def test_plain_pictures_have_no_hash(self) -> None:
        result = self.moderate(Hashlist("known", self.LISTED), pixels=np.zeros((8, 8, 3), np.uint8))
        assert not result["hash:known"].flagged

    def test_a_list_in_a_file(self, tmp_path: Any) -> None:
        path = tmp_path / "known.txt"
        path.write_text("# ours\n" + "\n".join(self.LISTED) + "\n", encoding="utf-8")
        assert self.moderate(Hashlist("known", file=str(path)))["hash:known"].flagged

    @pytest.mark.parametrize(
        "made", [lambda _: Hashlist("k", ("zz" * 32,)), lambda path: Hashlist("k", file=str(path / "not there"))]
    )
    def test_lists_that_cannot_be_read_are_told_when_the_engine_is_built(self, made: Any, tmp_path: Any) -> None:
        with pytest.raises(ConfigError, match="hash"):
            engine(Channel(hashlists=(made(tmp_path),)))

    def test_no_hasher_is_a_failure_and_the_picture_is_looked_at(self) -> None:
        class Nothing:
            def hash(self, picture: Any) -> bytes | None:
                raise DecodeError("nothing hashes")

        made = engine(Channel(hashlists=(Hashlist("known", self.LISTED),)), FakeViewer(NUDE), hasher=Nothing())
        result = made.moderate(frames(*[RED] * 9))
        assert [each.id for each in result.errors] == ["decode:video", "hash:known"]
        assert result.errors[0].message == "nothing hashes"
        assert result["sexual"].flagged

    def test_the_policy_behaves(self) -> None:
        check_policy(spec_of(Hashlist("known", self.LISTED)))


@pytest.mark.parametrize("spec", [spec for spec in BUILTIN if "image" in spec.leaves], ids=lambda spec: spec.id)
def test_policies_of_images_behave(spec: Any) -> None:
    check_policy(spec)


def test_rules_can_read_what_is_seen() -> None:
    rule = Rule("weapons", (Condition("label.violence.weapon", "at_least", 0.5),), "reject")
    made = engine(Channel(rules=(rule,)), FakeViewer({"weapon": 0.8}))
    assert made.moderate(Image([Picture(RED)])).recommendation.action == "reject"
    assert made.moderate(Image([Picture(GREY)])).recommendation.action == "allow"
    assert made.moderate("hello").recommendation.action == "allow"


def test_engines_with_senses_pickle_as_what_they_were_made_of() -> None:
    made = engine(None, FakeViewer(NUDE))
    assert pickle.loads(pickle.dumps(made)).moderate(Image([Picture(RED)]))["sexual"].flagged


def test_a_batch_of_images_gives_what_each_gives_alone() -> None:
    made = engine(None, FakeViewer(NUDE, ("you", "idiot")))
    contents = [Image([Picture(RED)]), Text("you idiot"), Image([Picture(GREY)]), frames(GREY, RED)]
    batch = list(made.moderate_many(contents))
    for content, result in zip(contents, batch, strict=True):
        assert result.policies == made.moderate(content).policies


def test_results_of_media_show_and_explain() -> None:
    made = engine(None, FakeViewer(NUDE, ("you", "<b>idiot</b>")))
    result = made.moderate(Image([Picture(RED)]))
    page = result._repr_html_()
    assert "nudity" in page
    assert "<b>idiot" not in page
    explanation = made.explain(Image([Picture(RED)]))
    assert isinstance(explanation, Explanation)
    assert "sexual" in explanation.decision


def test_an_explanation_names_the_field_that_carried_it() -> None:
    made = engine(None, FakeViewer({"text": 0.9}, ("you", "idiot")))
    profile = Object({"bio": "I like gardening and tea", "avatar": Image([Picture(RED)])})
    words = next(each.words for each in made.explain(profile).policies if each.policy == "toxicity")
    assert words[0].field == "avatar"
    assert sum(word.share for word in words) <= 1.0 + 1e-6


def test_a_url_without_a_fetcher_is_a_failure_that_says_so() -> None:
    class Fetching:
        def decode(self, part: Any, capture: Capture) -> Iterator[Piece]:
            capture.get(part.source)
            yield Picture(RED)

    models = FakeModels(viewers=[FakeViewer(NUDE)])
    alone = Engine(models=models, decoders={"image": Fetching()})
    content = {"type": "image", "url": "https://example.com/secret.png"}
    result = alone.moderate(content)
    assert "fetch" in result.errors[0].message
    assert "secret" not in result.errors[0].message
    asked: list[str] = []

    def fetch(url: str, _max_bytes: int | None) -> bytes:
        asked.append(url)
        return b""

    given = Engine(models=models, decoders={"image": Fetching()}, fetch=fetch)
    assert given.moderate(content)["sexual"].flagged
    assert asked == ["https://example.com/secret.png"]
