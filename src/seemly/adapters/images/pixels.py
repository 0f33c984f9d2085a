"""From the bytes of an image, or what Python programs hold of one, to pixels: `pip install "seemly[image]"`."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from seemly.core.errors import DecodeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FORMATS", "LIMITS", "Frame", "PictureLimits", "from_array", "from_pillow", "read_frames"]

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO")
"""What is read, whatever a file's name says. Others of Pillow's formats run programs, or nobody posts them."""

_LIKELY_DURATION = 100
"""Milliseconds that a frame is shown whose file does not say, as browsers do."""

_BRIGHT = 160.0
"""Mean lightness, 0 to 255, from which on what is visible of a transparent image is put on black instead of white."""

_TRANSPARENT = 0.005
"""The share of a still's pixels from which on, where so many let more than half through, it is put on both: what is
black and what is white cannot be seen on one of them, and a line of text needs little room."""

_LATE = ("WEBP", "AVIF")
"""Formats whose frames tell how long they are shown only once they are decoded."""

_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
"""A marker in a JPEG file that is neither a stuffed byte, a fill byte nor a restart."""

_SCAN, _END, _BARE = 0xDA, 0xD9, (0x01, 0xD8)
"""Of JPEG's markers: where a scan begins, where the image ends, and those that no length follows."""

_DAMAGED = (
    OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError, ZeroDivisionError,
    AttributeError, MemoryError, struct.error, zlib.error, Image.DecompressionBombError, Warning,
)  # fmt: skip
"""What Pillow raises for files that are not whole."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """How large an image may be, and how much of it is kept.

    `max_bytes` of the file; `max_pixels` of one frame, width times height as the header says; `max_frames` of an
    animation are kept; all its frames together may have `max_total` pixels. A frame longer than `max_side` pixels on
    its longer side is made smaller. A JPEG file may have `max_scans` scans, each of which goes over the whole image.
    """

    max_bytes: int = 20_000_000
    max_pixels: int = 60_000_000
    max_frames: int = 20
    max_total: int = 600_000_000
    max_side: int = 2_048
    max_scans: int = 100


LIMITS = PictureLimits()


@dataclass(frozen=True, slots=True)
class Frame:
    """Pixels, [height, width, 3], RGB, 0 to 255, and when they are shown, in milliseconds from the start; None where
    the image does not move. A still that is in part transparent gives two such frames, on white and on black."""

    pixels: NDArray[np.uint8] = field(repr=False)
    time_ms: int | None = None


def read_frames(data: bytes, limits: PictureLimits = LIMITS) -> Iterator[Frame]:
    """The frames of an image, upright, without transparency, in RGB.

    A still gives one; where a share of it is transparent, two, on white and on black. Of an animation, those that are
    shown longest and, of the others, those on the screen at even distances in time.

    Raises DecodeError for bytes that are no image, a damaged one, or one beyond the limits.
    """
    if len(data) > limits.max_bytes:
        raise DecodeError(f"the image has more than {limits.max_bytes:,} bytes")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            _check_size(image, limits)
            if image.format in ("JPEG", "MPO") and _has_scans(data, limits.max_scans + 1):
                raise DecodeError(f"the image has more than {limits.max_scans} scans")
            if image.format == "JPEG":
                image.draft("RGB", (min(image.width, limits.max_side), min(image.height, limits.max_side)))
            yield from _frames(image, limits)
    except DecodeError:
        raise
    except UnidentifiedImageError as error:
        raise DecodeError(f"this is no image of a known kind ({', '.join(FORMATS)})") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DecodeError(f"the image has more than {limits.max_pixels:,} pixels") from error
    except _DAMAGED as error:
        raise DecodeError("the image is damaged") from error


def from_pillow(image: Image.Image, limits: PictureLimits = LIMITS) -> Iterator[Frame]:
    """The frames of an image that Pillow opened, as `read_frames` gives them; the image stays as it is, at its frame.

    Raises DecodeError as `read_frames` does, but counts no scans.
    """
    here = image.tell()
    try:
        yield from _frames(image, limits)
    except DecodeError:
        raise
    except _DAMAGED as error:
        raise DecodeError("the image is damaged") from error
    finally:
        with suppress(*_DAMAGED):
            image.seek(here)


def from_array(pixels: NDArray[np.uint8], limits: PictureLimits = LIMITS) -> Iterator[Frame]:
    """The frame of an array, 0 to 255: [height, width] of greys, [height, width, 3] of RGB, or [height, width, 4] of
    RGBA, which may give two frames, as `read_frames` does. Raises DecodeError for any other."""
    if pixels.dtype != np.uint8 or 0 in pixels.shape or (pixels.ndim != 2 and pixels.shape[2:] not in ((3,), (4,))):
        raise DecodeError(
            "an array must be [height, width] grey, [height, width, 3] RGB or [height, width, 4] RGBA, uint8, not empty"
        )
    if pixels.shape[0] * pixels.shape[1] > limits.max_pixels:
        raise DecodeError(f"the image has more than {limits.max_pixels:,} pixels")
    for found in _flatten(Image.fromarray(pixels), limits, grounds=2):
        yield Frame(found)


def _check_size(image: Image.Image, limits: PictureLimits) -> int:
    """The pixels of an image, or of the frame it stands at, before it is decoded."""
    pixels = image.width * image.height
    if pixels > limits.max_pixels:
        raise DecodeError(f"the image has more than {limits.max_pixels:,} pixels")
    if pixels == 0:
        raise DecodeError("the image has no pixels")
    return pixels


def _has_scans(data: bytes, count: int) -> bool:
    """Whether a JPEG file has so many scans, found as libjpeg finds them: what follows the image's end counts not."""
    at = 0
    while count > 0 and (found := _MARKER.search(data, at)):
        at = found.end()
        marker = data[at - 1]
        if marker == _END:
            break
        count -= marker == _SCAN
        if marker not in _BARE:
            at += int.from_bytes(data[at : at + 2], "big")
    return count == 0


