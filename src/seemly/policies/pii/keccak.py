"""Keccak-256 as Ethereum uses it: the original padding, which SHA3-256 in hashlib does not have."""

from __future__ import annotations

__all__ = ["keccak256"]

_RATE = 136
_MASK = (1 << 64) - 1


def keccak256(data: bytes) -> bytes:
    """The digest of `data`. Keccak reference, version 3.0: Keccak[c=512] with multi-rate padding."""
    padded = bytearray(data) + b"\x01"
    padded += bytes(-len(padded) % _RATE)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for block in range(0, len(padded), _RATE):
        for i in range(_RATE // 8):
            at = block + 8 * i
            lanes[i % 5][i // 5] ^= int.from_bytes(padded[at : at + 8], "little")
        _permute(lanes)
    return b"".join(lanes[i][0].to_bytes(8, "little") for i in range(4))


def _permute(a: list[list[int]]) -> None:
    """Keccak-f[1600]: 24 rounds of theta, rho and pi, chi, iota; round constants from the degree-8 LFSR."""
    state = 1
    for _ in range(24):
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        for x in range(5):
            d = c[x - 1] ^ _rotate(c[(x + 1) % 5], 1)
            a[x] = [lane ^ d for lane in a[x]]
        x, y, current = 1, 0, a[1][0]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, a[x][y] = a[x][y], _rotate(current, (t + 1) * (t + 2) // 2)
        for y in range(5):
            row = [a[x][y] for x in range(5)]
            for x in range(5):
                a[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & _MASK)
        for j in range(7):
            state = (state << 1) ^ ((state >> 7) * 0x171)
            if state & 2:
                a[0][0] ^= 1 << ((1 << j) - 1)


def _rotate(lane: int, by: int) -> int:
    by %= 64
    return ((lane << by) | (lane >> (64 - by))) & _MASK
