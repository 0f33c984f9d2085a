"""`seemly replay`: what a draft of a channel would have done with what another one decided."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.example_files import ExampleFiles, check_new, report_rows, write_text
from seemly.cli.options import describe_engine, open_engine
from seemly.cli.output import format_table
from seemly.core.channel import Channel
from seemly.evaluation.draft_replay import replay
from seemly.evaluation.progress import Progress
from seemly.evaluation.report import render_replay
from seemly.evaluation.tables import tabulate_replay

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.engine.engine import Engine
    from seemly.engine.models import Models
    from seemly.evaluation.examples import Example

__all__ = ["ReplayJob", "run_replay"]

_MOST_CHANGES = 20


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """What one command line asks for. No `channel` is one with every default."""

    files: ExampleFiles
    new: Path
    channel: Path | None = None
    tier: str | None = None
    report: Path | None = None
    force: bool = False
    json: bool = False
    quiet: bool = False


def run_replay(job: ReplayJob, console: Console, models: Models | None = None) -> int:
    """Moderate by the old channel, judge by the new one. Returns the exit code; raises ConfigError and DataError."""
    check_new(job.report, ".html", force=job.force)
    draft = Channel.load(job.new)
    engine = open_engine(job.channel, job.tier, models)
    examples = job.files.read(engine)
    progress = Progress(console.stderr, total=len(examples), shown=console.stderr.isatty() and not job.quiet)
    found = replay(engine, draft, examples, results=_moderate(engine, examples, progress))
    if job.json:
        console.write(json.dumps(found.to_dict()))
    else:
        console.write("\n\n".join(map(format_table, tabulate_replay(found, _MOST_CHANGES))))
    if job.report is not None:
        write_text(job.report, render_replay(found, about=f"{job.files.names}, {describe_engine(engine)}"))
        console.tell(f"wrote {job.report}")
    if not found.exact:
        console.tell("with other thresholds the cascade reads other texts twice, so a run may differ for a few of them")
    return report_rows(console, found.skipped)


def _moderate(engine: Engine, examples: Sequence[Example], progress: Progress) -> Iterator[object]:
    """The result of each, or the Rejected of a row that the engine refuses, which the replay leaves out."""
    try:
        for outcome in engine.moderate_many([each.content for each in examples], on_error="return"):
            progress.read(1)
            progress.step()
            yield outcome
    finally:
        progress.clear()
