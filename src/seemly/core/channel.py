"""A channel: the configuration that one kind of content is moderated by.

Every value here is frozen, checks its own bounds when it is constructed, and reads and writes the wire's JSON.
"""

from __future__ import annotations

import json
import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Interval, Len

from seemly.core.errors import ConfigError, Issue
from seemly.core.frozen import FrozenMapping, freeze, thaw
from seemly.core.naming import to_camel
from seemly.core.validation import check_fields

__all__ = [
    "PRESETS",
    "Action",
    "Calibration",
    "Channel",
    "Condition",
    "Hashlist",
    "PolicySettings",
    "Rule",
    "Triage",
    "Wordlist",
]

Action = Literal["allow", "review", "reject"]
MaxAction = Literal["review", "reject"]
MetaType = Literal["profile", "message", "post", "comment", "event", "product", "review", "voice", "other"]
Operator = Literal["is", "is_not", "in", "not_in", "at_least", "at_most", "contains", "exists"]
Probability = Annotated[float, Interval(ge=0.0, le=1.0)]
Key = Annotated[str, Len(1, 100)]

T = TypeVar("T")

_WIRE = {"alias_generator": to_camel, "extra": "forbid", "strict": False}


def _not_number(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int | float) or value != value


def _freeze(value: Any, name: str) -> list[Issue]:
    """Freeze the JSON in a field of `value`; what is wrong with it otherwise."""
    try:
        object.__setattr__(value, name, freeze(getattr(value, name)))
    except ValueError as error:
        return [Issue(name, str(error))]
    return []


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map from a policy's probability to the share of true positives seen at it.

    Piecewise linear through the points (`scores[i]`, `probabilities[i]`), both rising and from 0 to 1; flat beyond
    the first and the last point.
    """

    __pydantic_config__ = _WIRE

    scores: Annotated[tuple[Probability, ...], Len(2, 1000)]
    probabilities: Annotated[tuple[Probability, ...], Len(2, 1000)]

    def __post_init__(self) -> None:
        issues = []
        if len(self.scores) != len(self.probabilities):
            issues.append(Issue("probabilities", "must have one entry for each of scores"))
        issues.extend(
            Issue(name, "must not fall")
            for name, values in (("scores", self.scores), ("probabilities", self.probabilities))
            if any(a > b for a, b in pairwise(values))
        )
        check_fields(self, *issues)

    def __call__(self, probability: float) -> float:
        """The calibrated probability."""
        xs, ys = self.scores, self.probabilities
        if probability <= xs[0]:
            return ys[0]
        if probability > xs[-1]:
            return ys[-1]
        at = bisect_left(xs, probability)
        (x0, x1), (y0, y1) = xs[at - 1 : at + 1], ys[at - 1 : at + 1]
        return y0 + (y1 - y0) * (probability - x0) / (x1 - x0)

    def find_least(self, probability: float) -> float:
        """The least score that is mapped to `probability` or more; 1 where none is."""
        xs, ys = self.scores, self.probabilities
        at = bisect_left(ys, probability)
        if at == 0:
            return 0.0
        if at == len(ys):
            return 1.0
        (x0, x1), (y0, y1) = xs[at - 1 : at + 1], ys[at - 1 : at + 1]
        return x0 + (x1 - x0) * (probability - y0) / (y1 - y0)


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How a channel treats one policy. None leaves the policy's own default.

    `flag` False scores without flagging (the result shows in `shadow_flagged` only); `threshold` is the probability
    at which it flags; `weight`, 0 to 1, is how far beyond the threshold its severity can reach; `max_action` is the
    strictest action that its severity can cause; `on_failure` is the mildest action when the policy fails; `options`
    are the policy's own, checked when the engine is built. `languages` "any" lets the policy flag texts in languages
    that its model is not supported for, too.
    """

    __pydantic_config__ = _WIRE

    id: Key
    enabled: bool = True
    flag: bool | None = None
    threshold: Probability | None = None
    weight: Probability | None = None
    on_failure: Action = "review"
    calibration: Calibration | None = None
    options: Mapping[str, Any] = field(default_factory=FrozenMapping)
    max_action: MaxAction | None = None
    languages: Literal["any"] | None = None

    def __post_init__(self) -> None:
        check_fields(self, *_freeze(self, "options"))


