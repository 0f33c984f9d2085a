"""The nudity detector: what its raw output means, with a session that says what it is told; and the real file."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from seemly.core.errors import ModelError

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from seemly.adapters.images.nudity import NudityModel, _Network
from seemly.media.image import ImageModel, Region

KINDS = ("FACE_FEMALE", "FEMALE_BREAST_EXPOSED", "BUTTOCKS_COVERED")


class Session:
    """Gives the detections it was made with: kind, probability, and centre and size in pixels of 320."""

    def __init__(self, *found: tuple[int, float, tuple[float, float, float, float]]) -> None:
        self.found = found
        self.seen: list[np.ndarray] = []

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="images")]

    def get_modelmeta(self) -> SimpleNamespace:
        return SimpleNamespace(custom_metadata_map={"names": str(dict(enumerate(KINDS)))})

    def run(self, _: None, given: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.seen.append(given["images"])
        out = np.zeros((1, 4 + len(KINDS), len(self.found) + 1), np.float32)
        for at, (kind, chance, box) in enumerate(self.found):
            out[0, :4, at] = box
            out[0, 4 + kind, at] = chance
        return [out]


def look(*found: tuple[int, float, tuple[float, float, float, float]], height: int = 100, width: int = 200) -> object:
    return _Network(Session(*found)).look(np.zeros((height, width, 3), np.uint8))


def test_exposed_and_covered_parts_speak_for_different_labels() -> None:
    seen = look((0, 0.9, (10, 10, 5, 5)), (1, 0.75, (160, 80, 32, 16)), (2, 0.5, (40, 40, 80, 80)))
    assert seen.scores == pytest.approx({"nudity": 0.75, "suggestive": 0.5})
    nude, covered = seen.regions
    assert (nude.label, nude.what) == ("nudity", "female breast exposed")
    assert nude.box == pytest.approx((0.45, 0.45, 0.1, 0.1))
    assert covered.box == pytest.approx((0.0, 0.0, 0.25, 0.5))


def test_weak_regions_and_repeats_are_left_out() -> None:
    seen = look(
        (1, 0.19, (10, 10, 5, 5)), (1, 0.8, (160, 80, 40, 40)), (1, 0.7, (162, 80, 40, 40)), (1, 0.6, (60, 80, 40, 40))
    )
    assert [round(region.probability, 2) for region in seen.regions] == [0.8, 0.6]


def test_nothing_found_is_said_with_zeros() -> None:
    seen = look()
    assert seen.scores == {"nudity": 0.0, "suggestive": 0.0}
    assert seen.regions == ()


@pytest.mark.parametrize(
    ("height", "width", "filled"), [(100, 200, (160, 320)), (200, 100, (320, 160)), (3, 900, (1, 320))]
)
def test_a_picture_fills_the_upper_left_of_the_square(height: int, width: int, filled: tuple[int, int]) -> None:
    session = Session()
    _Network(session).look(np.full((height, width, 3), 255, np.uint8))
    (block,) = session.seen
    assert block.shape == (1, 3, 320, 320)
    assert block[0, :, : filled[0], : filled[1]].min() == 1.0
    assert block.sum() == pytest.approx(3 * filled[0] * filled[1])


def test_boxes_stay_within_the_picture() -> None:
    (region,) = look((1, 0.9, (320, 160, 100, 100))).regions
    assert isinstance(region, Region)
    left, top, wide, high = region.box
    assert 0 <= left <= left + wide <= 1
    assert 0 <= top <= top + high <= 1


def test_missing_weights_are_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        NudityModel(tmp_path / "none.onnx").warm_up()


def test_the_real_detector_finds_nothing_in_a_landscape() -> None:
    pytest.importorskip("nudenet", reason='needs "seemly[nudity]"')
    model = NudityModel()
    assert isinstance(model, ImageModel)
    hills = np.zeros((300, 400, 3), np.uint8)
    hills[:150] = (90, 160, 230)
    hills[150:] = (40, 140, 60)
    (seen,) = model.look([hills])
    assert seen.scores == {"nudity": 0.0, "suggestive": 0.0}
    assert pickle.loads(pickle.dumps(model)).look([hills]) == [seen]
