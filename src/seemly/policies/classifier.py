"""The policies that are read straight from the models' labels, of texts and of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from seemly.core.channel import Channel
from seemly.core.frozen import FrozenMapping
from seemly.core.span import Span
from seemly.media.image import ImageAnalysis
from seemly.policies.protocol import Defaults, Finding, Item, Label, Match, NoOptions, Spec

__all__ = ["CLASSIFIERS"]


_SIGHTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "sexual": (("nudity",), ("suggestive",)),
    "violence": (("gore", "violence"), ("weapon",)),
    "hate": (("hate",), ()),
    "self_harm": (("self_harm",), ()),
}
"""The labels of images that speak for a policy, and those that only tell more of it."""


_UNSEEN = FrozenMapping({"looked_for": False})
"""Of a picture in which nothing looks for what a policy is about."""


class Classifier:
    """Reports the model's probability of one label, with the sub-labels that tell of which sort it is; of a picture,
    the largest of the labels `seen`, with those `told`."""

    def __init__(
        self, label: str, parts: tuple[str, ...] = (), seen: tuple[str, ...] = (), told: tuple[str, ...] = ()
    ) -> None:
        self.label = label
        self.parts = parts
        self.seen = seen
        self.told = told

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """One finding an item. Raises KeyError for a text that was not scored."""
        if any(item.sight is not None for item in items):
            return [self._read([item])[0] if item.sight is None else self._see(item.sight) for item in items]
        return self._read(items)

    def _see(self, sight: ImageAnalysis) -> Finding:
        scores = sight.scores
        matches = tuple(
            Match(Span(0, 0), region.what, region.probability, box=region.box)
            for region in sight.regions
            if region.label in self.seen
        )
        labels = tuple(Label(name, scores[name]) for name in (*self.seen, *self.told) if name in scores)
        known = [scores[name] for name in self.seen if name in scores]
        return Finding(max(known, default=0.0), matches, labels, None if known else _UNSEEN)

    def _read(self, items: Sequence[Item]) -> list[Finding]:
        label, parts = self.label, self.parts
        if not parts:
            return [Finding(item.scores[label]) for item in items]
        return [
            Finding(item.scores[label], labels=tuple([Label(part, item.scores[part]) for part in parts]))
            for item in items
        ]


def _build(policy: str, parts: tuple[str, ...], _options: NoOptions, _channel: Channel) -> Classifier:
    return Classifier(policy, parts, *_SIGHTS.get(policy, ((), ())))


def _spec(policy: str, *parts: str, flag: bool = True, weight: float = 1.0) -> Spec:
    build = partial(_build, policy, parts)
    seen, told = _SIGHTS.get(policy, ((), ()))
    return Spec(
        policy,
        "classifier",
        build,
        labels=(policy, *parts),
        leaves=frozenset({"text", "image"} if seen else {"text"}),
        sights=(*seen, *told),
        defaults=Defaults(flag=flag, weight=weight),
    )


CLASSIFIERS: tuple[Spec, ...] = (
    _spec("toxicity", "insult", "threat", "identity_attack"),
    _spec("toxicity_severe"),
    _spec("hate", "identity_attack"),
    _spec("violence", "threat"),
    _spec("sexual"),
    _spec("flirtation", flag=False, weight=0.6),
    _spec("self_harm"),
    _spec("spam", weight=0.6),
)
"""The purely scored policies. `profanity` is scored too, but also matches words and stands in its own module."""
