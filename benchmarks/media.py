"""What images, videos and recordings cost: `python -m benchmarks.media [--hour]`.

Needs `pip install ".[image,nudity,ocr,hash,media]"`, and `espeakng-loader` for speech. All is made here: pictures
of one megapixel with and without text, videos, and speech of a synthesizer. `--hour` adds an hour of video, for its
memory.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from benchmarks.speech import SENTENCES, say, to_sound
from seemly.adapters.images.barcodes import read_codes
from seemly.adapters.images.decoder import ImageDecoder
from seemly.adapters.images.nudity import NudityModel
from seemly.adapters.images.ocr import TextReader
from seemly.adapters.images.pdq import PdqHasher
from seemly.adapters.video.decoder import VideoDecoder
from seemly.core.channel import Channel
from seemly.core.content import Audio, Image, Video
from seemly.engine.engine import Engine
from seemly.media.decoding import Capture
from seemly.media.image import Picture

SIZE = (1152, 868)
"""Width and height of a picture of one megapixel."""
LINES = ("Selling my old bike, barely used", "Call 020 7946 0958 after six", "or write to jo@example.com")
ROUNDS = 30
RATE = 25


def main() -> None:
    """Print tables of what each part takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.media", description=__doc__)
    parser.add_argument("--hour", action="store_true", help="measure the memory of an hour of video as well")
    args = parser.parse_args()
    print("| one image of 1 MP | p50, ms | p90, ms |\n|---|---|---|")
    for name, act in image_parts():
        took = sorted(measure(act))
        print(f"| {name} | {statistics.median(took):.1f} | {took[int(0.9 * len(took))]:.1f} |", flush=True)
    print("\n| media | seconds of it | seconds taken | |\n|---|---|---|---|")
    for name, length, took, told in moving_parts():
        print(f"| {name} | {length:.0f} | {took:.2f} | {told} |", flush=True)
    if args.hour:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "hour.mp4")
            write_video(path, 3600, 5)
            print(f"\nan hour of video: {alone(watch, path)}\nengine alone: {alone(watch_nothing)}")


