"""One batch of submissions through a plan: content → leaves → views → scores → policies → decision → result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from seemly.content import MAX_TEXT, Audio, Content, Image, Object, Submission, Text, Turn, Video
from seemly.context import ConversationMemory, Window, build_windows, merge_findings
from seemly.decide import FailedPolicy, decide
from seemly.errors import PolicyFailed, SeemlyError
from seemly.language import Language, detect
from seemly.mask import mask_text
from seemly.plan import BoundPolicy, Plan
from seemly.policy import Finding, Item, Label, Match
from seemly.result import (
    ContentResult,
    Failure,
    Insight,
    LabelResult,
    Meta,
    ModerationResult,
    PolicyResult,
)  # fmt: skip
from seemly.rules import Verdict
from seemly.text.normalize import Normalized, normalize

__all__ = ["Surroundings", "run_batch"]

_EXTRAS = {"image": "nudity", "video": "media", "audio": "media"}
_NOTHING = Finding(0.0)

Outcome = Finding | Exception
"""What a policy made of one text: a finding, or what it raised."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from outside: time (Unix seconds), ids, and earlier turns."""

    clock: Callable[[], float]
    new_id: Callable[[], str]
    memory: ConversationMemory | None
    strict: bool
    versions: Mapping[str, str]


@dataclass(slots=True)
class _Leaf:
    """A text within a submission, and where it stands."""

    field: str | None
    text: str
    windows: tuple[Window, ...]


@dataclass(slots=True)
class _Job:
    """A submission taken apart."""

    submission: Submission
    leaves: list[_Leaf]
    failures: list[Failure]
    timestamp: float


def run_batch(plan: Plan, submissions: Sequence[Submission], around: Surroundings) -> list[ModerationResult]:
    """One result a submission, in order. Raises PolicyFailed only where `around.strict` asks for it."""
    started = perf_counter()
    jobs = [_take_apart(plan, submission, around) for submission in submissions]
    reading = _Reading(plan, jobs)
    if around.strict:
        _raise_first(reading, jobs)
    decided = [(job, *_gather(plan, job, reading)) for job in jobs]
    elapsed = (perf_counter() - started) * 1000.0 / max(1, len(jobs))
    return [_conclude(plan, *each, reading, around, elapsed) for each in decided]


class _Reading:
    """Every distinct text of a batch, read once: its views, its language, and what each policy made of it."""

    def __init__(self, plan: Plan, jobs: Iterable[_Job]) -> None:
        channel = plan.channel
        self.index: dict[str, int] = {}
        for job in jobs:
            for leaf in job.leaves:
                for text in (
                    leaf.text,
                    *(part for window in leaf.windows for part in (window.before, window.together)),
                ):
                    self.index.setdefault(text, len(self.index))
        scripts = frozenset(channel.expected_scripts)
        resolve = channel.unicode_spoof_detection_enabled
        self.texts = [normalize(text, resolve_spoofs=resolve, expected_scripts=scripts) for text in self.index]
        self.languages = [detect(text) for text in self.texts]
        scores = _score(plan, self.texts)
        items = [
            Item(text, each if isinstance(each, dict) else {}, language.code)
            for text, each, language in zip(self.texts, scores, self.languages, strict=True)
        ]
        self.outcomes = [_check(bound, items, scores) for bound in plan.policies]

    def find(self, policy: int, leaf: _Leaf) -> Outcome:
        """What the policy made of a leaf, read alone and together with its windows."""
        outcomes = self.outcomes[policy]
        alone = outcomes[self.index[leaf.text]]
        if not leaf.windows or isinstance(alone, Exception):
            return alone
        pairs: list[tuple[Window, Finding, Finding]] = []
        for window in leaf.windows:
            before, together = outcomes[self.index[window.before]], outcomes[self.index[window.together]]
            if isinstance(before, Exception):
                return before
            if isinstance(together, Exception):
                return together
            pairs.append((window, before, together))
        return merge_findings(alone, pairs, leaf.text)