@dataclass(frozen=True, slots=True)
class Wordlist:
    """A list of words, phrases and patterns (`*` at an end stands for any letters), result id `wordlist:<key>`.

    Mode `block` flags what it finds, `allow` exempts it from every block list and from the profanity lexicon,
    `require` flags a text that has none of it. `match` `word` keeps to whole words, `embedded` looks inside words,
    `id` looks everywhere, across separators and backwards, as for generated ids.
    """

    __pydantic_config__ = _WIRE

    key: Key
    words: tuple[Annotated[str, Len(1, 500)], ...] = ()
    mode: Literal["block", "allow", "require"] = "block"
    name: str | None = None
    match: Literal["word", "embedded", "id"] = "word"
    mask: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Hashlist:
    """A list of known images, by their PDQ hashes, result id `hash:<key>`.

    `hashes` are of 64 hexadecimal digits each; `file` is a text file of more of them, one a line, read when the engine
    is built. Mode `block` flags an image that differs from one of the list in at most `distance` bits, 0 to 31; `allow`
    keeps such an image from being looked at any further.
    """

    __pydantic_config__ = _WIRE

    key: Key
    hashes: tuple[Annotated[str, Len(64, 64)], ...] = ()
    file: str | None = None
    mode: Literal["block", "allow"] = "block"
    name: str | None = None
    distance: Annotated[int, Interval(ge=0, le=31)] = 31

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a rule: `field operator value`. The fields and operators are listed in the README."""

    __pydantic_config__ = _WIRE

    field: Annotated[str, Len(1, 300)]
    operator: Operator
    value: Any = True

    def __post_init__(self) -> None:
        issues = []
        if self.operator in ("in", "not_in") and not isinstance(self.value, list | tuple | set | frozenset):
            issues.append(Issue("value", f"must be a list for the operator {self.operator}"))
        if self.operator in ("at_least", "at_most") and _not_number(self.value):
            issues.append(Issue("value", f"must be a number for the operator {self.operator}"))
        if self.operator == "exists" and not isinstance(self.value, bool):
            issues.append(Issue("value", "must be true or false for the operator exists"))
        check_fields(self, *issues, *_freeze(self, "value"))


@dataclass(frozen=True, slots=True)
class Rule:
    """An action for content that meets every condition. The first rule that matches decides."""

    __pydantic_config__ = _WIRE

    key: Key
    conditions: tuple[Condition, ...]
    action: Action
    name: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Triage:
    """Severity thresholds: `reject` and above rejects, `review` and above reviews, less allows; 1 never fires.

    Where `trusted_from` is set, authors of that trust level or above are allowed what would only be reviewed; where
    `untrusted_review` is set, authors of trust level -1 are reviewed from that severity on.
    """

    __pydantic_config__ = _WIRE

    review: Probability = 0.5
    reject: Probability = 0.9
    trusted_from: Annotated[int, Interval(ge=-1, le=4)] | None = None
    untrusted_review: Probability | None = None

    def __post_init__(self) -> None:
        wrong = not _not_number(self.review) and not _not_number(self.reject) and self.review > self.reject
        check_fields(self, *([Issue("review", "must not be above reject")] if wrong else []))


PRESETS: Mapping[str, Triage] = {
    "strict": Triage(0.4, 0.7),
    "balanced": Triage(0.5, 0.9),
    "forgiving": Triage(0.7, 0.95),
    "skip_reviewing": Triage(0.75, 0.75),
    "always_review": Triage(0.5, 1.0),
    "review_everything": Triage(0.0, 1.0),
    "allow_everything": Triage(1.0, 1.0),
}
"""The triage thresholds that the interface names. A channel file may give the name in place of the thresholds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A moderation configuration. The fields are the interface's, in snake_case, with its bounds and defaults.

    `frame_capture_interval` is in seconds, 0.1 to 60; `max_frames_per_video` is 1 to 1000. `policies` changes the
    defaults of the policies that it names: all built-in policies run unless `enabled` is False. `rules` are tried
    in order. `expected_scripts` are the Unicode scripts (`Latin`, `Cyrillic`, …) that its users write, which helps
    to tell look-alikes from foreign words. `expected_languages` (ISO 639-1) are the languages that they write: a hint
    for texts whose language cannot be told otherwise. `accurate_share`, 0 to 1, is the share of ordinary traffic that
    the tier `cascade` has its accurate model read.
    """

    __pydantic_config__ = _WIRE

    key: Key = "default"
    name: str | None = None
    description: str | None = None
    content_type: MetaType | None = None
    flagging_mode: Literal["ACTIVE", "DRY_RUN"] = "ACTIVE"
    context_enabled: bool = False
    enable_image_moderation: bool = True
    enable_video_moderation: bool = True
    enable_audio_moderation: bool = True
    enable_voice_moderation: bool = False
    include_transcript_in_response: bool = False
    transcription_quality: Literal["SPEED", "BALANCED", "ACCURACY"] = "BALANCED"
    unicode_spoof_detection_enabled: bool = True
    frame_capture_interval: Annotated[float, Interval(ge=0.1, le=60)] = 1.0
    max_frames_per_video: Annotated[int, Interval(ge=1, le=1000)] = 20
    spread_frames: bool = False
    expected_scripts: tuple[Key, ...] = ()
    expected_languages: tuple[Annotated[str, Len(2, 3)], ...] = ()
    accurate_share: Annotated[float, Interval(ge=0, le=1)] = 0.2
    policies: tuple[PolicySettings, ...] = ()
    wordlists: tuple[Wordlist, ...] = ()
    hashlists: tuple[Hashlist, ...] = ()
    rules: tuple[Rule, ...] = ()
    triage: Triage = field(default_factory=Triage)

    def __post_init__(self) -> None:
        check_fields(
            self,
            *_repeated("policies", [each.id for each in self.policies if isinstance(each, PolicySettings)]),
            *_repeated("wordlists", [each.key for each in self.wordlists if isinstance(each, Wordlist)]),
            *_repeated("hashlists", [each.key for each in self.hashlists if isinstance(each, Hashlist)]),
            *_repeated("rules", [each.key for each in self.rules if isinstance(each, Rule)]),
        )

    @classmethod
    def parse(cls, wire: Mapping[str, Any]) -> Channel:
        """A channel from its wire form (camelCase JSON). Raises ConfigError with every problem and its path."""
        if not isinstance(wire, Mapping):
            raise ConfigError("a channel must be a mapping of its settings")
        wire = {str(key): each for key, each in thaw(wire).items()}
        issues = []
        if isinstance(preset := wire.get("triage"), str):
            if preset not in PRESETS:
                issues.append(Issue("triage", f"unknown preset; known are {', '.join(PRESETS)}"))
            wire["triage"] = dump(PRESETS.get(preset, Triage()))
        return parse_as(cls, wire, "this channel cannot work", *issues)

    @classmethod
    def load(cls, path: str | Path) -> Channel:
        """A channel from a JSON or TOML file, told apart by the suffix. Raises ConfigError."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
            wire = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        except (OSError, ValueError) as error:
            raise ConfigError(f"the channel file {path} cannot be read: {error}") from error
        return cls.parse(wire)

    def dump(self) -> dict[str, Any]:
        """The wire form: `Channel.parse(channel.dump()) == channel`."""
        wire: dict[str, Any] = dump(self)
        return wire

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema of the wire form."""
        kind: Any = Channel
        schema: dict[str, Any] = _adapter(kind).json_schema(by_alias=True)
        triage = schema["properties"]["triage"]
        schema["properties"]["triage"] = {"anyOf": [{"enum": list(PRESETS)}, triage]}
        return schema


def dump(value: Any) -> Any:
    """The wire form of a configuration value: camelCase keys, lists for tuples, plain dicts."""
    if is_dataclass(value):
        return {to_camel(each.name): dump(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [dump(each) for each in value]
    return thaw(value)


def parse_as(cls: type[T], wire: Any, message: str, *more: Issue) -> T:
    """`wire` as a value of the dataclass `cls`.

    Raises ConfigError with `message`, `more`, and every problem found, each with its path.
    """
    from pydantic import ValidationError

    issues = list(more)
    value: T | None = None
    kind: Any = cls
    try:
        value = _adapter(kind).validate_json(json.dumps(wire), strict=True)
    except (TypeError, RecursionError):
        issues.append(Issue("", "holds something other than JSON values"))
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            path = ".".join(str(part) for part in each["loc"])
            cause = each.get("ctx", {}).get("error")
            if isinstance(cause, ConfigError):
                issues.extend(issue.under(path) for issue in cause.issues)
            else:
                issues.append(Issue(path, each["msg"]))
    if value is None or issues:
        raise ConfigError(message, issues)
    return value


@cache
def _adapter(cls: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _repeated(path: str, names: list[str]) -> list[Issue]:
    return [Issue(path, f"names {name!r} more than once") for name in sorted({n for n in names if names.count(n) > 1})]
