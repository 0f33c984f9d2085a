"""Cutting sound into utterances by where somebody speaks: `pip install "seemly[media]"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pocketsphinx import Endpointer, Vad

from seemly.media.speech import RATE, Sound

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SpeechActivity"]

_WINDOW = 0.3
"""Seconds that are looked at to tell whether somebody speaks."""
_RATIO = 0.8
"""The share of the window that must be speech for an utterance to begin, or silence for it to end. With more, what is
said softly is missed."""
_FRAME_MS = 30
"""Milliseconds that are told to be speech or not as one."""
_LONGEST = 15_000 // _FRAME_MS
"""Frames after which an utterance that goes on is cut."""
_CUT_WITHIN = 3_000 // _FRAME_MS
"""Frames, the last of an utterance that goes on, at the quietest of which it is cut, so that few words are."""
_SHORTEST = RATE // 5
"""Samples of the shortest utterance that is given on: nobody says a word in less."""


class SpeechActivity:
    """Finds the utterances of one recording, 0.2 to 15 seconds each, while it comes in.

    It errs on the side of speech: loud noise is taken for it. It keeps no more than the utterance that is open, and
    what it finds is the same however the samples are spread over calls. Not for several threads at once.
    """

    def __init__(self) -> None:
        self._endpointer = Endpointer(
            window=_WINDOW, ratio=_RATIO, vad_mode=Vad.LOOSE, sample_rate=RATE, frame_length=_FRAME_MS / 1000
        )
        self._size: int = self._endpointer.frame_bytes
        self._rest = b""
        self._open: list[bytes] = []
        self._start_ms = 0

    def push(self, samples: NDArray[np.int16]) -> list[Sound]:
        """The utterances that end within these samples: [n], 16,000 a second, following those of the last call.

        `Sound.time_ms` counts from the first sample that was ever pushed.
        """
        data = self._rest + samples.tobytes()
        whole = len(data) - len(data) % self._size
        self._rest = data[whole:]
        found = []
        for at in range(0, whole, self._size):
            found += self._hear(data[at : at + self._size])
        return found

    def pending(self) -> Sound | None:
        """The utterance that is open, as far as it goes, or None in silence. Changes nothing."""
        return Sound(_join(self._open), self._start_ms) if self._open else None

    def end(self) -> list[Sound]:
        """The utterance that is open, if any. Nothing may be pushed after it."""
        if self._endpointer.in_speech:
            # It takes no empty frame, and one sample is not heard.
            rest = self._endpointer.end_stream(self._rest or bytes(2))
            self._open += [rest] if rest else []
        return self._close(len(self._open))

    def _hear(self, frame: bytes) -> list[Sound]:
        spoken = self._endpointer.in_speech
        heard = self._endpointer.process(frame)
        if heard is None:
            return []
        if not spoken:
            self._start_ms = round(self._endpointer.speech_start * 1000)
        self._open.append(heard)
        if not self._endpointer.in_speech:
            return self._close(len(self._open))
        if len(self._open) == _LONGEST:
            return self._close(_LONGEST - _CUT_WITHIN + _find_quietest(self._open[-_CUT_WITHIN:]) + 1)
        return []

    def _close(self, count: int) -> list[Sound]:
        """The first frames of the open utterance as one of its own; the others begin the next."""
        sound = Sound(_join(self._open[:count]), self._start_ms)
        self._open = self._open[count:]
        self._start_ms += count * _FRAME_MS
        return [sound] if len(sound.samples) >= _SHORTEST else []


def _join(frames: list[bytes]) -> NDArray[np.int16]:
    return np.frombuffer(b"".join(frames), np.int16)


def _find_quietest(frames: list[bytes]) -> int:
    levels = [float(np.square(np.frombuffer(frame, np.int16), dtype=np.float64).sum()) for frame in frames]
    return levels.index(min(levels))