def _take_apart(plan: Plan, submission: Submission, around: Surroundings) -> _Job:
    now = around.clock()
    content = submission.content
    if type(content) is Text:
        parts: Iterable[tuple[str | None, Content]] = ((None, content),)
    elif isinstance(content, Object):
        parts = content.data.items()
    else:
        parts = ((None, content),)
    job = _Job(submission, [], [], now * 1000.0 if submission.timestamp is None else submission.timestamp)
    history = _recall(plan, submission, around, job.timestamp / 1000.0)
    for field, part in parts:
        if isinstance(part, Text):
            windows = build_windows(part.text, submission.author_id, history) if history else ()
            job.leaves.append(_Leaf(field, part.text, windows))
        elif isinstance(part, Image | Video | Audio) and _is_enabled(plan, part):
            where = field or part.type
            extra = f'install the extra: pip install "seemly[{_EXTRAS[part.type]}]"'
            job.failures.append(Failure(f"decode:{where}", f"no policy that reads {part.type} is installed; {extra}"))
    if around.memory is not None and job.leaves and not submission.do_not_store:
        text = "\n".join(leaf.text for leaf in job.leaves)[:MAX_TEXT]
        turn = Turn(text, submission.author_id, job.timestamp)
        around.memory.remember(submission.conversation_id, turn, job.timestamp / 1000.0)
    return job


def _recall(plan: Plan, submission: Submission, around: Surroundings, now: float) -> tuple[Turn, ...]:
    if not plan.channel.context_enabled:
        return ()
    if submission.history is not None:
        return tuple(submission.history)
    if around.memory is None:
        return ()
    return around.memory.recall(submission.conversation_id, submission.author_id, now)


def _is_enabled(plan: Plan, part: Image | Video | Audio) -> bool:
    return bool(getattr(plan.channel, f"enable_{part.type}_moderation"))


def _score(plan: Plan, texts: Sequence[Normalized]) -> list[dict[str, float] | Exception]:
    """The model's probabilities of each text by label, or what the scorer raised."""
    scorer = plan.scorer
    if scorer is None or not texts:
        return [{} for _ in texts]
    labels = plan.labels
    try:
        rows = scorer.score([text.plain.text for text in texts], labels, plan.thresholds).tolist()
        return [dict(zip(labels, row, strict=True)) for row in rows]
    except Exception as error:  # noqa: BLE001  (a failure is captured, whatever it is, and reported by policy)
        if len(texts) == 1:
            return [error]
        return [each for text in texts for each in _score(plan, [text])]


def _check(
    bound: BoundPolicy, items: Sequence[Item], scores: Sequence[dict[str, float] | Exception]
) -> Sequence[Outcome]:
    """What the policy makes of each item. A batch that fails is tried again item by item."""
    if bound.spec.labels and any(isinstance(each, Exception) for each in scores):
        outcomes: list[Outcome] = []
        for item, score in zip(items, scores, strict=True):
            outcomes.append(score if isinstance(score, Exception) else _check(bound, [item], [score])[0])
        return outcomes
    try:
        findings = bound.policy.check(items)
        if len(findings) != len(items):
            raise PolicyFailed(f"gave {len(findings)} findings for {len(items)} items")
        for finding in findings:
            if not (isinstance(finding, Finding) and 0.0 <= finding.probability <= 1.0):
                raise PolicyFailed("gave something other than a Finding with a probability from 0 to 1")
    except Exception as error:  # noqa: BLE001  (a failure is captured, whatever it is, and reported by policy)
        if len(items) == 1:
            return [error]
        return [_check(bound, [item], [score])[0] for item, score in zip(items, scores, strict=True)]
    if bound.calibration is None:
        return findings
    calibrate = bound.calibration
    return [replace(finding, probability=calibrate(finding.probability)) for finding in findings]


def _raise_first(reading: _Reading, jobs: Iterable[_Job]) -> None:
    for outcomes in reading.outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise PolicyFailed(_tell(outcome)) from outcome
    for job in jobs:
        for failure in job.failures:
            raise PolicyFailed(f"{failure.id}: {failure.message}")


def _tell(error: Exception) -> str:
    """What may be said of an error: a foreign exception's own words could quote the content."""
    return str(error) if isinstance(error, SeemlyError) else f"raised {type(error).__name__}"


