"""A draft of a channel replayed over what another one decided, without running any model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from seemly.core.channel import Action, Calibration, Channel, PolicySettings
from seemly.core.content import Object, Text
from seemly.core.errors import ConfigError, ContentError, DataError, Issue
from seemly.core.span import Span
from seemly.core.submission import parse_submission
from seemly.engine.decision import FailedPolicy, decide
from seemly.engine.engine import DEFAULT_TIER, Engine, Rejected
from seemly.engine.models import Models
from seemly.engine.plan import Plan, compile_plan
from seemly.engine.rules import Verdict
from seemly.evaluation.examples import Source, read_examples
from seemly.evaluation.metrics import Floats
from seemly.evaluation.replay_results import Replay, Replayed
from seemly.evaluation.results import Evaluation
from seemly.evaluation.scoring import Recorder, Scored, ScoredRow, read_result
from seemly.inference.cascade import CascadeScorer
from seemly.policies.builtin import BUILTIN
from seemly.policies.protocol import Finding, Label, Match, Spec
from seemly.policies.registry import Registry

__all__ = ["replay", "undo"]

_REPLAYABLE = frozenset(
    ("key", "name", "description", "content_type", "flagging_mode", "policies", "wordlists", "rules", "triage")
)
"""Fields of a channel that what was found does not depend on, or that are looked into one by one."""
_RUN_AGAIN = "a replay cannot tell what this channel would find; run it again"
_CLOSE = 1e-9
_SAME_SEVERITY = 1e-6
"""How far a severity may be off: results may have been kept with single precision."""
_ROUNDING = 1e-12


def replay(
    old: Channel | Engine,
    new: Channel | Engine,
    examples: Source | Evaluation,
    *,
    results: Iterable[object] | None = None,
    text: str = "text",
    registry: Registry = BUILTIN,
    models: Models | None = None,
    tier: str | None = None,
) -> Replay:
    """What `new` would have done with content that `old` judged, from the probabilities found then.

    `examples` is an Evaluation made under `old`, or what was submitted, as `read_examples` takes it, with `results`:
    for each the ModerationResult, the dict that its `to_dict` gave, or the Rejected that `moderate_many` gave. An
    engine in place of a channel brings its `registry`, `models` and `tier` along, an Evaluation its `tier`; of the
    models only the manifest is read.

    Flags, thresholds, weights, `on_failure`, rules, triage, flagging mode, policies and block lists left out, and
    calibrations may differ. A new calibration counts from the probability before the old one, which must be
    recoverable: where the old one was flat, it is so only if the new one says the same of everything on that level.

    Raises ConfigError for channels that cannot work; DataError that lists what must be run again instead: another
    tier, registry or other models, policies that did not run, changed options, word lists, and whatever else changes
    what is found; and for results that `old` would not have given.
    """
    engines = [each for each in (old, new) if isinstance(each, Engine)]
    tier = _find_tier(tier, examples, engines)
    if engines:
        registry, models = engines[0].registry, engines[0].models
    if issues := _find_differences(engines):
        raise DataError(_RUN_AGAIN, issues)
    models = Models() if models is None else models
    before = compile_plan(old.channel if isinstance(old, Engine) else old, registry, models, tier)
    after = compile_plan(new.channel if isinstance(new, Engine) else new, registry, models, tier)
    scored = _collect(before, tier, examples, results, text)
    if issues := _find_obstacles(before, after, scored.policies):
        raise DataError(_RUN_AGAIN, issues)
    turned = _recalibrate(before, after, scored)
    outcomes: list[Replayed] = []
    skipped = list(scored.refused)
    for i, row in enumerate(scored.rows):
        if problem := _find_gap(row):
            skipped.append(Issue(f"row {row.number}", problem))
            continue
        was, now = _judge(before, scored, i), _judge(after, turned, i)
        if (was[0], set(was[2])) != (row.action, set(row.flagged)) or abs(was[1] - row.severity) > _SAME_SEVERITY:
            problem = f"was not judged by the channel {before.channel.key!r} as it is, on the tier {tier!r}"
            raise DataError("these results cannot be replayed", [Issue(f"row {row.number}", problem)])
        outcomes.append(_compare(row, was, now))
    return Replay(before.channel, after.channel, tuple(outcomes), tuple(skipped), _is_exact(before, after))


_Outcome = tuple[Action, float, tuple[str, ...]]
"""The action, the severity, and the policies that flagged."""


def _find_tier(tier: str | None, examples: Source | Evaluation, engines: Sequence[Engine]) -> str:
    """The one tier that all name, or the default where none does. Raises DataError where they name several."""
    ran = examples.scored.tier if isinstance(examples, Evaluation) else None
    named = sorted({each for each in (tier, ran, *(engine.tier for engine in engines)) if each is not None})
    if len(named) > 1:
        raise DataError(_RUN_AGAIN, [Issue("tier", f"must be the same for all, not {' and '.join(named)}")])
    return named[0] if named else DEFAULT_TIER


def _find_differences(engines: Sequence[Engine]) -> list[Issue]:
    """What engines of the same tier differ in besides their channels."""
    issues: list[Issue] = []
    for one, other in pairwise(engines):
        if list(one.registry) != list(other.registry):
            issues.append(Issue("registry", "must be the same for both engines"))
        if _describe_models(one) != _describe_models(other):
            issues.append(Issue("models", "must be the same for both engines"))
    return issues


def _describe_models(engine: Engine) -> tuple[dict[str, str], dict[str, float]]:
    return dict(engine.models.versions(engine.tier)), dict(engine.models.default_thresholds(engine.tier))


def _collect(
    plan: Plan, tier: str, examples: Source | Evaluation, results: Iterable[object] | None, text: str
) -> Scored:
    policies = tuple(each.spec.id for each in plan.policies)
    if isinstance(examples, Evaluation):
        if results is not None:
            raise ConfigError("an Evaluation has results of its own")
        if examples.channel != plan.channel or set(examples.scored.policies) != set(policies):
            raise DataError("the evaluation was made under another channel or registry than the old one")
        return examples.scored
    if results is None:
        raise ConfigError("a replay runs no model: give the examples' results, or an Evaluation")
    recorder = Recorder(plan.channel, policies, tier)
    given = read_examples(examples, text=text, policies=policies)
    found = list(results)
    if len(found) != len(given):
        raise DataError(f"there are {len(found):,} results for {len(given):,} examples")
    for number, (example, result) in enumerate(zip(given, found, strict=True), start=1):
        if isinstance(result, Rejected):
            recorder.refuse(number, result.error)
            continue
        try:
            submission = parse_submission(example.content)
        except ContentError as error:
            recorder.refuse(number, error)
        else:
            recorder.add(number, example, submission, read_result(result, f"row {number}"))
    return recorder.close({})


def _find_obstacles(before: Plan, after: Plan, ran: Sequence[str]) -> list[Issue]:
    """What differs between two channels that only a run of the new one can tell the effect of."""
    old, new = before.channel, after.channel
    issues = [
        Issue(each.name, "changes what is found")
        for each in fields(Channel)
        if each.name not in _REPLAYABLE and getattr(old, each.name) != getattr(new, each.name)
    ]
    lists = {each.key: replace(each, name=None, mask=False) for each in old.wordlists}
    kept = {each.key: replace(each, name=None, mask=False) for each in new.wordlists}
    for key in sorted(lists.keys() | kept.keys()):
        left_out = key not in kept and lists[key].mode != "allow"
        if lists.get(key) != kept.get(key) and not left_out:
            issues.append(Issue(f"wordlists.{key}", "changes what is found"))
    for bound in after.policies:
        policy = bound.spec.id
        if policy not in ran:
            issues.append(Issue(f"policies.{policy}", "did not run"))
            continue
        was, now = _settings(old, policy), _settings(new, policy)
        if was.options != now.options:
            issues.append(Issue(f"policies.{policy}.options", "changes what is found"))
        if was.calibration != now.calibration and new.context_enabled:
            issues.append(Issue(f"policies.{policy}.calibration", "cannot be changed with context enabled"))
    return issues


def _is_exact(before: Plan, after: Plan) -> bool:
    same = (before.labels, before.thresholds) == (after.labels, after.thresholds)
    return same or not isinstance(after.scorer, CascadeScorer)


def _settings(channel: Channel, policy: str) -> PolicySettings:
    return next((each for each in channel.policies if each.id == policy), PolicySettings(policy))


def _recalibrate(before: Plan, after: Plan, scored: Scored) -> Scored:
    """The same rows with the new channel's calibrations in place of the old one's."""
    probabilities, parts = scored.probabilities.copy(), scored.label_probabilities.copy()
    specs = {bound.spec.id: bound.spec for bound in before.policies}
    issues: list[Issue] = []
    for i, policy in enumerate(scored.policies):
        was, now = _settings(before.channel, policy).calibration, _settings(after.channel, policy).calibration
        if was == now:
            continue
        asked = np.array([_is_asked(specs[policy], row) for row in scored.rows], bool) | (probabilities[:, i] > 0.0)
        columns = [j for j, (owner, _) in enumerate(scored.labels) if owner == policy]
        known = [_turn(column, asked, was, now) for column in (probabilities[:, i], *(parts[:, j] for j in columns))]
        lost = np.flatnonzero(np.any([~each for each in known], axis=0))
        if len(lost):
            rows = f"the first is row {scored.rows[int(lost[0])].number}"
            problem = f"the old one cannot be undone for {len(lost):,} examples, {rows}: it gives many the same"
            issues.append(Issue(f"policies.{policy}.calibration", problem))
    if issues:
        raise DataError(_RUN_AGAIN, issues)
    return replace(scored, probabilities=probabilities, label_probabilities=parts)


def _is_asked(spec: Spec, row: ScoredRow) -> bool:
    """Whether a policy is asked about a row's text; where it isn't, it has a 0 that no calibration applies to."""
    content, languages = row.submission.content, spec.languages
    parts = content.data.values() if isinstance(content, Object) else (content,)
    return (
        "text" in spec.leaves
        and any(isinstance(part, Text) for part in parts)
        and (languages is None or row.language is None or row.language in languages)
    )


def _turn(
    column: Floats, asked: NDArray[np.bool_], old: Calibration | None, new: Calibration | None
) -> NDArray[np.bool_]:
    """Turn the column from one calibration to the other, in place, where the policy was asked.

    Gives which entries that could be done for.
    """
    present = np.flatnonzero(asked & ~np.isnan(column))
    low = high = column[present]
    if old is not None:
        low, high = undo(old, low)
    apply: Callable[[float], float] = (lambda raw: raw) if new is None else new
    ends = np.array([(apply(a), apply(b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]).reshape(-1, 2)
    column[present] = ends[:, 0]
    known = np.ones(len(column), bool)
    known[present] = ends[:, 1] - ends[:, 0] <= _CLOSE
    return known


def undo(calibration: Calibration, probabilities: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest probability that the calibration maps to each of `probabilities`, shape [n].

    The two differ where it is flat, also beyond its first and last point.
    """
    xs, ys = np.array(calibration.scores), np.array(calibration.probabilities)
    # What lies on a point may have been rounded off it, and would look to be beyond a flat piece.
    above = np.searchsorted(ys, probabilities).clip(1, len(ys) - 1)
    for nearest in (ys[above - 1], ys[above]):
        probabilities = np.where(np.abs(nearest - probabilities) < _ROUNDING, nearest, probabilities)
    # One more point at either end, so that the flat ends are pieces as well.
    xs, ys = np.concatenate(([0.0], xs, [1.0])), np.concatenate((ys[:1], ys, ys[-1:]))
    first, last = np.searchsorted(ys, probabilities, "left"), np.searchsorted(ys, probabilities, "right")
    return _cross(xs, ys, probabilities, first - 1), _cross(xs, ys, probabilities, last - 1)


