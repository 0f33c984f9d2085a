"""A result in a few lines for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.cli.console import printable
from seemly.content import Text

if TYPE_CHECKING:
    from seemly.explain import Explanation
    from seemly.policy import Match
    from seemly.result import ModerationResult, PolicyResult

__all__ = ["summarize"]

_EXCERPT = 60
_MOST_MATCHES = 20
_MOST_WORDS = 8


def summarize(result: ModerationResult, explanation: Explanation | None = None, *, titled: bool = False) -> str:
    """The action, the severity, what flagged and where, and the masked text. `titled` starts with the text itself."""
    recommendation, evaluation = result.recommendation, result.evaluation
    lines = [f"> {_excerpt(result.submitted.text)}"] if titled and isinstance(result.submitted, Text) else []
    codes = f"  ({', '.join(recommendation.reason_codes)})" if recommendation.reason_codes else ""
    language = f"  language {result.language}" if result.language else ""
    lines.append(f"{recommendation.action}{codes}  severity {evaluation.severity_score:.2f}{language}")
    shown = [policy for policy in result.policies if policy.flagged or policy.matches]
    width = max((len(policy.id) for policy in shown), default=0)
    for policy in shown:
        lines.extend(_describe(policy, width))
    if result.modified_text is not None:
        lines.append(f"  masked: {printable(result.modified_text)}")
    lines.extend(f"  failed: {failure.id}: {printable(failure.message)}" for failure in result.errors)
    if explanation is not None:
        lines.extend(_because(explanation))
    return "\n".join(lines)


def _describe(policy: PolicyResult, width: int) -> list[str]:
    line = f"  {policy.id:<{width}}  {policy.probability:.2f}{'  flagged' if policy.flagged else ''}"
    matches = [f"    {_match(match, policy.id)}" for match in policy.matches[:_MOST_MATCHES]]
    more = len(policy.matches) - _MOST_MATCHES
    return [line, *matches, *([f"    and {more} more"] if more > 0 else [])]


def _match(match: Match, policy: str) -> str:
    kind = f"{match.entity_type} " if match.entity_type not in (None, policy) else ""
    reasons = f"  {', '.join(match.reasons)}" if match.reasons else ""
    return f"{match.span.start}-{match.span.end}  {kind}{_excerpt(match.match)}  {match.probability:.2f}{reasons}"


def _because(explanation: Explanation) -> list[str]:
    lines = [f"  because: {explanation.decision}"]
    for policy in explanation.policies:
        if policy.flagged and policy.words:
            words = ", ".join(f"{_excerpt(word.text)} {word.share:.0%}" for word in policy.words[:_MOST_WORDS])
            lines.append(f"  {policy.policy}: {words}")
    return lines


def _excerpt(text: str) -> str:
    return printable(text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…")
