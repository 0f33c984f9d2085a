"""From the bytes of an image, or what Python programs hold of one, to pixels: `pip install "seemly[image]"`."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from seemly.errors import DecodeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FORMATS", "LIMITS", "Frame", "PictureLimits", "from_array", "from_pillow", "read_frames"]

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO")
"""What is read, whatever a file's name says. Others of Pillow's formats run programs, or nobody posts them."""

_LIKELY_DURATION = 100
"""Milliseconds that a frame is shown whose file does not say, as browsers do."""

_BRIGHT = 160.0
"""Mean lightness, 0 to 255, from which on what is visible of a transparent image is put on black instead of white."""

_DAMAGED = (
    OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError, ZeroDivisionError,
    AttributeError, MemoryError, struct.error, zlib.error, Image.DecompressionBombError, Warning,
)  # fmt: skip
"""What Pillow raises for files that are not whole."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """How large an image may be, and how much of it is kept.

    `max_bytes` of the file; `max_pixels` of one frame, width times height as the header says; `max_frames` of an
    animation are kept, spread over all of them; all its frames together may have `max_total` pixels. A frame longer
    than `max_side` pixels on its longer side is made smaller.
    """

    max_bytes: int = 20_000_000
    max_pixels: int = 60_000_000
    max_frames: int = 20
    max_total: int = 600_000_000
    max_side: int = 2_048


LIMITS = PictureLimits()


@dataclass(frozen=True, slots=True)
class Frame:
    """Pixels, [height, width, 3], RGB, 0 to 255, and when they are shown, in milliseconds from the start; None where
    the image does not move."""

    pixels: NDArray[np.uint8] = field(repr=False)
    time_ms: int | None = None


def read_frames(data: bytes, limits: PictureLimits = LIMITS) -> Iterator[Frame]:
    """The frames of an image: one, or some of an animation's, upright, without transparency, in RGB.

    Raises DecodeError for bytes that are no image, a damaged one, or one beyond the limits.
    """
    if len(data) > limits.max_bytes:
        raise DecodeError(f"the image has more than {limits.max_bytes:,} bytes")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
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
    """The frames of an image that Pillow opened. Raises DecodeError as `read_frames` does."""
    try:
        yield from _frames(image, limits)
    except DecodeError:
        raise
    except _DAMAGED as error:
        raise DecodeError("the image is damaged") from error


def from_array(pixels: NDArray[np.uint8], limits: PictureLimits = LIMITS) -> Frame:
    """A frame from an array [height, width, 3] of RGB, 0 to 255. Raises DecodeError for any other."""
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise DecodeError("an array must be [height, width, 3], uint8, RGB, and not empty")
    if pixels.shape[0] * pixels.shape[1] > limits.max_pixels:
        raise DecodeError(f"the image has more than {limits.max_pixels:,} pixels")
    if max(pixels.shape[:2]) <= limits.max_side:
        return Frame(np.ascontiguousarray(pixels))
    return Frame(_pixels(Image.fromarray(pixels), limits))


def _frames(image: Image.Image, limits: PictureLimits) -> Iterator[Frame]:
    width, height = image.size
    if width * height > limits.max_pixels:
        raise DecodeError(f"the image has more than {limits.max_pixels:,} pixels")
    if width == 0 or height == 0:
        raise DecodeError("the image has no pixels")
    if not getattr(image, "is_animated", False) or image.format == "MPO":
        if image.format == "JPEG":
            image.draft("RGB", (min(width, limits.max_side), min(height, limits.max_side)))
        yield Frame(_pixels(image, limits))
        return
    count = int(getattr(image, "n_frames", 1))
    if count * width * height > limits.max_total:
        raise DecodeError(f"the frames of the image have more than {limits.max_total:,} pixels together")
    kept = set(np.linspace(0, count - 1, min(count, limits.max_frames)).round().astype(int).tolist())
    time = 0.0
    for number in range(count):
        image.seek(number)
        if number in kept:
            pixels = _pixels(image, limits)
            # WebP files say when a frame begins, but how long it is shown only once it is decoded.
            yield Frame(pixels, int(image.info.get("timestamp", time)))
        time += float(image.info.get("duration") or _LIKELY_DURATION)


def _pixels(image: Image.Image, limits: PictureLimits) -> NDArray[np.uint8]:
    image.load()
    image = _upright(_opaque(_eight_bits(image)))
    if max(image.size) > limits.max_side:
        image.thumbnail((limits.max_side, limits.max_side), Image.Resampling.BILINEAR, reducing_gap=2.0)
    found: NDArray[np.uint8] = np.ascontiguousarray(np.asarray(image, np.uint8))
    return found


def _eight_bits(image: Image.Image) -> Image.Image:
    """Sixteen-bit and floating greys, which Pillow would cut off rather than scale."""
    if not image.mode.startswith(("I", "F")):
        return image
    values = np.nan_to_num(np.asarray(image, np.float64))
    top = values.max(initial=0.0)
    scaled = values / 257.0 if 255.0 < top <= 65_535.0 else values * (255.0 / top) if top > 65_535.0 else values
    grey = Image.fromarray(np.clip(scaled, 0, 255).astype(np.uint8))
    grey.info = image.info
    return grey


def _opaque(image: Image.Image) -> Image.Image:
    if image.mode not in ("RGBA", "LA", "PA", "La", "RGBa") and "transparency" not in image.info:
        return image if image.mode == "RGB" else image.convert("RGB")
    layered = image.convert("RGBA")
    alpha = np.asarray(layered.getchannel("A"), np.float64)
    light = np.asarray(layered.convert("L"), np.float64)
    seen = alpha.sum()
    bright = seen > 0 and (light * alpha).sum() / seen > _BRIGHT
    ground = Image.new("RGBA", layered.size, (0, 0, 0, 255) if bright else (255, 255, 255, 255))
    ground.alpha_composite(layered)
    found = ground.convert("RGB")
    found.info = image.info
    return found


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except _DAMAGED:
        return image
