"""A channel compiled: the policies that it runs, built and bound to how it treats them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from seemly.core.channel import Action, Calibration, Channel, MaxAction, PolicySettings, parse_as
from seemly.core.errors import ConfigError, Issue
from seemly.core.frozen import thaw
from seemly.engine.decision import FailedPolicy
from seemly.engine.models import Models
from seemly.engine.rules import Verdict, check_rules
from seemly.inference.language import Detector, Language
from seemly.inference.scorer import Scorer
from seemly.media.providers import MediaModels
from seemly.policies.known_images import KnownImages, spec_of
from seemly.policies.protocol import Finding, Label, Policy, PolicyKind, Spec
from seemly.policies.registry import Registry
from seemly.policies.wordlist import spec_for
from seemly.text.normalize import Normalized
from seemly.text.view import View

__all__ = ["BoundPolicy", "Plan", "compile_plan", "read_disguise"]


@dataclass(frozen=True, slots=True)
class BoundPolicy:
    """A policy, built, with the channel's settings for it."""

    spec: Spec
    policy: Policy
    threshold: float
    weight: float
    flag: bool
    max_action: MaxAction
    any_language: bool
    on_failure: Action
    calibration: Calibration | None

    @property
    def raw_threshold(self) -> float:
        """The threshold for the model's own probability, before the channel's calibration."""
        return self.threshold if self.calibration is None else self.calibration.find_least(self.threshold)

    def judge(self, finding: Finding, fields: tuple[str, ...] = (), *, supported: bool = True) -> Verdict:
        """Return the verdict that follows from a finding.

        If the policy is not supported for the text's language, the model's probability does not flag; what a matcher
        found does.
        """
        flag = self.flag and (supported or self.any_language or _is_matched(finding, self.threshold))
        return Verdict(self.spec.id, finding, self.threshold, self.weight, flag, fields, self.max_action)

    def fail(self) -> FailedPolicy:
        """What the decision needs to know where this policy failed."""
        labels = tuple(Label(self.spec.name(label), 0.0) for label in self.spec.labels if label != self.spec.id)
        return FailedPolicy(self.on_failure, self.judge(Finding(0.0, labels=labels)))


@dataclass(frozen=True, slots=True)
class Plan:
    """What an engine does with each submission. `labels` and `thresholds` are what the scorer is asked for; `hashes`
    are the lists of known images."""

    channel: Channel
    policies: tuple[BoundPolicy, ...]
    scorer: Scorer
    detector: Detector
    labels: tuple[str, ...]
    thresholds: tuple[float, ...]
    kinds: Mapping[str, PolicyKind]
    senses: MediaModels
    hashes: tuple[KnownImages, ...] = ()

    def allows(self, found: bytes) -> bool:
        """Whether a picture of this hash is on a list of images that need no looking at."""
        return any(known.hashlist.mode == "allow" and known.knows(found) for known in self.hashes)

    def detect(self, texts: Sequence[Normalized]) -> list[Language]:
        """Return the language of each text; if it cannot be told, the likeliest of those that the channel expects."""
        detect, expected = self.detector.detect, frozenset(self.channel.expected_languages)
        if not expected:
            return [detect(text) for text in texts]
        return [self._expect(text, detect(text), expected) for text in texts]

    def _expect(self, text: Normalized, found: Language, expected: frozenset[str]) -> Language:
        return self.detector.choose(text, expected) if found.code is None else found

    def supports(self, spec: Spec, language: str | None) -> bool:
        """Whether the model was measured to be good enough, in a language, at what a policy reads from it.

        A language that cannot be told counts as supported, and so does a policy that reads no model.
        """
        return language is None or not spec.labels or self.scorer.supported(spec.labels[0], language)

    def score(self, texts: Sequence[Normalized]) -> list[dict[str, float]]:
        """The model's probability for each text of each label that some policy needs.

        A text with leetspeak or spelled-out words is read as it stands and as it is meant; the larger counts. One
        without words says nothing, and has 0 for every label.
        """
        labels = self.labels
        if not labels:
            return [{} for _ in texts]
        blank = [i for i, text in enumerate(texts) if _says_nothing(text.plain.text)]
        read, owners = _readings(texts)
        scores = self.scorer.score(read, labels, self.thresholds)
        for row, i in enumerate(owners, start=len(texts)):
            scores[i] = scores[[i, row]].max(axis=0)
        scores[blank] = 0.0
        return [dict(zip(labels, row, strict=True)) for row in scores[: len(texts)].tolist()]

    def find_read(self, texts: Sequence[Normalized]) -> list[bool]:
        """Whether a closer model than the first reads each text."""
        read, owners = _readings(texts)
        found = self.scorer.find_uncertain(read, self.labels, self.thresholds)
        for row, i in enumerate(owners, start=len(texts)):
            found[i] = found[i] or found[row]
        return found[: len(texts)]


def _readings(texts: Sequence[Normalized]) -> tuple[list[str], list[int]]:
    """What the model reads: every text as it stands, then those that are disguised as they are meant, and which."""
    meant = [(i, view.text) for i, text in enumerate(texts) if (view := read_disguise(text)) is not None]
    return [text.plain.text for text in texts] + [reading for _, reading in meant], [i for i, _ in meant]


def _is_matched(finding: Finding, threshold: float) -> bool:
    return any(match.flagging and match.probability >= threshold for match in finding.matches)


