"""Which words carried a classifier's probability, what was matched, and what decided."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seemly.content import Object, Submission, Text
from seemly.plan import Plan
from seemly.result import ModerationResult, PolicyResult
from seemly.span import Span
from seemly.text.normalize import Normalized, normalize
from seemly.text.view import View

__all__ = ["Contribution", "Explanation", "PolicyExplanation", "explain"]

MAX_PIECES = 120
"""The most pieces a text is cut into: longer texts are explained by runs of words rather than word by word."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part of the text and what it carries.

    `share` is the part's portion, 0 to 1, of all that speaks for the policy. `drop` is how far the probability
    falls (−1 to 1) when the part is taken away.
    """

    span: Span
    text: str = dataclasses.field(repr=False)
    share: float
    drop: float
    field: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyExplanation:
    """The words behind one policy's probability, the weightiest first."""

    policy: str
    probability: float
    threshold: float
    flagged: bool
    words: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a submission was decided on as it was. `decision` says it in a sentence."""

    result: ModerationResult
    decision: str
    policies: tuple[PolicyExplanation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the decision, and the policies with their words."""
        return {
            "decision": self.decision,
            "policies": [
                {
                    "id": each.policy,
                    "probability": each.probability,
                    "threshold": each.threshold,
                    "flagged": each.flagged,
                    "words": [
                        {"text": word.text, "span": list(word.span), "share": word.share, "drop": word.drop}
                        | ({} if word.field is None else {"field": word.field})
                        for word in each.words
                    ],
                }
                for each in self.policies
            ],
        }

    def _repr_html_(self) -> str:
        from seemly.html import render_explanation

        return render_explanation(self)


def explain(plan: Plan, submission: Submission, result: ModerationResult) -> Explanation:
    """Explain a result of the plan. Costs one more pass of the model over the text with each word left out.

    The method is occlusion: what the log-odds lose without a word is what the word carries (Li, Monroe and
    Jurafsky, 2016, "Understanding neural networks through representation erasure").
    """
    thresholds = {each.spec.id: each.threshold for each in plan.policies}
    labelled = {each.spec.id for each in plan.policies if each.spec.id in each.spec.labels}
    policies: list[PolicyExplanation] = []
    scored = [each for each in result.policies if each.id in labelled]
    texts = list(_texts(submission))
    carried = {field: _occlude(plan, text, [each.id for each in scored]) for field, text in texts}
    for each in result.policies:
        words: list[Contribution] = []
        if each.id in labelled:
            words = [dataclasses.replace(word, field=field) for field in carried for word in carried[field][each.id]]
        if each.id not in labelled or (not words and each.matches):
            words = _from_matches(each)
        words.sort(key=lambda word: (-word.share, word.span))
        policies.append(PolicyExplanation(each.id, each.probability, thresholds[each.id], each.flagged, tuple(words)))
    return Explanation(result, _say(result), tuple(policies))


def _texts(submission: Submission) -> Iterable[tuple[str | None, str]]:
    content = submission.content
    if isinstance(content, Text):
        yield None, content.text
    elif isinstance(content, Object):
        yield from ((key, part.text) for key, part in content.data.items() if isinstance(part, Text))


def _occlude(plan: Plan, text: str, policies: Sequence[str]) -> dict[str, list[Contribution]]:
    carried: dict[str, list[Contribution]] = {policy: [] for policy in policies}
    if not policies:
        return carried
    channel = plan.channel
    scripts = frozenset(channel.expected_scripts)
    read: Normalized = normalize(text, resolve_spoofs=channel.unicode_spoof_detection_enabled, expected_scripts=scripts)
    view = read.plain
    pieces = _cut(view)
    if not pieces:
        return carried
    without = [view.text[:start] + view.text[end:] for start, end in pieces]
    thresholds = [plan.thresholds[plan.labels.index(policy)] for policy in policies]
    scores = plan.scorer.score([view.text, *without], policies, thresholds).tolist()
    for column, policy in enumerate(policies):
        whole = scores[0][column]
        weights = [max(0.0, _log_odds(whole) - _log_odds(row[column])) for row in scores[1:]]
        total = sum(weights)
        for (start, end), weight, row in zip(pieces, weights, scores[1:], strict=True):
            if weight > 0.01 * total:
                span = view.origin(start, end)
                part = Contribution(span, span.of(text), weight / total, whole - row[column])
                carried[policy].append(part)
    return carried


def _cut(view: View) -> list[tuple[int, int]]:
    words = [match.span() for match in _WORD.finditer(view.text)]
    size = -(-len(words) // MAX_PIECES) if words else 1
    return [(words[i][0], words[min(i + size, len(words)) - 1][1]) for i in range(0, len(words), size)]


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))


def _from_matches(policy: PolicyResult) -> list[Contribution]:
    total = sum(match.probability for match in policy.matches) or 1.0
    return [
        Contribution(match.span, match.match, match.probability / total, match.probability, match.field)
        for match in policy.matches
    ]


def _say(result: ModerationResult) -> str:
    trace, action = result.trace, result.recommendation.action
    because = (
        f"{trace.policy} at its threshold of {trace.threshold:.2f}" if trace.threshold is not None else "no policy"
    )
    sentences = {
        "author_block": f"{action}: the author is blocked or suspended",
        "rule": f"{action}: the rule {trace.rule!r} matched",
        "triage": f"{action}: the largest severity, {result.evaluation.severity_score:.2f}, is that of {because}",
        "client_action": f"{action}: the client's own action decided",
        "failure": f"{action}: a policy failed, and its on_failure allows nothing milder",
        "dry_run": f"{action}: the channel is in DRY_RUN"
        + (f"; active, it would be {trace.would_be.action}" if trace.would_be else ""),
    }
    return sentences[trace.decided_by]