def _gather(
    plan: Plan, job: _Job, reading: _Reading
) -> tuple[list[tuple[Verdict, tuple[str, ...]]], list[FailedPolicy]]:
    """The job's verdicts, each with the fields that flagged, and its failed policies; failures are noted in the job."""
    verdicts: list[tuple[Verdict, tuple[str, ...]]] = []
    failed = [FailedPolicy("review") for _ in job.failures]
    if not job.leaves and job.failures:
        return verdicts, failed
    simple = len(job.leaves) == 1 and job.leaves[0].field is None
    for position, bound in enumerate(plan.policies):
        outcomes = [reading.find(position, leaf) for leaf in job.leaves]
        errors = [each for each in outcomes if isinstance(each, Exception)]
        if errors:
            job.failures.append(Failure(bound.spec.id, _tell(errors[0])))
            failed.append(bound.fail())
            if len(errors) == len(outcomes):
                continue
        if simple and isinstance(outcomes[0], Finding):
            verdicts.append((bound.judge(outcomes[0]), ()))
            continue
        found = [
            (leaf.field, each) for leaf, each in zip(job.leaves, outcomes, strict=True) if isinstance(each, Finding)
        ]
        fields = tuple(field for field, each in found if bound.flag and field and each.probability >= bound.threshold)
        verdicts.append((bound.judge(_combine(found)), fields))
    return verdicts, failed


def _combine(found: Sequence[tuple[str | None, Finding]]) -> Finding:
    """One finding for several fields: the largest probabilities, and every match with the name of its field."""
    if not found:
        return _NOTHING
    best = max((finding for _, finding in found), key=lambda finding: finding.probability)
    labels: dict[str, float] = {}
    for _, finding in found:
        for label in finding.labels:
            labels[label.id] = max(label.probability, labels.get(label.id, 0.0))
    return Finding(
        best.probability,
        tuple(replace(match, field=field) for field, finding in found for match in finding.matches),
        tuple(Label(label, probability) for label, probability in labels.items()),
        best.data,
    )


def _conclude(
    plan: Plan,
    job: _Job,
    judged: Sequence[tuple[Verdict, tuple[str, ...]]],
    failed: Sequence[FailedPolicy],
    reading: _Reading,
    around: Surroundings,
    elapsed: float,
) -> ModerationResult:
    submission = job.submission
    longest = max(job.leaves, key=lambda leaf: len(leaf.text), default=None)
    language = Language(None, 0.0) if longest is None else reading.languages[reading.index[longest.text]]
    cleaned = any(reading.texts[reading.index[leaf.text]].cleaned for leaf in job.leaves)
    decision = decide(
        plan.channel,
        submission,
        [verdict for verdict, _ in judged],
        failed,
        language=language.code,
        unicode_spoofed=cleaned and plan.channel.unicode_spoof_detection_enabled,
    )
    active = plan.channel.flagging_mode == "ACTIVE"
    policies = [
        PolicyResult(
            verdict.id,
            plan.kinds[verdict.id],
            finding.probability,
            active and verdict.flag and finding.probability >= verdict.threshold,
            fields if active else (),
            tuple([_label(label, verdict, active=active) for label in finding.labels]),
            finding.matches,
            finding.data,
        )
        for verdict, fields in judged
        for finding in (verdict.finding,)
    ]
    policies.sort(key=lambda each: (-each.probability, each.id))
    modified = _mask(submission.content, [match for verdict, _ in judged for match in verdict.finding.matches])
    return ModerationResult(
        content=ContentResult(submission.content_id or around.new_id(), modified is not None, modified, cleaned),
        author=submission.author,
        evaluation=decision.evaluation,
        recommendation=decision.recommendation,
        policies=tuple(policies),
        insights=(Insight("language", language.code, language.probability),),
        meta=Meta(
            "partial_success" if job.failures else "success",
            plan.channel.key,
            int(job.timestamp),
            _usage(submission.content),
            elapsed,
            around.versions,
        ),
        errors=tuple(job.failures),
        trace=decision.trace,
        submitted=submission.content,
    )


def _label(label: Label, verdict: Verdict, *, active: bool) -> LabelResult:
    return LabelResult(label.id, label.probability, active and verdict.flag and label.probability >= verdict.threshold)


def _mask(content: Content, matches: Sequence[Match]) -> Content | None:
    if not any(match.mask is not None for match in matches):
        return None
    if isinstance(content, Text):
        masked = mask_text(content.text, matches)
        return None if masked is None else Text(masked)
    if not isinstance(content, Object):
        return None
    parts = dict(content.data)
    for key, part in content.data.items():
        if isinstance(part, Text):
            masked = mask_text(part.text, [match for match in matches if match.field == key])
            parts[key] = part if masked is None else Text(masked)
    return Object(parts)


def _usage(content: Content) -> int:
    parts = content.data.values() if isinstance(content, Object) else (content,)
    return sum(3 if isinstance(part, Image) else 1 for part in parts)