def _frames(image: Image.Image, limits: PictureLimits) -> Iterator[Frame]:
    pixels = _check_size(image, limits)
    if not getattr(image, "is_animated", False) or image.format == "MPO":
        for found in _flatten(image, limits, grounds=2):
            yield Frame(found)
        return
    count = int(getattr(image, "n_frames", 1))
    if count * pixels > limits.max_total:
        raise _too_many(limits)
    lengths = _measure(image, count, limits)
    begins = list(accumulate(lengths, initial=0.0))
    for number in _choose(lengths, limits.max_frames):
        image.seek(number)
        for found in _flatten(image, limits, grounds=1):
            yield Frame(found, int(begins[number]))


def _too_many(limits: PictureLimits) -> DecodeError:
    return DecodeError(f"the frames of the image have more than {limits.max_total:,} pixels together")


def _measure(image: Image.Image, count: int, limits: PictureLimits) -> list[float]:
    """How long each frame is shown, in milliseconds, once it is known that none is too large: each page of a TIFF file
    has a size of its own."""
    lengths = []
    total = 0
    for number in range(count):
        image.seek(number)
        total += _check_size(image, limits)
        if total > limits.max_total:
            raise _too_many(limits)
        if image.format in _LATE:
            image.load()
        lengths.append(float(image.info.get("duration") or _LIKELY_DURATION))
    return lengths


def _choose(lengths: Sequence[float], most: int) -> list[int]:
    """The numbers of at most so many frames, in order: each that is shown longer than its share of the time, and of the
    others those that are on the screen at even distances in time, if there were no others."""
    if len(lengths) <= most:
        return list(range(len(lengths)))
    kept: list[int] = []
    left = sum(lengths)
    for number in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        if lengths[number] * (most - len(kept)) < left:
            break
        kept.append(number)
        left -= lengths[number]
    others = np.setdiff1d(np.arange(len(lengths)), kept)
    ends = np.cumsum(np.take(lengths, others))
    # Each of the others is shown for less than lies between two of these times, so no frame is found twice.
    found = np.searchsorted(ends, np.linspace(0, ends[-1], most - len(kept)), side="right")
    return sorted({*kept, *others[np.minimum(found, len(others) - 1)].tolist()})


def _flatten(image: Image.Image, limits: PictureLimits, *, grounds: int) -> Iterator[NDArray[np.uint8]]:
    """The pixels of an image, or of the frame it stands at; where much of it is transparent, on so many grounds."""
    image.load()
    # Made smaller before anything else is reckoned, so that no more than Pillow's own copies are large.
    image = _shrink(_plain(image), limits.max_side)
    if image.mode == "F":
        image = _eight_bits(image)
    for opaque in _opaque(image, grounds) if image.mode == "RGBA" else (image,):
        yield np.ascontiguousarray(np.asarray(_upright(opaque), np.uint8))


def _plain(image: Image.Image) -> Image.Image:
    """In a mode that can be made smaller: F for greys of more than eight bits, which Pillow would cut off rather than
    scale, RGBA for what may be transparent, RGB for all else."""
    if image.mode.startswith(("I", "F")):
        mode = "F"
    elif image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        mode = "RGBA"
    else:
        mode = "RGB"
    return image if image.mode == mode else image.convert(mode)


def _shrink(image: Image.Image, max_side: int) -> Image.Image:
    scale = max_side / max(image.size)
    if scale >= 1.0:
        return image
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)


def _eight_bits(image: Image.Image) -> Image.Image:
    """Greys scaled by what they seem to be counted in: 0 to 1, 0 to 255, 0 to 65,535, or more."""
    values = np.nan_to_num(np.asarray(image, np.float32))
    top = round(float(values.max(initial=0.0)), 2)  # making an image smaller may lift it by a hair
    scale = 255.0 if top <= 1.0 else 1.0 if top <= 255.0 else 1 / 257 if top <= 65_535.0 else 255.0 / top
    grey = Image.fromarray(np.clip(values * np.float32(scale), 0, 255).astype(np.uint8)).convert("RGB")
    grey.info = image.info
    return grey


def _opaque(image: Image.Image, grounds: int) -> Iterator[Image.Image]:
    alpha = image.getchannel("A")
    if grounds == 2 and sum(alpha.histogram()[:128]) >= _TRANSPARENT * image.width * image.height:
        colours = ["white", "black"]
    else:
        weights = np.asarray(alpha).astype(np.float32)
        light = float(np.vdot(np.asarray(image.convert("L")).astype(np.float32), weights))
        colours = ["black" if light > _BRIGHT * float(weights.sum()) else "white"]
    for colour in colours:
        ground = Image.new("RGBA", image.size, colour)
        ground.alpha_composite(image)
        found = ground.convert("RGB")
        found.info = image.info
        yield found


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except _DAMAGED:
        return image
