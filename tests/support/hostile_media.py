"""Videos and sounds, sound ones and hostile ones: made here, so that no such file lies in the repository."""

from __future__ import annotations

import io
import random
import struct
import wave
import zipfile
from collections.abc import Iterator, Sequence
from fractions import Fraction

import av
import numpy as np

_SHADE = 8
_SHADES = 32

SEEDS = 3


def speech(seconds: float, rate: int = 16_000, pitch: float = 120.0) -> np.ndarray:
    """Samples that sound like a voice: the harmonics of a pitch that moves, with the formants of an "a", in syllables."""
    time = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * np.cumsum(pitch * (1 + 0.1 * np.sin(2 * np.pi * 2.3 * time))) / rate
    voice = np.zeros(len(time))
    for harmonic in range(1, 30):
        near = [1 / (1 + ((harmonic * pitch - centre) / 150) ** 2) for centre in (700, 1_220, 2_600)]
        voice += (sum(near) + 0.02) * np.sin(harmonic * phase)
    voice *= 0.4 + 0.6 * np.sin(2 * np.pi * 4 * time) ** 2
    return (12_000 * voice / np.abs(voice).max()).astype(np.int16)


def silence(seconds: float, rate: int = 16_000) -> np.ndarray:
    """Samples of which nothing can be heard."""
    return np.zeros(int(seconds * rate), np.int16)


