"""Puts masks in the place of what was matched."""

from __future__ import annotations

from collections.abc import Iterable

from seemly.policies.protocol import Match

__all__ = ["mask_text"]


def mask_text(original: str, matches: Iterable[Match]) -> str | None:
    """`original` with each masked match replaced by its mask, or None where no match has one.

    Of matches that overlap, the one that starts first stays, of those the longest; what the others cover beyond it
    is masked under its mask, so that nothing that any match covers is left readable.
    """
    masked = sorted((match for match in matches if match.mask is not None), key=lambda m: (m.span.start, -m.span.end))
    if not masked:
        return None
    pieces: list[str] = []
    done = 0
    for match in masked:
        start, end = match.span
        if start >= done:
            pieces.append(original[done:start])
            pieces.append(match.mask or "")
        done = max(done, end)
    pieces.append(original[done:])
    return "".join(pieces)
