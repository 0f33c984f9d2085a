"""Covering pictures: what lies in a box can no longer be told, what lies outside stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("PIL", reason='needs "seemly[image]"')

from seemly.adapters.images.blur import cover

STRIPES = np.zeros((100, 200, 3), np.uint8)
STRIPES[:, ::2] = 255


@pytest.mark.parametrize("how", ["blur", "pixelate"])
def test_the_whole_picture_is_covered(how: str) -> None:
    covered = cover(STRIPES, how=how)
    assert covered.shape == STRIPES.shape
    assert np.abs(covered[:, 20:-20].astype(int) - 127).max() < 60
    assert STRIPES.std() > 120


@pytest.mark.parametrize("how", ["blur", "pixelate"])
def test_only_the_box_is_covered(how: str) -> None:
    covered = cover(STRIPES, [(0.25, 0.2, 0.5, 0.5)], how)
    assert covered[30:60, 60:140].std() < 40
    outside = np.ones((100, 200), bool)
    outside[20:70, 50:150] = False
    assert (covered[outside] == STRIPES[outside]).all()


@pytest.mark.parametrize(
    "box", [(0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), (0.999, 0.999, 0.5, 0.5), (0.5, 0.0, 0.001, 1.0)]
)
def test_boxes_at_the_edge_do_no_harm(box: tuple[float, float, float, float]) -> None:
    assert cover(STRIPES, [box], "pixelate").shape == STRIPES.shape