def _cross(xs: Floats, ys: Floats, levels: Floats, pieces: NDArray[np.intp]) -> Floats:
    """Where each piece of the line reaches its level; the nearer end of the whole where there is no such piece."""
    left = np.clip(pieces, 0, len(xs) - 2)
    rise = ys[left + 1] - ys[left]
    share = np.divide(levels - ys[left], rise, out=np.zeros_like(levels), where=rise > 0)
    crossed = xs[left] + (xs[left + 1] - xs[left]) * share
    return np.where(pieces < 0, 0.0, np.where(pieces >= len(xs) - 1, 1.0, crossed))


def _find_gap(row: ScoredRow) -> str | None:
    """Why a replay cannot tell of a row, where it cannot."""
    if row.submission.policies is not None:
        return "came with policies of its own"
    if row.failed and not isinstance(row.submission.content, Text):
        return "a policy or decoder failed on a part of it"
    return None


def _judge(plan: Plan, scored: Scored, i: int) -> _Outcome:
    row = scored.rows[i]
    labels: dict[str, list[Label]] = {}
    for (policy, label), probability in zip(scored.labels, scored.label_probabilities[i].tolist(), strict=True):
        if probability == probability:
            labels.setdefault(policy, []).append(Label(label, probability))
    found = dict(zip(scored.policies, scored.probabilities[i].tolist(), strict=True))
    verdicts: list[Verdict] = []
    failed = [FailedPolicy("allow")] if "language" in row.failed else []
    for bound in plan.policies:
        policy = bound.spec.id
        if policy in row.failed:
            failed.append(bound.fail())
        elif found[policy] == found[policy]:
            matches = tuple(
                Match(Span(0, 0), "", found[policy], kind)
                for owner, kind, number in row.counts
                if owner == policy
                for _ in range(number)
            )
            finding = Finding(found[policy], matches, tuple(labels.get(policy, ())))
            verdicts.append(bound.judge(finding, supported=plan.supports(bound.spec, row.language)))
    decision = decide(plan.channel, row.submission, verdicts, failed, language=row.language)
    active = plan.channel.flagging_mode == "ACTIVE"
    flagged = tuple(each.id for each in verdicts if active and each.flagged)
    return decision.recommendation.action, decision.evaluation.severity_score, flagged


def _compare(row: ScoredRow, was: _Outcome, now: _Outcome) -> Replayed:
    return Replayed(
        row.number,
        row.id,
        row.text,
        was[0],
        now[0],
        was[1],
        now[1],
        tuple(each for each in now[2] if each not in was[2]),
        tuple(each for each in was[2] if each not in now[2]),
        tuple(each for each in now[2] if each in was[2]),
    )
