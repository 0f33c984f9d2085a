"""Grapheme clusters: what a reader sees as one character (UAX #29, extended)."""

from __future__ import annotations

from bisect import bisect_right

import regex

from seemly.core.span import Span

__all__ = ["Clusters"]

_SUSPECT = regex.compile(
    r"\P{Grapheme_Cluster_Break=Other}++(?:\p{Grapheme_Cluster_Break=Other}\P{Grapheme_Cluster_Break=Other}++)*+"
)
_REGIONAL = r"\p{Regional_Indicator}"
_CLUSTER = regex.compile(rf"{_REGIONAL}{{2}}[\p{{GCB=Extend}}\p{{GCB=SpacingMark}}\p{{GCB=ZWJ}}]*+|\X")
"""Flags have a branch of their own because `\\X` counts back over all regional indicators before each."""


class Clusters:
    """The clusters of a text that are longer than one code point, found when they are first asked for.

    Two neighbours that are both of the class Other never share a cluster, so only runs of other characters, with
    one neighbour on either side, need segmenting.
    """

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def widen(self, start: int, end: int) -> Span:
        """The smallest range of whole clusters that holds `start:end`."""
        if self._starts is None:
            self._starts = self._find()
        if self._starts:
            i = bisect_right(self._starts, start) - 1
            if i >= 0 and start < self._ends[i]:
                start = self._starts[i]
            i = bisect_right(self._starts, end - 1) - 1
            if i >= 0 and end < self._ends[i]:
                end = self._ends[i]
        return Span(start, end)

    def _find(self) -> list[int]:
        text = self.text
        if text.isascii() and "\r\n" not in text:
            return []
        starts: list[int] = []
        for run in _SUSPECT.finditer(text):
            first, last = run.span()
            for cluster in _CLUSTER.finditer(text, max(first - 1, 0), min(last + 1, len(text))):
                if cluster.end() - cluster.start() > 1:
                    starts.append(cluster.start())
                    self._ends.append(cluster.end())
        return starts
