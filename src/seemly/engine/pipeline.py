"""One batch of submissions through a plan: content → leaves → views → scores → policies → decision → result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter

from seemly.core.content import Content, Image, Object, Submission, Text
from seemly.core.errors import PolicyFailed
from seemly.engine.batch import Reading, is_supported
from seemly.engine.decision import FailedPolicy, decide
from seemly.engine.extraction import Extracted, RunContext, take_apart, tell
from seemly.engine.leaf import Leaf, locate
from seemly.engine.masking import mask_text
from seemly.engine.plan import BoundPolicy, Plan
from seemly.engine.result import (
    ContentResult,
    Failure,
    ImageLabel,
    Insight,
    LabelResult,
    MediaResult,
    Meta,
    ModerationResult,
    PolicyResult,
)
from seemly.engine.rules import Verdict
from seemly.engine.vision import HASH
from seemly.inference.language import Language
from seemly.policies.known_images import KnownImages
from seemly.policies.protocol import MENTION, NOTHING, Finding, Label, Match, PolicyKind

__all__ = ["run_batch"]


def run_batch(plan: Plan, submissions: Sequence[Submission], around: RunContext) -> list[ModerationResult]:
    """One result a submission, in order. Raises PolicyFailed only where `around.strict` asks for it."""
    started = perf_counter()
    trees = [take_apart(plan, each, around) for each in submissions]
    reading = Reading(plan, trees)
    elapsed = (perf_counter() - started) * 1000.0 / max(1, len(trees))
    return [_conclude(plan, tree, reading, around, elapsed) for tree in trees]


def _conclude(plan: Plan, tree: Extracted, reading: Reading, around: RunContext, reading_ms: float) -> ModerationResult:
    started = perf_counter()
    submission, content = tree.submission, tree.submission.content
    verdicts, failures, failed = _judge(plan, tree, reading, around.strict)
    language = reading.language(tree.leaves)
    if isinstance(language, Exception):
        failures.append(_fail("language", language, around.strict))
        failed.append(FailedPolicy("allow"))
        language = Language(None, 0.0)
    cleaned = any(reading.normalized(leaf).cleaned for leaf in tree.leaves if leaf.sight is None)
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
            _transcript(tree.media),
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
        tuple(_label_toxic(each, tree, plan, reading) for each in tree.media),
    )


def _judge(
    plan: Plan, tree: Extracted, reading: Reading, strict: bool
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
        return verdicts, failures, failed + [bound.fail() for bound in plan.policies]
    first = tree.leaves[0] if len(tree.leaves) == 1 else None
    if first is not None and first.field is None and not first.windows and not first.from_media:
        row = reading.row(first)
        findings = [each for each in row if isinstance(each, Finding)]
        if len(findings) == len(row):
            verdicts = [
                bound.judge(each, supported=is_supported(each))
                for bound, each in zip(plan.policies, findings, strict=True)
            ]
            return verdicts, failures, failed
    for position, bound in enumerate(plan.policies):
        outcomes = [(leaf, reading.find(position, leaf)) for leaf in tree.leaves if leaf.kind in bound.spec.leaves]
        found = [(leaf.field, _locate(each, leaf, bound)) for leaf, each in outcomes if isinstance(each, Finding)]
        errors = [each for _, each in outcomes if isinstance(each, Exception)]
        if errors:
            failures.append(_fail(bound.spec.id, errors[0], strict))
            failed.append(bound.fail())
        elif _is_blind(bound, tree):
            failures.append(Failure(bound.spec.id, "some picture could not be looked at for it"))
            failed.append(bound.fail())
        elif tree.unread and "image" in bound.spec.leaves:
            failed.append(bound.fail())
        if found or not outcomes:
            each_alone = [(field, bound.judge(each, supported=is_supported(each))) for field, each in found]
            fields = tuple(dict.fromkeys(field for field, its in each_alone if field is not None and its.flagged))
            able = [(field, its.finding) for field, its in each_alone if its.flag]
            # The fields that can flag decide; matches and labels of the others are reported all the same.
            combined = _combine(found, able or found)
            verdicts.append(bound.judge(combined, fields, supported=bool(able) or is_supported(combined)))
    return verdicts, failures, failed


def _is_blind(bound: BoundPolicy, tree: Extracted) -> bool:
    """Whether what a policy reads of pictures was lost in one of them."""
    needed = {HASH} if isinstance(bound.policy, KnownImages) else set(bound.spec.sights)
    return not tree.lost.isdisjoint(needed)


def _locate(finding: Finding, leaf: Leaf, bound: BoundPolicy) -> Finding:
    return locate(finding, leaf, bound.spec.id, bound.threshold) if leaf.from_media else finding


def _transcript(media: Sequence[MediaResult]) -> str | None:
    """What was said in all the media together; None where the channel does not ask for it."""
    said = [each.transcript for each in media if each.transcript is not None]
    return "\n".join(said) if said else None


def _label_toxic(media: MediaResult, tree: Extracted, plan: Plan, reading: Reading) -> MediaResult:
    """With the label `toxic`: how toxic the texts are that stand in its pictures. Known where texts are looked for."""
    position = next((i for i, each in enumerate(plan.policies) if each.spec.id == "toxicity"), None)
    if position is None or not any(each.label == "text" for each in media.labels):
        return media
    written = [leaf for leaf in tree.leaves if leaf.field == media.field and leaf.sight is None and leaf.written]
    found = [reading.find(position, leaf) for leaf in written]
    if any(isinstance(each, Exception) for each in found):
        return media
    worst = max((each.probability for each in found if isinstance(each, Finding)), default=0.0)
    uncovered = tuple(label for label in media.uncovered if label != "toxic")
    return replace(media, labels=(*media.labels, ImageLabel("toxic", worst)), uncovered=uncovered)


def _combine(found: Sequence[tuple[str | None, Finding]], deciding: Sequence[tuple[str | None, Finding]]) -> Finding:
    """Return one finding for several fields: the largest probability of the deciding ones, and every label and match,
    with the name of its field."""
    if not found:
        return NOTHING
    best = max((finding for _, finding in deciding), key=lambda finding: finding.probability)
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
    return LabelResult(label.id, label.probability, flags and label.id != MENTION and label.probability >= threshold)


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
