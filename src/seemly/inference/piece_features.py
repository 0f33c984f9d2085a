"""What the fast model's first layers make of each piece: one row of numbers, whatever stands beside it."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime as ort
    from numpy.typing import NDArray

__all__ = ["Rows"]

_KEPT = 16_384
"""Rows kept, of 900 bytes each in the model that is shipped: about 15 MB. When there is no room they are all given up,
which a Zipfian stream hardly notices."""


class _Shelf(NamedTuple):
    """Rows that are kept, and where each piece's stands: -1 for one that is not there."""

    places: NDArray[np.int32]
    rows: NDArray[np.int16]


class Rows:
    """The rows of pieces, made by the model when a piece is first met. Safe to use from several threads.

    A shelf's rows are written before their places are told, and never again; so who reads needs no lock.
    """

    def __init__(self, session: ort.InferenceSession, pieces: int) -> None:
        """`session` makes rows, int16 [pieces, width], of piece numbers, int32 [pieces], below `pieces`."""
        self.width: int = session.get_outputs()[0].shape[1]
        self._session = session
        self._pieces = pieces
        self._lock = Lock()
        self._used = 0
        self._shelf = self._clear()

    def take(self, pieces: NDArray[np.int32]) -> NDArray[np.int16]:
        """A copy of the rows of some pieces, [pieces, width]; of at most 16,384 different ones."""
        shelf = self._shelf
        places = shelf.places.take(pieces)
        if places.min() < 0:
            shelf = self._make(pieces)
            places = shelf.places.take(pieces)
        return shelf.rows.take(places, axis=0)

    def _make(self, pieces: NDArray[np.int32]) -> _Shelf:
        """A shelf with the rows of all these pieces on it."""
        import numpy as np

        with self._lock:
            # Looked at anew: another thread may have made some, or given up all, since.
            wanted = {*pieces[self._shelf.places.take(pieces) < 0].tolist()}
            if self._used + len(wanted) > _KEPT:
                self._shelf = self._clear()
                wanted = {*pieces.tolist()}
            new = np.array([*wanted], np.int32)
            shelf, start, end = self._shelf, self._used, self._used + len(new)
            shelf.rows[start:end] = self._session.run(None, {"pieces": new})[0]
            shelf.places[new] = np.arange(start, end, dtype=np.int32)
            self._used = end
        return shelf

    def _clear(self) -> _Shelf:
        import numpy as np

        self._used = 0
        return _Shelf(np.full(self._pieces, -1, np.int32), np.empty((_KEPT, self.width), np.int16))
