"""A result in a few lines for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.cli.console import printable
from seemly.content import Content, Object, Text

if TYPE_CHECKING:
    from seemly.explain import Explanation
    from seemly.policy import Match
    from seemly.result import MediaResult, ModerationResult, PolicyResult

__all__ = ["summarize"]

_EXCERPT = 60
_MOST_MATCHES = 20
_MOST_WORDS = 8


def summarize(result: ModerationResult, explanation: Explanation | None = None, *, titled: bool = False) -> str:
    """The action, the severity, what flagged and where, and the masked text. `titled` starts with the text itself."""
    recommendation, evaluation = result.recommendation, result.evaluation
    lines = [f"> {_title(result.submitted)}"] if titled else []
    codes = f"  ({', '.join(recommendation.reason_codes)})" if recommendation.reason_codes else ""
    language = f"  language {result.language}" if result.language else ""
    lines.append(f"{recommendation.action}{codes}  severity {evaluation.severity_score:.2f}{language}")
    shown = [policy for policy in result.policies if policy.flagged or policy.matches]
    width = max((len(policy.id) for policy in shown), default=0)
    for policy in shown:
        lines.extend(_describe(policy, width))
    for media in result.media:
        lines.extend(_tell(media))
    if result.modified_text is not None:
        lines.append(f"  masked: {printable(result.modified_text)}")
    lines.extend(f"  failed: {failure.id}: {printable(failure.message)}" for failure in result.errors)
    if explanation is not None:
        lines.extend(_because(explanation))
    return "\n".join(lines)


def _title(content: Content) -> str:
    if isinstance(content, Text):
        return _excerpt(content.text)
    source = "" if isinstance(content, Object) else content.source
    return _excerpt(source) if isinstance(source, str) else content.type


def _describe(policy: PolicyResult, width: int) -> list[str]:
    line = f"  {policy.id:<{width}}  {policy.probability:.2f}{'  flagged' if policy.flagged else ''}"
    matches = [f"    {_match(match, policy.id)}" for match in policy.matches[:_MOST_MATCHES]]
    more = len(policy.matches) - _MOST_MATCHES
    return [line, *matches, *([f"    and {more} more"] if more > 0 else [])]


def _match(match: Match, policy: str) -> str:
    kind = f"{match.entity_type} " if match.entity_type not in (None, policy) else ""
    reasons = f"  {', '.join(match.reasons)}" if match.reasons else ""
    return f"{_where(match)}  {kind}{_excerpt(match.match)}  {match.probability:.2f}{reasons}"


def _where(match: Match) -> str:
    """The place in the text as submitted, or in media the time and the middle of the box, as shares of the picture."""
    if match.time_ms is None and match.box is None:
        return f"{match.span.start}-{match.span.end}"
    parts = [] if match.time_ms is None else [f"{match.time_ms / 1000:.1f} s"]
    if match.box is not None:
        left, top, width, height = match.box
        parts.append(f"at {left + width / 2:.0%}, {top + height / 2:.0%}")
    return " ".join(parts)


def _tell(media: MediaResult) -> list[str]:
    labels = ", ".join(f"{each.label} {each.score:.2f}" for each in media.labels)
    lines = [f"  {media.field or media.type}: {labels}"] if labels else []
    if media.uncovered:
        lines.append(f"    not looked for: {', '.join(media.uncovered)}")
    lines.extend(f"    reads: {_excerpt(text)}" for text in media.texts[:_MOST_MATCHES])
    return [*lines, f"    says: {printable(media.transcript)}"] if media.transcript else lines


def _because(explanation: Explanation) -> list[str]:
    lines = [f"  because: {explanation.decision}"]
    for policy in explanation.policies:
        if policy.flagged and policy.words:
            words = ", ".join(f"{_excerpt(word.text)} {word.share:.0%}" for word in policy.words[:_MOST_WORDS])
            lines.append(f"  {policy.policy}: {words}")
    return lines


def _excerpt(text: str) -> str:
    return printable(text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…")
