"""Test code that uses seemly, and policies written for it: fakes without network or weights."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from seemly.core.channel import Channel
from seemly.core.frozen import FrozenMapping
from seemly.core.span import Span
from seemly.engine.models import Models
from seemly.media.image import ALL_LABELS, DetectedText, ImageAnalysis, Region
from seemly.media.speech import Segment, Sound
from seemly.policies.protocol import Defaults, Finding, Item, Match, Policy, Spec
from seemly.text.normalize import normalize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seemly.media.hashing import Hasher
    from seemly.media.image import ImageModel
    from seemly.media.speech import Transcriber

__all__ = [
    "HOSTILE_TEXTS", "FailingPolicy", "FakeModels", "FakePolicy", "FakeScorer", "FakeTranscriber", "FakeViewer",
    "check_policy",
]  # fmt: skip

HOSTILE_TEXTS: tuple[str, ...] = (
    "",
    " \n\t",
    "plain words, nothing else",
    "\x00\x01\x7f",
    "\ud800 alone \udfff",
    "\u202egnirts desrever\u202c",
    "e\u0301\u0301\u0301 Z\u0351\u036b\u0343\u036a\u0342\u036b\u033d\u034f\u0334\u0319",
    "👩‍👩‍👧‍👦🏳️‍🌈 1️⃣ \U000e0041",
    "пример текста, 日本語の文章, نص عربي, हिन्दी",
    "a" * 1000 + "\u0301" * 1000,
)
"""Texts that break careless code: empty, blank, control characters, lone surrogates, bidi, marks, emoji, scripts."""


_DEFAULTS = Defaults()


class FakePolicy:
    """A policy that finds `word` with `probability`, and whose findings can be counted on."""

    def __init__(self, word: str, probability: float = 1.0) -> None:
        if not word:
            raise ValueError("a word must have at least one character")
        self.word = word
        self.probability = probability

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """Return one finding for each item, with a match for each occurrence of the word."""
        return [self._find(item.text.original) for item in items]

    def _find(self, text: str) -> Finding:
        starts: list[int] = []
        at = text.find(self.word)
        while at >= 0:
            starts.append(at)
            at = text.find(self.word, at + len(self.word))
        spans = [Span(start, start + len(self.word)) for start in starts]
        matches = tuple(Match(span, span.of(text), self.probability) for span in spans)
        return Finding(self.probability if matches else 0.0, matches)

    @classmethod
    def spec(cls, policy: str, word: str, probability: float = 1.0, defaults: Defaults = _DEFAULTS) -> Spec:
        """Return a spec for such a policy."""
        return Spec(policy, "entity_matcher", partial(_make, cls, word, probability), defaults=defaults)


class FailingPolicy:
    """A policy that raises, always or only for items that hold `on`."""

    def __init__(self, error: Exception | None = None, on: str = "") -> None:
        self.error = RuntimeError("out of order") if error is None else error
        self.on = on

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """Raises the error where an item's text holds `on`."""
        if any(self.on in item.text.original for item in items):
            raise self.error
        return [Finding(0.0) for _ in items]

    @classmethod
    def spec(cls, policy: str, error: Exception | None = None, on: str = "") -> Spec:
        """Return a spec for such a policy."""
        return Spec(policy, "classifier", partial(_make, cls, error, on))


