"""A channel's rules: which values a condition can name, and whether it holds.

A value that is missing (no author, no such metadata, a failed policy) is unknown; a condition on it doesn't match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from seemly.core.channel import Action, Condition, MaxAction, MetaType, Rule
from seemly.core.content import Submission
from seemly.core.errors import ConfigError, Issue
from seemly.policies.protocol import Finding, Spec

__all__ = ["Facts", "Verdict", "check_rules", "holds", "matches_rule"]

PLAIN_FIELDS = (
    "any_flagged",
    "severity",
    "language",
    "author.status",
    "author.trust_level",
    "meta_type",
    "client_action",
)
POLICY_FIELDS = ("probability", "flagged", "matches")

_UNKNOWN: Any = object()
_NUMBER = ("at_least", "at_most")


class Verdict(NamedTuple):
    """What a policy found, beside how the channel treats it, and the fields of an object that flagged.

    `max_action` is the strictest action that its severity can cause.
    """

    id: str
    finding: Finding
    threshold: float
    weight: float
    flag: bool
    fields: tuple[str, ...] = ()
    max_action: MaxAction = "reject"

    @property
    def crossed(self) -> bool:
        """Whether the probability reached the threshold."""
        return self.finding.probability >= self.threshold

    @property
    def flagged(self) -> bool:
        """Whether it crossed, and the channel lets this policy flag."""
        return self.flag and self.finding.probability >= self.threshold


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a condition can ask about one submission. With `incomplete`, some policy has no verdict.

    `meta_type` is the submission's, or else the channel's content type.
    """

    verdicts: Mapping[str, Verdict]
    severity: float
    language: str | None
    submission: Submission
    meta_type: str | None = None
    incomplete: bool = False

    def value(self, field: str) -> Any:
        """The value that the field names, or `_UNKNOWN`."""
        head, _, rest = field.partition(".")
        match head:
            case "policy":
                policy, _, aspect = rest.rpartition(".")
                return self._policy(policy, aspect)
            case "label":
                return self._label(rest)
            case "entity":
                return self._count(rest.removesuffix(".count"))
            case "metadata":
                return _dig(self.submission.metadata, rest)
            case _:
                value = self._plain(field)
                return _UNKNOWN if value is None else value

    def _plain(self, field: str) -> Any:
        author, client = self.submission.author, self.submission.client_action
        match field:
            case "any_flagged":
                return any(each.flagged for each in self.verdicts.values())
            case "severity":
                return self.severity
            case "language":
                return self.language
            case "meta_type":
                return self.meta_type
            case "author.status":
                return author and author.status
            case "author.trust_level":
                return None if author is None else author.trust_level
            case _:
                return client and client.action

    def _policy(self, policy: str, aspect: str) -> Any:
        verdict = self.verdicts.get(policy)
        if verdict is None:
            return _UNKNOWN
        match aspect:
            case "probability":
                return verdict.finding.probability
            case "flagged":
                return verdict.crossed
            case _:
                return len(verdict.finding.matches)

    def _label(self, path: str) -> Any:
        for policy, verdict in self.verdicts.items():
            for label in verdict.finding.labels:
                if path == f"{policy}.{label.id}":
                    return label.probability
        return _UNKNOWN

    def _count(self, entity: str) -> Any:
        if self.incomplete:
            return _UNKNOWN
        found = (match for verdict in self.verdicts.values() for match in verdict.finding.matches)
        return sum(match.entity_type == entity for match in found)


def matches_rule(rule: Rule, facts: Facts) -> bool:
    """Whether every condition of the rule holds."""
    return all(holds(condition, facts) for condition in rule.conditions)


def check_rules(rules: Iterable[Rule], specs: Mapping[str, Spec]) -> None:
    """Raise a ConfigError that lists each condition that could never be tested: an unknown field or policy."""
    issues: list[Issue] = []
    for i, rule in enumerate(rules):
        for j, condition in enumerate(rule.conditions):
            path = f"rules.{i}.conditions.{j}"
            if problem := _field_problem(condition, specs):
                issues.append(Issue(f"{path}.field", problem))
            elif problem := _value_problem(condition):
                issues.append(Issue(f"{path}.value", problem))
    if issues:
        raise ConfigError("some rules cannot be tested", issues)


