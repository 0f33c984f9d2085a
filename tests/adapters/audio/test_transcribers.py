"""Speech written down: by PocketSphinx, from sentences that eSpeak NG says, and by a Whisper model of random weights."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from benchmarks.speech import count_errors, split_words
from benchmarks.speech import say as speak

from seemly.adapters.audio import sphinx, whisper
from seemly.adapters.audio.sphinx import SphinxTranscriber, Word, join_words
from seemly.adapters.audio.whisper import WhisperTranscriber
from seemly.core.errors import ModelError
from seemly.media.speech import RATE, Segment, Sound, Transcriber

needs_sphinx = pytest.mark.skipif(find_spec("pocketsphinx") is None, reason='needs "seemly[media]"')
needs_whisper = pytest.mark.skipif(find_spec("faster_whisper") is None, reason='needs "seemly[whisper]"')
needs_voice = pytest.mark.skipif(find_spec("espeakng_loader") is None, reason="needs espeakng-loader, which speaks")

SPHINX = SphinxTranscriber()
NOISE = np.random.default_rng(1).integers(-3000, 3000, 2 * RATE).astype(np.int16)


def say(text: str, voice: str = "gmw/en-US+f3") -> np.ndarray:
    """A text as it is said, with a little noise, which every microphone has."""
    spoken = speak(text, voice) * 12_000
    return (spoken + np.random.default_rng(1).normal(size=len(spoken)) * 20).astype(np.int16)


def hush(seconds: float) -> np.ndarray:
    return np.random.default_rng(2).normal(size=round(seconds * RATE), scale=20).astype(np.int16)


def texts(segments: list[Segment]) -> list[str]:
    return [segment.text for segment in segments]


def check_places(segments: list[Segment], sound: Sound) -> None:
    """Every segment lies within its sound, after the one before it."""
    end = sound.time_ms
    for segment in segments:
        assert end <= segment.start_ms < segment.end_ms <= sound.time_ms + sound.duration_ms
        assert 0.0 < segment.probability <= 1.0
        end = segment.end_ms


@pytest.mark.parametrize(
    ("words", "segments"),
    [
        ([], []),
        ([Word("<s>", 0, 20, 1.0), Word("<sil>", 21, 80, 1.0), Word("</s>", 81, 90, 1.0)], []),
        ([Word("[NOISE]", 0, 20, 1.0), Word("[SPEECH]", 21, 90, 1.0)], []),
        ([Word("hello", 10, 29, 0.5)], [Segment("hello", 5100, 5300, 0.5)]),
        (
            [Word("the(2)", 10, 19, 0.25), Word("don't", 20, 29, 0.5), Word("stop(12)", 30, 39, 0.75)],
            [Segment("the don't stop", 5100, 5400, 0.5)],
        ),
        (
            [Word("<s>", 0, 9, 1.0), Word("go", 10, 19, 1.0), Word("<sil>", 20, 69, 0.1), Word("on", 70, 79, 0.5)],
            [Segment("go on", 5100, 5800, 0.75)],
        ),
        (
            [Word("go", 10, 19, 1.0), Word("<sil>", 20, 70, 1.0), Word("on", 71, 79, 0.5), Word("</s>", 80, 90, 1.0)],
            [Segment("go", 5100, 5200, 1.0), Segment("on", 5710, 5800, 0.5)],
        ),
    ],
    ids=["nothing", "silence", "noise", "word", "variants", "short pause", "long pause"],
)
def test_words_make_segments(words: list[Word], segments: list[Segment]) -> None:
    assert join_words(words, 5000) == segments


@needs_sphinx
class TestSphinx:
    def test_it_is_a_transcriber(self) -> None:
        assert isinstance(SPHINX, Transcriber)

    @needs_voice
    def test_a_pause_parts_segments(self) -> None:
        first, second = say("one two three four five"), say("the people of the united states")
        sound = Sound(np.concatenate([hush(0.5), first, hush(1.5), second, hush(0.5)]), 60_000)
        found = SPHINX.transcribe(sound)
        check_places(found, sound)
        before = [segment for segment in found if segment.start_ms < 60_500 + len(first) / 16 + 750]
        after = found[len(before) :]
        assert before
        assert after
        assert {"one", "two", "three"} <= set(" ".join(texts(before)).split())
        assert {"people", "states"} & set(" ".join(texts(after)).split())
        assert before[0].start_ms == pytest.approx(60_500, abs=250)
        assert before[-1].end_ms == pytest.approx(60_500 + len(first) / 16, abs=400)
        assert after[0].start_ms == pytest.approx(62_000 + len(first) / 16, abs=250)
        assert after[-1].end_ms == pytest.approx(62_000 + (len(first) + len(second)) / 16, abs=400)

    @pytest.mark.parametrize("length", [0, 1, 2, 160, 409, 410, 411, 1000, RATE])
    def test_silence_says_nothing(self, length: int) -> None:
        assert SPHINX.transcribe(Sound(np.zeros(length, np.int16))) == []

    @pytest.mark.parametrize(
        "samples",
        [NOISE, NOISE[:1], NOISE[:500], np.full(RATE, 32_767, np.int16), np.tile(np.array([32_767, -32_768], np.int16), RATE)],
        ids=["noise", "one sample", "a click", "direct current", "square wave"],
    )  # fmt: skip
    def test_any_sound_can_be_heard(self, samples: np.ndarray) -> None:
        sound = Sound(samples, 1000)
        check_places(SPHINX.transcribe(sound), sound)

    @needs_voice
    def test_what_was_heard_before_changes_nothing(self) -> None:
        sound = Sound(say("what are you doing"))
        alone = SphinxTranscriber().transcribe(sound)
        SPHINX.transcribe(Sound(NOISE))
        assert alone
        assert SPHINX.transcribe(sound) == alone

    @needs_voice
    def test_threads_hear_what_each_would_alone(self) -> None:
        sounds = [Sound(say(text)) for text in ("what are you doing", "twenty two", "this is very important", "seven")]
        alone = [SPHINX.transcribe(sound) for sound in sounds]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(SPHINX.transcribe, sounds * 2)) == alone * 2

    @needs_voice
    def test_it_pickles(self) -> None:
        sound = Sound(say("what are you doing"))
        assert pickle.loads(pickle.dumps(SPHINX)).transcribe(sound) == SPHINX.transcribe(sound)
        assert len(pickle.dumps(SPHINX)) < 200


@pytest.mark.parametrize(
    ("said", "written", "errors"),
    [
        ("Call me, please!", "call me please", 0),
        ("it is twenty two dollars", "It's $22.", 2),
        ("five five five, one two", "555 12", 2),
        ("mister Smith said okay", "Mr. Smith said OK", 0),
        ("one two three", "", 3),
        ("one two three", "two three four five", 3),
    ],
)
def test_the_benchmark_counts_wrong_words(said: str, written: str, errors: int) -> None:
    assert count_errors(split_words(said), split_words(written)) == errors


def test_sphinx_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sphinx, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match=r'pip install "seemly\[media\]"'):
        SphinxTranscriber().warm_up()
    with pytest.raises(ModelError, match=r'pip install "seemly\[media\]"'):
        SphinxTranscriber().transcribe(Sound(NOISE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_whisper = pytest.importorskip("tiny_whisper", reason='needs "seemly[whisper]"', exc_type=ImportError)
    made: Path = tmp_path_factory.mktemp("speech-tiny")
    tiny_whisper.save(made)
    return made


@needs_whisper
class TestWhisper:
    @pytest.mark.parametrize("quality", ["SPEED", "BALANCED", "ACCURACY"])
    def test_a_folder_is_read_without_a_socket(
        self, folder: Path, quality: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("a socket was opened")

        monkeypatch.setattr(socket, "socket", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        transcriber = WhisperTranscriber(folder, quality=quality)
        assert isinstance(transcriber, Transcriber)
        transcriber.warm_up()
        sound = Sound(NOISE, 1000)
        found = transcriber.transcribe(sound)
        assert found
        assert all(text == text.strip() != "" for text in texts(found))
        check_places(found, sound)
        assert transcriber.transcribe(sound) == found

    def test_a_long_sound_is_read_to_its_end(self, folder: Path) -> None:
        sound = Sound(np.resize(NOISE, 40 * RATE), 500)
        found = WhisperTranscriber(folder).transcribe(sound)
        check_places(found, sound)
        assert found[-1].start_ms > 20_000

    @pytest.mark.parametrize("length", [0, 1, 160, 400])
    def test_a_moment_is_heard(self, folder: Path, length: int) -> None:
        sound = Sound(NOISE[:length], 1000)
        check_places(WhisperTranscriber(folder).transcribe(sound), sound)

    def test_threads_hear_what_each_would_alone(self, folder: Path) -> None:
        transcriber = WhisperTranscriber(str(folder))
        sounds = [Sound(NOISE[start:], start) for start in (0, 4000, 8000, 12_000)]
        alone = [transcriber.transcribe(sound) for sound in sounds]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(transcriber.transcribe, sounds * 2)) == alone * 2

    def test_it_pickles_as_its_settings(self, folder: Path) -> None:
        transcriber = WhisperTranscriber(folder, quality="SPEED", language="en", compute_type="float32", threads=2)
        transcriber.warm_up()
        again = pickle.loads(pickle.dumps(transcriber))
        assert again.__reduce__()[0].keywords == transcriber.__reduce__()[0].keywords
        assert again.__reduce__()[0].keywords == {
            "quality": "SPEED", "language": "en", "compute_type": "float32", "threads": 2
        }  # fmt: skip
        assert again.transcribe(Sound(NOISE)) == transcriber.transcribe(Sound(NOISE))

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
    def test_a_forked_child_reads_its_own_copy_and_ends(self, folder: Path) -> None:
        script = f"""
