"""Images to pixels: sound ones look as people see them, hostile ones end in a clear error."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.errors import DecodeError

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from PIL import Image

from seemly.adapters.images.pixels import (
    FORMATS,
    LIMITS,
    Frame,
    PictureLimits,
    _choose,
    from_array,
    from_pillow,
    read_frames,
)
from tests.support.hostile_pictures import animation, hostile, many_scans, scrambled, whole

LEFT_RED = np.zeros((20, 40, 3), np.uint8)
LEFT_RED[:, :20, 0] = 255


def save(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def pages(*sizes: tuple[int, int]) -> bytes:
    """A TIFF file whose pages have these sizes."""
    first, *others = (Image.new("1", size) for size in sizes)
    return save(first, "TIFF", save_all=True, append_images=others)


def only(data: bytes, limits: PictureLimits = LIMITS) -> np.ndarray:
    (frame,) = read_frames(data, limits)
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.flags.c_contiguous
    return frame.pixels


@pytest.mark.parametrize("kind", FORMATS)
def test_every_kind_is_read(kind: str) -> None:
    if kind == "AVIF" and "AVIF" not in Image.SAVE:
        pytest.skip("this Pillow writes no AVIF")
    pixels = only(save(Image.fromarray(LEFT_RED), kind))
    assert pixels.shape[2] == 3
    height, width = pixels.shape[:2]
    assert pixels[height // 2, width // 4].tolist() == pytest.approx([255, 0, 0], abs=30)
    assert pixels[height // 2, 3 * width // 4].tolist() == pytest.approx([0, 0, 0], abs=30)


@pytest.mark.parametrize(
    "mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "I", "I;16", "F", "YCbCr", "LAB", "HSV"]
)
def test_every_mode_becomes_rgb(mode: str) -> None:
    image = Image.new("L", (8, 6), 255)
    image = Image.fromarray(np.full((6, 8), 65_535, np.uint16)) if mode == "I;16" else image.convert(mode)
    (frame,) = from_pillow(image)
    assert frame.pixels.shape == (6, 8, 3)
    assert frame.pixels.mean() > 245


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bits_keep_their_shades(kind: str) -> None:
    ramp = np.linspace(0, 65_535, 100).astype(np.uint16).reshape(1, 100).repeat(10, axis=0)
    pixels = only(save(Image.fromarray(ramp), kind))
    assert pixels[5, ::33, 0].tolist() == pytest.approx([0, 85, 170, 255], abs=2)


def test_cmyk_jpeg_has_its_colours() -> None:
    pixels = only(save(Image.fromarray(LEFT_RED).convert("CMYK"), "JPEG", quality=95))
    assert pixels[10, 5].tolist() == pytest.approx([255, 0, 0], abs=20)


@pytest.mark.parametrize(("orientation", "where"), [(1, "left"), (2, "right"), (3, "right"), (6, "top"), (8, "bottom")])
def test_an_image_is_turned_as_its_camera_was_held(orientation: int, where: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    pixels = only(save(Image.fromarray(LEFT_RED), "JPEG", exif=exif, quality=95)).astype(int)
    height, width = pixels.shape[:2]
    halves = {
        "left": pixels[:, : width // 2],
        "right": pixels[:, width // 2 :],
        "top": pixels[: height // 2],
        "bottom": pixels[height // 2 :],
    }
    assert max(halves, key=lambda name: halves[name][..., 0].mean()) == where


@pytest.mark.parametrize("exif", [b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0", b"Exif\0\0MM\0*" + b"\xff" * 40])
def test_damaged_exif_costs_nothing(exif: bytes) -> None:
    assert only(save(Image.fromarray(LEFT_RED), "JPEG", exif=exif)).shape == (20, 40, 3)


@pytest.mark.parametrize(("ink", "ground"), [((0, 0, 0), 255), ((255, 255, 255), 0)])
def test_what_is_drawn_on_little_transparency_can_be_seen(ink: tuple[int, int, int], ground: int) -> None:
    layer = np.full((40, 40, 4), (*ink, 255), np.uint8)
    layer[0, :5, 3] = 0
    pixels = only(save(Image.fromarray(layer), "PNG"))
    assert pixels[7, 7].tolist() == list(ink)
    assert pixels[0, 0].tolist() == [ground] * 3


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "array"])
def test_what_is_transparent_is_seen_on_white_and_on_black(kind: str) -> None:
    layer = np.zeros((100, 100, 4), np.uint8)
    layer[60:] = 255  # what is bright in sum is no reason to hide what is dark
    layer[10:20, 10:20, 3] = 255
    data = (
        save(Image.fromarray(layer), kind, **({"lossless": True} if kind == "WEBP" else {})) if kind != "array" else b""
    )
    on_white, on_black = from_array(layer) if kind == "array" else read_frames(data)
    assert on_white.time_ms is on_black.time_ms is None
    assert [on_white.pixels[at, 15, 0] for at in (5, 15, 80)] == [255, 0, 255]
    assert [on_black.pixels[at, 15, 0] for at in (5, 15, 80)] == [0, 0, 255]


def test_a_transparent_animation_is_seen_on_one_ground() -> None:
    layers = [Image.new("RGBA", (16, 12), (at, 0, 0, 100)) for at in (0, 80, 160)]
    frames = list(read_frames(save(layers[0], "PNG", save_all=True, append_images=layers[1:], duration=50)))
    assert [frame.time_ms for frame in frames] == [0, 50, 100]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_gives_frames_spread_over_its_time(kind: str) -> None:
    frames = list(read_frames(animation(kind, 30), PictureLimits(max_frames=4)))
    assert [frame.time_ms for frame in frames] == [0, 2_000, 4_000, 5_800]
    assert len({frame.pixels.tobytes() for frame in frames}) == 4


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_a_frame_that_is_shown_for_long_is_always_seen(kind: str) -> None:
    lengths = [20] * 101
    lengths[3] = 60_000
    frames = list(read_frames(animation(kind, 101, duration=lengths)))
    times = [frame.time_ms for frame in frames]
    assert len(times) == LIMITS.max_frames
    assert 60 in times
    assert times[0] == 0
    assert times[-1] == 20 * 99 + 60_000


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=80), st.integers(1, 30))
def test_the_longest_frames_are_chosen_and_the_others_at_even_distances(lengths: list[int], most: int) -> None:
    chosen = _choose(lengths, most)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(most, len(lengths))
    missed = set(range(len(lengths))) - set(chosen)
    # What is not looked at is shown for no longer than its share of the whole.
    assert all(lengths[number] * most <= sum(lengths) for number in missed)


def test_a_short_animation_gives_all_its_frames() -> None:
    assert len(list(read_frames(animation("GIF", 3)))) == 3


def test_a_large_image_is_made_smaller() -> None:
    assert only(whole("JPEG", (3_000, 1_500)), PictureLimits(max_side=300)).shape == (150, 300, 3)
    (frame,) = from_array(np.zeros((400, 200, 3), np.uint8), PictureLimits(max_side=100))
    assert frame.pixels.shape == (100, 50, 3)
    assert only(whole("PNG", (5, 2_000)), PictureLimits(max_side=100)).shape[0] == 100


@pytest.mark.parametrize(
    ("data", "limits", "why"),
    [
        (whole("PNG"), PictureLimits(max_bytes=100), "more than 100 bytes"),
        (whole("PNG"), PictureLimits(max_pixels=1_199), "more than 1,199 pixels"),
        (animation("GIF", 10), PictureLimits(max_total=1_000), "more than 1,000 pixels together"),
        (pages((8, 8), (300, 200)), PictureLimits(max_pixels=50_000), "more than 50,000 pixels"),
        (pages((8, 8), (300, 200), (300, 200)), PictureLimits(max_total=100_000), "more than 100,000 pixels together"),
        (many_scans((64, 64), 200), PictureLimits(), "more than 100 scans"),
        (b"hello", PictureLimits(), "no image of a known kind"),
        (whole("JPEG", (200, 200))[:-400], PictureLimits(), "damaged"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, limits: PictureLimits, why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        list(read_frames(data, limits))


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in hostile()])
def test_a_hostile_file_ends_in_a_clear_error(data: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        list(read_frames(data))
    assert len(str(caught.value)) > 15


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in scrambled()])
def test_a_scrambled_file_reads_or_ends_in_a_clear_error(data: bytes) -> None:
    try:
        assert all(isinstance(frame, Frame) for frame in read_frames(data))
    except DecodeError as error:
        assert str(error)


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros(4, np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3, 1), np.uint8),
        np.zeros((4, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_an_array_of_another_shape_is_refused(pixels: np.ndarray) -> None:
    with pytest.raises(DecodeError, match="height, width, 3"):
        list(from_array(pixels))


def test_an_array_is_taken_as_it_is() -> None:
    (frame,) = from_array(LEFT_RED)
    assert (frame.pixels == LEFT_RED).all()
    (frame,) = from_array(LEFT_RED[::-1, ::2])
    assert frame.pixels.flags.c_contiguous
    assert (frame.pixels == LEFT_RED[::-1, ::2]).all()


def test_grey_and_opaque_arrays_give_one_frame() -> None:
    (frame,) = from_array(LEFT_RED[..., 0])
    assert (frame.pixels == LEFT_RED[..., :1]).all()
    (frame,) = from_array(np.dstack([LEFT_RED, np.full((20, 40), 255, np.uint8)]))
    assert (frame.pixels == LEFT_RED).all()


def test_a_callers_own_image_stays_as_it_is() -> None:
    large = Image.open(io.BytesIO(whole("JPEG", (1_200, 800))))
    (frame,) = from_pillow(large, PictureLimits(max_side=100))
    assert frame.pixels.shape == (67, 100, 3)
    assert (large.size, large.mode) == ((1_200, 800), "RGB")
    moving = Image.open(io.BytesIO(animation("GIF", 10)))
    moving.seek(2)
    before = np.asarray(moving.convert("RGB"))
    frames = from_pillow(moving)
    next(frames)
    frames.close()
    assert len(list(from_pillow(moving))) == 10
    assert moving.tell() == 2
    assert (np.asarray(moving.convert("RGB")) == before).all()


@pytest.mark.parametrize("top", [1.0, 255.0, 65_535.0, 1e6])
def test_floating_greys_keep_their_shades_whatever_they_are_counted_in(top: float) -> None:
    ramp = np.linspace(0, top, 400, dtype=np.float32).reshape(1, 400).repeat(100, axis=0)
    for limits in (LIMITS, PictureLimits(max_side=100)):
        pixels = only(save(Image.fromarray(ramp), "TIFF"), limits)
        width = pixels.shape[1] - 1
        assert pixels[5, [0, width // 3, 2 * width // 3, width], 0].tolist() == pytest.approx([0, 85, 170, 255], abs=3)


def test_scans_are_those_of_the_image_and_not_of_what_follows() -> None:
    assert only(whole("JPEG", (64, 64), progressive=True) + b"\xff\xda\0\2" * 500).shape == (64, 64, 3)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory as Linux tells it")
def test_a_large_transparent_image_takes_little_more_than_its_pixels() -> None:
    code = (
        "import resource, sys\n"
        "from seemly.adapters.images.pixels import read_frames\n"
        "data = sys.stdin.buffer.read()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert len(list(read_frames(data))) == 2\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    data = save(Image.new("RGBA", (5_000, 4_000)), "PNG")
    took = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True).stdout
    assert int(took) < 2.7 * 5_000 * 4_000 * 4 / 1_024
