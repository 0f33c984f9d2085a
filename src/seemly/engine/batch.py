"""Every distinct text of a batch, read once: its views, its language, its scores, and what each policy makes of it; and
every picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from seemly.core.channel import Calibration
from seemly.core.errors import PolicyFailed
from seemly.core.frozen import FrozenMapping
from seemly.engine.context import Window, merge_findings
from seemly.engine.extraction import NO_TEXT, Extracted
from seemly.engine.leaf import Leaf
from seemly.engine.plan import BoundPolicy, Plan
from seemly.inference.language import Language
from seemly.policies.protocol import NOTHING, Finding, Item, Label, check_finding
from seemly.text.normalize import Normalized, normalize

__all__ = ["Reading", "is_supported"]

T = TypeVar("T")
R = TypeVar("R")

_UNTOLD = Language(None, 0.0)
_UNTAUGHT = FrozenMapping({"language_supported": False})
_FOREIGN = Finding(0.0, data=_UNTAUGHT)


def is_supported(finding: Finding) -> bool:
    """Whether a finding's policy is supported for the language of the text."""
    return finding.data is None or finding.data.get("language_supported") is not False


class Reading:
    """What a plan makes of the texts and pictures of a batch. What fails is kept as the exception that it raised."""

    def __init__(self, plan: Plan, trees: Iterable[Extracted]) -> None:
        self.index: dict[str, int] = {}
        pictures: list[Item] = []
        self._seen: dict[int, int] = {}
        for tree in trees:
            for leaf in tree.leaves:
                if leaf.sight is not None:
                    self._seen[id(leaf.sight)] = len(pictures)
                    pictures.append(Item(NO_TEXT, sight=leaf.sight))
                    continue
                self.index.setdefault(leaf.text, len(self.index))
                for window in leaf.windows:
                    self.index.setdefault(window.before, len(self.index))
                    self.index.setdefault(window.together, len(self.index))
        channel = plan.channel
        resolve, scripts = channel.unicode_spoof_detection_enabled, frozenset(channel.expected_scripts)
        self.texts = [normalize(text, resolve_spoofs=resolve, expected_scripts=scripts) for text in self.index]
        self.languages = _attempt(plan.detect, self.texts)
        scores = _attempt(plan.score, self.texts)
        items = [
            Item(text, score, language.code)
            if isinstance(score, dict) and isinstance(language, Language)
            else Item(text, score if isinstance(score, dict) else {}, None)
            for text, score, language in zip(self.texts, scores, self.languages, strict=True)
        ]
        self._policies = plan.policies
        failed = {i: score for i, score in enumerate(scores) if isinstance(score, Exception)}
        self.outcomes = [_read(bound, items, failed, _find_foreign(plan, bound, items)) for bound in plan.policies]
        self.sights = [_see(bound, pictures) for bound in plan.policies] if pictures else []

    def row(self, leaf: Leaf) -> list[Finding | Exception]:
        """What each policy of the plan, in order, made of a leaf without windows."""
        position = self.index[leaf.text]
        return [outcomes[position] for outcomes in self.outcomes]

    def find(self, policy: int, leaf: Leaf) -> Finding | Exception:
        """What the policy at that position of the plan made of a leaf, alone and together with its windows.

        The policy must read leaves of its kind.
        """
        if leaf.sight is not None:
            return self.sights[policy][self._seen[id(leaf.sight)]]
        outcomes = self.outcomes[policy]
        alone = outcomes[self.index[leaf.text]]
        if not leaf.windows or isinstance(alone, Exception):
            return alone
        by_match = self._policies[policy].spec.kind == "entity_matcher"
        with_windows: list[tuple[Window, Finding, Finding]] = []
        for window in leaf.windows:
            before, together = outcomes[self.index[window.before]], outcomes[self.index[window.together]]
            if isinstance(before, Exception):
                return before
            if isinstance(together, Exception):
                return together
            with_windows.append((window, before, together))
        return merge_findings(alone, with_windows, leaf.text, by_match=by_match)

    def normalized(self, leaf: Leaf) -> Normalized:
        """The views of a leaf."""
        return self.texts[self.index[leaf.text]]

    def language(self, leaves: Sequence[Leaf]) -> Language | Exception:
        """The language of the longest text."""
        texts = [leaf for leaf in leaves if leaf.sight is None]
        if not texts:
            return _UNTOLD
        longest = texts[0] if len(texts) == 1 else max(texts, key=lambda leaf: len(leaf.text))
        return self.languages[self.index[longest.text]]


