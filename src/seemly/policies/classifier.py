"""The policies that are read straight from the model's labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from seemly.channel import Channel
from seemly.policy import Defaults, Finding, Item, Label, NoOptions, Spec

__all__ = ["CLASSIFIERS"]


class Classifier:
    """Reports the model's probability of one label, with the sub-labels that tell of which sort it is."""

    def __init__(self, label: str, parts: tuple[str, ...] = ()) -> None:
        self.label = label
        self.parts = parts

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """One finding an item. Raises KeyError for an item that was not scored."""
        label, parts = self.label, self.parts
        if not parts:
            return [Finding(item.scores[label]) for item in items]
        return [
            Finding(item.scores[label], labels=tuple([Label(part, item.scores[part]) for part in parts]))
            for item in items
        ]


def _build(policy: str, parts: tuple[str, ...], _options: NoOptions, _channel: Channel) -> Classifier:
    return Classifier(policy, parts)


def _spec(policy: str, *parts: str, flag: bool = True, weight: float = 1.0) -> Spec:
    build = partial(_build, policy, parts)
    return Spec(policy, "classifier", build, labels=(policy, *parts), defaults=Defaults(flag=flag, weight=weight))


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
