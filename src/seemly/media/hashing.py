"""Known images by their perceptual hash: which of a million lie within a few bits of one that was sent.

Hashes are PDQ's: 256 bits, of which two pictures that look alike share most (Facebook 2019, "The TMK+PDQF
video-hashing algorithm and the PDQ image-hashing algorithm"). 31 differing bits or fewer count as a match there, and
hashes of a quality below 50 say too little of their picture to be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.core.errors import ConfigError, Issue

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint8]

__all__ = ["BYTES", "MAX_DISTANCE", "MIN_QUALITY", "HashIndex", "Hasher", "KnownHash", "parse_hashes"]

BYTES = 32
"""A hash's length."""

MAX_DISTANCE = 31
"""The most differing bits of a match; the index finds every one up to this distance, and no further."""

MIN_QUALITY = 50
"""The least quality, 0 to 100, of a picture whose hash is looked up."""

_PARTS = 16
"""Parts of 16 bits. Of 31 differing bits, some part has at most one (Norouzi, Punjani and Fleet 2012, "Fast search in
Hamming space with multi-index hashing"), so that looking up each part and its sixteen neighbours misses nothing."""

_SIZE = 1 << 16


@dataclass(frozen=True, slots=True)
class KnownHash:
    """A hash of a list that a picture came close to: its place in the list, and how many bits differ."""

    place: int
    distance: int


@runtime_checkable
class Hasher(Protocol):
    """Hashes pictures. Safe to call from several threads at once."""

    def hash(self, picture: NDArray[np.uint8]) -> bytes | None:
        """The hash of a picture, [height, width, 3], RGB, 32 bytes; None where the picture is too plain to be compared.

        May raise: the failure is captured.
        """
        ...


class HashIndex:
    """Hashes, [hashes, 32] bytes, ready to be searched. Takes about 100 bytes a hash; safe to search from threads."""

    def __init__(self, hashes: Hashes) -> None:
        import numpy as np

        if hashes.ndim != 2 or hashes.shape[1] != BYTES or hashes.dtype != np.uint8:
            raise ConfigError(f"hashes must be an array [hashes, {BYTES}] of bytes")
        self._hashes = np.ascontiguousarray(hashes)
        parts = self._hashes.view(np.uint16).T
        self._order = np.stack([np.argsort(part, kind="stable").astype(np.int32) for part in parts])
        self._starts = np.stack(
            [np.concatenate(([0], np.cumsum(np.bincount(part, minlength=_SIZE)))).astype(np.int32) for part in parts]
        )
        self._flips = np.concatenate(([0], 1 << np.arange(16))).astype(np.uint16)

    def __len__(self) -> int:
        return len(self._hashes)

    def search(self, wanted: bytes | Hashes, distance: int = MAX_DISTANCE) -> list[KnownHash]:
        """Every hash that differs from `wanted`, 32 bytes, in at most `distance` bits (0 to 31), the nearest first."""
        import numpy as np

        if not 0 <= distance <= MAX_DISTANCE:
            raise ConfigError(f"a distance must be 0 to {MAX_DISTANCE} bits")
        asked = np.frombuffer(bytes(wanted), np.uint8)
        if len(asked) != BYTES:
            raise ConfigError(f"a hash must have {BYTES} bytes")
        if not len(self._hashes):
            return []
        near = asked.view(np.uint16)[:, None] ^ self._flips
        rows = np.arange(_PARTS)[:, None]
        spans = np.stack([self._starts[rows, near], self._starts[rows, near.astype(np.int32) + 1]], axis=2)
        found = [
            self._order[part, start:end]
            for part, part_spans in enumerate(spans.tolist())
            for start, end in part_spans
            if end > start
        ]
        if not found:
            return []
        places = np.unique(np.concatenate(found))
        bits = np.unpackbits(self._hashes[places] ^ asked, axis=1).sum(axis=1, dtype=np.int32)
        kept = bits <= distance
        pairs = sorted(zip(bits[kept].tolist(), places[kept].tolist(), strict=True))
        return [KnownHash(place, bit) for bit, place in pairs]


def parse_hashes(lines: Iterable[str], where: str = "") -> Hashes:
    """Hashes, [hashes, 32] bytes, of lines of 64 hexadecimal digits; what follows a comma or space, blank lines, and
    lines that begin with `#` are passed over.

    Raises ConfigError with every line that is none, by its number from 1.
    """
    import numpy as np

    found: list[bytes] = []
    issues: list[Issue] = []
    for number, line in enumerate(lines, start=1):
        digits = line.strip().replace(",", " ").split(" ", 1)[0]
        if not digits or digits.startswith("#"):
            continue
        value = _parse(digits)
        if value is None:
            issues.append(Issue(f"{where}.{number}".strip("."), f"is not {2 * BYTES} hexadecimal digits"))
        else:
            found.append(value)
    if issues:
        raise ConfigError("the list of hashes cannot be read", issues)
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, BYTES)


def _parse(digits: str) -> bytes | None:
    if len(digits) != 2 * BYTES:
        return None
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return None
