"""Sounds to utterances: what is said comes out whole, with its time, and nothing where nobody speaks."""

from __future__ import annotations

import io
import struct
import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import DecodeError

pytest.importorskip("av", reason='needs "seemly[media]"')
pytest.importorskip("pocketsphinx", reason='needs "seemly[media]"')

import av

from seemly.adapters.audio.decoder import AudioDecoder, AudioLimits
from seemly.adapters.audio.voice_activity import SpeechActivity
from seemly.core.content import Audio, Image, Video
from seemly.media.decoding import Capture
from seemly.media.speech import RATE, Sound
from tests.support.hostile_media import film, hostile, recording, remux, silence, speech, wav

KINDS = [
    ("wav", "pcm_s16le", 8_000, "mono"),
    ("wav", "pcm_s16le", 16_000, "mono"),
    ("wav", "pcm_f32le", 48_000, "stereo"),
    ("wav", "pcm_u8", 11_025, "mono"),
    ("mp3", "libmp3lame", 44_100, "stereo"),
    ("ogg", "libopus", 48_000, "stereo"),
    ("webm", "libopus", 48_000, "mono"),
    ("flac", "flac", 44_100, "stereo"),
    ("mp4", "aac", 44_100, "stereo"),
    ("ipod", "alac", 44_100, "mono"),
    ("adts", "aac", 44_100, "stereo"),
    ("aiff", "pcm_s16be", 22_050, "mono"),
    ("caf", "pcm_s16be", 44_100, "5.1"),
    ("au", "pcm_s16be", 44_100, "mono"),
    ("avi", "pcm_s16le", 44_100, "stereo"),
    ("mpegts", "mp2", 48_000, "stereo"),
    ("flv", "libmp3lame", 44_100, "mono"),
]


def talk(rate: int = RATE) -> np.ndarray:
    """Two utterances, at 1 and at 4 seconds, of 2 and 1.5 seconds."""
    return np.concatenate(
        [silence(1, rate), speech(2, rate), silence(1, rate), speech(1.5, rate, pitch=200), silence(1, rate)]
    )


def heard(source: object, limits: AudioLimits | None = None) -> list[Sound]:
    decoder = AudioDecoder() if limits is None else AudioDecoder(limits)
    return list(decoder.decode(Audio(source), Capture()))


def spans(sounds: Sequence[Sound]) -> list[tuple[int, int]]:
    return [(sound.time_ms, sound.time_ms + sound.duration_ms) for sound in sounds]


def cut(samples: np.ndarray, sizes: Sequence[int] = (10_000_000,)) -> list[Sound]:
    """The utterances in samples that come in pieces of those sizes, over and over."""
    activity = SpeechActivity()
    found = []
    at = 0
    while at < len(samples):
        for size in sizes:
            found += activity.push(samples[at : at + size])
            at += size
    return found + activity.end()


def loudness(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


@pytest.mark.parametrize(("kind", "codec", "rate", "layout"), KINDS)
def test_every_kind_is_read(kind: str, codec: str, rate: int, layout: str) -> None:
    sounds = heard(recording(kind, codec, talk(rate), rate, layout))
    assert [begin for begin, _ in spans(sounds)] == pytest.approx([1_000, 4_000], abs=100)
    assert [end for _, end in spans(sounds)] == pytest.approx([3_200, 5_700], abs=150)
    for sound, seconds, pitch in zip(sounds, (2, 1.5), (120, 200), strict=True):
        assert sound.samples.dtype == np.int16
        assert sound.samples.ndim == 1
        assert loudness(sound.samples[: int(seconds * RATE)]) == pytest.approx(
            loudness(speech(seconds, pitch=pitch)), rel=0.2
        )


@pytest.mark.parametrize("channels", [1, 2, 3, 7, 8])
def test_channels_are_mixed(channels: int) -> None:
    (sound,) = heard(wav(speech(2), channels=channels))
    assert loudness(sound.samples[:RATE]) == pytest.approx(loudness(speech(2)[:RATE]), rel=0.2)


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(silence(3), id="silence"),
        pytest.param(silence(0.1), id="a moment"),
        pytest.param(np.full(3 * RATE, 1_000, np.int16), id="constant"),
        pytest.param(np.random.default_rng(1).normal(0, 30, 3 * RATE).astype(np.int16), id="hiss"),
        pytest.param((np.arange(3 * RATE) % 4_000 == 0).astype(np.int16) * 20_000, id="clicks"),
    ],
)
def test_where_nobody_speaks_there_is_no_utterance(samples: np.ndarray) -> None:
    assert heard(wav(samples)) == []


