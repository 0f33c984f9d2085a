"""From the bytes of one track, as they come, to samples at 16 kHz.

Samples may be 16 bits (`audio/l16`, little-endian, as microphones, WAV files and voice services have them; RTP's L16,
RFC 3551, is big-endian and must be swapped first), or the 8 bits of ITU-T G.711: mu-law or A-law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seemly.voice.resample import Resampler

__all__ = ["Encoding", "PcmStream", "expand_alaw", "expand_mulaw"]

Encoding = Literal["audio/l16", "audio/x-mulaw", "audio/x-alaw"]
"""How samples are written as bytes."""


def expand_mulaw(code: int) -> int:
    """The 16-bit sample that a mu-law byte stands for: ITU-T G.711 (11/88), table 2, its 14-bit values times 4."""
    code ^= 0xFF
    exponent, mantissa = code >> 4 & 7, code & 15
    level = ((2 * mantissa + 33) << exponent) - 33
    return -4 * level if code & 0x80 else 4 * level


def expand_alaw(code: int) -> int:
    """The 16-bit sample that an A-law byte stands for: ITU-T G.711 (11/88), table 1, its 13-bit values times 8."""
    code ^= 0x55
    exponent, mantissa = code >> 4 & 7, code & 15
    level = (2 * mantissa + 33) << exponent - 1 if exponent else 2 * mantissa + 1
    return 8 * level if code & 0x80 else -8 * level


_EXPANSIONS: Mapping[str, Callable[[int], int]] = {"audio/x-mulaw": expand_mulaw, "audio/x-alaw": expand_alaw}
_SILENCE: Mapping[str, int] = {"audio/l16": 0x00, "audio/x-mulaw": 0xFF, "audio/x-alaw": 0xD5}


class PcmStream:
    """One track from its bytes to int16 samples at 16 kHz, however the bytes are split into chunks.

    `sample_rate` is in samples a second. A sample that a chunk ends within is completed by the next chunk.
    """

    def __init__(self, encoding: Encoding, sample_rate: int) -> None:
        self.width = 1 if encoding in _EXPANSIONS else 2
        self._encoding = encoding
        self._rate = sample_rate
        self._resampler = Resampler(sample_rate)
        self._rest = b""

    @property
    def incomplete(self) -> bool:
        """Whether the last chunk ended within a sample."""
        return bool(self._rest)

    def push(self, chunk: bytes) -> NDArray[np.int16]:
        """The samples that are certain now: those of the last few milliseconds wait for what follows."""
        data = self._rest + chunk
        whole = len(data) - len(data) % self.width
        self._rest = data[whole:]
        return self._resampler.push(self._decode(data[:whole]))

    def end(self) -> NDArray[np.int16]:
        """The samples that waited: nothing follows."""
        return self._resampler.end()

    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """The chunk in pieces of at most one second."""
        size = self.width * self._rate
        return (chunk[start : start + size] for start in range(0, len(chunk), size))

    def silence(self, size: int) -> Iterator[bytes]:
        """So many bytes of silence, in pieces of at most one second."""
        second = self.width * self._rate
        for start in range(0, size, second):
            yield bytes([_SILENCE[self._encoding]]) * min(second, size - start)

    def to_ms(self, size: int) -> int:
        """How many milliseconds so many bytes last."""
        return size * 1000 // (self.width * self._rate)

    def _decode(self, data: bytes) -> NDArray[np.int16]:
        if self.width == 2:
            return np.frombuffer(data, "<i2").astype(np.int16, copy=False)
        return _expansion(self._encoding)[np.frombuffer(data, np.uint8)]


@cache
def _expansion(encoding: str) -> NDArray[np.int16]:
    return np.array([_EXPANSIONS[encoding](code) for code in range(256)], np.int16)
