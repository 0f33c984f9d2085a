"""What policies read: a text or a picture within a submission, with the place that it comes from."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seemly.core.span import Span
from seemly.engine.context import Window
from seemly.media.image import Box, ImageAnalysis
from seemly.policies.protocol import Finding, Match

__all__ = ["WHOLE", "Leaf", "Place", "locate"]

WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
"""All of a picture."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in media a part of a text stands, from code point `start` to the next place: when, in milliseconds, and
    where in the picture."""

    start: int
    time_ms: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text within a submission, or, with `sight`, what was seen in one of its pictures.

    `field` is the object's field that it stands in; `windows` are the earlier turns that a text is also read with;
    `places` tell of a text that was found in media where it stands, `time_ms` of a picture when it is shown, in
    milliseconds.
    """

    field: str | None
    text: str = dataclasses.field(default="", repr=False)
    windows: tuple[Window, ...] = ()
    places: tuple[Place, ...] = ()
    sight: ImageAnalysis | None = None
    time_ms: int | None = None

    @property
    def kind(self) -> str:
        """Of the kinds that a policy's `Spec.leaves` names, `text` or `image`."""
        return "text" if self.sight is None else "image"

    @property
    def written(self) -> bool:
        """Whether it is a text that stands in a picture."""
        return any(place.box is not None for place in self.places)

    @property
    def from_media(self) -> bool:
        """Whether it was found in media, so that its spans are not those of a text that was submitted."""
        return self.sight is not None or bool(self.places)


def locate(finding: Finding, leaf: Leaf, told: str, threshold: float) -> Finding:
    """A finding in media with the time and box of each match.

    A classifier that crossed its threshold without saying where has one match more: the whole text or picture, which
    stands under the name `told` where it is a picture. Nothing in media is masked.
    """
    matches = tuple(_placed(match, leaf) for match in finding.matches)
    if finding.probability >= threshold and not any(match.flagging for match in matches):
        span = Span(0, len(leaf.text))
        matches += (_placed(Match(span, leaf.text or told, finding.probability), leaf),)
    return replace(finding, matches=matches) if matches else finding


def _placed(match: Match, leaf: Leaf) -> Match:
    if leaf.sight is not None:
        return replace(match, time_ms=leaf.time_ms, box=match.box or WHOLE, mask=None)
    covered = _covered(match.span, leaf.places)
    boxes = [place.box for place in covered if place.box is not None]
    return replace(match, time_ms=covered[0].time_ms, box=_join(boxes) if boxes else None, mask=None)


def _covered(span: Span, places: Sequence[Place]) -> Sequence[Place]:
    starts = [place.start for place in places]
    first = max(0, bisect_right(starts, span.start) - 1)
    return places[first : max(first + 1, bisect_right(starts, max(span.start, span.end - 1)))]


def _join(boxes: Sequence[Box]) -> Box:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return left, top, right - left, bottom - top
