"""The texts of content cut into segments, of which some are marked by what was found there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from seemly.engine.explain import Explanation
from seemly.service.base.records import Item

__all__ = ["Mark", "Part", "Segment", "cut", "marks_of", "parts_of"]

_LEAST_SHARE = 0.08
"""The least share of what speaks for a policy that a word is marked for."""


@dataclass(frozen=True, slots=True)
class Mark:
    """That something was found from `start` to `end` of a text: what, and how much it weighs, 1 to 3."""

    start: int
    end: int
    label: str
    weight: int = 3
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text, and the labels of the marks that cover it."""

    text: str = field(repr=False)
    labels: tuple[str, ...] = ()
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of content: a text in segments, or what other kind of thing it is, and its address."""

    field: str | None
    type: str
    segments: tuple[Segment, ...] = ()
    url: str | None = None


def parts_of(item: Item, marks: Sequence[Mark] = ()) -> list[Part]:
    """The parts of an item's content, with what is marked in them."""
    content: Mapping[str, Any] = item.content
    if content.get("type") == "object":
        return [_part(name, part, marks) for name, part in content.get("data", {}).items()]
    return [_part(None, content, marks)]


def marks_of(item: Item, explanation: Explanation | None = None) -> list[Mark]:
    """What was found in an item: the matches of its result, and the words that carried a score, where it was explained.

    A result does not tell in which field of an object a match is; an explanation does.
    """
    marks: list[Mark] = []
    if explanation is not None:
        for policy in explanation.policies:
            if policy.flagged or policy.probability >= policy.threshold:
                marks += [
                    Mark(word.span.start, word.span.end, policy.policy, _weigh(word.share), word.field)
                    for word in policy.words
                    if word.share >= _LEAST_SHARE
                ]
    if item.content.get("type") == "text":
        for found in item.result.get("policies", ()):
            marks += [
                Mark(each["span"][0], each["span"][1], each.get("entity_type") or found["id"])
                for each in found.get("matches", ())
                if each.get("span")
            ]
    return list(dict.fromkeys(marks))


def cut(text: str, marks: Iterable[Mark]) -> tuple[Segment, ...]:
    """A text cut at the ends of its marks: the segments together are the text."""
    within = [each for each in marks if 0 <= each.start < each.end <= len(text)]
    ends = sorted({0, len(text), *(each.start for each in within), *(each.end for each in within)})
    segments = []
    for start, end in pairwise(ends):
        over = [each for each in within if each.start <= start and end <= each.end]
        labels = tuple(dict.fromkeys(each.label for each in over))
        segments.append(Segment(text[start:end], labels, max((each.weight for each in over), default=0)))
    return tuple(segments)


def _part(name: str | None, part: Mapping[str, Any], marks: Sequence[Mark]) -> Part:
    if part.get("type") != "text":
        return Part(name, str(part.get("type", "")), url=part.get("url"))
    mine = [each for each in marks if each.field == name]
    return Part(name, "text", cut(str(part.get("text", "")), mine))


def _weigh(share: float) -> int:
    return 3 if share >= 0.4 else 2 if share >= 0.2 else 1
