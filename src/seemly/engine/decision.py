"""From what the policies found to one severity and one recommendation. Pure: no clock, no state.

The order: author block → rules, the first that matches → triage by severity → the client's own action → the floor
under failed policies → dry run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from seemly.core.channel import Action, Channel
from seemly.core.content import Author, Submission
from seemly.engine.result import DecidedBy, Evaluation, MatchedRule, Recommendation, Trace
from seemly.engine.rules import Facts, Verdict, holds, matches_rule

__all__ = ["Decision", "FailedPolicy", "decide", "measure_severity"]

STRICTNESS: Mapping[Action, int] = {"allow": 0, "review": 1, "reject": 2}
"""The order of the actions."""


@dataclass(frozen=True, slots=True)
class FailedPolicy:
    """A policy or decoder without a verdict.

    `on_failure` is the mildest action that its failure allows; `at_zero` is the verdict that the policy would have
    had, had it found nothing (None for a decoder).
    """

    on_failure: Action
    at_zero: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The parts of a result that are decided rather than found."""

    evaluation: Evaluation
    recommendation: Recommendation
    trace: Trace


def measure_severity(probability: float, threshold: float, weight: float) -> float:
    """How grave a finding is, 0 to 1: 0.5 exactly at the threshold, rising with the probability on both sides.

    `0.5·p/t` up to the threshold t, `0.5 + 0.5·weight·(p − t)/(1 − t)` beyond it.
    """
    if probability < threshold:
        return 0.5 * probability / threshold
    if probability == threshold or threshold == 1.0:
        return 0.5
    return 0.5 + 0.5 * weight * (probability - threshold) / (1.0 - threshold)


def decide(
    channel: Channel,
    submission: Submission,
    verdicts: Sequence[Verdict],
    failed: Sequence[FailedPolicy] = (),
    *,
    language: str | None = None,
    unicode_spoofed: bool = False,
) -> Decision:
    """Decide over one submission, from the verdicts of the policies that ran and those that failed."""
    severity, uncapped, flag_probability = 0.0, 0.0, 0.0
    flagged, shadow_flagged = False, False
    top: Verdict | None = None
    for verdict in verdicts:
        probability = verdict.finding.probability
        if not verdict.flag:
            shadow_flagged = shadow_flagged or probability >= verdict.threshold
            continue
        flagged = flagged or probability >= verdict.threshold
        flag_probability = max(flag_probability, probability)
        each = measure_severity(probability, verdict.threshold, verdict.weight)
        if verdict.max_action == "reject":
            uncapped = max(uncapped, each)
        if top is None or each > severity or (each == severity and verdict.id < top.id):
            severity, top = each, verdict
    evaluation = Evaluation(flagged, flag_probability, severity, shadow_flagged, unicode_spoofed)
    recommendation, decided_by, rule = _recommend(channel, submission, verdicts, failed, severity, uncapped, language)
    policy, threshold = (None, None) if top is None else (top.id, top.threshold)
    if channel.flagging_mode == "ACTIVE":
        return Decision(evaluation, recommendation, Trace(decided_by, policy, threshold, rule))
    trace = Trace("dry_run", policy, threshold, rule, recommendation)
    return Decision(replace(evaluation, flagged=False), Recommendation("allow", ("dry_run",)), trace)


