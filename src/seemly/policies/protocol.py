"""What a policy is, what it is given, and what it hands back.

A third-party policy is one class with a `check` method and one `Spec`; `seemly.testing.check_policy` proves that
the pair behaves.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from seemly.core.errors import PolicyFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from seemly.core.channel import Channel, MaxAction
    from seemly.core.span import Span
    from seemly.media.image import ImageAnalysis
    from seemly.text.normalize import Normalized

__all__ = [
    "MENTION", "NOTHING", "Defaults", "Finding", "Item", "Label", "Match", "NoOptions", "Policy", "PolicyKind", "Spec",
    "check_finding",
]  # fmt: skip

MENTION = "mention"
"""The label of a text that only quotes, reports or denies a harm. It never flags."""

PolicyKind = Literal["classifier", "entity_matcher"]


@dataclass(frozen=True, slots=True)
class Item:
    """One text for a policy to check, or, for policies whose Spec says that they read images, one picture.

    `scores` holds the model's probability for each label that some policy needs; `language` is the detected
    ISO 639-1 code, or None where it is unsure. Of a picture there is `sight`, what was seen in it, and no text.
    """

    text: Normalized
    scores: Mapping[str, float] = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    language: str | None = None
    sight: ImageAnalysis | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Something found in a text: `original[span.start:span.end] == match`, whole grapheme clusters.

    In a picture the span is 0 to 0, and `match` says what was seen.

    `probability` is 0 to 1. `flagging` matches are those that the policy's probability rests on; others are
    reported (and masked) without flagging. `mask` is the text that takes the match's place in the modified
    content, None to leave it. `field` names the object's field; `time_ms` (milliseconds) and `box` (x, y, width,
    height as shares of the image, 0 to 1) place a match in media.
    """

    span: Span
    match: str = dataclasses.field(repr=False)
    probability: float
    entity_type: str | None = None
    reasons: tuple[str, ...] = ()
    signals: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)
    flagging: bool = True
    mask: str | None = dataclasses.field(default=None, repr=False)
    field: str | None = None
    time_ms: int | None = None
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """The probability (0 to 1) of one part of a policy, such as `insult` within `toxicity`."""

    id: str
    probability: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What a policy says of one item: a probability, 0 to 1, and what it rests on."""

    probability: float
    matches: tuple[Match, ...] = ()
    labels: tuple[Label, ...] = ()
    data: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)


NOTHING = Finding(0.0)
"""The finding of a matcher that found nothing."""


def check_finding(finding: object, item: Item) -> None:
    """Raise PolicyFailed where a finding is not of the shape and within the bounds that it is documented to have."""
    if finding is NOTHING:
        return
    if not isinstance(finding, Finding) or not _is_probability(finding.probability):
        raise PolicyFailed("gave something other than a Finding with a probability, a Python float from 0 to 1")
    if finding.matches == () and finding.labels == ():
        return
    if type(finding.matches) is not tuple or type(finding.labels) is not tuple:
        raise PolicyFailed("gave matches or labels that are not tuples")
    if item.sight is not None:
        if not all(_is_seen(match) for match in finding.matches):
            raise PolicyFailed("gave a match in a picture that has a span or lies outside it")
    elif finding.matches and not all(_is_match(match, item.text.original) for match in finding.matches):
        raise PolicyFailed("gave a match that is not what its span covers, or is out of bounds")
    if finding.labels and not all(_is_label(label) for label in finding.labels):
        raise PolicyFailed("gave something other than a Label with a probability, a Python float from 0 to 1")


def _is_label(label: object) -> bool:
    return isinstance(label, Label) and _is_probability(label.probability)


def _is_probability(value: object) -> bool:
    return (type(value) is float or type(value) is int) and 0.0 <= value <= 1.0


def _is_match(match: object, original: str) -> bool:
    if not isinstance(match, Match) or not _is_probability(match.probability):
        return False
    start, end = match.span
    mask = match.mask
    return 0 <= start < end and original[start:end] == match.match and (mask is None or isinstance(mask, str))


def _is_seen(match: object) -> bool:
    if not isinstance(match, Match) or not _is_probability(match.probability) or match.span != (0, 0):
        return False
    return match.box is None or (len(match.box) == 4 and all(0.0 <= side <= 1.0 for side in match.box))


@runtime_checkable
class Policy(Protocol):
    """Checks items. Stateless once built, safe to call from several threads at once."""

    def check(self, items: Sequence[Item]) -> Sequence[Finding]:
        """One finding an item, in order. May raise: the engine then reports this policy as failed."""
        ...


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a policy that has none."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """How a channel treats a policy that it does not mention.

    `threshold` None means the calibrated one, or 0.5. `max_action` is the strictest action that the policy's severity
    can cause.
    """

    flag: bool = True
    threshold: float | None = None
    weight: float = 1.0
    max_action: MaxAction = "reject"


@dataclass(frozen=True, slots=True)
class Spec:
    """A policy's entry in a registry.

    `options` is a frozen dataclass; a channel's JSON options for the policy are checked against it when the engine
    is built, and `build(options, channel)` gets an instance. `labels` are the model labels that the policy reads
    from `Item.scores`; `names` are pairs of such a label and the id that it has in the policy's results, if that is
    another. `languages` are the ISO 639-1 codes that it knows, None for any: a text in another language is not shown
    to it, and its result says `language_supported: False`. `leaves` are the kinds of content that it reads, `text` and
    `image`; `sights` are the labels of images that it reads from `Item.sight`.
    """

    id: str
    kind: PolicyKind
    build: Callable[[Any, Channel], Policy]
    options: type = NoOptions
    labels: tuple[str, ...] = ()
    languages: frozenset[str] | None = None
    leaves: frozenset[str] = frozenset({"text"})
    sights: tuple[str, ...] = ()
    defaults: Defaults = Defaults()
    names: tuple[tuple[str, str], ...] = ()

    def name(self, label: str) -> str:
        """The id, in the policy's results, of a model's label."""
        return next((name for own, name in self.names if own == label), label)
