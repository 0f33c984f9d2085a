"""Searching known hashes: everything within the distance is found, nothing beyond it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import ConfigError
from seemly.media.hashing import BYTES, MAX_DISTANCE, HashIndex, KnownHash, parse_hashes

RNG = np.random.default_rng(4)
KNOWN = RNG.integers(0, 256, (3_000, BYTES), np.uint8)
INDEX = HashIndex(KNOWN)


def flip(value: np.ndarray, bits: list[int]) -> bytes:
    found = np.unpackbits(value)
    found[bits] ^= 1
    return np.packbits(found).tobytes()


@settings(max_examples=200)
@given(st.integers(0, len(KNOWN) - 1), st.lists(st.integers(0, 255), unique=True, max_size=40))
def test_a_hash_is_found_up_to_its_distance_and_no_further(place: int, bits: list[int]) -> None:
    found = INDEX.search(flip(KNOWN[place], bits))
    assert found == ([KnownHash(place, len(bits))] if len(bits) <= MAX_DISTANCE else [])


@given(st.lists(st.integers(0, 255), unique=True, min_size=31, max_size=31), st.integers(0, 30))
def test_a_smaller_distance_finds_less(bits: list[int], distance: int) -> None:
    assert INDEX.search(flip(KNOWN[7], bits), distance) == []
    assert INDEX.search(flip(KNOWN[7], bits), 31) == [KnownHash(7, 31)]


def test_the_worst_spread_of_bits_is_found() -> None:
    even = [part * 16 + bit for part in range(15) for bit in (3, 9)] + [15 * 16 + 4]
    assert INDEX.search(flip(KNOWN[11], even)) == [KnownHash(11, 31)]


def test_several_come_nearest_first_and_repeats_are_all_found() -> None:
    near = [flip(KNOWN[0], list(range(count))) for count in (20, 5, 10, 5)]
    index = HashIndex(np.frombuffer(b"".join(near), np.uint8).reshape(-1, BYTES))
    assert index.search(KNOWN[0]) == [KnownHash(1, 5), KnownHash(3, 5), KnownHash(2, 10), KnownHash(0, 20)]


def test_an_empty_list_knows_nothing() -> None:
    assert HashIndex(np.zeros((0, BYTES), np.uint8)).search(bytes(BYTES)) == []


def test_lines_are_read_and_wrong_ones_named() -> None:
    lines = ["# a list", "", "00" * 32, " FF" + "ff" * 31 + ",from 2024", "ab" * 32 + " 87"]
    assert parse_hashes(lines).tolist() == [[0] * 32, [255] * 32, [171] * 32]
    with pytest.raises(ConfigError) as caught:
        parse_hashes(["00" * 32, "00" * 31, "zz" * 32], "lists.known")
    assert [issue.path for issue in caught.value.issues] == ["lists.known.2", "lists.known.3"]
    assert "zz" not in str(caught.value)


@pytest.mark.parametrize(
    "act",
    [
        lambda: HashIndex(np.zeros((2, 16), np.uint8)),
        lambda: HashIndex(np.zeros((2, BYTES), np.int64)),
        lambda: INDEX.search(bytes(31)),
        lambda: INDEX.search(bytes(BYTES), 32),
    ],
)
def test_what_cannot_be_compared_is_refused(act: object) -> None:
    with pytest.raises(ConfigError):
        act()
