"""Images from every source to a result, with the real decoder and, where they are installed, the real models."""

from __future__ import annotations

import base64
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from seemly.adapters.images.decoder import ImageDecoder
from seemly.adapters.images.draw import draw_boxes, find_boxes
from seemly.core.channel import Channel, Hashlist
from seemly.core.content import Image, Object, Video
from seemly.core.errors import DecodeError
from seemly.engine.engine import Engine
from seemly.engine.models import Models
from seemly.media.decoding import BUILTIN_DECODERS, Capture
from seemly.media.image import Box
from seemly.testing import FakeModels, FakeViewer
from tests.adapters.images.test_onnx_classifier import make
from tests.support.hostile_pictures import hostile, scrambled

RED = Pillow.new("RGB", (40, 30), (255, 0, 0))


def png(image: Pillow.Image = RED) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


SOURCES: dict[str, Callable[[Path], Any]] = {
    "bytes": lambda path: png(),
    "bytearray": lambda path: bytearray(png()),
    "path": lambda path: path,
    "path as str": str,
    "file": lambda path: io.BytesIO(png()),
    "pillow": lambda path: RED,
    "array": lambda path: np.asarray(RED),
    "RGBA array": lambda path: np.asarray(RED.convert("RGBA")),
    "data URL": lambda path: f"data:image/png;base64,{base64.b64encode(png()).decode()}",
    "URL": lambda path: "https://example.com/red.png",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_every_source_is_read(source: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "red.png"
    path.write_bytes(png())
    engine = Engine(models=FakeModels(viewers=[FakeViewer({"nudity": 0.9})]), fetch=lambda url, most: png())
    result = engine.moderate(Image(source(path)))
    assert result.errors == ()
    assert result["sexual"].probability == 0.9
    assert result["sexual"].matches[0].time_ms is None


def test_the_wires_base64_is_read() -> None:
    engine = Engine(models=FakeModels(viewers=[FakeViewer({"nudity": 0.9})]))
    assert engine.moderate({"type": "image", "data": base64.b64encode(png()).decode()})["sexual"].flagged


def test_frames_of_an_animation_have_times_and_are_no_more_than_the_channel_takes() -> None:
    file = io.BytesIO()
    greys = [Pillow.new("RGB", (16, 16), (value, value, value)) for value in range(0, 250, 10)]
    greys[0].save(file, "GIF", save_all=True, append_images=[*greys[1:], RED.resize((16, 16))], duration=200)
    engine = Engine(Channel(max_frames_per_video=5), models=FakeModels(viewers=[FakeViewer({"gore": 0.9})]))
    result = engine.moderate(Image(file.getvalue()))
    assert result.media[0].pictures == 5
    assert [match.time_ms for match in result["violence"].matches] == [5_000]


@pytest.mark.parametrize(
    "source", [object(), None, 3, np.zeros((4, 4)), ["x"]], ids=["object", "None", "number", "array of floats", "list"]
)
def test_what_is_no_image_is_told(source: object) -> None:
    with pytest.raises(DecodeError):
        list(ImageDecoder().decode(Image(source), Capture()))


def test_other_content_is_refused() -> None:
    with pytest.raises(DecodeError, match="video"):
        list(ImageDecoder().decode(Video(b""), Capture()))


def test_hostile_files_each_cost_one_failure_and_no_more() -> None:
    engine = Engine(models=FakeModels(viewers=[FakeViewer({"nudity": 0.9})]))
    for name, data in (*hostile(), *scrambled()):
        result = engine.moderate(Object({"bio": "hello there", "face": Image(data)}))
        assert all(error.id == "decode:face" and "raised" not in error.message for error in result.errors), name
        assert "toxicity" in result, name


def test_a_folder_of_ones_own_is_taken_up(tmp_path: Path) -> None:
    make(tmp_path / "image-colours")
    models = Models(tmp_path)
    assert any(viewer.labels == ("nudity", "gore") for viewer in models.senses.viewers())
    engine = Engine(models=models)
    result = pickle.loads(pickle.dumps(engine)).moderate(Image(RED))
    assert result["violence"].flagged
    assert "gore" not in result.media[0].uncovered
    assert "weapon" in result.media[0].uncovered


def test_boxes_are_drawn_where_things_were_found() -> None:
    engine = Engine(models=FakeModels(viewers=[FakeViewer({"gore": 0.9})]), decoders=BUILTIN_DECODERS)
    result = engine.moderate(Image(RED))
    boxes = list(find_boxes(result))
    assert boxes == [((0.0, 0.0, 0.5, 0.5), "violence 0.90")]
    drawn = draw_boxes(np.full((200, 300, 3), 255, np.uint8), boxes)
    changed = (drawn != 255).any(axis=2)
    assert changed[:, 160:].sum() == 0
    assert changed[110:].sum() == 0
    assert changed[99, 10:140].all()


@pytest.mark.parametrize(
    "box",
    [
        (0.5, 0.5, 0.0, 0.0),
        (1.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 0.001, 0.001),
        (0.999, 0.0, 0.001, 1.0),
        (0.9, 0.9, 0.5, 0.5),
        (-0.1, -0.1, 0.05, 0.05),
    ],
)
def test_boxes_at_the_edge_and_of_less_than_a_pixel_are_drawn(box: Box) -> None:
    drawn = draw_boxes(np.zeros((100, 100, 3), np.uint8), [(box, "x")])
    assert drawn.shape == (100, 100, 3)
    left, top = (min(max(round(share * 100), 0), 99) for share in box[:2])
    assert drawn[top, left].any()


def test_known_images_are_found_however_they_were_saved() -> None:
    pytest.importorskip("pdqhash", reason='needs "seemly[hash]"')
    from seemly.adapters.images.pdq import PdqHasher

    rng = np.random.default_rng(7)
    coarse = rng.integers(0, 256, (12, 16, 3), dtype=np.uint8)
    picture = Pillow.fromarray(coarse).resize((640, 480), Pillow.Resampling.BICUBIC)
    found = PdqHasher().hash(np.asarray(picture))
    assert found is not None
    jpeg = io.BytesIO()
    picture.resize((400, 300)).save(jpeg, "JPEG", quality=40)
    other = Pillow.fromarray(coarse[::-1, ::-1]).resize((640, 480), Pillow.Resampling.BICUBIC)
    models = FakeModels(viewers=[FakeViewer({})], hasher=PdqHasher())
    engine = Engine(Channel(hashlists=(Hashlist("known", (found.hex(),)),)), models=models)
    assert engine.moderate(Image(jpeg.getvalue()))["hash:known"].flagged
    assert not engine.moderate(Image(other))["hash:known"].flagged
    assert PdqHasher().hash(np.zeros((100, 100, 3), np.uint8)) is None


def test_text_in_an_image_is_moderated_by_the_real_reader() -> None:
    pytest.importorskip("rapidocr", reason='needs "seemly[ocr]"')
    image = Pillow.new("RGB", (900, 300), "white")
    font = ImageFont.load_default(44)
    ImageDraw.Draw(image).text((40, 40), "you are a worthless idiot", fill="black", font=font)
    ImageDraw.Draw(image).text((40, 180), "write to jo@example.com", fill="black", font=font)
    result = Engine(tier="fast").moderate(Image(image))
    assert result["toxicity"].flagged
    (mail,) = result["personal_information"].matches
    assert mail.match == "jo@example.com"
    assert mail.box is not None
    assert mail.box[1] > 0.5
    assert {each.label for each in result.media[0].labels} >= {"text", "toxic"}
