"""Hashes of pictures, for lists of known images: `pip install "seemly[hash]"`.

PDQ is Facebook's perceptual hash of 2019; the package `pdqhash` binds its reference implementation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pdqhash

from seemly.media.hashing import MIN_QUALITY

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PdqHasher"]


class PdqHasher:
    """Hashes pictures. Safe to call from threads."""

    def hash(self, picture: NDArray[np.uint8]) -> bytes | None:
        """The PDQ hash of a picture, [height, width, 3], RGB: 32 bytes, or None where its quality is below 50."""
        bits, quality = pdqhash.compute(np.ascontiguousarray(picture))
        return np.packbits(bits).tobytes() if quality >= MIN_QUALITY else None

    def __reduce__(self) -> tuple[type[PdqHasher], tuple[()]]:
        return PdqHasher, ()
