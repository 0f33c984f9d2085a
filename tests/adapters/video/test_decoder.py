"""Videos to frames and speech: the right frames at the right times, whatever the file says of itself."""

from __future__ import annotations

import io
import os
import random
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import DecodeError

pytest.importorskip("av", reason='needs "seemly[media]"')
pytest.importorskip("pocketsphinx", reason='needs "seemly[media]"')

import av
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from seemly.adapters.audio.container import Track
from seemly.adapters.video.decoder import VideoDecoder, VideoLimits
from seemly.core.content import Audio, Image, Video
from seemly.media.decoding import Capture
from seemly.media.image import Picture
from seemly.media.speech import Sound
from tests.support.hostile_media import film, hostile, playlists, read_shade, recording, remux, shades, silence, speech

KINDS = [
    ("mp4", "mpeg4"),
    ("mp4", "libx264"),
    ("matroska", "libx264"),
    ("webm", "libvpx"),
    ("webm", "libvpx-vp9"),
    ("avi", "mpeg4"),
    ("mpegts", "libx264"),
    ("flv", "flv"),
    ("asf", "wmv2"),
]

LEFT_RED = np.zeros((32, 64, 3), np.uint8)
LEFT_RED[:, :32, 0] = 255


def pieces(source: object, limits: VideoLimits | None = None, **capture: Any) -> Iterator[Picture | Sound]:
    decoder = VideoDecoder() if limits is None else VideoDecoder(limits)
    return decoder.decode(Video(source), Capture(**capture))


def pictures(source: object, **capture: Any) -> list[Picture]:
    return [piece for piece in pieces(source, **capture) if isinstance(piece, Picture)]


def shown(source: object, **capture: Any) -> list[tuple[int, int]]:
    return [(picture.time_ms, read_shade(picture.pixels)) for picture in pictures(source, **capture)]


def collect(given: Iterator[Picture | Sound]) -> tuple[list[Picture | Sound], DecodeError | None]:
    """What a decoder gives, and what it raises at the end."""
    found: list[Picture | Sound] = []
    try:
        found.extend(given)
    except DecodeError as error:
        return found, error
    return found, None


@pytest.mark.parametrize(("kind", "codec"), KINDS)
def test_every_kind_is_read(kind: str, codec: str) -> None:
    for gop in (1, 7, 30):
        data = film(kind, codec, gop=gop)
        assert shown(data, interval=0.5) == [(0, 0), (500, 5), (1000, 10), (1500, 15), (2000, 20), (2500, 25)]
        assert shown(data, max_frames=3, spread=True) == [(0, 0), (1000, 10), (2000, 20)]


def test_a_frame_that_begins_after_the_time_is_not_taken() -> None:
    data = film("mpegts", "mpeg2video", rate=25, gop=12)
    assert shown(data, interval=0.5) == [(0, 0), (500, 12), (1000, 25)]


