"""Results as HTML, for notebooks. Everything that comes from content is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from seemly.core.content import Content, Object, Text

if TYPE_CHECKING:
    from seemly.engine.explain import Explanation
    from seemly.engine.result import MediaResult, ModerationResult

__all__ = ["highlight", "render_explanation", "render_result"]

_COLOURS = {"allow": "#1a7f37", "review": "#9a6700", "reject": "#cf222e"}

Mark = tuple[int, int, str, float]
"""Start and end in code points, a title, and a strength from 0 to 1."""


def highlight(text: str, marks: Iterable[Mark]) -> str:
    """The text, escaped, with each mark's range shaded by its strength. Of marks that overlap the first stays."""
    pieces: list[str] = []
    done = 0
    for start, end, title, strength in sorted(marks):
        if start < done:
            continue
        shade = f"background:rgba(255,140,0,{0.15 + 0.6 * min(max(strength, 0.0), 1.0):.2f})"
        pieces.append(_visible(text[done:start]))
        pieces.append(f'<mark style="{shade}" title="{_visible(title)}">{_visible(text[start:end])}</mark>')
        done = end
    pieces.append(_visible(text[done:]))
    return f'<div style="white-space:pre-wrap;font-family:inherit">{"".join(pieces)}</div>'


def render_result(result: ModerationResult) -> str:
    """The recommendation, the text with its matches shaded, and a table of the policies."""
    rows = "".join(
        f"<tr><td>{_visible(each.id)}</td><td>{each.probability:.3f}</td><td>{'flagged' if each.flagged else ''}</td>"
        f"<td>{_visible(', '.join(f'{label.id} {label.probability:.2f}' for label in each.labels))}</td></tr>"
        for each in result.policies
    )
    failures = "".join(f"<li>{_visible(each.id)}: {_visible(each.message)}</li>" for each in result.errors)
    bodies = "".join(
        _titled(field, highlight(text, _matches(result, field))) for field, text in _texts(result.submitted)
    )
    media = "".join(_titled(_title(each), _describe(each)) for each in result.media)
    return (
        f"<div>{_banner(result)}{bodies}{media}<table><tr><th>policy</th><th>probability</th><th></th><th>labels</th></tr>"
        f"{rows}</table>{f'<ul>{failures}</ul>' if failures else ''}</div>"
    )


def _title(media: MediaResult) -> str:
    looked = f", {media.pictures} pictures" if media.pictures > 1 else ""
    heard = f", {media.speech_ms / 1000:.0f} s of speech" if media.speech_ms else ""
    return f"{media.field or ''} ({media.type}{looked}{heard})".strip()


def _describe(media: MediaResult) -> str:
    """What was seen, read and heard; what nothing looks for is said."""
    lines = [", ".join(f"{label.label} {label.score:.2f}" for label in media.labels)]
    if media.uncovered:
        lines.append(f"not looked for: {', '.join(media.uncovered)}")
    lines += [f"“{text}”" for text in media.texts]
    lines += [media.transcript] if media.transcript else []
    return "".join(f"<div>{_visible(line)}</div>" for line in lines if line)


def render_explanation(explanation: Explanation) -> str:
    """The decision, and for each policy that flagged (else the most probable) the text shaded by share."""
    shown = [each for each in explanation.policies if each.flagged] or list(explanation.policies[:1])
    bodies: list[str] = []
    for each in shown:
        for field, text in _texts(explanation.result.submitted):
            marks = [
                (word.span.start, word.span.end, f"{word.share:.0%}", word.share)
                for word in each.words
                if word.field == field
            ]
            title = f"{each.policy} {each.probability:.3f}" + (f" in {field}" if field else "")
            bodies.append(_titled(title, highlight(text, marks)))
    return f"<div>{_banner(explanation.result)}<p>{_visible(explanation.decision)}</p>{''.join(bodies)}</div>"


def _banner(result: ModerationResult) -> str:
    action = result.recommendation.action
    codes = ", ".join(result.recommendation.reason_codes)
    return (
        f'<p><b style="color:{_COLOURS[action]}">{action}</b> severity {result.evaluation.severity_score:.2f} '
        f"<small>{_visible(codes)}</small></p>"
    )


def _titled(title: str | None, body: str) -> str:
    return body if title is None else f"<p><i>{_visible(title)}</i></p>{body}"


def _texts(content: Content) -> list[tuple[str | None, str]]:
    if isinstance(content, Text):
        return [(None, content.text)]
    if isinstance(content, Object):
        return [(key, part.text) for key, part in content.data.items() if isinstance(part, Text)]
    return []


def _matches(result: ModerationResult, field: str | None) -> list[Mark]:
    return [
        (
            match.span.start,
            match.span.end,
            f"{each.id} {match.entity_type or ''} {match.probability:.2f}",
            match.probability,
        )
        for each in result.policies
        for match in each.matches
        if match.field == field
    ]


def _visible(text: str) -> str:
    """Escaped, with lone surrogates replaced, since a page cannot carry them."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"))
