"""The result of moderating one submission, named as in the interface."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from seemly.core.channel import Action
from seemly.core.content import Author, Content, Object, Part, Text
from seemly.core.errors import PolicyFailed
from seemly.core.frozen import EMPTY, FrozenMapping, thaw
from seemly.media.image import DetectedText, Region
from seemly.policies.protocol import Match, PolicyKind

__all__ = [
    "ContentResult", "DecidedBy", "Evaluation", "Failure", "ImageLabel", "Insight", "LabelResult", "MatchedRule",
    "MediaResult", "Meta",
    "ModerationResult", "PolicyResult", "Recommendation", "Trace",
]  # fmt: skip


DecidedBy = Literal["author_block", "rule", "triage", "client_action", "failure", "dry_run"]
"""The steps of a decision."""


@dataclass(frozen=True, slots=True)
class ContentResult:
    """What became of the content. `modified` is of the submitted kind, with masks in place; None where unmasked.

    `unicode_cleaned` says that hidden or look-alike characters were seen through.
    """

    id: str
    masked: bool = False
    modified: Content | None = None
    unicode_cleaned: bool = False
    transcript: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape: a modified text is a string, a modified object a mapping of its parts."""
        modified: Any = None
        if isinstance(self.modified, Text):
            modified = self.modified.text
        elif isinstance(self.modified, Object):
            modified = {key: _part_dict(part) for key, part in self.modified.data.items()}
        wire = {
            "id": self.id,
            "masked": self.masked,
            "modified": modified,
            "unicode_cleaned": self.unicode_cleaned,
        }
        return wire if self.transcript is None else {**wire, "transcript": self.transcript}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All policies taken together. `severity_score` and `flag_probability` are 0 to 1.

    `shadow_flagged`: a policy that scores without flagging (`flag=False`) crossed its threshold.
    `unicode_spoofed`: look-alike characters were resolved.
    """

    flagged: bool
    flag_probability: float
    severity_score: float
    shadow_flagged: bool = False
    unicode_spoofed: bool = False


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """The rule that decided."""

    key: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, and why: `severity_review`, `severity_reject`, `author_block`, `rule_match`, `rule:<key>`, …"""

    action: Action
    reason_codes: tuple[str, ...] = ()
    matched_rules: tuple[MatchedRule, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        wire: dict[str, Any] = {"action": self.action, "reason_codes": list(self.reason_codes)}
        if self.matched_rules:
            wire["matched_rules"] = [{"key": rule.key, "name": rule.name} for rule in self.matched_rules]
        return wire


@dataclass(frozen=True, slots=True)
class LabelResult:
    """The probability of one part of a policy, and whether it crossed the policy's threshold."""

    id: str
    probability: float
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """What one policy found. `probability` is 0 to 1 and always there, also below the threshold.

    `flagged_fields` names the fields of an object that flagged; it is empty for other content.
    """

    id: str
    type: PolicyKind
    probability: float
    flagged: bool
    flagged_fields: tuple[str, ...] = ()
    labels: tuple[LabelResult, ...] = ()
    matches: tuple[Match, ...] = ()
    data: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)

    def to_dict(self, *, extended: bool = False, fields: bool = False) -> dict[str, Any]:
        """The wire's shape. `fields` includes `flagged_fields`; `extended` adds where each match was found."""
        wire: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "probability": self.probability,
            "flagged": self.flagged,
        }
        if fields:
            wire["flagged_fields"] = list(self.flagged_fields)
        if self.labels:
            wire["labels"] = [_flat_dict(label) for label in self.labels]
        if self.matches or self.type == "entity_matcher":
            wire["matches"] = [_match_dict(match, extended=extended) for match in self.matches]
        if self.data is not None:
            wire["data"] = thaw(self.data)
        return wire


@dataclass(frozen=True, slots=True)
class Insight:
    """Something told about the content that no decision need rest on, such as its language."""

    id: str
    value: str | None
    probability: float
    type: Literal["insight"] = "insight"

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {"id": self.id, "type": self.type, "value": self.value, "probability": self.probability}


@dataclass(frozen=True, slots=True)
class ImageLabel:
    """How probable, 0 to 1, something is to be seen in a picture; of several pictures the largest."""

    label: str
    score: float


@dataclass(frozen=True, slots=True)
class MediaResult:
    """What was seen and heard in one image, video or sound; `field` is the object's field that it stands in.

    `labels` are those that some installed model looks for, `uncovered` those of the interface that none does. `regions`
    and `writings` say what was seen and read where, and in media that move, when. `transcript` is what was said, None
    unless the channel includes it. `pictures` counts what was looked at, `speech_ms` is how much speech there was, in
    milliseconds.
    """

    type: str
    field: str | None
    labels: tuple[ImageLabel, ...] = ()
    uncovered: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    writings: tuple[DetectedText, ...] = ()
    transcript: str | None = dataclasses.field(default=None, repr=False)
    pictures: int = 0
    speech_ms: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text found in pictures, each once."""
        return tuple(dict.fromkeys(writing.text for writing in self.writings))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, of the names that the interface has for images."""
        return {
            "type": self.type,
            "field": self.field,
            "labels": [dataclasses.asdict(each) for each in self.labels],
            "uncovered": list(self.uncovered),
            "texts": list(self.texts),
            "regions": [dataclasses.asdict(each) for each in self.regions],
            "writings": [dataclasses.asdict(each) for each in self.writings],
            "transcript": self.transcript,
            "pictures": self.pictures,
            "speech_ms": self.speech_ms,
        }