@pytest.mark.parametrize("level", [0.3, 2.5])
def test_quiet_and_loud_speech_is_heard(level: float) -> None:
    said = np.concatenate([silence(1), speech(1.5, pitch=200), silence(1)]) * level
    ((begin, end),) = spans(cut(np.clip(said, -32_768, 32_767).astype(np.int16)))
    assert begin == pytest.approx(1_000, abs=100)
    assert end == pytest.approx(2_700, abs=200)


def test_speech_until_the_end_is_heard_to_the_end() -> None:
    ((begin, end),) = spans(cut(np.concatenate([silence(1), speech(2.01)])))
    assert begin == pytest.approx(1_000, abs=100)
    assert end == pytest.approx(3_010, abs=40)


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(1, 20_000), min_size=1, max_size=8))
def test_how_samples_are_spread_over_calls_changes_nothing(sizes: Sequence[int]) -> None:
    whole, parts = cut(talk()), cut(talk(), sizes if sum(sizes) > 500 else [*sizes, 500])
    assert spans(whole) == spans(parts)
    for one, other in zip(whole, parts, strict=True):
        assert (one.samples == other.samples).all()


def test_a_long_utterance_is_cut_where_it_is_quiet_and_nothing_is_lost() -> None:
    pause = int(13.5 * RATE)
    said = speech(40)
    said[pause : pause + RATE // 10] //= 100
    sounds = cut(said)
    assert all(200 <= sound.duration_ms <= 15_400 for sound in sounds)
    assert sounds[0].duration_ms == pytest.approx(13_550, abs=60)
    for one, other in pairwise(sounds):
        assert one.time_ms + one.duration_ms == other.time_ms
    assert (np.concatenate([sound.samples for sound in sounds]) == said[sounds[0].time_ms * RATE // 1000 :]).all()


def test_the_open_utterance_can_be_looked_at() -> None:
    activity = SpeechActivity()
    assert activity.pending() is None
    activity.push(np.concatenate([silence(1), speech(2)]))
    pending = activity.pending()
    assert pending is not None
    assert pending.time_ms == pytest.approx(1_000, abs=100)
    assert pending.duration_ms == pytest.approx(1_700, abs=150)
    (sound,) = activity.end()
    assert (sound.samples[: len(pending.samples)] == pending.samples).all()
    assert activity.pending() is None


def test_an_utterance_is_given_before_the_rest_is_read() -> None:
    class Counting(io.BytesIO):
        furthest = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.furthest = max(self.furthest, self.tell())
            return data

    data = wav(np.concatenate([talk(), silence(600)]))
    file = Counting(data)
    sounds = AudioDecoder().decode(Audio(file), Capture())
    next(sounds)
    assert file.furthest < len(data) / 4
    sounds.close()


@pytest.mark.parametrize("kind", ["matroska", "mpegts"])
def test_a_gap_in_the_recording_moves_what_comes_after(kind: str) -> None:
    def leave_gap(packet: Any) -> Any:
        unit = float(packet.time_base)
        if packet.pts * unit > 3.5:
            packet.pts += round(10 / unit)
            packet.dts = packet.pts
        return packet

    gapped = remux(recording("matroska", "mp2", talk(48_000), 48_000), kind, leave_gap)
    assert [begin for begin, _ in spans(heard(gapped))] == pytest.approx([1_000, 14_000], abs=100)


@pytest.mark.parametrize("start", [0, 48_000, 480_000_000])
def test_times_count_from_the_first_sample(start: int) -> None:
    data = recording("matroska", "libopus", talk(48_000), 48_000, start=start)
    assert [begin for begin, _ in spans(heard(data))] == pytest.approx([1_000, 4_000], abs=100)


def test_sound_whose_rate_changes_is_read_on() -> None:
    data = recording("mp3", "libmp3lame", talk(44_100), 44_100, "stereo")
    data += recording("mp3", "libmp3lame", talk(22_050), 22_050)
    assert len(heard(data)) == 4


def test_of_a_video_the_sound_track_is_taken() -> None:
    assert [begin for begin, _ in spans(heard(film(sound=talk())))] == pytest.approx([1_000, 4_000], abs=100)


def test_tags_in_any_encoding_cost_nothing() -> None:
    data = wav(talk())
    tags = b"LIST" + struct.pack("<I", 16) + b"INFOINAM" + struct.pack("<I", 4) + b"\xff\xfe\x80\x81"
    assert len(heard(data[:36] + tags + data[36:])) == 2


def test_of_several_streams_the_one_that_players_start_with_is_taken() -> None:
    out = io.BytesIO()
    with av.open(out, "w", format="matroska") as container:
        streams = [container.add_stream("pcm_s16le", rate=RATE) for _ in range(2)]
        for stream, name in zip(streams, ("comment", "default"), strict=True):
            stream.layout = "mono"
            stream.disposition = av.stream.Disposition[name]
        for stream, samples in zip(streams, (silence(6), talk()), strict=True):
            for at in range(0, len(samples), 1_000):
                frame = av.AudioFrame.from_ndarray(samples[None, at : at + 1_000], format="s16", layout="mono")
                frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
                container.mux(stream.encode(frame))
    assert len(heard(out.getvalue())) == 2


@pytest.mark.parametrize(
    ("data", "limits", "gives", "why"),
    [
        (wav(talk()), AudioLimits(max_bytes=1_000), 0, "more than 1,000 bytes"),
        (wav(talk()), AudioLimits(max_seconds=3.5), 1, "longer than 3.5 seconds"),
        (wav(talk(), rate=100), AudioLimits(), 0, "only sound of 2,000 to 800,000 samples a second"),
        (film(), AudioLimits(), 0, "no sound in the recording"),
        (wav(silence(0)), AudioLimits(), 0, "no sample of the sound"),
        (b"hello", AudioLimits(), 0, "no whole video or sound of a known kind"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, limits: AudioLimits, gives: int, why: str) -> None:
    sounds = AudioDecoder(limits).decode(Audio(data), Capture())
    found = [next(sounds) for _ in range(gives)]
    assert len(found) == gives
    with pytest.raises(DecodeError, match=why):
        next(sounds)


@pytest.mark.parametrize("part", [Image(b""), Video(b"")])
def test_only_sounds_are_read(part: Image | Video) -> None:
    with pytest.raises(DecodeError, match=f"only sounds are read here, not {part.type}"):
        list(AudioDecoder().decode(part, Capture()))


def test_what_is_damaged_in_the_middle_gives_the_rest_and_an_error() -> None:
    data = bytearray(recording("mp4", "aac", talk()))
    begin = data.index(b"mdat") + 4
    middle = begin + (data.index(b"moov") - begin) // 2
    data[middle : middle + 3_000] = b"\xff" * 3_000
    sounds = AudioDecoder().decode(Audio(bytes(data)), Capture())
    first = next(sounds)
    assert first.time_ms == pytest.approx(1_000, abs=100)
    with pytest.raises(DecodeError, match="audio are damaged"):
        list(sounds)


@pytest.mark.parametrize(
    "tail", [b"TAG" + bytes(125), b"LYRICSBEGIN" + b"hello " * 100 + b"000600LYRICS200", bytes(5_000)]
)
def test_what_stands_after_the_sound_costs_nothing(tail: bytes) -> None:
    assert len(heard(recording("mp3", "libmp3lame", talk()) + tail)) == 2


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in hostile()])
def test_a_hostile_file_gives_speech_or_a_clear_error(data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    begun = time.process_time()
    try:
        assert all(isinstance(sound, Sound) for sound in heard(data))
    except DecodeError as error:
        assert len(str(error)) > 15
    assert time.process_time() - begun < 10
    assert capfd.readouterr() == ("", "")
