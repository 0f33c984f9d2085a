"""Say in one sentence what decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seemly.engine.result import ModerationResult

__all__ = ["say_decision"]

_ADDED = {
    "trusted_allow": "; the author is trusted",
    "untrusted_severity": "; the author is not trusted",
    "severity_capped": "; the policies that reached the reject threshold may at most cause a review",
}
"""What a reason code adds to a decision by severity."""


def say_decision(result: ModerationResult) -> str:
    """Return the action, and the step and policy that it rests on, as a sentence without content."""
    trace, action = result.trace, result.recommendation.action
    would_be = f"; active, it would be {trace.would_be.action}" if trace.would_be else ""
    sentences = {
        "author_block": f"{action}: the author is blocked or suspended",
        "rule": f"{action}: the rule {trace.rule!r} matched",
        "triage": f"{action}: {_say_severity(result)}",
        "client_action": f"{action}: the client's own action decided",
        "failure": f"{action}: a policy failed, and its on_failure allows nothing milder",
        "dry_run": f"{action}: the channel is in DRY_RUN{would_be}",
    }
    return sentences[trace.decided_by]


def _say_severity(result: ModerationResult) -> str:
    """Return which policy has the largest severity. A severity of 0.5 is one exactly at the policy's threshold."""
    trace, severity = result.trace, result.evaluation.severity_score
    added = "".join(_ADDED.get(code, "") for code in result.recommendation.reason_codes)
    if trace.policy is None or trace.threshold is None:
        return f"no policy counts for severity{added}"
    if severity < 0.5:
        return (
            f"no policy reached its threshold; the largest severity, {severity:.2f}, is that of {trace.policy}, "
            f"below its threshold of {trace.threshold:.2f}{added}"
        )
    return (
        f"the largest severity, {severity:.2f}, is that of {trace.policy}, "
        f"which reached its threshold of {trace.threshold:.2f}{added}"
    )
