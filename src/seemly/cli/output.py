"""Print results, tables and summaries."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seemly.cli.streams import printable
from seemly.core.content import Content, Object, Text
from seemly.core.errors import ConfigError, Issue
from seemly.engine.result import ContentResult, Evaluation, Meta, PolicyResult, Recommendation, Trace
from seemly.evaluation.formatting import shown

if TYPE_CHECKING:
    from seemly.cli.inputs import Place
    from seemly.engine.explain import Explanation
    from seemly.engine.result import MediaResult, ModerationResult, PolicyResult
    from seemly.evaluation.tables import Table
    from seemly.policies.protocol import Match

__all__ = ["check_paths", "format_table", "pick", "summarize", "to_line"]


def to_line(
    place: Place,
    result: ModerationResult,
    explanation: Explanation | None = None,
    *,
    paths: Sequence[str] = (),
    extended: bool = False,
) -> str:
    """One line of ASCII JSON: where the input stood, then the result, or only what `paths` name."""
    wire = result.to_dict(extended=extended)
    if explanation is not None:
        wire["explanation"] = explanation.to_dict()
    return json.dumps(place.to_dict() | ({path: pick(wire, path) for path in paths} if paths else wire))


def pick(value: Any, path: str) -> Any:
    """What stands at a dotted path, None where there is nothing.

    An entry of a list is named by its `id` or its index: `policies.hate.probability`, `policies.0.id`.
    """
    if not path:
        return value
    if isinstance(value, list):
        named = {str(each["id"]): each for each in value if isinstance(each, Mapping) and "id" in each}
        value = {str(i): each for i, each in enumerate(value)} | named
    if not isinstance(value, Mapping):
        return None
    for key in sorted(value, key=len, reverse=True):
        if path == key or path.startswith(f"{key}."):
            return pick(value[key], path[len(key) + 1 :])
    return None


def check_paths(paths: Sequence[str], policies: Collection[str], *, extended: bool, explained: bool) -> None:
    """Raise a ConfigError that lists each path that no result could have."""
    shape = _shape(extended=extended, explained=explained)
    issues = [Issue(path, problem) for path in paths if (problem := _problem(path, shape, policies))]
    if issues:
        raise ConfigError("--fields names what no result has", issues)


def _shape(*, extended: bool, explained: bool) -> dict[str, tuple[str, ...]]:
    """The keys of a result, and the keys below each; none given means that any may stand there."""
    below: dict[str, Any] = {
        "content": ContentResult,
        "evaluation": Evaluation,
        "recommendation": Recommendation,
        **({"trace": Trace} if extended else {}),
    }
    shape = {name: tuple(each.name for each in dataclasses.fields(kind)) for name, kind in below.items()}
    meta = [each.name for each in dataclasses.fields(Meta) if extended or each.name != "versions"]
    shape["meta"] = tuple("processing_time" if name == "processing_ms" else name for name in meta)
    return (
        shape
        | dict.fromkeys(("author", "policies", "insights", "errors"), ())
        | ({"explanation": ("decision", "policies")} if explained else {})
    )


def _problem(path: str, shape: Mapping[str, tuple[str, ...]], policies: Collection[str]) -> str | None:
    head, _, rest = path.partition(".")
    if head not in shape:
        return f"there is no {head!r}; there are {', '.join(shape)}"
    known = shape[head]
    if known and rest and rest.partition(".")[0] not in known:
        return f"{head} has {', '.join(known)}"
    return _policy_problem(rest, policies) if head == "policies" and rest else None


def _policy_problem(rest: str, policies: Collection[str]) -> str | None:
    named = [each for each in policies if rest == each or rest.startswith(f"{each}.")]
    if not named and not rest.partition(".")[0].isdecimal():
        return f"no policy of that name runs; there are {', '.join(policies)}, or an index"
    key = max(named, key=len) if named else rest.partition(".")[0]
    below = rest[len(key) + 1 :].partition(".")[0]
    known = [each.name for each in dataclasses.fields(PolicyResult)]
    return f"a policy has {', '.join(known)}" if below and below not in known else None


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


_LONGEST = 60


def format_table(table: Table) -> str:
    """The title, the header and the rows, in columns; numbers stand to the right."""
    cells = [[_fit(shown(cell)) for cell in row] for row in table.rows]
    numeric = [any(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.header))]
    widths = [max(map(len, column)) for column in zip(table.header, *cells, strict=True)]
    lines = [table.title] if table.title else []
    for row in (table.header, *cells):
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def _fit(text: str) -> str:
    return printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
