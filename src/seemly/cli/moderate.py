"""`seemly moderate` and `seemly explain`: texts or files in, results out."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from seemly.cli.exit_codes import BAD_ROWS, DONE, MET
from seemly.cli.inputs import SUFFIXES, BadRow, Columns, Format, Place, Row, read_rows, read_texts
from seemly.cli.options import open_engine
from seemly.cli.output import check_paths, summarize, to_line
from seemly.core.content import Audio, Image, Video, is_url
from seemly.core.errors import ConfigError, ContentError, Issue
from seemly.engine.engine import Engine, Rejected
from seemly.evaluation.progress import Progress

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.engine.explain import Explanation
    from seemly.engine.models import Models
    from seemly.engine.result import ModerationResult

__all__ = ["Job", "run"]

_Rows = Iterator[Row | BadRow]
_Verdict = tuple[Place, "ModerationResult", "Explanation | None"]

_HITS = {"review": ("review", "reject"), "reject": ("reject",)}
STDIN = "-"

Medium = Literal["image", "video", "audio"]
_MEDIA: Mapping[str, type[Image | Video | Audio]] = {"image": Image, "video": Video, "audio": Audio}


@dataclass(frozen=True, slots=True)
class Job:
    """What one command line asks for."""

    texts: tuple[str, ...] = field(default=(), repr=False)
    media: tuple[tuple[Medium, str], ...] = ()
    fetch: bool = False
    files: tuple[str, ...] = ()
    format: Format | None = None
    columns: Columns = field(default_factory=Columns)
    channel: Path | None = None
    tier: str | None = None
    explain: bool = False
    json: bool = False
    extended: bool = False
    paths: tuple[str, ...] = ()
    fail_on: Literal["review", "reject"] | None = None
    batch_size: int = 64
    quiet: bool = False


@dataclass(slots=True)
class _Tally:
    bad: int = 0
    met: int = 0
    partial: int = 0

    def exit_code(self) -> int:
        """A hit counts for more than a bad row: who puts up with bad rows must still hear of it."""
        return MET if self.met else BAD_ROWS if self.bad else DONE


def run(job: Job, console: Console, models: Models | None = None) -> int:
    """Moderate everything that the job names. Returns the exit code; raises ConfigError before any result is out."""
    _check_inputs(job, console)
    engine = open_engine(job.channel, job.tier, models, fetch=job.fetch)
    check_paths(job.paths, engine.policies, extended=job.extended, explained=job.explain)
    to_person = bool(job.texts or job.media) and console.stdout.isatty() and not job.json and not job.paths
    watched = not job.texts and not job.media and not job.quiet and console.stderr.isatty()
    progress = Progress(console.stderr, total=_size(job.files), shown=watched and not console.stdout.isatty())
    tally = _Tally()

    def report(bad: BadRow) -> None:
        tally.bad += 1
        progress.clear()
        console.tell(f"{bad.place}: {bad.problem}")

    given = bool(job.texts or job.media)
    rows = _read_arguments(job) if given else _read_files(job, console, progress.read)
    try:
        for place, result, explanation in _moderate(engine, rows, job, report):
            if to_person:
                console.write(summarize(result, explanation, titled=len(job.texts) + len(job.media) > 1))
            else:
                console.write(to_line(place, result, explanation, paths=job.paths, extended=job.extended))
            tally.met += job.fail_on is not None and result.recommendation.action in _HITS[job.fail_on]
            tally.partial += result.meta.status == "partial_success"
            progress.step()
    finally:
        progress.clear()
    if watched or tally.bad or (tally.partial and not to_person):
        _close(console, tally, progress)
    return tally.exit_code()


def _moderate(engine: Engine, rows: _Rows, job: Job, report: Callable[[BadRow], None]) -> Iterator[_Verdict]:
    places: deque[Place] = deque()

    def items() -> Iterator[object]:
        for row in rows:
            if isinstance(row, BadRow):
                report(row)
            else:
                places.append(row.place)
                yield row.item

    if job.explain:
        yield from _explain(engine, items(), places, report)
        return
    batch_size = 1 if job.media else job.batch_size
    for outcome in engine.moderate_many(items(), batch_size=batch_size, on_error="return"):
        place = places.popleft()
        if isinstance(outcome, Rejected):
            report(BadRow(place, _say(outcome.error)))
        else:
            yield place, outcome, None


def _explain(
    engine: Engine, items: Iterable[object], places: deque[Place], report: Callable[[BadRow], None]
) -> Iterator[_Verdict]:
    for item in items:
        place = places.popleft()
        try:
            explanation = engine.explain(item)
        except ContentError as error:
            report(BadRow(place, _say(error)))
        else:
            yield place, explanation.result, explanation


def _read_arguments(job: Job) -> _Rows:
    yield from read_texts(job.texts)
    for number, (kind, path) in enumerate(job.media, len(job.texts) + 1):
        yield Row(Place(number, unit="argument"), _MEDIA[kind](path))


def _read_files(job: Job, console: Console, on_bytes: Callable[[int], None]) -> _Rows:
    if not job.files:
        yield from read_rows(console.stdin, None, job.format, job.columns, on_bytes)
    for file in job.files:
        if file == STDIN:
            yield from read_rows(console.stdin, file, job.format, job.columns, on_bytes)
            continue
        form = job.format or SUFFIXES[Path(file).suffix.lower()]
        try:
            with Path(file).open("rb") as stream:
                yield from read_rows(stream, file, form, job.columns, on_bytes)
        except OSError as error:
            yield BadRow(Place(1, file), f"cannot be read: {error.strerror}")


def _check_inputs(job: Job, console: Console) -> None:
    """Raise a ConfigError that lists everything that keeps the inputs from being read."""
    issues: list[Issue] = []
    given = bool(job.texts or job.media)
    if given and job.files:
        issues.append(Issue("", "give texts and media, or --file, not both"))
    issues.extend(Issue(path, "is not there") for _, path in job.media if not is_url(path) and not Path(path).is_file())
    if not given and not job.files and console.stdin.isatty():
        issues.append(Issue("", "nothing to moderate: give a text, --file, or rows on standard input"))
    if job.files.count(STDIN) > 1:
        issues.append(Issue(STDIN, "standard input can be read only once"))
    if job.batch_size < 1:
        issues.append(Issue("--batch-size", "must be at least 1"))
    for file in job.files:
        if file != STDIN:
            issues.extend(Issue(file, problem) for problem in _file_problems(Path(file), job.format))
    if issues:
        raise ConfigError("this cannot be run", issues)


def _file_problems(path: Path, form: Format | None) -> Iterator[str]:
    if not path.exists():
        yield "is not there"
    elif path.is_dir():
        yield "is a folder"
    elif not os.access(path, os.R_OK):
        yield "cannot be read"
    if form is None and path.suffix.lower() not in SUFFIXES:
        yield f"give --format: the suffix is none of {', '.join(SUFFIXES)}"


def _size(files: Sequence[str]) -> int | None:
    """The bytes of all files together, None where that cannot be known."""
    paths = [Path(file) for file in files]
    if not paths or STDIN in files or not all(path.is_file() for path in paths):
        return None
    return sum(path.stat().st_size for path in paths)


def _say(error: ContentError) -> str:
    return "; ".join(map(str, error.issues)) or error.message


def _close(console: Console, tally: _Tally, progress: Progress) -> None:
    parts = [f"{progress.done:,} done, {progress.rate(time.monotonic()):,.0f}/s"]
    if tally.bad:
        parts.append(f"{tally.bad:,} bad")
    if tally.partial:
        parts.append(f"{tally.partial:,} without some policy that failed")
    if tally.met:
        parts.append(f"{tally.met:,} met --fail-on")
    console.tell(", ".join(parts))
