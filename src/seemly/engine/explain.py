"""Which words carried a classifier's probability, what was matched, and what decided."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seemly.core.content import Object, Submission, Text
from seemly.core.span import Span
from seemly.engine.plan import Plan, read_disguise
from seemly.engine.result import ModerationResult, PolicyResult
from seemly.inference.cascade import UNIT
from seemly.policies.protocol import Match
from seemly.text.normalize import Normalized, normalize
from seemly.text.view import View

__all__ = ["Contribution", "Explanation", "PolicyExplanation", "explain"]

MAX_PIECES = 120
"""The most pieces a text is cut into: longer texts are explained by runs of words rather than word by word."""

MAX_PART = UNIT
"""How much of a text is explained, in code points: of a longer one, for each policy, the part with most to say."""

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
        from seemly.engine.html import render_explanation

        return render_explanation(self)


def explain(plan: Plan, submission: Submission, result: ModerationResult) -> Explanation:
    """Explain a result of the plan. Costs a pass of the fast model over the text with each word left out, and where
    the accurate model reads the text, its reading of the one of these that differs most; of a text beyond 400 code
    points, over the part where the policy's probability is highest.

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
            words = _weigh_fields(plan, texts, carried, each)
        if each.id not in labelled or (not words and each.matches):
            words = _from_matches(each.matches)
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
    view = _find_view(plan, read, policies)
    words = [match.span() for match in _WORD.finditer(view.text)]
    if not words:
        return carried
    thresholds = {policy: plan.thresholds[plan.labels.index(policy)] for policy in policies}
    parts = _divide(words)
    best = [0] * len(policies)
    if len(parts) > 1:
        by_part = plan.scorer.sketch([_text_of(view, part) for part in parts], policies)
        best = by_part.argmax(axis=0).tolist()
    for at in sorted(set(best)):
        of = [policy for policy, where in zip(policies, best, strict=True) if where == at]
        carried.update(_weigh(plan, view, parts[at], {policy: thresholds[policy] for policy in of}))
    return carried


def _find_view(plan: Plan, text: Normalized, policies: Sequence[str]) -> View:
    """The reading that the scores are of: the text as it stands, or as a disguise is meant, whichever scores higher."""
    meant = read_disguise(text)
    if meant is None:
        return text.plain
    plain, disguised = plan.scorer.sketch([text.plain.text, meant.text], policies).max(axis=1).tolist()
    return meant if disguised > plain else text.plain


def _weigh(
    plan: Plan, view: View, part: Sequence[tuple[int, int]], thresholds: Mapping[str, float]
) -> dict[str, list[Contribution]]:
    """What each piece of a part carries for each policy: the log-odds that the part loses without it."""
    pieces = _join(part)
    first, last = part[0][0], part[-1][1]
    without = [view.text[first:start] + view.text[end:last] for start, end in pieces]
    scores = plan.scorer.weigh(view.text[first:last], without, list(thresholds), list(thresholds.values()))
    spans = [view.origin(start, end) for start, end in pieces]
    found = {}
    for policy, (whole, *rest) in zip(thresholds, scores.T.tolist(), strict=True):
        weights = [max(0.0, _log_odds(whole) - _log_odds(each)) for each in rest]
        total = sum(weights)
        found[policy] = [
            Contribution(span, span.of(view.original), weight / total, whole - each)
            for span, weight, each in zip(spans, weights, rest, strict=True)
            if weight > 0.01 * total
        ]
    return found


def _divide(words: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Runs of words, each of at most `MAX_PART` code points, or of one word."""
    parts: list[list[tuple[int, int]]] = [[]]
    for word in words:
        if parts[-1] and word[1] - parts[-1][0][0] > MAX_PART:
            parts.append([])
        parts[-1].append(word)
    return parts


def _text_of(view: View, part: Sequence[tuple[int, int]]) -> str:
    return view.text[part[0][0] : part[-1][1]]


def _join(words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The words, or, where there are more than `MAX_PIECES`, runs of them."""
    size = -(-len(words) // MAX_PIECES)
    return [(words[i][0], words[min(i + size, len(words)) - 1][1]) for i in range(0, len(words), size)]


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))


def _weigh_fields(
    plan: Plan,
    texts: Sequence[tuple[str | None, str]],
    carried: Mapping[str | None, Mapping[str, list[Contribution]]],
    policy: PolicyResult,
) -> list[Contribution]:
    """The words of every field and what was found in media, each by how probable the policy is there alone."""
    found = [match for match in policy.matches if match.box is not None or match.time_ms is not None]
    if len(texts) == 1 and not found:
        field = texts[0][0]
        return [dataclasses.replace(word, field=field) for word in carried[field][policy.id]]
    alone = plan.scorer.sketch([text for _, text in texts], [policy.id])[:, 0].tolist() if texts else []
    total = sum(alone) + sum(match.probability for match in found) or 1.0
    words = [
        dataclasses.replace(word, field=field, share=word.share * strength / total)
        for (field, _), strength in zip(texts, alone, strict=True)
        for word in carried[field][policy.id]
    ]
    return words + [
        dataclasses.replace(word, share=word.share * sum(match.probability for match in found) / total)
        for word in _from_matches(found)
    ]


def _from_matches(matches: Sequence[Match]) -> list[Contribution]:
    total = sum(match.probability for match in matches) or 1.0
    return [
        Contribution(match.span, match.match, match.probability / total, match.probability, match.field)
        for match in matches
    ]


def _say(result: ModerationResult) -> str:
    trace, action = result.trace, result.recommendation.action
    because = (
        f"{trace.policy} at its threshold of {trace.threshold:.2f}" if trace.threshold is not None else "no policy"
    )
    severity = f"the largest severity, {result.evaluation.severity_score:.2f}, is that of {because}"
    trust = {"trusted_allow": "; the author is trusted", "untrusted_severity": "; the author is not trusted"}
    told = "".join(trust.get(code, "") for code in result.recommendation.reason_codes)
    sentences = {
        "author_block": f"{action}: the author is blocked or suspended",
        "rule": f"{action}: the rule {trace.rule!r} matched",
        "triage": f"{action}: {severity}{told}",
        "client_action": f"{action}: the client's own action decided",
        "failure": f"{action}: a policy failed, and its on_failure allows nothing milder",
        "dry_run": f"{action}: the channel is in DRY_RUN"
        + (f"; active, it would be {trace.would_be.action}" if trace.would_be else ""),
    }
    return sentences[trace.decided_by]
