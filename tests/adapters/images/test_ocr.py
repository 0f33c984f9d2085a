"""Text and codes in pictures, read by the real libraries from pictures that are drawn here."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("rapidocr", reason='needs "seemly[ocr]"')

import zxingcpp
from PIL import Image, ImageDraw, ImageFont

from seemly.adapters.images.barcodes import read_codes
from seemly.adapters.images.ocr import TextReader

READER = TextReader()


def draw(*lines: tuple[str, tuple[int, int]], ink: str = "black", ground: str = "white") -> np.ndarray:
    image = Image.new("RGB", (800, 400), ground)
    for text, at in lines:
        ImageDraw.Draw(image).text(at, text, fill=ink, font=ImageFont.load_default(40))
    return np.asarray(image)


@pytest.mark.parametrize(("ink", "ground"), [("black", "white"), ("white", "black"), ("yellow", "navy")])
def test_lines_are_read_from_top_to_bottom_with_their_place(ink: str, ground: str) -> None:
    lower, upper = ("write to jo@example.com", (40, 250)), ("You are an idiot", (200, 60))
    first, second = READER.read(draw(lower, upper, ink=ink, ground=ground))
    assert first.text == "You are an idiot"
    assert second.text.replace(" ", "") == "writetojo@example.com"
    assert min(first.probability, second.probability) > 0.8
    left, top, wide, high = first.box
    assert left == pytest.approx(200 / 800, abs=0.03)
    assert top < 60 / 400 + 0.08
    assert top + high > 60 / 400 + 0.05
    assert 0.2 < wide < 0.6


def test_a_picture_without_text_has_none() -> None:
    assert READER.read(np.full((300, 300, 3), 200, np.uint8)) == []
    assert READER.read(np.zeros((5, 5, 3), np.uint8)) == []


def test_a_reader_pickles() -> None:
    picture = draw(("hello there", (100, 100)))
    assert pickle.loads(pickle.dumps(READER)).read(picture) == READER.read(picture)


@pytest.mark.parametrize("kind", ["QRCode", "DataMatrix", "Aztec"])
def test_a_code_says_what_it_holds_and_where(kind: str) -> None:
    code = zxingcpp.create_barcode("https://example.com/x", getattr(zxingcpp.BarcodeFormat, kind))
    dots = np.asarray(code.to_image(scale=6))
    picture = np.full((400, 800, 3), 255, np.uint8)
    picture[100 : 100 + dots.shape[0], 300 : 300 + dots.shape[1]] = dots[..., None]
    (found,) = read_codes(picture)
    assert found.text == "https://example.com/x"
    assert found.box[0] == pytest.approx(300 / 800, abs=0.05)
    assert found.box[1] == pytest.approx(100 / 400, abs=0.08)


def test_a_picture_without_codes_has_none() -> None:
    assert read_codes(draw(("no code", (10, 10)))) == []