@pytest.mark.parametrize(
    ("capture", "times"),
    [
        ({}, [0, 1000, 2000]),
        ({"interval": 0.1}, [number * 100 for number in range(20)]),
        ({"interval": 0.1, "max_frames": 1000}, [number * 100 for number in range(30)]),
        ({"interval": 0.25, "max_frames": 4}, [0, 250, 500, 750]),
        ({"interval": 0.1, "max_frames": 4, "spread": True}, [0, 750, 1500, 2250]),
        ({"interval": 1.0, "max_frames": 4, "spread": True}, [0, 1000, 2000]),
        ({"max_frames": 1}, [0]),
        ({"max_frames": 1, "spread": True}, [0]),
        ({"interval": 60}, [0]),
        ({"interval": 3}, [0]),
        ({"interval": 2.9}, [0, 2900]),
    ],
)
def test_frames_are_taken_when_the_channel_says(capture: dict[str, Any], times: Sequence[int]) -> None:
    assert shown(film(), **capture) == [(time, time // 100) for time in times]


@cache
def cached_film(codec: str, frames: int, rate: int, gop: int) -> bytes:
    return film("matroska", codec, frames, rate=rate, gop=gop)


@settings(max_examples=60)
@given(
    codec=st.sampled_from(["mpeg4", "libx264"]),
    frames=st.integers(1, 30),
    rate=st.sampled_from([5, 10]),
    gop=st.sampled_from([1, 4, 30]),
    interval=st.floats(0.1, 3),
    max_frames=st.integers(1, 40),
    spread=st.booleans(),
)
def test_frames_cover_the_video(
    codec: str, frames: int, rate: int, gop: int, interval: float, max_frames: int, spread: bool
) -> None:
    length = frames / rate
    data = cached_film(codec, frames, rate, gop)
    found = pictures(data, interval=interval, max_frames=max_frames, spread=spread)
    times = [picture.time_ms / 1000 for picture in found]
    assert times[0] == 0
    assert times == sorted(set(times))
    assert len(times) <= max_frames
    assert times[-1] <= length  # told to the millisecond, it may be rounded up to the end
    for picture, at in zip(found, times, strict=True):
        # Times are told to the millisecond, which may be just before a frame begins, or just after.
        assert read_shade(picture.pixels) in {int((at + near) * rate) for near in (-0.001, 0.001)}
    step = max(interval, length / max_frames) if spread else interval
    if spread or len(times) < max_frames:
        # No time is much farther from the picture before it than pictures are from each other.
        assert max(np.diff([*times, length])) <= step + 1 / rate + 0.002


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The packets that were decoded."""
    packets: list[object] = []
    decode = Track.decode

    def count(self: Track, packet: Any) -> list[Any]:
        packets.append(packet)
        return decode(self, packet)

    monkeypatch.setattr(Track, "decode", count)
    return packets


def test_most_frames_between_those_that_are_far_apart_are_not_decoded(decoded: list[object]) -> None:
    data = film("matroska", "libx264", [image for image in shades(30) for _ in range(20)], rate=20, gop=20)
    assert [time for time, _ in shown(data, interval=6)] == [0, 6000, 12_000, 18_000, 24_000]
    assert len(decoded) < 5 * 2 * 20


def test_frames_that_build_on_those_before_a_key_frame_are_passed_over(decoded: list[object]) -> None:
    x264 = {"x264-params": "open-gop=1:bframes=3:keyint=10:min-keyint=10:scenecut=0:b-adapt=0"}
    data = film("mpegts", "libx264", list(shades(120)), **x264)
    assert shown(data, interval=2.5) == [(0, 0), (2500, 25), (5000, 50 % 32), (7500, 75 % 32), (10_000, 100 % 32)]
    assert len(decoded) < 60


@pytest.mark.parametrize(
    ("codec", "options"), [("mpeg4", {}), ("mpeg4", {"bf": "2"}), ("libx265", {"x265-params": "log-level=none"})]
)
def test_a_file_that_calls_every_frame_a_key_frame_hides_none(codec: str, options: dict[str, str]) -> None:
    def lie(packet: Any) -> Any:
        packet.is_keyframe = True
        return packet

    # What does not change is coded in the first frame alone.
    still = np.random.default_rng(1).integers(0, 255, (8, 8, 3), np.uint8).repeat(8, axis=0).repeat(8, axis=1)
    honest = film("matroska", codec, [np.hstack([still, image]) for image in shades(30)], gop=30, **options)
    lying = remux(honest, "mp4", lie)
    with av.open(io.BytesIO(lying)) as container:
        assert all(packet.is_keyframe for packet in container.demux() if packet.size)
    found, wanted = pictures(lying, interval=0.7), pictures(honest, interval=0.7)
    assert [picture.time_ms for picture in found] == [0, 700, 1400, 2100, 2800]
    assert all((one.pixels == other.pixels).all() for one, other in zip(found, wanted, strict=True))


def test_a_file_that_calls_no_frame_a_key_frame_hides_none() -> None:
    def lie(packet: Any) -> Any:
        packet.is_keyframe = False
        return packet

    honest = film("matroska", "mpeg4")
    assert shown(remux(honest, "matroska", lie), interval=0.7) == shown(honest, interval=0.7)


@pytest.mark.parametrize("claimed", [0.0, 0.1, 1e6, 1e300, float("nan"), float("inf"), -5.0])
@pytest.mark.parametrize("spread", [False, True])
def test_what_a_file_says_of_its_length_is_not_believed(claimed: float, spread: bool) -> None:
    data = film("matroska", "mpeg4")
    at = data.index(b"\x44\x89\x88") + 3
    lying = data[:at] + struct.pack(">d", claimed) + data[at + 8 :]
    assert shown(lying, interval=0.5, max_frames=3, spread=spread) == shown(
        data, interval=0.5, max_frames=3, spread=spread
    )


def test_a_frame_is_taken_as_long_as_it_is_shown() -> None:
    data = film("matroska", "mpeg4", 6, stamps=[0, 90, 1_110, 1_120, 4_200, 5_990])
    assert shown(data) == [(0, 0), (1000, 1), (2000, 3), (5000, 4), (6000, 5)]
    assert shown(data, interval=0.1, max_frames=4) == [(0, 0), (100, 1), (1200, 3), (4200, 4)]
    assert shown(data, interval=3) == [(0, 0), (3000, 3), (6000, 5)]


def test_a_frame_that_is_shown_for_long_leaves_room_for_others() -> None:
    data = film("matroska", "mpeg4", 4, stamps=[0, 60_000, 120_000, 3_600_000])
    assert shown(data, interval=0.1, max_frames=5) == [(0, 0), (60_000, 1), (120_000, 2), (3_600_000, 3)]


def test_the_last_frame_is_taken_where_it_is_shown_for_long() -> None:
    data = film("mp4", "mpeg4", 3, rate=1)
    assert shown(data, interval=1.8) == [(0, 0), (1800, 1)]
    assert shown(film("mp4", "mpeg4", 2, rate=1), interval=1.8) == [(0, 0), (1800, 1)]


@pytest.mark.parametrize("start", [0, 40, 5_000, 3_600_000])
def test_times_count_from_the_first_frame(start: int) -> None:
    data = film("matroska", "mpeg4", stamps=[start + 100 * number for number in range(30)])
    assert shown(data) == [(0, 0), (1000, 10), (2000, 20)]


@pytest.mark.parametrize(
    "stamps",
    [
        pytest.param([number * 100 for number in range(15)] * 2, id="begins anew"),
        pytest.param([0] * 30, id="all the same"),
        pytest.param([number * 100 for number in range(29, -1, -1)], id="backwards"),
    ],
)
@pytest.mark.parametrize("spread", [False, True])
def test_times_that_do_not_go_on_hide_no_frame(stamps: Sequence[int], spread: bool) -> None:
    found = [number for _, number in shown(_restamp(film("flv", "flv"), stamps), interval=0.5, spread=spread)]
    assert len(found) >= 5
    assert found == sorted(found)


def test_a_time_that_is_far_ahead_hides_no_frame() -> None:
    stamps = [0, 100, 8_000_000, *(number * 100 for number in range(3, 30))]
    assert len(shown(_restamp(film("flv", "flv"), stamps), interval=0.5)) >= 5


def test_videos_one_after_the_other_in_one_file_are_all_seen() -> None:
    data = film("mpegts", "mpeg2video", rate=25)
    found = [number for _, number in shown(data + data, interval=0.2, spread=True)]
    assert found == [0, 5, 10, 15, 20, 25, 0, 5, 10, 15, 20, 25]


@pytest.mark.parametrize(
    ("turned", "where"), [(0, "left"), (90, "bottom"), (-90, "top"), (180, "right"), (270, "top"), (45, "")]
)
def test_frames_are_upright(turned: int, where: str) -> None:
    (picture,) = pictures(film("mp4", "mpeg4", [LEFT_RED], turned=turned))
    pixels = picture.pixels.astype(int)
    assert picture.pixels.flags.c_contiguous
    assert picture.pixels.dtype == np.uint8
    height, width = pixels.shape[:2]
    halves = {
        "left": pixels[:, : width // 2],
        "right": pixels[:, width // 2 :],
        "top": pixels[: height // 2],
        "bottom": pixels[height // 2 :],
    }
    if where:
        assert max(halves, key=lambda name: halves[name][..., 0].mean() - halves[name][..., 1].mean()) == where


def test_large_frames_are_made_smaller() -> None:
    (picture,) = pieces(film("mp4", "mpeg4", [np.zeros((200, 400, 3), np.uint8)]), VideoLimits(max_side=100))
    assert picture.pixels.shape == (50, 100, 3)


def test_pixels_that_are_not_square_are_shown_as_they_are_meant() -> None:
    out = io.BytesIO()
    with av.open(out, "w", format="matroska") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        stream.sample_aspect_ratio = Fraction(2, 1)
        container.mux(stream.encode(av.VideoFrame.from_ndarray(next(shades(1)), format="rgb24")))
        container.mux(stream.encode(None))
    (picture,) = pictures(out.getvalue())
    assert picture.pixels.shape == (64, 128, 3)


def test_a_frame_that_shows_the_same_is_left_out() -> None:
    still = np.random.default_rng(1).integers(0, 255, (8, 8, 3), np.uint8).repeat(20, axis=0).repeat(20, axis=1)
    line = still.copy()
    line[100:104, 20:60] = 255 - line[100:104, 20:60] // 2
    found = pictures(film("mp4", "libx264", [still] * 12 + [line] * 12, rate=4), max_frames=100)
    assert [picture.time_ms for picture in found] == [0, 3000]


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
@pytest.mark.parametrize("grey", [225, 235])
def test_faint_text_that_appears_is_a_frame_of_its_own(codec: str, grey: int) -> None:
    blank = Pillow.new("RGB", (1280, 720), "white")
    written = blank.copy()
    font = ImageFont.load_default(22)
    ImageDraw.Draw(written).text((100, 300), "a line that is hard to see", fill=(grey,) * 3, font=font)
    images = [np.asarray(image) for image in (blank, written) for _ in range(4)]
    assert [picture.time_ms for picture in pictures(film("mp4", codec, images, rate=2))] == [0, 2000]


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
def test_what_coding_adds_makes_no_new_frame(codec: str) -> None:
    slide = Pillow.new("RGB", (1280, 720), "white")
    ImageDraw.Draw(slide).text((100, 300), "a slide that stays as it is", fill="black", font=ImageFont.load_default(60))
    data = film("mp4", codec, [np.asarray(slide)] * 24, rate=5, gop=10)
    assert [picture.time_ms for picture in pictures(data)] == [0]


def test_frames_and_speech_are_told_when_they_are_shown_and_said() -> None:
    sound = np.concatenate([silence(1), speech(1), silence(1)])
    for kind, codec in (("mp4", "aac"), ("matroska", "libopus"), ("mpegts", "mp2"), ("avi", "pcm_s16le")):
        found = list(pieces(film(kind, "mpeg4" if kind != "mpegts" else "libx264", sound=sound, sound_codec=codec)))
        assert [read_shade(piece.pixels) for piece in found[:3] if isinstance(piece, Picture)] == [0, 10, 20]
        (said,) = found[3:]
        assert isinstance(said, Sound)
        assert said.time_ms == pytest.approx(1000, abs=100)
        assert said.duration_ms == pytest.approx(1200, abs=200)


@pytest.mark.parametrize(("start", "said_at"), [(0, 3000), (2000, 1000), (5000, 0)])
def test_speech_is_told_in_the_time_of_the_frames(start: int, said_at: int) -> None:
    stamps = [start + number * 100 for number in range(30)]
    sound = np.concatenate([silence(3), speech(1), silence(1)])
    *_, said = pieces(film("matroska", "mpeg4", stamps=stamps, sound=sound))
    assert isinstance(said, Sound)
    assert said.time_ms == pytest.approx(said_at, abs=100)


def test_a_video_of_sound_alone_gives_the_speech() -> None:
    assert [type(piece) for piece in pieces(recording("mp4", "aac", speech(1)))] == [Sound]


@pytest.mark.parametrize(("kind", "codec"), [("mp3", "libmp3lame"), ("mp4", "aac"), ("flac", "flac")])
def test_a_cover_is_no_video(kind: str, codec: str) -> None:
    out = io.BytesIO()
    with av.open(out, "w", format=kind) as container:
        sound = container.add_stream(codec, rate=16_000)
        sound.layout = "mono"
        cover = container.add_stream("png", rate=1)
        cover.width, cover.height, cover.pix_fmt = 64, 64, "rgb24"
        cover.disposition = av.stream.Disposition.attached_pic
        container.start_encoding()
        container.mux(cover.encode(av.VideoFrame.from_ndarray(LEFT_RED.repeat(2, axis=0), format="rgb24")))
        frame = av.AudioFrame.from_ndarray(speech(1)[None], format="s16", layout="mono")
        frame.sample_rate = 16_000
        fit = av.AudioResampler(sound.format.name, "mono", 16_000, frame_size=sound.frame_size or 1_024)
        for part in (*fit.resample(frame), *fit.resample(None), None):
            container.mux(sound.encode(part))
    assert [type(piece) for piece in pieces(out.getvalue())] == [Sound]


def test_a_path_a_file_and_bytes_are_the_same(tmp_path: Path) -> None:
    data = film()
    path = tmp_path / "film.wav"
    path.write_bytes(data)
    file = io.BytesIO(data)
    file.seek(500)
    assert shown(path) == shown(str(path)) == shown(file) == shown(data)
    assert not file.closed


def test_what_is_not_wanted_any_more_is_not_read() -> None:
    given = pieces(film())
    next(given)
    given.close()
    with pytest.raises(StopIteration):
        next(given)


@pytest.mark.parametrize(
    ("data", "limits", "gives", "why"),
    [
        (film(), VideoLimits(max_bytes=1_000), 0, "more than 1,000 bytes"),
        (film("mp4", "libx264"), VideoLimits(max_pixels=4_000), 0, "more than 4,000 pixels"),
        (film(), VideoLimits(max_pixels=4_000), 0, "beyond the limits"),
        (film(), VideoLimits(max_seconds=1.5), 2, "longer than 1.5 seconds"),
        (film("mp4", "libx264", sound=speech(3)), VideoLimits(max_pixels=4_000), 1, "more than 4,000 pixels"),
        (film(frames=10, sound=speech(3)), VideoLimits(max_seconds=2), 2, "sound is longer than 2 seconds"),
        (b"hello", VideoLimits(), 0, "no whole video or sound of a known kind"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, limits: VideoLimits, gives: int, why: str) -> None:
    found, error = collect(pieces(data, limits))
    assert len(found) == gives
    assert error is not None
    assert why in str(error)


@pytest.mark.parametrize("part", [Image(b""), Audio(b"")])
def test_only_videos_are_read(part: Image | Audio) -> None:
    with pytest.raises(DecodeError, match=f"only videos are read here, not {part.type}"):
        list(VideoDecoder().decode(part, Capture()))


def test_what_is_damaged_in_the_middle_gives_the_rest_and_an_error() -> None:
    data = bytearray(film("avi", "libvpx", gop=10, sound=speech(3), sound_codec="pcm_s16le"))
    frames = [at for at in range(len(data)) if data[at : at + 4] == b"00dc"]
    damaged = frames[12] + 8
    data[damaged : damaged + 10] = b"\xff" * 10
    found, error = collect(pieces(bytes(data)))
    assert [read_shade(piece.pixels) for piece in found if isinstance(piece, Picture)] == [0, 10, 20]
    assert isinstance(found[-1], Sound)
    assert error is not None
    assert "video are damaged" in str(error)


def test_frames_whose_size_grows_beyond_the_limit_are_not_decoded() -> None:
    large = [image.repeat(4, axis=0).repeat(4, axis=1) for image in shades(25)]
    data = film("mpegts", "mpeg2video", 25, rate=25) + film("mpegts", "mpeg2video", large, rate=25)
    found, error = collect(pieces(data, VideoLimits(max_pixels=10_000), interval=0.2))
    assert all(piece.pixels.shape == (64, 64, 3) for piece in found if isinstance(piece, Picture))
    assert len(found) >= 5
    assert error is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
@pytest.mark.parametrize("name", [name for name, _ in playlists("")])
def test_a_file_that_names_another_opens_none(tmp_path: Path, name: str) -> None:
    pipe = tmp_path / "film.mp4"
    os.mkfifo(pipe)
    opened = threading.Event()

    def wait() -> None:
        with pipe.open("wb"):
            opened.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    data = dict(playlists(f"file://{pipe}"))[name]
    (tmp_path / "list").write_bytes(data)
    for source in (data, tmp_path / "list"):
        with pytest.raises(DecodeError, match="of a known kind"):
            list(pieces(source))
    assert not opened.is_set()
    with pipe.open("rb"):
        waiting.join()


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in hostile()])
@pytest.mark.parametrize("spread", [False, True])
def test_a_hostile_file_gives_pieces_or_a_clear_error(
    data: bytes, spread: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    begun = time.process_time()
    found, error = collect(pieces(data, spread=spread))
    assert all(isinstance(piece, Picture | Sound) for piece in found)
    assert error is None or len(str(error)) > 15
    assert time.process_time() - begun < 10
    assert capfd.readouterr() == ("", "")


def test_no_length_at_which_a_file_is_cut_off_is_too_much() -> None:
    data = film("mpegts", "mpeg2video", 12, rate=25, sound=speech(0.5), sound_codec="mp2")
    for end in random.Random(1).sample(range(len(data)), 60):
        found, _ = collect(pieces(data[:end], interval=0.1))
        assert all(isinstance(piece, Picture | Sound) for piece in found)


def _restamp(data: bytes, stamps: Sequence[int]) -> bytes:
    """An FLV file whose frames have other times, in milliseconds."""
    changed = bytearray(data)
    numbers = iter(stamps)
    at = 13
    while at < len(data):
        size = int.from_bytes(data[at + 1 : at + 4], "big")
        if data[at] == 9 and size > 10:
            stamp = next(numbers)
            changed[at + 4 : at + 8] = (stamp & 0xFFFFFF).to_bytes(3, "big") + (stamp >> 24).to_bytes(1, "big")
        at += size + 15
    return bytes(changed)
