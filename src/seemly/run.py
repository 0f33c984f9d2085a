"""One batch of submissions through a plan: content → leaves → views → scores → policies → decision → result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter

from seemly.content import Content, Image, Object, Submission, Text
from seemly.decide import FailedPolicy, decide
from seemly.errors import PolicyFailed
from seemly.language import Language
from seemly.leaves import Surroundings, Tree, take_apart, tell
from seemly.mask import mask_text
from seemly.plan import Plan
from seemly.policy import NOTHING, Finding, Label, Match, PolicyKind
from seemly.reading import Reading
from seemly.result import ContentResult, Failure, Insight, LabelResult, Meta, ModerationResult, PolicyResult
from seemly.rules import Verdict

__all__ = ["run_batch"]


def run_batch(plan: Plan, submissions: Sequence[Submission], around: Surroundings) -> list[ModerationResult]:
    """One result a submission, in order. Raises PolicyFailed only where `around.strict` asks for it."""
    started = perf_counter()
    trees = [take_apart(plan, each, around) for each in submissions]
    reading = Reading(plan, trees)
    elapsed = (perf_counter() - started) * 1000.0 / max(1, len(trees))
    return [_conclude(plan, tree, reading, around, elapsed) for tree in trees]


def _conclude(plan: Plan, tree: Tree, reading: Reading, around: Surroundings, reading_ms: float) -> ModerationResult:
    started = perf_counter()
    submission, content = tree.submission, tree.submission.content
    verdicts, failures, failed = _judge(plan, tree, reading, around.strict)
    language = reading.language(tree.leaves)
    if isinstance(language, Exception):
        failures.append(_fail("language", language, around.strict))
        failed.append(FailedPolicy("allow"))
        language = Language(None, 0.0)
    cleaned = any(reading.normalized(leaf).cleaned for leaf in tree.leaves)
    decision = decide(
        plan.channel,
        submission,
        verdicts,
        failed,
        language=language.code,
        unicode_spoofed=cleaned and plan.channel.unicode_spoof_detection_enabled,
    )
    active = plan.channel.flagging_mode == "ACTIVE"
    kinds = plan.kinds
    absent = {failure.id for failure in failures}
    policies = [_report(each, kinds[each.id], active) for each in verdicts if each.id not in absent]
    policies.sort(key=_by_probability)
    modified = _mask(content, [match for each in verdicts for match in each.finding.matches])
    return ModerationResult(
        ContentResult(
            around.new_id() if submission.content_id is None else submission.content_id,
            modified is not None,
            modified,
            cleaned,
        ),
        submission.author,
        decision.evaluation,
        decision.recommendation,
        tuple(policies),
        (Insight("language", language.code, language.probability),),
        Meta(
            "partial_success" if failures else "success",
            plan.channel.key,
            int(tree.timestamp),
            _count_usage(content),
            reading_ms + (perf_counter() - started) * 1000.0,
            around.versions,
        ),
        tuple(failures),
        decision.trace,
        content,
    )


def _judge(
    plan: Plan, tree: Tree, reading: Reading, strict: bool
) -> tuple[list[Verdict], list[Failure], list[FailedPolicy]]:
    """What each policy found in the submission, what failed, and what the decision must know of the failures.

    A policy that failed on some fields of an object still has a verdict on the others.
    """
    verdicts: list[Verdict] = []
    failures = list(tree.failures)
    failed = [FailedPolicy("review") for _ in failures]
    if failures and strict:
        raise PolicyFailed(f"{failures[0].id}: {failures[0].message}")
    if failures and not tree.leaves:
        return verdicts, failures, failed
    if len(tree.leaves) == 1 and tree.leaves[0].field is None and not tree.leaves[0].windows:
        row = reading.row(tree.leaves[0])
        findings = [each for each in row if isinstance(each, Finding)]
        if len(findings) == len(row):
            verdicts = [bound.judge(each) for bound, each in zip(plan.policies, findings, strict=True)]
            return verdicts, failures, failed
    for position, bound in enumerate(plan.policies):
        outcomes = [(leaf.field, reading.find(position, leaf)) for leaf in tree.leaves]
        found = [(field, each) for field, each in outcomes if isinstance(each, Finding)]
        errors = [each for _, each in outcomes if isinstance(each, Exception)]
        if errors:
            failures.append(_fail(bound.spec.id, errors[0], strict))
            failed.append(bound.fail())
        if found or not outcomes:
            flagging = [(field, each) for field, each in found if bound.flag and each.probability >= bound.threshold]
            fields = tuple(field for field, _ in flagging if field is not None)
            verdicts.append(bound.judge(_combine(found), fields))
    return verdicts, failures, failed


def _combine(found: Sequence[tuple[str | None, Finding]]) -> Finding:
    """One finding for several fields: the largest probabilities, and every match with the name of its field."""
    if not found:
        return NOTHING
    best = max((finding for _, finding in found), key=lambda finding: finding.probability)
    labels: dict[str, float] = {}
    for _, finding in found:
        for label in finding.labels:
            labels[label.id] = max(label.probability, labels.get(label.id, 0.0))
    matches = tuple(replace(match, field=field) for field, finding in found for match in finding.matches)
    return Finding(best.probability, matches, tuple(Label(*each) for each in labels.items()), best.data)


def _report(verdict: Verdict, kind: PolicyKind, active: bool) -> PolicyResult:
    finding, threshold = verdict.finding, verdict.threshold
    flags = active and verdict.flag
    labels: tuple[LabelResult, ...] = ()
    if finding.labels:
        labels = tuple([_report_label(each, flags, threshold) for each in finding.labels])
    return PolicyResult(
        verdict.id,
        kind,
        finding.probability,
        flags and finding.probability >= threshold,
        verdict.fields if active else (),
        labels,
        finding.matches,
        finding.data,
    )


def _report_label(label: Label, flags: bool, threshold: float) -> LabelResult:
    return LabelResult(label.id, label.probability, flags and label.probability >= threshold)


def _by_probability(policy: PolicyResult) -> tuple[float, str]:
    return -policy.probability, policy.id


def _fail(policy: str, error: Exception, strict: bool) -> Failure:
    if strict:
        raise PolicyFailed(f"{policy}: {tell(error)}") from error
    return Failure(policy, tell(error))


def _mask(content: Content, matches: Iterable[Match]) -> Content | None:
    masked = [match for match in matches if match.mask is not None]
    if not masked:
        return None
    if isinstance(content, Object):
        by_field: dict[str | None, list[Match]] = {}
        for match in masked:
            by_field.setdefault(match.field, []).append(match)
        return Object(
            {
                key: _mask_part(part, by_field[key]) if isinstance(part, Text) and key in by_field else part
                for key, part in content.data.items()
            }
        )
    return _mask_part(content, masked) if isinstance(content, Text) else None


def _mask_part(part: Text, matches: Iterable[Match]) -> Text:
    modified = mask_text(part.text, matches)
    return part if modified is None else Text(modified)


def _count_usage(content: Content) -> int:
    parts = content.data.values() if isinstance(content, Object) else (content,)
    return sum([3 if isinstance(part, Image) else 1 for part in parts])
