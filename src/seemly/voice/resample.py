"""Any rate of sampling to 16 kHz, chunk by chunk, without a seam."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from seemly.media.speech import RATE

__all__ = ["Resampler"]

_ZEROS = 32
"""Zero crossings of the sinc on each side of a sample: the delay, 2 ms at 16 kHz, against the steepness."""
_ATTENUATION = 80.0
"""How far down, in decibels, what would be mirrored at half the rate is."""
_SCALE = 2.0**30
"""A filter's coefficients are whole numbers of this unit. Products with 16-bit samples, and their sums, then are whole
numbers below 2^53, exact as floats in whatever order they are added: chunks of any size give the same samples."""
_GRID = np.linspace(0.0, 1.0, 4097)
"""Where the window is worked out: a line between two of them is less than 120 dB off, and some rates need millions."""
_BLOCK = 1024
"""Samples made at once: their windows fit a processor's cache."""


class Resampler:
    """From `rate` samples a second to 16,000, by a polyphase filter: a sinc under Kaiser's window (Oppenheim and
    Schafer, Discrete-Time Signal Processing, section 7.5.3), flat to five sixths of half the lower rate, closed there.

    The first sample out stands at the time of the first sample in. n samples give ceil(n · 16,000 / rate) in all.
    """

    def __init__(self, rate: int) -> None:
        self._phases = None if rate == RATE else _design(rate)
        self._made = 0
        reach = 0 if self._phases is None else self._phases.reach
        self._origin = 1 - reach
        self._held = np.zeros(max(0, reach - 1))

    def push(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        """The samples whose surroundings are complete now; the others wait for the next call."""
        phases = self._phases
        if phases is None:
            return samples
        self._held = np.concatenate([self._held, samples])
        centres = self._origin + len(self._held) - phases.reach
        ready = max(0, -(-centres * phases.up // phases.down))
        made = [self._make(phases, start, min(start + _BLOCK, ready)) for start in range(self._made, ready, _BLOCK)]
        self._made = max(self._made, ready)
        needed = self._made * phases.down // phases.up - phases.reach + 1
        self._held = self._held[max(0, needed - self._origin) :].copy()
        self._origin = max(self._origin, needed)
        return np.concatenate(made) if made else np.zeros(0, np.int16)

    def end(self) -> NDArray[np.int16]:
        """The samples that waited, as if silence followed."""
        return self.push(np.zeros(0 if self._phases is None else self._phases.reach, np.int16))

    def _make(self, phases: _Phases, start: int, stop: int) -> NDArray[np.int16]:
        centre, phase = np.divmod(np.arange(start, stop) * phases.down, phases.up)
        first = centre - phases.reach + 1 - self._origin
        windows = sliding_window_view(self._held, 2 * phases.reach)[first]
        sums = np.einsum("nt,nt->n", windows, phases.table[phase])
        made: NDArray[np.int16] = np.clip(np.rint(sums / _SCALE), -32768, 32767).astype(np.int16)
        return made


@dataclass(frozen=True, slots=True)
class _Phases:
    """The filter at each place between two samples: `up` out for `down` in, [up, 2 · reach] coefficients."""

    up: int
    down: int
    reach: int
    table: NDArray[np.float64]


@lru_cache(maxsize=4)
def _design(rate: int) -> _Phases:
    shared = math.gcd(rate, RATE)
    up, down = RATE // shared, rate // shared
    lower = min(1.0, RATE / rate)
    reach = math.ceil(_ZEROS / lower)
    beta = 0.1102 * (_ATTENUATION - 8.7)
    transition = (_ATTENUATION - 8.0) / (2.285 * 2 * _ZEROS * math.pi)
    cutoff = lower * (1.0 - transition / 2)
    places = np.arange(1 - reach, reach + 1) - np.arange(up)[:, None] / up
    window = np.i0(beta * np.sqrt(1.0 - _GRID**2))
    table = np.sinc(cutoff * places) * np.interp(np.abs(places) / reach, _GRID, window)
    table /= table.sum(axis=1, keepdims=True)
    return _Phases(up, down, reach, np.rint(table * _SCALE))
