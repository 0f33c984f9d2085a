"""`seemly evaluate`: labelled files in, figures out, and thresholds where they are asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.example_files import ExampleFiles, check_new, report_rows, write_channel, write_text
from seemly.cli.options import describe_engine, open_engine
from seemly.cli.output import format_table
from seemly.core.errors import ConfigError, DataError
from seemly.evaluation.formatting import plain
from seemly.evaluation.measurement import evaluate
from seemly.evaluation.report import render_evaluation
from seemly.evaluation.tables import tabulate_evaluation, tabulate_fitted
from seemly.evaluation.thresholds import apply_thresholds, find_thresholds, parse_target

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.engine.models import Models
    from seemly.evaluation.thresholds import FittedThreshold

__all__ = ["EvaluateJob", "run_evaluate"]


@dataclass(frozen=True, slots=True)
class EvaluateJob:
    """What one command line asks for. No `policies` are all that have labels; `fit` is a target for thresholds."""

    files: ExampleFiles
    channel: Path | None = None
    tier: str | None = None
    policies: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    fit: str | None = None
    out: Path | None = None
    report: Path | None = None
    force: bool = False
    json: bool = False
    quiet: bool = False


def run_evaluate(job: EvaluateJob, console: Console, models: Models | None = None) -> int:
    """Measure, fit, and write what was asked for. Returns the exit code; raises ConfigError and DataError.

    Where a threshold cannot be chosen, what was measured is put out all the same before the error is raised.
    """
    if job.fit is not None:
        parse_target(job.fit)
    elif job.out is not None:
        raise ConfigError("--out is the file of the channel with fitted thresholds: give --fit too")
    check_new(job.out, ".json", force=job.force)
    check_new(job.report, ".html", force=job.force)
    engine = open_engine(job.channel, job.tier, models)
    policies = job.policies or None
    evaluation = evaluate(
        engine,
        job.files.read(engine),
        policies=policies,
        slices=job.slices,
        progress=console.stderr.isatty() and not job.quiet,
    )
    if not job.json:
        console.write("\n\n".join(map(format_table, tabulate_evaluation(evaluation))))
    fitted: tuple[FittedThreshold, ...] = ()
    missed: DataError | None = None
    if job.fit is not None:
        try:
            fitted = find_thresholds(evaluation, target=job.fit, policies=policies)
        except DataError as error:
            missed = error
    if job.json:
        console.write(json.dumps({**evaluation.to_dict(), "fitted": plain(fitted)}))
    elif fitted:
        console.write("\n" + format_table(tabulate_fitted(fitted, evaluation)))
    if job.report is not None:
        about = f"{job.files.names}, {describe_engine(engine)}"
        write_text(job.report, render_evaluation(evaluation, fitted, about=about))
        console.tell(f"wrote {job.report}")
    code = report_rows(console, evaluation.scored.refused)
    if missed is not None:
        raise missed
    if job.out is not None:
        write_channel(job.out, apply_thresholds(engine.channel, fitted))
        console.tell(f"wrote {job.out}; seemly replay shows what it changes")
    return code