class FakeScorer:
    """A scorer that knows the probabilities of the texts it was given, and 0 for every other.

    `unsupported` are pairs of a label and a language (ISO 639-1) that it says it is not supported for.
    """

    def __init__(
        self,
        scores: Mapping[str, Mapping[str, float]],
        labels: Iterable[str],
        unsupported: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.scores = scores
        self.labels = tuple(labels)
        self.languages = frozenset({"en"})
        self.unsupported = frozenset(unsupported)

    def supported(self, label: str, language: str | None) -> bool:
        """Whether the pair is not among `unsupported`."""
        return (label, language) not in self.unsupported

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Shape [texts, labels]."""
        import numpy as np

        del thresholds
        rows = [[self.scores.get(text, {}).get(label, 0.0) for label in labels] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), len(labels))

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """Shape [texts, labels]."""
        return self.score(texts, labels, ())

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """False of each."""
        return [False] * len(texts)

    def warm_up(self) -> None:
        """Nothing to load."""

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Shape [1 + copies, labels]."""
        return self.score([text, *without], labels, thresholds)


class FakeViewer:
    """Looks at pictures and sees, in one whose first pixel is red, what it was told to; in others nothing.

    `scores` are by label, `writings` the texts that it reads there, each on a line of its own.
    """

    def __init__(self, scores: Mapping[str, float], writings: Sequence[str] = ()) -> None:
        self.scores = dict(scores)
        self.writings = tuple(writings)
        self.labels = tuple(label for label in ALL_LABELS if label in self.scores)

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """One sight a picture, with a region in its upper left quarter for each label."""
        return [self._see(picture) for picture in pictures]

    def warm_up(self) -> None:
        """Nothing to load."""

    def _see(self, picture: NDArray[np.uint8]) -> ImageAnalysis:
        red, green, blue = picture[0, 0].tolist()
        if red < 200 or green > 50 or blue > 50:
            return ImageAnalysis(FrozenMapping(dict.fromkeys(self.scores, 0.0)))
        high = 1.0 / max(1, len(self.writings))
        return ImageAnalysis(
            FrozenMapping(self.scores),
            tuple(Region(label, f"a {label}", score, (0.0, 0.0, 0.5, 0.5)) for label, score in self.scores.items()),
            tuple(DetectedText(text, 1.0, (0.0, at * high, 1.0, high)) for at, text in enumerate(self.writings)),
        )


class FakeTranscriber:
    """Hears the same words in every sound, one a tenth of a second."""

    def __init__(self, text: str) -> None:
        self.text = text

    def transcribe(self, sound: Sound) -> list[Segment]:
        """One segment."""
        return [Segment(self.text, sound.time_ms, sound.time_ms + 100 * len(self.text.split()), 0.9)]

    def warm_up(self) -> None:
        """Nothing to load."""


class FakeModels(Models):
    """Models without weights: every tier scores by a FakeScorer. Nothing looks or listens but what is given.

    `unsupported` are pairs of a label and a language that the scorer says it is not supported for.
    """

    LABELS = (
        "toxicity", "toxicity_severe", "hate", "profanity", "violence", "sexual", "flirtation", "self_harm", "spam",
        "insult", "threat", "identity_attack", "harassment", "grooming", "illicit", "illicit_drugs", "illicit_firearms",
        "illicit_gambling", "illicit_alcohol", "illicit_tobacco", "cannabis", "adult", "crypto", "self_promotion",
        "political", "religion", "prompt_injection", "self_harm_intent", "mention", "positive", "negative",
    )  # fmt: skip

    def __init__(
        self,
        scores: Mapping[str, Mapping[str, float]] | None = None,
        *,
        viewers: Sequence[ImageModel] = (),
        hasher: Hasher | None = None,
        transcriber: Transcriber | None = None,
        unsupported: Iterable[tuple[str, str]] = (),
    ) -> None:
        super().__init__(viewers=viewers, hasher=hasher, transcriber=transcriber)
        self.scores = {} if scores is None else scores
        self.unsupported = tuple(unsupported)

    def scorer(self, tier: str, share: float = 0.2) -> FakeScorer:
        """The same scorer for any tier."""
        return FakeScorer(self.scores, self.LABELS, self.unsupported)

    def default_thresholds(self, tier: str) -> Mapping[str, float]:
        """0.5 for every label."""
        return dict.fromkeys(self.LABELS, 0.5)

    def versions(self, tier: str) -> Mapping[str, str]:
        """One model, `fake`."""
        return {"text-fake": "fake"}

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade_models, (self.scores, self._given)


def _remade_models(scores: Mapping[str, Mapping[str, float]], given: dict[str, Any]) -> FakeModels:
    return FakeModels(scores, **given)


def _make(kind: Callable[[Any, Any], Policy], first: object, second: object, *_given: object) -> Policy:
    return kind(first, second)


def check_policy(
    spec: Spec,
    *,
    options: Any = None,
    channel: Channel | None = None,
    texts: Iterable[str] = (),
    scores: Mapping[str, float] | None = None,
) -> None:
    """Test that a policy keeps the contract. Raises AssertionError with the first violation.

    Over `HOSTILE_TEXTS` and your own `texts` (give some that it should find): it builds from its default options,
    gives one Finding an item in order, with probabilities from 0 to 1 and spans that are exactly what was matched,
    and gives the same for a text alone, in a batch, and a second time. `scores` are the model's for every text
    (0.5 if a label is missing). A policy that reads images is asked about pictures as well, in which all, some and
    none of its `sights` are to be seen.
    """
    rows = [*HOSTILE_TEXTS, *texts]
    policy = _build(spec, options, channel or Channel())
    row = dict.fromkeys(spec.labels, 0.5) | dict(scores or {})
    items = [Item(normalize(text), row, None) for text in rows] if "text" in spec.leaves else []
    items += [Item(normalize(""), sight=sight) for sight in _sights(spec)] if "image" in spec.leaves else []
    findings = _run(policy, items, spec)
    for item, finding in zip(items, findings, strict=True):
        _check_finding(spec, item, finding)
    again = _run(policy, items, spec)
    _must(list(again) == list(findings), spec, "gave other findings the second time: it keeps state between calls")
    for item, finding in zip(items, findings, strict=True):
        _must(_run(policy, [item], spec)[0] == finding, spec, "gave another finding for an item alone than in a batch")
    backwards = _run(policy, items[::-1], spec)
    _must(list(backwards)[::-1] == list(findings), spec, "gave other findings in another order")
    _must(len(policy.check([])) == 0, spec, "must give no finding for no item")


def _build(spec: Spec, options: Any, channel: Channel) -> Policy:
    given = spec.options() if options is None else options
    _must(pickle.loads(pickle.dumps(given)) == given, spec, "has options that cannot be pickled")  # noqa: S301
    policy = spec.build(given, channel)
    _must(isinstance(policy, Policy), spec, "was built without a check method")
    return policy


def _run(policy: Policy, items: Sequence[Item], spec: Spec) -> Sequence[Finding]:
    findings = policy.check(items)
    _must(len(findings) == len(items), spec, f"gave {len(findings)} findings for {len(items)} items")
    return findings


def _sights(spec: Spec) -> list[ImageAnalysis]:
    """Sights of every label at once, of each alone, and of none."""
    every = [ImageAnalysis(FrozenMapping({label: 0.5})) for label in spec.sights]
    regions = tuple(Region(label, "something", 0.5, (0.0, 0.0, 1.0, 1.0)) for label in spec.sights)
    return [
        ImageAnalysis(),
        ImageAnalysis(hash=bytes(32)),
        *every,
        ImageAnalysis(FrozenMapping(dict.fromkeys(spec.sights, 1.0)), regions),
    ]


def _check_finding(spec: Spec, item: Item, finding: object) -> None:
    text = item.text.original
    _must(isinstance(finding, Finding), spec, "gave something other than a Finding")
    if not isinstance(finding, Finding):
        return
    _must(0.0 <= finding.probability <= 1.0, spec, f"gave a probability of {finding.probability}")
    for match in finding.matches:
        start, end = match.span
        if item.sight is not None:
            _must(
                (start, end) == (0, 0), spec, f"gave a match in a picture a span, {start} to {end}: it must be 0 to 0"
            )
            continue
        _must(0 <= start < end <= len(text), spec, f"gave a span of {start} to {end} in a text of {len(text)}")
        _must(text[start:end] == match.match, spec, "gave a match that is not what its span covers")
        _must(0.0 <= match.probability <= 1.0, spec, f"gave a match a probability of {match.probability}")
    for label in finding.labels:
        _must(0.0 <= label.probability <= 1.0, spec, f"gave a label a probability of {label.probability}")


def _must(holds: bool, spec: Spec, problem: str) -> None:
    if not holds:
        raise AssertionError(f"the policy {spec.id!r} {problem}")
