"""Images to pixels: sound ones look as people see them, hostile ones end in a clear error."""

from __future__ import annotations

import io

import numpy as np
import pytest

from seemly.errors import DecodeError

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from PIL import Image

from hostile_pictures import animation, hostile, scrambled, whole
from seemly.adapters.pictures import FORMATS, LIMITS, Frame, PictureLimits, from_array, from_pillow, read_frames

LEFT_RED = np.zeros((20, 40, 3), np.uint8)
LEFT_RED[:, :20, 0] = 255


def save(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


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
def test_what_is_drawn_on_transparency_can_be_seen(ink: tuple[int, int, int], ground: int) -> None:
    layer = np.zeros((20, 20, 4), np.uint8)
    layer[5:10, 5:10] = (*ink, 255)
    pixels = only(save(Image.fromarray(layer), "PNG"))
    assert pixels[7, 7].tolist() == list(ink)
    assert pixels[15, 15].tolist() == [ground] * 3


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_gives_frames_spread_over_its_time(kind: str) -> None:
    frames = list(read_frames(animation(kind, 30), PictureLimits(max_frames=4)))
    assert [frame.time_ms for frame in frames] == [0, 2_000, 3_800, 5_800]
    assert len({frame.pixels.tobytes() for frame in frames}) == 4


def test_a_short_animation_gives_all_its_frames() -> None:
    assert len(list(read_frames(animation("GIF", 3)))) == 3


def test_a_large_image_is_made_smaller() -> None:
    assert only(whole("JPEG", (3_000, 1_500)), PictureLimits(max_side=300)).shape == (150, 300, 3)
    assert from_array(np.zeros((400, 200, 3), np.uint8), PictureLimits(max_side=100)).pixels.shape == (100, 50, 3)
    assert only(whole("PNG", (5, 2_000)), PictureLimits(max_side=100)).shape[0] == 100


@pytest.mark.parametrize(
    ("data", "limits", "why"),
    [
        (whole("PNG"), PictureLimits(max_bytes=100), "more than 100 bytes"),
        (whole("PNG"), PictureLimits(max_pixels=1_199), "more than 1,199 pixels"),
        (animation("GIF", 10), PictureLimits(max_total=1_000), "more than 1,000 pixels together"),
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
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_an_array_of_another_shape_is_refused(pixels: np.ndarray) -> None:
    with pytest.raises(DecodeError, match="height, width, 3"):
        from_array(pixels)


def test_an_array_is_taken_as_it_is() -> None:
    assert (from_array(LEFT_RED).pixels == LEFT_RED).all()
    assert from_array(LEFT_RED[::-1, ::2]).pixels.flags.c_contiguous