def _find_foreign(plan: Plan, bound: BoundPolicy, items: Sequence[Item]) -> list[int]:
    """Return the texts in languages that a policy is not supported for."""
    if not bound.spec.labels:
        return []
    spec, supports = bound.spec, plan.supports
    return [i for i, item in enumerate(items) if item.language is not None and not supports(spec, item.language)]


def _read(
    bound: BoundPolicy, items: Sequence[Item], failed: Mapping[int, Exception], foreign: Sequence[int]
) -> Sequence[Finding | Exception]:
    """What a policy makes of each text; nothing where it reads none."""
    if "text" not in bound.spec.leaves:
        return [NOTHING] * len(items)
    return _mark(_ask(bound, items, failed), foreign) if bound.spec.labels else _ask(bound, items, {})


def _see(bound: BoundPolicy, pictures: Sequence[Item]) -> Sequence[Finding | Exception]:
    """What a policy makes of each picture; nothing where it looks at none. Calibrations are fitted to texts, and not
    applied."""
    if "image" not in bound.spec.leaves:
        return [NOTHING] * len(pictures)
    return _attempt(bound.policy.check, pictures, check_finding)


def _ask(bound: BoundPolicy, items: Sequence[Item], failed: Mapping[int, Exception]) -> Sequence[Finding | Exception]:
    """What a policy makes of each item; of those without scores, why they have none."""
    if failed:
        scored = iter(_ask(bound, [item for i, item in enumerate(items) if i not in failed], {}))
        return [failed[i] if i in failed else next(scored) for i in range(len(items))]
    languages = bound.spec.languages
    if languages is None:
        return _check(bound, items)
    known = [item.language is None or item.language in languages for item in items]
    asked = iter(_check(bound, [item for item, its in zip(items, known, strict=True) if its]))
    return [next(asked) if its else _FOREIGN for its in known]


def _check(bound: BoundPolicy, items: Sequence[Item]) -> Sequence[Finding | Exception]:
    """What a policy finds in items that it is asked about, calibrated."""
    outcomes = _attempt(bound.policy.check, items, check_finding)
    if bound.calibration is None:
        return outcomes
    return [each if isinstance(each, Exception) else _calibrate(each, bound.calibration) for each in outcomes]


def _mark(outcomes: Sequence[Finding | Exception], foreign: Sequence[int]) -> Sequence[Finding | Exception]:
    """Mark the findings in languages that the policy is not supported for."""
    if not foreign:
        return outcomes
    marked = list(outcomes)
    for i in foreign:
        finding = marked[i]
        if isinstance(finding, Finding):
            marked[i] = replace(finding, data=FrozenMapping({**(finding.data or {}), **_UNTAUGHT}))
    return marked


def _calibrate(finding: Finding, calibration: Calibration) -> Finding:
    labels = tuple(Label(label.id, calibration(label.probability)) for label in finding.labels)
    return replace(finding, probability=calibration(finding.probability), labels=labels)


def _attempt(
    act: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], check: Callable[[R, T], None] | None = None
) -> Sequence[R | Exception]:
    """What `act` makes of the items, one each. A batch that fails is tried again item by item.

    The one place where the core takes any exception for an answer.
    """
    try:
        outcomes = act(items) if items else []
        if len(outcomes) != len(items):
            raise PolicyFailed(f"gave {len(outcomes)} outcomes for {len(items)} items")
        if check is not None:
            for outcome, item in zip(outcomes, items, strict=True):
                check(outcome, item)
    except Exception as error:  # noqa: BLE001  (whatever a policy or a model raises must not cost the other results)
        if len(items) == 1:
            return [error]
        return [_attempt(act, [item], check)[0] for item in items]
    return outcomes
