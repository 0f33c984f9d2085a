"""What cuts a track into utterances by where somebody speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.media.speech import Sound

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Activity", "OpenActivity"]


@runtime_checkable
class Activity(Protocol):
    """Cuts one track into utterances. It keeps at most the utterance that is open, and that no longer than it allows.

    How the samples are spread over calls must not change what comes out.
    """

    def push(self, samples: NDArray[np.int16]) -> list[Sound]:
        """The utterances that ended within these samples: [n], 16,000 a second, following those of the last call.

        `Sound.time_ms` counts from the first sample that was ever pushed.
        """
        ...

    def end(self) -> list[Sound]:
        """The utterance that is still open, if any: nothing follows."""
        ...


@runtime_checkable
class OpenActivity(Activity, Protocol):
    """An Activity that also tells of the utterance that is open, which partial events need."""

    def pending(self) -> Sound | None:
        """The utterance that is open, as far as it goes, or None in silence. Changes nothing."""
        ...
