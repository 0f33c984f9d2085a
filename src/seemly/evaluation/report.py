"""Evaluations and replays as one HTML page that needs nothing else: to keep, to send on, to print.

The page loads nothing and runs nothing, and everything that comes from content is escaped. Plots need matplotlib;
without it the page says so, and has everything else.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from seemly.core.errors import ConfigError, DataError, Issue
from seemly.evaluation.formatting import need, render_table
from seemly.evaluation.replay_results import Replay
from seemly.evaluation.results import Evaluation, Misjudged
from seemly.evaluation.tables import Table, tabulate_evaluation, tabulate_fitted, tabulate_replay
from seemly.evaluation.thresholds import FittedThreshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["render_evaluation", "render_replay"]

_LONGEST = 2_000
"""How many characters of a text the page shows."""
_MOST_CHANGES = 200
_INEXACT = "With other thresholds the cascade reads other texts twice: a run may differ for a few of them."

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; }
table { border-collapse: collapse; margin: 1.5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { border-bottom: 1px solid #d0d7de; padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top; }
figure { display: inline-block; margin: 0 1rem 1rem 0; vertical-align: top; }
img { max-width: 100%; }
summary { cursor: pointer; font-weight: 600; margin: .5rem 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.quiet { color: #59636e; }
"""

# The second line of defence, should anything get past the escaping: the page may show its own pictures, no more.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def render_evaluation(evaluation: Evaluation, fitted: Sequence[FittedThreshold] = (), *, about: str = "") -> str:
    """The page of an evaluation, with thresholds chosen on it. `about` says where it comes from, in a line.

    The texts of the worst errors are there to be read, folded away.
    """
    tables = [*tabulate_evaluation(evaluation), *([tabulate_fitted(fitted, evaluation)] if fitted else [])]
    return _render_page(
        f"Evaluation of {evaluation.channel.key}",
        about,
        (
            *map(_render_table, tables),
            *_draw(evaluation),
            *_list_worst(evaluation),
            _list_rows(evaluation.scored.refused),
        ),
    )


def render_replay(replay: Replay, *, about: str = "") -> str:
    """The page of a replay: what would change, with the examples. `about` says where it comes from, in a line."""
    tables = tabulate_replay(replay, _MOST_CHANGES)
    caution = "" if replay.exact else f'<p class="quiet">{_INEXACT}</p>'
    return _render_page(
        f"Replay of {replay.old.key} as {replay.new.key}",
        about,
        (caution, *map(_render_table, tables), _list_rows(replay.skipped)),
    )


def _render_page(title: str, about: str, parts: Iterable[str]) -> str:
    page = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="quiet">{escape(about)}</p>\n'
        f"{chr(10).join(filter(None, parts))}\n</body>\n</html>\n"
    )
    # A page cannot carry lone surrogates.
    return page.encode("utf-8", "replace").decode("utf-8")


def _render_table(table: Table) -> str:
    return render_table(table.title, table.header, table.rows)


def _list_worst(evaluation: Evaluation) -> Iterator[str]:
    """Each policy's errors of each kind, folded away."""
    if evaluation.worst:
        yield "<h2>The worst errors</h2>"
    for (policy, kind), errors in groupby(evaluation.worst, lambda each: (each.policy, each.kind)):
        title = f"{policy}: {kind.replace('_', ' ')}s"
        yield f"<details><summary>{escape(title)}</summary><ol>{''.join(map(_show_error, errors))}</ol></details>"


def _show_error(error: Misjudged) -> str:
    where = f"row {error.row}" if error.id is None else f"row {error.row}, {error.id}"
    text = error.text if len(error.text) <= _LONGEST else f"{error.text[: _LONGEST - 1]}…"
    return (
        f'<li><span class="quiet">{error.probability:.3f}, {escape(where)}</span>'
        f'<div class="text">{escape(text)}</div></li>'
    )


def _list_rows(issues: Sequence[Issue]) -> str:
    """The rows that were left out."""
    if not issues:
        return ""
    rows = "".join(f"<li>{escape(str(issue))}</li>" for issue in issues)
    return f"<details><summary>{len(issues):,} left out</summary><ul>{rows}</ul></details>"


def _draw(evaluation: Evaluation) -> Iterator[str]:
    """The plots as figures, or a word on what they need."""
    try:
        matplotlib = need("matplotlib")
    except ConfigError as error:
        yield f'<p class="quiet">There are no plots: {escape(error.message)}</p>'
        return
    plots: tuple[tuple[str, Callable[[], Axes | Figure]], ...] = (
        ("ROC curves", evaluation.plot_roc),
        ("precision and recall", evaluation.plot_precision_recall),
        ("reliability", evaluation.plot_reliability),
        ("probabilities of negatives and positives", evaluation.plot_scores),
        ("what was flagged, of what should have been", evaluation.plot_confusion),
    )
    yield "<h2>Plots</h2>"
    # The salt makes equal plots equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "seemly"}):
        for title, plot in plots:
            try:
                drawn = plot()
            except DataError:  # no policy that has both kinds of examples, so nothing to draw
                continue
            yield f'<figure><img alt="{escape(title)}" src="{_embed(drawn)}"></figure>'


def _embed(drawn: Any) -> str:
    """The figure, or that of the axes, as the address of a picture that is its own content; it is closed."""
    figure = drawn.figure
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    need("matplotlib.pyplot").close(figure)
    return f"data:image/svg+xml;base64,{b64encode(picture.getvalue()).decode('ascii')}"
