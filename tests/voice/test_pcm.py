import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seemly.voice.pcm import PcmStream, expand_alaw, expand_mulaw

RATES = [8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000]
ENCODINGS = ["audio/l16", "audio/x-mulaw", "audio/x-alaw"]
Samples = NDArray[np.int16]


def _resample(samples: Any, rate: int) -> Samples:
    stream = PcmStream("audio/l16", rate)
    return np.concatenate([stream.push(np.asarray(samples).astype("<i2").tobytes()), stream.end()])


def _sine(frequency: float, rate: int, seconds: float = 0.5, level: float = 16000.0) -> NDArray[np.float64]:
    return level * np.sin(2 * np.pi * frequency * np.arange(int(rate * seconds)) / rate)


def _decibels(samples: NDArray[Any], reference: NDArray[Any]) -> float:
    power = float(np.square(samples, dtype=float).mean()), float(np.square(reference, dtype=float).mean())
    return 10 * math.log10(max(power[0], 1e-9) / power[1])


def _inner(samples: NDArray[Any]) -> NDArray[Any]:
    """All but the ends, where the filter also sees the silence around."""
    return samples[200:-200]


def _alaw_levels() -> list[float]:
    # Table 1: the first two segments have intervals of 2 (of 4096), each further one twice the last.
    steps = [2] * 32 + [2 << segment for segment in range(1, 7) for _ in range(16)]
    edges = np.concatenate([[0], np.cumsum(steps)])
    assert edges[-1] == 4096
    return [float(each) for each in (edges[:-1] + edges[1:]) / 2]


def _mulaw_levels() -> list[float]:
    # Table 2: decision values 0, 1, 3, … 31, 35, … 95, 103, … 8159 (of 8159); the first interval stands for 0.
    steps = [1] + [2] * 15 + [4 << segment for segment in range(7) for _ in range(16)]
    edges = np.concatenate([[0], np.cumsum(steps)])
    assert (edges[16], edges[32], edges[-1]) == (31, 95, 8159)
    return [0.0, *(float(each) for each in (edges[1:-1] + edges[2:]) / 2)]


def test_alaw_gives_the_levels_of_the_standard() -> None:
    assert [expand_alaw((code | 0x80) ^ 0x55) for code in range(128)] == [8 * level for level in _alaw_levels()]


def test_mulaw_gives_the_levels_of_the_standard() -> None:
    assert [expand_mulaw((code | 0x80) ^ 0x7F) for code in range(128)] == [4 * level for level in _mulaw_levels()]


@pytest.mark.parametrize("expand", [expand_alaw, expand_mulaw])
def test_a_code_with_the_other_sign_is_the_same_level_below_zero(expand: Any) -> None:
    for code in range(256):
        assert expand(code) == -expand(code ^ 0x80)
        assert expand(code | 0x80) >= 0
        assert -32768 <= expand(code) <= 32767


@pytest.mark.parametrize(
    ("encoding", "data", "samples"),
    [
        ("audio/l16", b"\x01\x00\xff\xff\x00\x80\xff\x7f", [1, -1, -32768, 32767]),
        ("audio/x-mulaw", b"\xff\x7f\x80\x00", [0, 0, 32124, -32124]),
        ("audio/x-alaw", b"\xd5\x55\xaa\x2a", [8, -8, 32256, -32256]),
    ],
)
def test_bytes_become_samples(encoding: Any, data: bytes, samples: list[int]) -> None:
    stream = PcmStream(encoding, 16000)
    assert stream.push(data).tolist() == samples
    assert stream.end().tolist() == []
    assert not stream.incomplete


