"""Boundaries between scripts, at the same offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.text.boundaries import BOUNDARY, mark_boundaries, split_words


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("plain ascii 12", "plain ascii 12"),
        ("是415请", "B415B"),
        ("电话 415", "电话 415"),
        ("телефон+380", "телефоB+380"),
        ("サーバー10", "サーバB10"),
        ("090ー1234", "090ー1234"),
        ("müller12", "müller12"),
        ("地址::1请", "地B::1B"),
    ],
)
def test_letters_of_other_scripts_beside_ascii_are_marked(text: str, marked: str) -> None:
    assert mark_boundaries(text) == marked.replace("B", BOUNDARY) if not text.isascii() else marked


@given(st.text())
def test_offsets_stay(text: str) -> None:
    marked = mark_boundaries(text)
    assert len(marked) == len(text)
    assert all(new in (old, BOUNDARY) for old, new in zip(text, marked, strict=True))


def test_words_end_where_the_script_changes() -> None:
    assert split_words("ip地址是x ёлка2 naïve") == ["ip", "地址是", "x", "ёлка", "naïve"]
