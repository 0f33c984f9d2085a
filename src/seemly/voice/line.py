"""One track on its way from bytes to the stretches of speech in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seemly.media.speech import RATE, Sound
from seemly.voice.activity import Activity, OpenActivity
from seemly.voice.events import Track
from seemly.voice.pcm import PcmStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Line", "Stretch"]

_STEP = RATE // 4
"""Samples after which an open utterance is looked at, counted from the start of the track: the same looks, and so the
same partial events, whatever the chunks."""
_FIRST_MS = 1000
"""How long an utterance is before the first partial event, and how much longer at least before the next."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Speech to be written down: the utterance of that number, from 1 on, or, until `final`, what there is so far."""

    number: int
    sound: Sound
    final: bool


class Line:
    """One track: keeps what is between its chunks. What is pushed is heard as the stretches are drawn."""

    def __init__(self, track: Track, stream: PcmStream, activity: Activity, *, partials: bool) -> None:
        self.track = track
        self.stream = stream
        self._activity = activity
        self._partials = partials
        self._heard = 0
        self._closed = 0
        self._due_ms = _FIRST_MS

    @property
    def heard_ms(self) -> int:
        """How much sound was heard, in milliseconds."""
        return self._heard * 1000 // RATE

    def push(self, chunk: bytes) -> Iterator[Stretch]:
        """The stretches that a chunk makes known."""
        for piece in self.stream.cut(chunk):
            yield from self._hear(self.stream.push(piece))

    def skip(self, size: int) -> Iterator[Stretch]:
        """What silence in place of so many bytes makes known, so that the times of what follows are right."""
        for piece in self.stream.silence(size):
            yield from self._hear(self.stream.push(piece))

    def end(self) -> Iterator[Stretch]:
        """The stretches that the end makes known."""
        yield from self._hear(self.stream.end())
        yield from self._close(self._activity.end())

    def _hear(self, samples: NDArray[np.int16]) -> Iterator[Stretch]:
        while len(samples):
            room = _STEP - self._heard % _STEP
            step, samples = samples[:room], samples[room:]
            self._heard += len(step)
            yield from self._close(self._activity.push(step))
            if self._partials and self._heard % _STEP == 0:
                yield from self._look()

    def _close(self, sounds: Iterable[Sound]) -> Iterator[Stretch]:
        for sound in sounds:
            self._closed += 1
            self._due_ms = _FIRST_MS
            yield Stretch(self._closed, sound, final=True)

    def _look(self) -> Iterator[Stretch]:
        sound = self._activity.pending() if isinstance(self._activity, OpenActivity) else None
        if sound is not None and sound.duration_ms >= self._due_ms:
            # Half as long again each time: all partials of an utterance together cost three times the utterance.
            self._due_ms = sound.duration_ms + max(_FIRST_MS, sound.duration_ms // 2)
            yield Stretch(self._closed + 1, sound, final=False)