@settings(max_examples=60)
@given(
    st.binary(max_size=3000),
    st.lists(st.integers(0, 3000), max_size=8),
    st.sampled_from(ENCODINGS),
    st.sampled_from(RATES),
)
def test_however_the_bytes_are_split_the_samples_are_the_same(
    data: bytes, cuts: list[int], encoding: Any, rate: int
) -> None:
    whole, split = PcmStream(encoding, rate), PcmStream(encoding, rate)
    at = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    parts = [split.push(data[start:end]) for start, end in pairwise(at)]
    expected = np.concatenate([whole.push(data), whole.end()])
    assert np.concatenate([*parts, split.end()]).tolist() == expected.tolist()
    assert split.incomplete == whole.incomplete == bool(len(data) % whole.width)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [0, 1, 7, 1000])
def test_a_recording_lasts_as_long_as_before(rate: int, size: int) -> None:
    assert len(_resample(np.ones(size), rate)) == -(-size * 16000 // rate)


@pytest.mark.parametrize("rate", [*RATES, 12345])
@pytest.mark.parametrize("frequency", [50.0, 1000.0, 3300.0])
def test_a_sine_keeps_its_frequency_phase_and_level(rate: int, frequency: float) -> None:
    given_sine = _sine(frequency, rate)
    expected = _sine(frequency, 16000)
    got = _resample(given_sine, rate)[: len(expected)]
    assert abs(_decibels(_inner(got), _inner(expected))) < 0.02
    assert _decibels(_inner(got - expected), _inner(expected)) < -70


@pytest.mark.parametrize("rate", [rate for rate in RATES if rate > 16000])
def test_what_16_khz_cannot_hold_is_not_mirrored_into_it(rate: int) -> None:
    tone = _sine(min(9500.0, rate / 2.2), rate)
    assert _decibels(_inner(_resample(tone, rate)), tone) < -75


@pytest.mark.parametrize("rate", [8000, 11025])
def test_no_image_stands_above_what_was_recorded(rate: int) -> None:
    got = _inner(_resample(_sine(3000.0, rate), rate)).astype(float)
    spectrum = np.abs(np.fft.rfft(got * np.hanning(len(got))))
    frequencies = np.fft.rfftfreq(len(got), 1 / 16000)
    assert spectrum[frequencies > 4000].max() < spectrum.max() * 10 ** (-70 / 20)


@pytest.mark.parametrize("rate", RATES)
def test_a_click_stays_where_it_is(rate: int) -> None:
    samples = np.zeros(rate // 2)
    samples[rate // 4] = 30000
    at = int(np.argmax(np.abs(_resample(samples, rate).astype(int))))
    assert abs(at - rate // 4 * 16000 / rate) <= 1


@pytest.mark.parametrize("rate", RATES)
def test_a_constant_stays_what_it_is(rate: int) -> None:
    assert set(_inner(_resample(np.full(rate // 4, -12345), rate)).tolist()) == {-12345}


@pytest.mark.parametrize("rate", [8000, 48000])
def test_what_overshoots_is_clipped_and_does_not_wrap(rate: int) -> None:
    square = np.repeat(np.tile([32767, -32768], 20), 30 * rate // 8000)
    got = _resample(square, rate)
    assert got.max() == 32767
    assert got.min() == -32768
    assert np.abs(np.diff(got.astype(int)))[100:-100].max() < 60000


def test_the_samples_wait_no_longer_than_the_filter_needs() -> None:
    for rate in RATES:
        stream = PcmStream("audio/l16", rate)
        made = len(stream.push(bytes(2 * rate)))
        assert 0 <= 16000 - made <= 16000 * 4.1 / 1000


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_silence_is_silent_and_in_pieces(encoding: Any) -> None:
    stream = PcmStream(encoding, 8000)
    pieces = list(stream.silence(20001))
    assert sum(map(len, pieces)) == 20001
    assert max(map(len, pieces)) <= 8000 * stream.width
    assert abs(stream.push(pieces[0])).max() < 10
    assert list(stream.silence(0)) == []


def test_a_chunk_is_cut_into_seconds() -> None:
    stream = PcmStream("audio/l16", 8000)
    assert [len(piece) for piece in stream.cut(bytes(40000))] == [16000, 16000, 8000]
    assert stream.to_ms(40000) == 2500
