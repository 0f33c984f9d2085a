"""The probabilities of policies, as bars with their thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from seemly.service.base.records import Item

__all__ = ["Bar", "bars_of", "tell_reasons"]

_REASONS = {
    "severity_reject": "the severity reaches the channel's threshold for rejecting",
    "severity_review": "the severity reaches the channel's threshold for reviewing",
    "author_block": "the author is blocked or suspended",
    "rule_match": "a rule matched",
    "client_override": "the client's own action decided",
    "dry_run": "the channel only tries out (dry run)",
    "trusted_allow": "the author is trusted",
    "untrusted_severity": "the author is not trusted",
    "policy_error": "a policy failed",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A policy's probability, and the threshold at which it flags, where that is known."""

    policy: str
    probability: float
    threshold: float | None
    flagged: bool
    matches: tuple[str, ...]


def bars_of(item: Item, thresholds: Mapping[str, float]) -> list[Bar]:
    """What each policy found in an item: what flagged first, then the most probable."""
    bars = [
        Bar(
            each["id"],
            float(each["probability"]),
            thresholds.get(each["id"]),
            bool(each["flagged"]),
            tuple(dict.fromkeys(str(match["match"]) for match in each.get("matches", ())))[:10],
        )
        for each in item.result.get("policies", ())
    ]
    return sorted(bars, key=lambda bar: (not bar.flagged, -bar.probability, bar.policy))


def tell_reasons(item: Item) -> list[str]:
    """What decided, in words."""
    recommendation = item.result.get("recommendation", {})
    matched = recommendation.get("matched_rules", ())
    rules = [f"the rule “{each.get('name') or each['key']}” matched" for each in matched]
    codes = [
        _REASONS.get(code, code.replace("_", " "))
        for code in recommendation.get("reason_codes", ())
        if not code.startswith("rule:") and not (rules and code == "rule_match")
    ]
    return [*rules, *codes]