_LANGUAGE_CODE = re.compile("[a-z]{2}")

_TWO_LETTERS = re.compile(r"[A-Za-z][^A-Za-z]*[A-Za-z]")


def _says_nothing(text: str) -> bool:
    """Whether a text is blank, or ASCII with fewer than two letters."""
    return _TWO_LETTERS.search(text) is None if text.isascii() else not text.strip()


def read_disguise(text: Normalized) -> View | None:
    """What a text in ASCII says once leetspeak and spaced-out letters are resolved; None where nothing was."""
    plain, squashed = text.plain.text, text.squashed.text
    return text.squashed if plain.isascii() and squashed != plain and squashed != plain.lower() else None


def compile_plan(channel: Channel, registry: Registry, models: Models, tier: str) -> Plan:
    """Build every policy of the channel. Raises ConfigError with everything that is wrong."""
    settings = {each.id: each for each in channel.policies}
    of_lists = (*map(spec_for, channel.wordlists), *map(spec_of, channel.hashlists))
    specs = {spec.id: spec for spec in (*registry, *of_lists)}
    issues = [
        Issue(f"policies.{i}.id", f"no policy has the id {each.id!r}; known are {', '.join(specs)}")
        for i, each in enumerate(channel.policies)
        if each.id not in specs
    ]
    running = {key: spec for key, spec in specs.items() if settings.get(key, PolicySettings(key)).enabled}
    scorer, calibrated = _find_scorer(models, tier, channel.accurate_share, running.values())
    wanted = {label for spec in running.values() for label in spec.labels}
    # In the scorer's own order, which spares it to put them in another.
    needed = tuple(label for label in scorer.labels if label in wanted)
    issues.extend(_script_issues(channel))
    issues.extend(
        Issue(f"expectedLanguages.{i}", "is not a language's ISO 639-1 code, such as en or de")
        for i, code in enumerate(channel.expected_languages)
        if _LANGUAGE_CODE.fullmatch(code) is None
    )
    bound: list[BoundPolicy] = []
    for key, spec in running.items():
        try:
            bound.append(_bind(spec, settings.get(key, PolicySettings(key)), channel, calibrated))
        except ConfigError as error:
            issues.extend(_placed(error, f"policies.{key}"))
    try:
        check_rules(channel.rules, specs)
    except ConfigError as error:
        issues.extend(error.issues)
    if issues:
        raise ConfigError(f"the channel {channel.key!r} cannot work", issues)
    by_label = {label: each.raw_threshold for each in bound for label in reversed(each.spec.labels)}
    by_label.update({each.spec.id: each.raw_threshold for each in bound})
    thresholds = tuple(by_label[label] for label in needed)
    kinds = {each.spec.id: each.spec.kind for each in bound}
    hashes = tuple(each.policy for each in bound if isinstance(each.policy, KnownImages))
    return Plan(channel, tuple(bound), scorer, models.detector(), needed, thresholds, kinds, models.senses, hashes)


def _find_scorer(models: Models, tier: str, share: float, specs: Iterable[Spec]) -> tuple[Scorer, Mapping[str, float]]:
    """The scorer, which scores every label that the policies need, and its thresholds. Raises ConfigError."""
    scorer = models.scorer(tier, share)
    missing = sorted({label for spec in specs for label in spec.labels}.difference(scorer.labels))
    if missing:
        raise ConfigError(f"the {tier} tier does not score {', '.join(missing)}; it scores {', '.join(scorer.labels)}")
    return scorer, models.default_thresholds(tier)


def _bind(spec: Spec, settings: PolicySettings, channel: Channel, calibrated: Mapping[str, float]) -> BoundPolicy:
    options = _read_options(spec, settings)
    defaults = spec.defaults
    threshold = settings.threshold if settings.threshold is not None else defaults.threshold
    if threshold is None:
        threshold = calibrated.get(spec.id, 0.5) if settings.calibration is None else 0.5
    try:
        policy = spec.build(options, channel)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"cannot be built: {type(error).__name__}") from error
    if not callable(getattr(policy, "check", None)):
        raise ConfigError("was built without a check method")
    return BoundPolicy(
        spec,
        policy,
        threshold,
        defaults.weight if settings.weight is None else settings.weight,
        defaults.flag if settings.flag is None else settings.flag,
        settings.max_action or defaults.max_action,
        settings.languages == "any",
        settings.on_failure,
        settings.calibration,
    )


def _script_issues(channel: Channel) -> Iterator[Issue]:
    import regex

    for i, script in enumerate(channel.expected_scripts):
        try:
            regex.compile(rf"\p{{Script={script}}}")
        except regex.error:
            yield Issue(f"expectedScripts.{i}", "is not the name of a Unicode script, such as Latin or Cyrillic")


def _read_options(spec: Spec, settings: PolicySettings) -> Any:
    if not settings.options:
        return spec.options()
    known = [each.name for each in fields(spec.options)]
    unknown = [name for name in settings.options if name not in known]
    if unknown:
        listed = ", ".join(known) or "none"
        raise ConfigError(
            "unknown options", [Issue(f"options.{name}", f"unknown; known are {listed}") for name in unknown]
        )
    return parse_as(spec.options, thaw(settings.options), "the options cannot work")


def _placed(error: ConfigError, path: str) -> list[Issue]:
    if not error.issues:
        return [Issue(path, error.message)]
    return [each.under(path) for each in error.issues]