def _field_problem(condition: Condition, specs: Mapping[str, Spec]) -> str | None:
    head, _, rest = condition.field.partition(".")
    if head == "policy":
        policy, _, aspect = rest.rpartition(".")
        if aspect not in POLICY_FIELDS:
            return f"must end in one of {', '.join(POLICY_FIELDS)}"
        return None if policy in specs else f"no policy has the id {policy!r}; known are {', '.join(specs)}"
    if head == "label":
        labels = [
            f"{spec.id}.{spec.name(label)}"
            for spec in specs.values()
            for label in (*spec.labels, *spec.sights)
            if label != spec.id
        ]
        of_its_own = any(rest.startswith(f"{spec.id}.") and not spec.labels for spec in specs.values())
        return None if rest in labels or of_its_own else f"no such label; known are {', '.join(labels)}"
    if head == "entity":
        return None if rest.endswith(".count") and len(rest) > len(".count") else "must read entity.<type>.count"
    if head == "metadata":
        return None if rest else "must name a key: metadata.<key>"
    if condition.field not in PLAIN_FIELDS:
        return (
            f"unknown field; known are {', '.join(PLAIN_FIELDS)}, policy.<id>.<{'|'.join(POLICY_FIELDS)}>, "
            "label.<policy>.<id>, entity.<type>.count and metadata.<key>"
        )
    return None


def _value_problem(condition: Condition) -> str | None:
    """Why no value of the field could ever meet the condition, where that is so."""
    field, operator = condition.field, condition.operator
    if operator == "exists" or field.startswith("metadata."):
        return None
    if (
        field == "severity"
        or field.endswith((".probability", ".matches", ".count", "trust_level"))
        or "label." in field[:6]
    ):
        numbers = condition.value if operator in ("in", "not_in") else (condition.value,)
        if operator == "contains" or not all(_is_number(each) for each in numbers):
            return "must be a number: the field is one"
        if field == "severity" and operator not in _NUMBER:
            return "cannot be met but by chance: severity takes at_least or at_most"
        return None
    if operator in _NUMBER:
        return "cannot be compared by size: the field is no number"
    given = condition.value if operator in ("in", "not_in") else (condition.value,)
    if field == "any_flagged" or field.endswith(".flagged"):
        return None if all(isinstance(each, bool) for each in given) else "must be true or false"
    allowed = _CHOICES.get(field)
    if allowed is None or all(each in allowed for each in given):
        return None
    return f"must be one of {', '.join(allowed)}"


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "meta_type": get_args(MetaType),
    "author.status": ("enabled", "suspended", "blocked"),
    "client_action": get_args(Action),
}


def _dig(value: Any, path: str) -> Any:
    if isinstance(value, Mapping) and path in value:
        return _UNKNOWN if value[path] is None else value[path]
    head, _, rest = path.partition(".")
    if not rest or not isinstance(value, Mapping) or head not in value:
        return _UNKNOWN
    return _dig(value[head], rest)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equals(value: Any, other: Any) -> bool:
    """JSON's equality, in which true is not 1."""
    return isinstance(value, bool) is isinstance(other, bool) and bool(value == other)


def _contains(value: Any, part: Any) -> bool:
    if isinstance(value, tuple):
        return any(_equals(each, part) for each in value)
    return isinstance(value, str) and isinstance(part, str) and part in value


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": _equals,
    "is_not": lambda value, other: not _equals(value, other),
    "in": lambda value, others: any(_equals(value, each) for each in others),
    "not_in": lambda value, others: not any(_equals(value, each) for each in others),
    "at_least": lambda value, bound: _is_number(value) and value >= bound,
    "at_most": lambda value, bound: _is_number(value) and value <= bound,
    "contains": _contains,
}


def holds(condition: Condition, facts: Facts) -> bool:
    """Whether the condition is known to hold."""
    value = facts.value(condition.field)
    if condition.operator == "exists":
        return (value is not _UNKNOWN) is condition.value
    return value is not _UNKNOWN and _OPERATORS[condition.operator](value, condition.value)
