"""`seemly calibrate`: labelled files in, a channel with calibrations out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.example_files import ExampleFiles, check_new, report_rows, write_channel
from seemly.cli.options import open_engine
from seemly.cli.output import format_table
from seemly.core.channel import Calibration
from seemly.evaluation.calibration import Method, fit_calibrations, score_raw
from seemly.evaluation.formatting import plain
from seemly.evaluation.tables import Table

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.core.channel import Channel
    from seemly.engine.models import Models

__all__ = ["CalibrateJob", "run_calibrate"]

_SHOWN = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The probabilities whose calibrated ones are shown."""


@dataclass(frozen=True, slots=True)
class CalibrateJob:
    """What one command line asks for. No `policies` are all that have labels."""

    files: ExampleFiles
    out: Path
    method: Method = "platt"
    channel: Path | None = None
    tier: str | None = None
    policies: tuple[str, ...] = ()
    force: bool = False
    json: bool = False
    quiet: bool = False


def run_calibrate(job: CalibrateJob, console: Console, models: Models | None = None) -> int:
    """Fit, show and write the calibrations. Returns the exit code; raises ConfigError and DataError."""
    check_new(job.out, ".json", force=job.force)
    engine = open_engine(job.channel, job.tier, models)
    policies = job.policies or None
    progress = console.stderr.isatty() and not job.quiet
    scored = score_raw(engine, job.files.read(engine), policies=policies, progress=progress)
    code = report_rows(console, scored.refused)
    channel = fit_calibrations(engine.channel, scored, method=job.method, policies=policies)
    fitted = _find_fitted(engine.channel, channel)
    if job.json:
        console.write(json.dumps({"calibrations": plain(fitted)}))
    else:
        console.write(format_table(_tabulate(fitted)))
    write_channel(job.out, channel)
    console.tell(f"wrote {job.out}; seemly evaluate, on other examples, shows how well it does")
    return code


def _find_fitted(old: Channel, new: Channel) -> dict[str, Calibration]:
    before = {each.id: each.calibration for each in old.policies}
    return {
        each.id: each.calibration
        for each in new.policies
        if each.calibration is not None and each.calibration is not before.get(each.id)
    }


def _tabulate(fitted: dict[str, Calibration]) -> Table:
    return Table(
        "what each policy's probability becomes",
        ("policy", *(f"{each:g}" for each in _SHOWN)),
        tuple((policy, *map(calibration, _SHOWN)) for policy, calibration in fitted.items()),
    )
