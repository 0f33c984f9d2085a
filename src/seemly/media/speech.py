"""What is said in a sound: utterances in, texts with their times out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RATE", "Quality", "Segment", "Sound", "Transcriber"]

RATE = 16_000
"""Samples a second of every sound that is transcribed."""

Quality = Literal["SPEED", "BALANCED", "ACCURACY"]
"""The channel's choice between speed and accuracy of transcription."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A stretch of speech: samples [n], int16, one channel, 16,000 a second, and when it begins, in milliseconds."""

    samples: NDArray[np.int16] = field(repr=False)
    time_ms: int = 0

    @property
    def duration_ms(self) -> int:
        """How long it is, in milliseconds."""
        return len(self.samples) * 1000 // RATE


@dataclass(frozen=True, slots=True)
class Segment:
    """Words said one after the other, when (milliseconds from the start of the whole recording), and how sure the
    transcriber is of them, 0 to 1."""

    text: str = field(repr=False)
    start_ms: int
    end_ms: int
    probability: float = 1.0


@runtime_checkable
class Transcriber(Protocol):
    """Writes down what is said. Safe to call from several threads at once."""

    def transcribe(self, sound: Sound) -> list[Segment]:
        """The segments of one utterance, in order, in the times of the whole recording (`sound.time_ms` is added).

        May raise: the failure is captured.
        """
        ...

    def warm_up(self) -> None:
        """Load what the first sound would load. Raises ModelError where that fails."""
        ...
