"""`seemly moderate --out`: a Parquet file in, a Parquet file with verdicts out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seemly.cli.example_files import check_new
from seemly.cli.exit_codes import BAD_ROWS, DONE
from seemly.cli.options import find_registry, open_channel
from seemly.core.errors import ConfigError
from seemly.engine.engine import DEFAULT_TIER

if TYPE_CHECKING:
    from seemly.adapters.parquet import PartDone
    from seemly.cli.streams import Console

__all__ = ["TableJob", "run_table"]

_EVERY = 0.1
_WIDTH = 24


@dataclass(frozen=True, slots=True)
class TableJob:
    """What one command line asks for. `others` are arguments that do not go together with `--out`."""

    files: tuple[str, ...]
    out: Path
    text_field: str = "text"
    channel: Path | None = None
    tier: str | None = None
    workers: int = 1
    resume: bool = False
    force: bool = False
    quiet: bool = False
    others: tuple[str, ...] = ()


def run_table(job: TableJob, console: Console) -> int:
    """Moderate the rows of one file into another. Returns the exit code; raises ConfigError, DecodeError."""
    if len(job.files) != 1 or Path(job.files[0]).suffix.lower() != ".parquet":
        raise ConfigError("--out needs one --file, which ends in .parquet")
    if job.others:
        raise ConfigError(f"--out does not go together with {', '.join(job.others)}")
    if job.workers < 1:
        raise ConfigError("--workers must be at least 1")
    check_new(job.out, ".parquet", force=job.force)
    try:
        from seemly.adapters.arrow import ArrowModerator
        from seemly.adapters.parquet import count_rows, moderate_parquet
    except ModuleNotFoundError as error:
        raise ConfigError('--out needs an extra: pip install "seemly[arrow]"') from error
    source = Path(job.files[0])
    moderator = ArrowModerator(
        open_channel(job.channel), text=job.text_field, tier=job.tier or DEFAULT_TIER, registry=find_registry()
    )
    bar = _Bar(console, count_rows(source), shown=not job.quiet and console.stderr.isatty())
    try:
        done = moderate_parquet(source, job.out, moderator, workers=job.workers, resume=job.resume, report=bar.advance)
    finally:
        bar.clear()
    if not job.quiet:
        console.tell(bar.describe(done))
    return BAD_ROWS if done.errors else DONE


class _Bar:
    """How far a run has come: rows, rows a second, and the time left. An earlier run's rows do not count as speed."""

    def __init__(self, console: Console, total: int, *, shown: bool) -> None:
        self._stream = console.stderr
        self._total = total
        self._shown = shown
        self._done = self._earlier = 0
        self._started = time.monotonic()
        self._drawn = 0.0

    def advance(self, part: PartDone) -> None:
        self._done += part.rows
        self._earlier += part.rows if part.earlier else 0
        now = time.monotonic()
        if self._shown and now - self._drawn >= _EVERY:
            self._drawn = now
            share = self._done / max(1, self._total)
            left = (self._total - self._done) / max(self._rate(now), 1e-6)
            line = f"[{'#' * round(share * _WIDTH):-<{_WIDTH}}] {share:4.0%}  {self._done:,} of {self._total:,} rows"
            self._stream.write(f"\r{line}, {self._rate(now):,.0f}/s, {_tell_time(left)} left\x1b[K")
            self._stream.flush()

    def clear(self) -> None:
        if self._shown and self._drawn:
            self._stream.write("\r\x1b[K")

    def describe(self, done: PartDone) -> str:
        words = [f"{done.rows:,} rows done, {self._rate(time.monotonic()):,.0f}/s"]
        if self._earlier:
            words.append(f"{self._earlier:,} of an earlier run")
        if done.errors:
            words.append(f"{done.errors:,} with an error")
        return ", ".join(words)

    def _rate(self, now: float) -> float:
        return (self._done - self._earlier) / max(now - self._started, 1e-6)


def _tell_time(seconds: float) -> str:
    whole = round(min(seconds, 359_999))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
