"""Spelling: Python's snake_case and the wire's camelCase."""

from __future__ import annotations

__all__ = ["to_camel"]


def to_camel(name: str) -> str:
    """`max_frames_per_video` → `maxFramesPerVideo`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