def _recommend(
    channel: Channel,
    submission: Submission,
    verdicts: Sequence[Verdict],
    failed: Sequence[FailedPolicy],
    severity: float,
    uncapped: float,
    language: str | None,
) -> tuple[Recommendation, DecidedBy, str | None]:
    """The recommendation of an active channel, the step that had the last word, and the key of the rule matched.

    `uncapped` is the largest severity over the policies that may cause a rejection.
    """
    author = submission.author
    if author is not None and author.status != "enabled":
        return Recommendation("reject", ("author_block",)), "author_block", None
    recommendation = _triage(channel, author, severity, uncapped)
    decided_by: DecidedBy = "triage"
    key = None
    if channel.rules or failed:
        meta_type = submission.meta_type or channel.content_type
        facts = Facts({each.id: each for each in verdicts}, severity, language, submission, meta_type, bool(failed))
        rule = next((each for each in channel.rules if matches_rule(each, facts)), None)
        if rule is not None:
            matched = (MatchedRule(rule.key, rule.name),)
            recommendation = Recommendation(rule.action, ("rule_match", f"rule:{rule.key}"), matched)
            decided_by, key = "rule", rule.key
    client = submission.client_action
    if client is not None and (client.behavior == "override" or _is_stricter(client.action, recommendation.action)):
        recommendation = Recommendation(client.action, ("client_override",), recommendation.matched_rules)
        decided_by = "client_action"
    if failed:
        floor = _find_floor(channel, facts, failed, uncapped)
        if _is_stricter(floor, recommendation.action):
            codes = (*recommendation.reason_codes, "policy_error")
            recommendation = Recommendation(floor, codes, recommendation.matched_rules)
            decided_by = "failure"
    return recommendation, decided_by, key


def _find_floor(channel: Channel, facts: Facts, failed: Sequence[FailedPolicy], uncapped: float) -> Action:
    """The mildest action that the failures allow.

    It is at least as strict as anything that the channel would have done, had any of the failed policies found
    nothing: every rule that could then have matched counts, down to one that matches either way, else triage.
    """
    zeros = [each.at_zero for each in failed if each.at_zero is not None]
    graded = [(measure_severity(0.0, each.threshold, each.weight), each.max_action) for each in zeros if each.flag]
    uncapped = max([uncapped, *(each for each, most in graded if most == "reject")])
    verdicts = {**facts.verdicts, **{each.id: each for each in zeros}}
    at_zero = replace(
        facts, verdicts=verdicts, severity=max([facts.severity, *(each for each, _ in graded)]), incomplete=False
    )
    floor: Action = "allow"
    for rule in channel.rules:
        outcomes = [{holds(condition, facts), holds(condition, at_zero)} for condition in rule.conditions]
        if all(True in each for each in outcomes):
            floor = _stricter(floor, rule.action)
        if all(False not in each for each in outcomes):
            break
    else:
        floor = _stricter(floor, _triage(channel, facts.submission.author, at_zero.severity, uncapped).action)
    for each in failed:
        floor = _stricter(floor, each.on_failure)
    return floor


def _triage(channel: Channel, author: Author | None, severity: float, uncapped: float) -> Recommendation:
    """Compare the severity with the channel's triage.

    `uncapped`, the largest severity over the policies that may cause a rejection, is compared with the reject
    threshold. If another policy alone would have rejected, the reason `severity_capped` is added.
    """
    reject = channel.triage.reject
    if reject < 1.0 and severity >= reject:
        if uncapped >= reject:
            return Recommendation("reject", ("severity_reject",))
        milder = _triage_review(channel, author, severity)
        return Recommendation(milder.action, (*milder.reason_codes, "severity_capped"))
    return _triage_review(channel, author, severity)


def _triage_review(channel: Channel, author: Author | None, severity: float) -> Recommendation:
    triage = channel.triage
    trust = None if author is None else author.trust_level
    untrusted = 1.0 if triage.untrusted_review is None else triage.untrusted_review
    if trust == -1 and untrusted < 1.0 and severity >= untrusted:
        return Recommendation("review", ("untrusted_severity",))
    if triage.review == 1.0 or severity < triage.review:
        return Recommendation("allow")
    if trust is not None and triage.trusted_from is not None and trust >= triage.trusted_from:
        return Recommendation("allow", ("trusted_allow",))
    return Recommendation("review", ("severity_review",))


def _is_stricter(action: Action, than: Action) -> bool:
    return STRICTNESS[action] > STRICTNESS[than]


def _stricter(one: Action, other: Action) -> Action:
    return one if _is_stricter(one, other) else other
