"""The policy `profanity`: the model's probability, and the words found from the graded lexicon.

A strong word or a slur (grade 2 or 3) is worth its grade's probability whatever the model says. A mild word is worth
0.4 on its own; where the model has spoken it counts as the mean of that and the model's probability, and it never
lowers the model's. So a mild word alone stays below the usual threshold of 0.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval

from seemly.policies.profanity.lexicon import lexicon
from seemly.policies.protocol import Finding, Match, Spec
from seemly.policies.wordlist import build_allowed, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seemly.core.channel import Channel
    from seemly.policies.profanity.lexicon import Profanity
    from seemly.policies.protocol import Item
    from seemly.policies.wordlist import Index
    from seemly.text.normalize import Normalized

__all__ = ["MASK", "SPEC", "ProfanityOptions", "find_profanity"]

MASK = "{{ profanity hidden }}"
"""What stands in the modified content in place of a strong word, with the option `mask`."""

_PROBABILITY = {1: 0.4, 2: 0.85, 3: 0.97}
_LABEL = "profanity"


@dataclass(frozen=True, slots=True)
class ProfanityOptions:
    """`minimum_grade`: 1 mild words too, 2 strong ones, 3 slurs and the extreme. `languages` (ISO 639-1) keeps to
    words of these; None is all. `mask` hides words of grade 2 and 3 in the modified content.
    """

    minimum_grade: Annotated[int, Interval(ge=1, le=3)] = 1
    languages: tuple[str, ...] | None = None
    mask: bool = False


def find_profanity(
    normalized: Normalized,
    *,
    minimum_grade: int = 1,
    allow: Sequence[Index] = (),
    languages: Sequence[str] | None = None,
    language: str | None = None,
    mask: bool = False,
) -> tuple[Match, ...]:
    """The words of the lexicon in a text, in order of place.

    `allow` are indexes whose finds exempt what stands in them; `languages` keeps to words of these; `language` is
    the text's own, in which words that are ordinary there do not count. Mild words do not flag.
    """
    every = lexicon().find(normalized, language)
    if not every:
        return ()
    found = [
        one
        for one in every
        if one.entry.grade >= minimum_grade
        and (languages is None or not set(languages).isdisjoint(one.entry.languages))
    ]
    return tuple(_match(one, normalized.original, mask) for one in without(found, allow, normalized))


def _match(one: Profanity, original: str, mask: bool) -> Match:
    entry = one.entry
    strong = entry.grade >= 2
    return Match(
        one.span,
        one.span.of(original),
        _PROBABILITY[entry.grade],
        entity_type=entry.category,
        reasons=entry.reasons,
        flagging=strong,
        mask=MASK if mask and strong else None,
    )


@dataclass(frozen=True, slots=True)
class _Profanity:
    options: ProfanityOptions
    allow: tuple[Index, ...]

    def check(self, items: Sequence[Item]) -> list[Finding]:
        return [self._check(item) for item in items]

    def _check(self, item: Item) -> Finding:
        options = self.options
        matches = find_profanity(
            item.text,
            minimum_grade=options.minimum_grade,
            allow=self.allow,
            languages=options.languages,
            language=item.language,
            mask=options.mask,
        )
        return Finding(_combined(item.scores.get(_LABEL), matches), matches)


def _combined(model: float | None, matches: Sequence[Match]) -> float:
    if not matches:
        return model or 0.0
    strong = max((match.probability for match in matches if match.flagging), default=0.0)
    mild = max((match.probability for match in matches if not match.flagging), default=0.0)
    if model is None:
        return max(strong, mild)
    return max(model, strong, (model + mild) / 2)


def _build(options: ProfanityOptions, channel: Channel) -> _Profanity:
    return _Profanity(options, build_allowed(channel))


SPEC = Spec("profanity", "classifier", _build, options=ProfanityOptions, labels=(_LABEL,))
"""The built-in policy `profanity`."""