@dataclass(frozen=True, slots=True)
class Failure:
    """A policy or decoder that failed, and why, in words that hold nothing of the content."""

    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Meta:
    """About the call. `timestamp` is in Unix milliseconds, `processing_ms` in milliseconds.

    `usage` counts quota units: 1 a text, 3 an image.
    """

    status: Literal["success", "partial_success"]
    channel_key: str
    timestamp: int
    usage: int
    processing_ms: float
    versions: FrozenMapping = EMPTY

    def to_dict(self, *, extended: bool = False) -> dict[str, Any]:
        """The wire's shape."""
        wire: dict[str, Any] = {
            "status": self.status,
            "channel_key": self.channel_key,
            "timestamp": self.timestamp,
            "usage": self.usage,
            "processing_time": f"{self.processing_ms:.2f}ms",
        }
        return {**wire, "versions": dict(self.versions)} if extended else wire


@dataclass(frozen=True, slots=True)
class Trace:
    """What decided: the step of the decision that had the last word, and what it rested on.

    `policy` is the one with the largest severity and `threshold` its threshold. In a dry run `would_be` is the
    recommendation that an active channel would have given.
    """

    decided_by: DecidedBy
    policy: str | None = None
    threshold: float | None = None
    rule: str | None = None
    would_be: Recommendation | None = None


@dataclass(frozen=True, slots=True)
class ModerationResult:
    """Everything that was found and decided. The same shape whatever was submitted.

    `policies` are sorted by probability, highest first, then id. `errors` is empty on success; a policy that failed
    is absent from `policies`, and `result[id]` then raises PolicyFailed. `media` has an entry for each image, video or
    sound.
    """

    content: ContentResult
    author: Author | None
    evaluation: Evaluation
    recommendation: Recommendation
    policies: tuple[PolicyResult, ...]
    insights: tuple[Insight, ...]
    meta: Meta
    errors: tuple[Failure, ...]
    trace: Trace
    submitted: Content = dataclasses.field(repr=False)
    media: tuple[MediaResult, ...] = ()

    def __getitem__(self, policy: str) -> PolicyResult:
        for each in self.policies:
            if each.id == policy:
                return each
        for failure in self.errors:
            if failure.id == policy:
                raise PolicyFailed(f"the policy {policy!r} failed and has no result: {failure.message}")
        if not self.policies and self.errors:
            raise PolicyFailed(f"no policy has a result: {self.errors[0].message}")
        raise KeyError(policy)

    def __contains__(self, policy: object) -> bool:
        return any(each.id == policy for each in self.policies)

    @property
    def modified_text(self) -> str | None:
        """The text with its masks, or None where nothing was masked or the content isn't a text."""
        return self.content.modified.text if isinstance(self.content.modified, Text) else None

    @property
    def language(self) -> str | None:
        """The detected ISO 639-1 code, or None where it is unsure."""
        return next((each.value for each in self.insights if each.id == "language"), None)

    def to_dict(self, *, extended: bool = False) -> dict[str, Any]:
        """The wire's shape, field for field; `extended` adds what only the library has (fields, times, trace)."""
        of_object = isinstance(self.submitted, Object)
        wire: dict[str, Any] = {
            "content": self.content.to_dict(),
            "author": None if self.author is None else _author_dict(self.author),
            "evaluation": _flat_dict(self.evaluation),
            "recommendation": self.recommendation.to_dict(),
            "policies": [each.to_dict(extended=extended, fields=of_object) for each in self.policies],
            "insights": [each.to_dict() for each in self.insights],
            "meta": self.meta.to_dict(extended=extended),
            "errors": [_flat_dict(each) for each in self.errors],
        }
        if extended:
            would_be = self.trace.would_be
            wire["trace"] = {
                "decided_by": self.trace.decided_by,
                "policy": self.trace.policy,
                "threshold": self.trace.threshold,
                "rule": self.trace.rule,
                "would_be": None if would_be is None else would_be.to_dict(),
            }
            wire["media"] = [each.to_dict() for each in self.media]
        return wire

    def to_json(self, *, extended: bool = False, indent: int | None = None) -> str:
        """`to_dict` as JSON. Lone surrogates are escaped, so that the text is valid in any encoding."""
        return json.dumps(self.to_dict(extended=extended), indent=indent)

    def _repr_html_(self) -> str:
        from seemly.engine.html import render_result

        return render_result(self)


def _flat_dict(value: LabelResult | Evaluation | Failure) -> dict[str, Any]:
    """The fields of a value, none of which holds another; `dataclasses.asdict` would copy each, and take ten times as
    long."""
    return {name: getattr(value, name) for name in value.__slots__}


def _part_dict(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": part.type, "text": part.text}
    if isinstance(part.source, bytes):
        return {"type": part.type, "data": base64.b64encode(part.source).decode("ascii")}
    return {"type": part.type, "url": str(part.source)} if isinstance(part.source, str | Path) else {"type": part.type}


def _match_dict(match: Match, *, extended: bool) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "match": match.match,
        "probability": match.probability,
        "span": [match.span.start, match.span.end],
    }
    if match.entity_type is not None:
        wire["entity_type"] = match.entity_type
    if match.reasons:
        wire["reasons"] = list(match.reasons)
    if match.signals is not None:
        wire["signals"] = thaw(match.signals)
    if extended:
        wire["field"] = match.field
        wire["time_ms"] = match.time_ms
        wire["box"] = None if match.box is None else list(match.box)
    return wire


def _author_dict(author: Author) -> dict[str, Any]:
    block = author.block
    return {
        "id": author.id,
        "external_id": author.external_id,
        "status": author.status,
        "block": None if block is None else {"until": block.until, "reason": block.reason},
        "trust_level": {"level": author.trust_level, "manual": author.trust_manual},
    }
