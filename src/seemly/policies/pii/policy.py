"""The policy `personal_information`: find, validate, weigh, mask."""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Any

from seemly.core.errors import ConfigError, Issue
from seemly.core.span import Span
from seemly.policies.pii import detectors
from seemly.policies.pii.masks import Pseudonyms, mask_of
from seemly.policies.pii.options import EntitySettings, MaskStyle, PiiOptions
from seemly.policies.pii.search_text import Candidate, Reading, count_digits, has_any
from seemly.policies.protocol import NOTHING, Defaults, Finding, Item, Match, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from seemly.core.channel import Channel
    from seemly.text.view import View

__all__ = ["ENTITY_TYPES", "SPEC", "PersonalInformation"]

_DIGIT = re.compile(r"\d")
_SPELLINGS = ("at)", "at]", "at}", "(a)", "[a]", ".me/")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = bytes(ord(chr(code).lower()) if chr(code) in string.ascii_letters else 32 for code in range(256))


class PersonalInformation:
    """Finds personal data and says how to mask it."""

    def __init__(self, options: PiiOptions) -> None:
        self._options = options
        settings = {name: options.entities.get(name, EntitySettings()) for name in ENTITY_TYPES}
        self._settings: Mapping[str, EntitySettings] = settings
        self._detectors = tuple(d for d in detectors.ALL if any(settings[name].enable for name in d.entity_types))
        most = max((detector.least_digits for detector in self._detectors), default=0)
        self._by_digits = tuple(
            tuple(detector for detector in self._detectors if detector.least_digits <= digits)
            for digits in range(most + 1)
        )
        self._triggers: dict[int, frozenset[str]] = {}
        for detector in self._detectors:
            least = detector.least_triggers
            self._triggers[least] = self._triggers.get(least, frozenset()) | detector.triggers
        self._any_trigger = frozenset().union(*self._triggers.values())

    def check(self, items: Sequence[Item]) -> Sequence[Finding]:
        """One finding an item: its matches, and the largest probability of those that flag."""
        return [self._check(item) for item in items]

    def _check(self, item: Item) -> Finding:
        raw, plain = item.text.raw, item.text.plain
        found = self._search(raw)
        if plain is not raw and plain.text != raw.text:
            found += self._search(plain)
        if not found:
            return NOTHING
        matches = self._matches(raw.original, _best(found))
        return Finding(max((m.probability for m in matches if m.flagging), default=0.0), matches)

    def _search(self, view: View) -> list[tuple[Span, Candidate]]:
        text = view.text
        words = _words(text)
        if not self._may_hold(text, words):
            return []
        reading = Reading(text, words, self._options.regions)
        floor, settings = self._options.report_from, self._settings
        return [
            (view.origin(candidate.start, candidate.end), candidate)
            for detector in self._by_digits[min(reading.digits, len(self._by_digits) - 1)]
            if detector.when(reading)
            for candidate in detector.find(reading)
            if candidate.probability >= floor and settings[candidate.entity_type].enable
        ]

    def _may_hold(self, text: str, words: Sequence[str]) -> bool:
        """Whether a text with these words has any of the signs that every entity has one of."""
        if "@" in text or "＠" in text or count_digits(text) or (not text.isascii() and _DIGIT.search(text)):
            return True
        if has_any(text, _SPELLINGS):
            return True
        return not self._any_trigger.isdisjoint(words) and any(
            sum(word in triggers for word in words) >= least for least, triggers in self._triggers.items()
        )

    def _matches(self, original: str, found: Iterable[tuple[Span, Candidate]]) -> tuple[Match, ...]:
        pseudonyms = Pseudonyms()
        matches: list[Match] = []
        for span, candidate in found:
            settings = self._settings[candidate.entity_type]
            match = span.of(original)
            mask = None
            if settings.mask and candidate.probability >= self._options.mask_from:
                style = settings.style or self._options.style
                mask = mask_of(match, candidate.entity_type, candidate.canonical, style, pseudonyms)
            matches.append(
                Match(
                    span,
                    match,
                    candidate.probability,
                    entity_type=candidate.entity_type,
                    reasons=(candidate.reason,),
                    flagging=settings.flag,
                    mask=mask,
                )
            )
        return tuple(matches)


def _words(text: str) -> Sequence[str]:
    """The lower-case words of a text."""
    if text.isascii():
        return text.encode().translate(_LETTERS).decode().split()
    return _WORD.findall(text.lower())


def _best(found: list[tuple[Span, Candidate]]) -> list[tuple[Span, Candidate]]:
    """The findings without overlaps, in order: the likelier wins, then the longer, then the earlier."""
    ranked = sorted(found, key=lambda f: (-f[1].probability, f[0].start - f[0].end, f[0].start, f[1].entity_type))
    taken: list[tuple[int, int]] = []
    kept: list[tuple[Span, Candidate]] = []
    for span, candidate in ranked:
        at = bisect_left(taken, (span.start, span.end))
        if (at and taken[at - 1][1] > span.start) or (at < len(taken) and taken[at][0] < span.end):
            continue
        taken.insert(at, (span.start, span.end))
        kept.append((span, candidate))
    return sorted(kept, key=lambda f: f[0])


ENTITY_TYPES = tuple(sorted({name for detector in detectors.ALL for name in detector.entity_types}))


def _build(options: Any, _: Channel) -> PersonalInformation:
    return PersonalInformation(_checked(options))


def _checked(options: PiiOptions) -> PiiOptions:
    issues = [
        Issue(f"entities.{name}", f"unknown entity; known are {', '.join(ENTITY_TYPES)}")
        for name in options.entities
        if name not in ENTITY_TYPES
    ]
    if options.regions:
        known = _regions()
        issues.extend(
            Issue(f"regions.{i}", "not an ISO 3166 region that telephone numbers are known for, such as US or GB")
            for i, region in enumerate(options.regions)
            if region not in known
        )
    styles = {"style": options.style} | {
        f"entities.{name}.style": settings.style for name, settings in options.entities.items() if settings.style
    }
    issues.extend(issue for path, style in styles.items() for issue in _style_issues(path, style))
    bounds = {"report_from": options.report_from, "mask_from": options.mask_from}
    issues.extend(Issue(name, "must be 0 to 1") for name, bound in bounds.items() if not 0 <= bound <= 1)
    if issues:
        raise ConfigError("personal_information cannot be built", issues)
    return options


def _style_issues(path: str, style: MaskStyle) -> Iterable[Issue]:
    if style.kind == "hash" and not style.salt:
        yield Issue(f"{path}.salt", "a hash needs a salt, or anyone can find short values by trying")
    if len(style.character) != 1:
        yield Issue(f"{path}.character", "must be one character")
    if style.keep < 0:
        yield Issue(f"{path}.keep", "must be 0 or more")


@cache
def _regions() -> frozenset[str]:
    import phonenumbers

    return frozenset(phonenumbers.SUPPORTED_REGIONS)


SPEC = Spec(
    id="personal_information",
    kind="entity_matcher",
    build=_build,
    options=PiiOptions,
    defaults=Defaults(flag=True, weight=0.6),
)
"""The registry's entry."""