import os, sys
import numpy as np
from seemly.adapters.audio.whisper import WhisperTranscriber
from seemly.media.speech import Sound

transcriber, idle = WhisperTranscriber({str(folder)!r}), WhisperTranscriber({str(folder)!r})
sound = Sound(np.random.default_rng(1).integers(-3000, 3000, 16_000).astype(np.int16))
found = transcriber.transcribe(sound)
idle.warm_up()
child = os.fork()
if not child:
    sys.exit(0 if transcriber.transcribe(sound) == found else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
        ended = subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=120, check=False)
        assert ended.returncode == 0

    def test_a_language_that_the_model_does_not_know_is_refused(self, folder: Path) -> None:
        with pytest.raises(ModelError, match="does not know the language 'de'"):
            WhisperTranscriber(folder, language="de").warm_up()

    def test_a_way_to_calculate_that_is_none_is_refused(self, folder: Path) -> None:
        with pytest.raises(ModelError, match="not as int3"):
            WhisperTranscriber(folder, compute_type="int3").warm_up()

    @pytest.mark.parametrize("name", ["model.bin", "config.json", "tokenizer.json"])
    def test_a_damaged_file_is_told(self, folder: Path, tmp_path: Path, name: str) -> None:
        for path in folder.iterdir():
            (tmp_path / path.name).write_bytes(b"damaged" if path.name == name else path.read_bytes())
        with pytest.raises(ModelError, match="cannot be opened"):
            WhisperTranscriber(tmp_path).warm_up()


@pytest.mark.parametrize("name", ["model.bin", "config.json", "tokenizer.json"])
def test_whisper_says_which_file_is_missing(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whisper, "find_spec", lambda _: pytest.fail("it looked for the package first"))
    for other in {"model.bin", "config.json", "tokenizer.json"} - {name}:
        (tmp_path / other).touch()
    with pytest.raises(ModelError, match=f"lacks {name}: put a whole Whisper model"):
        WhisperTranscriber(tmp_path).warm_up()


def test_whisper_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whisper, "find_spec", lambda _: None)
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).touch()
    with pytest.raises(ModelError, match=r'pip install "seemly\[whisper\]"'):
        WhisperTranscriber(tmp_path).warm_up()