def shades(count: int, size: tuple[int, int] = (64, 64)) -> Iterator[np.ndarray]:
    """Frames, RGB, at most 32 that differ: the left half's brightness tells the number, the right half's sees to it that
    every two differ much."""
    for number in range(count):
        image = np.full((size[1], size[0], 3), number % _SHADES * _SHADE, np.uint8)
        image[:, size[0] // 2 :] = number * 7 % _SHADES * _SHADE
        yield image


def read_shade(image: np.ndarray) -> int:
    """Which of the frames it is."""
    return round(image[:, : image.shape[1] // 2 - 8].mean() / _SHADE)


def film(
    kind: str = "mp4",
    codec: str = "mpeg4",
    frames: int | Sequence[np.ndarray] = 30,
    *,
    rate: int = 10,
    gop: int = 10,
    stamps: Sequence[int] | None = None,
    turned: int = 0,
    sound: np.ndarray | None = None,
    sound_codec: str = "aac",
    **options: str,
) -> bytes:
    """A video whose frames, `rate` a second or shown at the `stamps` in milliseconds, are those given or so many
    `shades`, and its sound track, of 16,000 samples a second."""
    images = list(shades(frames) if isinstance(frames, int) else frames)
    out = io.BytesIO()
    with av.open(out, "w", format=kind) as container:
        # Some coders would make a key frame of each, as every two differ much.
        plain = {"sc_threshold": "1000000000"} if codec in {"mpeg4", "flv", "wmv2"} else {}
        stream = container.add_stream(codec, rate=rate, options=plain | options)
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.gop_size = gop
        stream.bit_rate = 2_000_000
        if stamps is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        if turned:
            stream.set_display_rotation(turned)
        track = None if sound is None else _add_sound(container, sound_codec, 16_000, "mono")
        for number, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            if stamps is not None:
                frame.pts, frame.time_base = stamps[number], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if track is not None:
            _mux_sound(container, track, sound)
    return out.getvalue()


def recording(
    kind: str, codec: str, samples: np.ndarray, rate: int = 16_000, layout: str = "mono", start: int = 0
) -> bytes:
    """A sound of a kind, the same in each channel, whose first sample has the stamp `start`."""
    out = io.BytesIO()
    with av.open(out, "w", format=kind) as container:
        _mux_sound(container, _add_sound(container, codec, rate, layout), samples, start)
    return out.getvalue()


def wav(samples: np.ndarray, rate: int = 16_000, channels: int = 1) -> bytes:
    """A WAV file that says to have that rate and as many channels."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.repeat(samples, channels).tobytes())
    return out.getvalue()


def remux(data: bytes, kind: str, change: object = lambda packet: packet) -> bytes:
    """The packets of a file, each as `change` made it, in a container of another kind."""
    out = io.BytesIO()
    with av.open(io.BytesIO(data)) as source, av.open(out, "w", format=kind) as target:
        streams = {stream.index: target.add_stream_from_template(stream) for stream in source.streams}
        for packet in source.demux():
            if packet.size:
                packet.stream = streams[packet.stream_index]
                target.mux(change(packet))
    return out.getvalue()


def hostile() -> Iterator[tuple[str, bytes]]:
    """Names and bytes of files that are no video and no sound, or lie, or are cut off or damaged everywhere."""
    yield "empty", b""
    yield "one byte", b"\xff"
    yield "zeros", bytes(100_000)
    yield "noise", random.Random(1).randbytes(100_000)
    yield "text", b"hello, this is not a video\n" * 500
    yield "html", b"<html><body><video src=file:///etc/passwd autoplay></body></html>"
    yield "svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect/></svg>"
    yield "pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF"
    yield "program", b"\x7fELF" + bytes(5_000)
    yield "subtitles", b"1\n00:00:00,000 --> 00:00:05,000\nhello\n\n" * 20
    yield "zip", _zip(film())
    yield "PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde"
    yield "JPEG", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + bytes(500)
    yield from playlists("file:///etc/passwd")
    whole = {
        "mp4": film(sound=speech(2)),
        "webm": film("webm", "libvpx", sound=speech(2), sound_codec="libopus"),
        "mpegts": film("mpegts", "mpeg2video", rate=25),
        "avi": film("avi", "mpeg4"),
        "flv": film("flv", "flv"),
        "wav": wav(speech(2)),
        "mp3": recording("mp3", "libmp3lame", speech(2)),
        "ogg": recording("ogg", "libopus", speech(2, 48_000), 48_000),
        "flac": recording("flac", "flac", speech(2)),
    }
    for kind, data in whole.items():
        yield f"{kind}, header alone", data[:24]
        yield f"{kind}, a third", data[: len(data) // 3]
        yield f"{kind}, all but the end", data[:-200]
        yield f"{kind}, header and noise", data[:400] + random.Random(2).randbytes(20_000)
        for seed in range(SEEDS):
            yield f"{kind}, scrambled {seed}", _scramble(data, seed)
    yield "mp4 without its index", whole["mp4"].replace(b"moov", b"skip")
    yield (
        "mp4 in which every size is absurd",
        whole["mp4"].replace(b"stsz\0\0\0\0\0\0\0\0", b"stsz\0\0\0\0\xff\xff\xff\xff"),
    )
    yield "mp4 of absurd width and height", _patch_size(whole["mp4"], 65_535, 65_535)
    yield "mp4 without width and height", _patch_size(whole["mp4"], 0, 0)
    yield "mp4 in which a million frames last for ever", _patch_times(whole["mp4"], 1_000_000, 0x7FFFFFFF)
    yield (
        "mp4 box in itself",
        (struct.pack(">I4s", 8, b"ftyp") + b"\0\0\0\x18ftypisom" + b"\0\0\0\1moov" + b"\xff" * 8) * 50,
    )
    yield "mp4 boxes, nested", b"".join(struct.pack(">I4s", 80_000 - 8 * depth, b"moov") for depth in range(9_000))
    yield "webm elements, nested", whole["webm"][:40] + b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" * 5_000
    yield "wav of a sample a second", wav(speech(2), rate=1)
    yield "wav of two thousand million samples a second", wav(speech(2), rate=2**31 - 1)
    yield "wav of 65,535 channels", wav(speech(0.1), channels=1)[:22] + b"\xff\xff" + wav(speech(0.1))[24:]
    yield "wav of no channels", wav(speech(0.1))[:22] + b"\0\0" + wav(speech(0.1))[24:]
    yield "wav of no samples", wav(silence(0))


def playlists(url: str) -> Iterator[tuple[str, bytes]]:
    """Files that name another one, which a reader that believes them opens."""
    path = url.removeprefix("file://")
    yield "m3u8", f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{url}\n#EXT-X-ENDLIST\n".encode()
    yield "m3u8 with a key", f'#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="{url}"\n#EXTINF:9,\n{url}\n'.encode()
    yield "ffconcat", f"ffconcat version 1.0\nfile '{path}'\n".encode()
    yield (
        "dash",
        (
            '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S">'
            '<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1">'
            f"<BaseURL>{url}</BaseURL></Representation></AdaptationSet></Period></MPD>"
        ).encode(),
    )
    yield "sdp", b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
    yield "pls", f"[playlist]\nFile1={url}\nNumberOfEntries=1\n".encode()
    yield "asx", f'<asx version="3.0"><entry><ref href="{url}"/></entry></asx>'.encode()


def _add_sound(container: av.container.OutputContainer, codec: str, rate: int, layout: str) -> av.AudioStream:
    stream = container.add_stream(codec, rate=rate)
    stream.layout = layout
    return stream


def _mux_sound(
    container: av.container.OutputContainer, stream: av.AudioStream, samples: np.ndarray, start: int = 0
) -> None:
    channels = stream.layout.nb_channels
    frame = av.AudioFrame.from_ndarray(np.repeat(samples, channels)[None], format="s16", layout=stream.layout.name)
    frame.sample_rate = stream.rate
    frame.pts, frame.time_base = start, Fraction(1, stream.rate)
    fit = av.AudioResampler(stream.format.name, stream.layout.name, stream.rate, frame_size=stream.frame_size or 1_024)
    for part in (*fit.resample(frame), *fit.resample(None), None):
        container.mux(stream.encode(part))


def _zip(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("video.mp4", data)
    return out.getvalue()


def _scramble(data: bytes, seed: int) -> bytes:
    rng = random.Random(seed)
    changed = bytearray(data)
    for _ in range(10 ** (seed + 1)):
        changed[rng.randrange(8, len(changed))] = rng.randrange(256)
    return bytes(changed)


def _patch_size(data: bytes, width: int, height: int) -> bytes:
    """An MP4 whose video says to have another size, in its track and in its coding."""
    at = data.index(b"mp4v") + 4 + 24
    return data[:at] + struct.pack(">HH", width, height) + data[at + 4 :]


def _patch_times(data: bytes, count: int, delta: int) -> bytes:
    """An MP4 whose first track says to have so many frames, each shown so long."""
    at = data.index(b"stts") + 12
    return data[:at] + struct.pack(">II", count, delta) + data[at + 8 :]