def image_parts() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each part of looking at an image, apart and together."""
    photo, poster = draw(), draw(LINES)
    files = {"photo": jpeg(photo), "poster": jpeg(poster)}
    nudity, reader, hasher = NudityModel(), TextReader(), PdqHasher()
    decoder, capture, engine = ImageDecoder(), Capture(), Engine(Channel())
    yield "decoding a JPEG", lambda: list(decoder.decode(Image(files["photo"]), capture))
    yield "nudity", lambda: nudity.look([photo])
    yield "text, none there", lambda: reader.read(photo)
    yield f"text, {len(LINES)} lines", lambda: reader.read(poster)
    yield "codes", lambda: read_codes(photo)
    yield "PDQ hash", lambda: hasher.hash(photo)
    yield "all of `moderate`, no text", lambda: engine.moderate(Image(files["photo"]))
    yield f"all of `moderate`, {len(LINES)} lines", lambda: engine.moderate(Image(files["poster"]))


def moving_parts() -> Iterator[tuple[str, float, float, str]]:
    """Videos and speech: name, length and time taken in seconds, and what it comes to."""
    engine = Engine(Channel())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "minute.mp4")
        write_video(path, 60)
        for name, capture in (
            ("frames of a 640x360 video, one a second", Capture(1.0, 1000)),
            ("frames of it, every tenth of a second", Capture(0.1, 1000)),
            ("frames of it, 20 spread", Capture(1.0, 20, True)),
        ):
            began = time.perf_counter()
            count = sum(isinstance(each, Picture) for each in VideoDecoder().decode(Video(path), capture))
            took = time.perf_counter() - began
            yield name, 60, took, f"{count / took:.0f} frames a second"
        began = time.perf_counter()
        pictures = engine.moderate(Video(path)).media[0].pictures
        took = time.perf_counter() - began
        yield "all of `moderate`, 20 frames", 60, took, f"{pictures / took:.1f} frames a second"
    speech = speak()
    file = io.BytesIO()
    write_wav(file, speech)
    length = len(speech) / 16_000
    engine.moderate(Audio(file.getvalue()))
    began = time.perf_counter()
    result = engine.moderate(Audio(file.getvalue()))
    took = time.perf_counter() - began
    yield (
        "all of `moderate`, speech",
        length,
        took,
        f"real-time factor {took / length:.2f}, {len(result.errors)} failures",
    )


def measure(act: Callable[[], object]) -> list[float]:
    """Milliseconds of each round, after one that does not count."""
    act()
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        act()
        took.append((time.perf_counter() - began) * 1e3)
    return took


def draw(lines: tuple[str, ...] = ()) -> np.ndarray:
    """Smooth colours with grain, as a photograph has them, and lines of text over them."""
    rng = np.random.default_rng(3)
    coarse = Pillow.fromarray(rng.integers(60, 200, (9, 12, 3), dtype=np.uint8))
    image = np.asarray(coarse.resize(SIZE, Pillow.Resampling.BICUBIC), np.int16) + rng.normal(0, 6, (*SIZE[::-1], 1))
    picture = Pillow.fromarray(np.clip(image, 0, 255).astype(np.uint8))
    for at, line in enumerate(lines):
        ImageDraw.Draw(picture).text((60, 80 + 120 * at), line, fill="black", font=ImageFont.load_default(48))
    return np.asarray(picture)


def jpeg(picture: np.ndarray) -> bytes:
    file = io.BytesIO()
    Pillow.fromarray(picture).save(file, "JPEG", quality=85)
    return file.getvalue()


def write_video(path: Path, seconds: int, rate: int = RATE) -> None:
    """A moving gradient of 640x360 with a quiet tone."""
    columns, rows = np.meshgrid(np.arange(640), np.arange(360))
    with av.open(str(path), "w") as out:
        video = out.add_stream("mpeg4", rate=rate)
        video.width, video.height, video.pix_fmt = 640, 360, "yuv420p"
        sound = out.add_stream("aac", rate=16_000)
        for number in range(seconds * rate):
            shade = np.stack([(columns + 3 * number) % 256, (rows + 2 * number) % 256, (columns + rows) % 256], axis=2)
            frame = av.VideoFrame.from_ndarray(shade.astype(np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, rate)
            out.mux(video.encode(frame))
        for start in range(0, seconds * 16_000, 1024):
            tone = (800 * np.sin((start + np.arange(1024)) * 0.1)).astype(np.float32) / 32_768
            piece = av.AudioFrame.from_ndarray(tone[None], format="fltp", layout="mono")
            piece.pts, piece.sample_rate = start, 16_000
            out.mux(sound.encode(piece))
        out.mux(video.encode(None))
        out.mux(sound.encode(None))


def speak() -> np.ndarray:
    """A minute and more of sentences with pauses between them, int16, 16,000 a second."""
    pause = np.zeros(12_000)
    parts = [part for texts in SENTENCES.values() for text in texts[:3] for part in (9_000 * say(text), pause)]
    return np.asarray(to_sound(np.concatenate(parts)).samples)


def write_wav(file: io.BytesIO, samples: np.ndarray) -> None:
    import wave

    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16_000)
        out.writeframes(samples.astype("<i2").tobytes())


def alone(act: Callable[..., str], *args: object) -> str:
    """What `act` tells in a process of its own, which starts with nothing loaded."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(act, args)


def watch(path: Path) -> str:
    engine = Engine(Channel(max_frames_per_video=1000, spread_frames=True))
    began = time.perf_counter()
    result = engine.moderate(Video(path))
    return f"{result.media[0].pictures} frames in {time.perf_counter() - began:.0f} s, {peak()}"


def watch_nothing() -> str:
    Engine(Channel()).moderate("hello there")
    return peak()


def peak() -> str:
    return f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


if __name__ == "__main__":
    main()
