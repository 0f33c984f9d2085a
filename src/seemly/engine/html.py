"""Results as HTML, for notebooks. Everything that comes from content is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from seemly.core.content import Content, Object, Text
from seemly.engine.html_parts import escape_text, find_hue, render_bar, render_view
from seemly.engine.wording import say_decision

if TYPE_CHECKING:
    from seemly.engine.explain import Explanation
    from seemly.engine.result import MediaResult, ModerationResult, PolicyResult

__all__ = ["Mark", "highlight", "render_explanation", "render_result"]

_LEAST = 0.05
"""A policy that has a smaller probability, and did not flag, is folded away."""


class Mark(NamedTuple):
    """A range of a text, half-open in code points, in the colour of a policy.

    `strength`, 0 to 1, is how dark it is; `kind` stands behind it; `title` shows when it is pointed at.
    """

    start: int
    end: int
    policy: str
    title: str
    strength: float
    kind: str = ""


def highlight(text: str, marks: Iterable[Mark]) -> str:
    """Return the text, escaped, with each mark's range shaded. Of marks that overlap the first stays."""
    pieces: list[str] = []
    done = 0
    for mark in sorted(marks):
        if mark.start < done:
            continue
        hue, strength = find_hue(mark.policy), 0.2 + 0.8 * min(max(mark.strength, 0.0), 1.0)
        style = f"--hue:{hue};--strength:{strength:.2f}"
        kind = f'<span class="kind" style="--hue:{hue}">{escape_text(mark.kind)}</span>' if mark.kind else ""
        pieces.append(escape_text(text[done : mark.start]))
        found = escape_text(text[mark.start : mark.end])
        pieces.append(f'<mark style="{style}" title="{escape_text(mark.title)}">{found}</mark>{kind}')
        done = mark.end
    pieces.append(escape_text(text[done:]))
    return f'<div class="text">{"".join(pieces)}</div>'


def render_result(result: ModerationResult) -> str:
    """Return what decided, the text with what was found in it, and a bar for each policy."""
    texts = [_titled(field, highlight(text, _find_marks(result, field))) for field, text in _texts(result.submitted)]
    media = [_titled(_title(each), _describe(each)) for each in result.media]
    failures = [
        f'<p class="quiet">{escape_text(each.id)} failed: {escape_text(each.message)}</p>' for each in result.errors
    ]
    masked = result.modified_text
    shown = "" if masked is None else f'<p class="quiet">masked: {escape_text(masked)}</p>'
    return render_view(_render_decision(result), *texts, shown, *media, _render_policies(result.policies), *failures)


def render_explanation(explanation: Explanation) -> str:
    """Return what decided, and for each policy that flagged (else the most probable) the text shaded by share."""
    chosen = [each for each in explanation.policies if each.flagged] or list(explanation.policies[:1])
    bodies: list[str] = []
    for each in chosen:
        bar = render_bar(each.policy, each.probability, each.threshold, strong=each.flagged)
        bodies.append(f'<div class="bars">{_row(each.policy, each.probability, bar, each.flagged)}</div>')
        for field, text in _texts(explanation.result.submitted):
            marks = [
                Mark(*word.span, each.policy, f"{word.share:.0%}", word.share)
                for word in each.words
                if word.field == field
            ]
            bodies.append(_titled(field, highlight(text, marks)))
    return render_view(_render_decision(explanation.result), *bodies)


def _render_decision(result: ModerationResult) -> str:
    action, _, reason = say_decision(result).partition(": ")
    codes = ", ".join(result.recommendation.reason_codes)
    return (
        f'<p><span class="action {action}">{action}</span>{escape_text(reason)}</p>'
        f'<p class="quiet">severity {result.evaluation.severity_score:.2f}'
        f"{f', {escape_text(codes)}' if codes else ''}"
        f"{f', language {escape_text(result.language)}' if result.language else ''}</p>"
    )


def _render_policies(policies: Sequence[PolicyResult]) -> str:
    """Return the bars, with the policies that found next to nothing folded away."""
    told = [each for each in policies if each.flagged or each.probability >= _LEAST]
    rest = [each for each in policies if each not in told]
    folded = f"<details><summary>{len(rest)} policies below {_LEAST}</summary>{_render_bars(rest)}</details>"
    return (_render_bars(told) if told else "") + (folded if rest else "")


def _render_bars(policies: Iterable[PolicyResult]) -> str:
    rows = "".join(
        _row(
            each.id,
            each.probability,
            render_bar(each.id, each.probability, each.threshold, strong=each.flagged),
            each.flagged,
            ", ".join(f"{label.id} {label.probability:.2f}" for label in each.labels if label.probability >= _LEAST),
        )
        for each in policies
    )
    return f'<div class="bars">{rows}</div>'


def _row(policy: str, probability: float, bar: str, flagged: bool, labels: str = "") -> str:
    told = f"{probability:.3f}{' flagged' if flagged else ''}"
    return (
        f'<span class="name{" flagged" if flagged else ""}" style="--hue:{find_hue(policy)}">'
        f"{escape_text(policy)}</span>"
        f'{bar}<span>{told} <span class="quiet">{escape_text(labels)}</span></span>'
    )


def _title(media: MediaResult) -> str:
    looked = f", {media.pictures} pictures" if media.pictures > 1 else ""
    heard = f", {media.speech_ms / 1000:.0f} s of speech" if media.speech_ms else ""
    return f"{media.field or ''} ({media.type}{looked}{heard})".strip()


def _describe(media: MediaResult) -> str:
    """Return the labels and texts of a medium, and the labels that no installed model covers."""
    lines = [", ".join(f"{label.label} {label.score:.2f}" for label in media.labels)]
    if media.uncovered:
        lines.append(f"not looked for: {', '.join(media.uncovered)}")
    lines += [f"“{text}”" for text in media.texts]
    lines += [media.transcript] if media.transcript else []
    return f'<div class="text">{"".join(f"<div>{escape_text(line)}</div>" for line in lines if line)}</div>'


def _titled(title: str | None, body: str) -> str:
    return body if title is None else f'<p class="quiet">{escape_text(title)}</p>{body}'


def _texts(content: Content) -> list[tuple[str | None, str]]:
    if isinstance(content, Text):
        return [(None, content.text)]
    if isinstance(content, Object):
        return [(key, part.text) for key, part in content.data.items() if isinstance(part, Text)]
    return []


def _find_marks(result: ModerationResult, field: str | None) -> list[Mark]:
    return [
        Mark(
            *match.span,
            each.id,
            " ".join((each.id, *match.reasons, f"{match.probability:.2f}")),
            match.probability,
            match.entity_type or each.id,
        )
        for each in result.policies
        for match in each.matches
        if match.field == field and match.box is None and match.time_ms is None
    ]
