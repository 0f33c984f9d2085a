"""Moderate a Parquet file into another one, with several processes, and go on where a run was broken off.

Rows are moderated in parts. Each part is written to a file of its own, `OUT.parts/00000042.parquet`, which appears
complete or not at all; when all are there they are joined, in order, into the result. So a run that is killed loses
only the parts that it was working on.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seemly.core.errors import ConfigError, DecodeError

if TYPE_CHECKING:
    from seemly.adapters.arrow import ArrowModerator

__all__ = ["PartDone", "count_rows", "moderate_parquet"]

_PART_ROWS = 4_096
_AHEAD = 2
"""Parts that wait for each worker: bounds memory."""
_TRIES = 3
"""How many times a part is given to a new worker when its worker died."""

_JOB = "job.json"


@dataclass(frozen=True, slots=True)
class PartDone:
    """A part that is written: how many rows it has, how many of them have an error, whether an earlier run wrote it."""

    rows: int
    errors: int
    earlier: bool = False


def count_rows(source: Path) -> int:
    """How many rows a Parquet file has. Raises DecodeError if it cannot be read."""
    with _open(source) as file:
        return int(file.metadata.num_rows)


def moderate_parquet(
    source: Path,
    target: Path,
    moderator: ArrowModerator,
    *,
    workers: int = 1,
    resume: bool = False,
    part_rows: int = _PART_ROWS,
    report: Callable[[PartDone], None] = lambda _: None,
) -> PartDone:
    """Write the rows of `source` with their verdicts to `target`, in order, and return the sums.

    With `resume`, the parts of an earlier run of the same job are kept. `report` is called with each part that is
    done. Raises ConfigError if the file's columns do not fit, another job's parts are in the way, or a part cannot be
    moderated; DecodeError if the source cannot be read.
    """
    parts = target.with_name(f"{target.name}.parts")
    with _open(source) as file:
        moderator.extend_schema(file.schema_arrow)
        _prepare(parts, _identify(source, file, moderator, part_rows), resume=resume)
        count = rows = errors = 0
        for done in _run(file, parts, moderator, workers, part_rows):
            report(done)
            count, rows, errors = count + 1, rows + done.rows, errors + done.errors
        schema = moderator.extend_schema(file.schema_arrow)
    _join(parts, count, target, schema)
    shutil.rmtree(parts)
    return PartDone(rows, errors)


def _open(source: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(source)
    except (OSError, pa.ArrowException) as error:
        raise DecodeError(f"{source.name} cannot be read as Parquet") from error


def _identify(source: Path, file: pq.ParquetFile, moderator: ArrowModerator, part_rows: int) -> dict[str, Any]:
    """What must be the same in two runs for the parts of one to be the other's."""
    known = source.stat()
    return {
        "rows": file.metadata.num_rows,
        "size": known.st_size,
        "modified": known.st_mtime_ns,
        "channel": moderator.engine.channel.dump(),
        "tier": moderator.engine.tier,
        "policies": moderator.policies,
        "columns": [moderator.text, moderator.keep, moderator.prefix],
        "versions": dict(moderator.engine.models.versions(moderator.engine.tier)),
        "part_rows": part_rows,
    }


def _prepare(parts: Path, job: dict[str, Any], *, resume: bool) -> None:
    named = parts / _JOB
    job = json.loads(json.dumps(job))
    if parts.exists():
        if not resume:
            raise ConfigError(f"{parts.name} is there, of a run that was broken off: resume it, or delete the folder")
        try:
            known = json.loads(named.read_text())
        except (OSError, ValueError):
            known = None
        # A folder without a complete description was broken off before its first part.
        if known is not None and known != job:
            raise ConfigError(f"{parts.name} is of another file, channel or model: delete the folder, or run that job")
    parts.mkdir(parents=True, exist_ok=True)
    _replace(named, lambda path: path.write_text(json.dumps(job)))


def _run(
    file: pq.ParquetFile, parts: Path, moderator: ArrowModerator, workers: int, part_rows: int
) -> Iterator[PartDone]:
    """The parts as they are done. Those that are there already are passed over."""
    batches = enumerate(file.iter_batches(batch_size=part_rows))
    if workers == 1:
        for number, batch in batches:
            yield _find_part(parts, number) or _moderate(moderator, parts, number, batch)
        return
    pool = _Pool(moderator, parts, workers)
    try:
        for number, batch in batches:
            earlier = _find_part(parts, number)
            if earlier is not None:
                yield earlier
                continue
            while pool.is_full():
                yield from pool.collect()
            pool.submit(number, batch)
        while pool.waiting:
            yield from pool.collect()
    finally:
        pool.close()


class _Pool:
    """Worker processes, and the parts that they work on. A part whose worker dies is given to a new one."""

    def __init__(self, moderator: ArrowModerator, parts: Path, workers: int) -> None:
        self.waiting: dict[Future[PartDone], tuple[int, pa.RecordBatch]] = {}
        self._moderator = moderator
        self._parts = parts
        self._workers = workers
        self._tries: dict[int, int] = {}
        self._pool = self._start()

    def is_full(self) -> bool:
        return len(self.waiting) >= self._workers * _AHEAD

    def submit(self, number: int, batch: pa.RecordBatch) -> None:
        self._tries[number] = self._tries.get(number, 0) + 1
        if self._tries[number] > _TRIES:
            raise ConfigError(f"the workers died {_TRIES} times at part {number}: they may lack memory")
        try:
            future = self._pool.submit(_work, self._parts, number, batch)
        except BrokenProcessPool:
            self._restart()
            future = self._pool.submit(_work, self._parts, number, batch)
        self.waiting[future] = number, batch

    def collect(self) -> list[PartDone]:
        """Wait for at least one part, and return those that are done."""
        done, _ = wait(self.waiting, return_when=FIRST_COMPLETED)
        found: list[PartDone] = []
        lost: list[tuple[int, pa.RecordBatch]] = []
        for future in done:
            task = self.waiting.pop(future)
            try:
                found.append(future.result())
            except BrokenProcessPool:
                lost.append(task)
        if lost:
            lost.extend(self.waiting.values())
            self.waiting.clear()
            self._restart()
            for number, batch in sorted(lost, key=lambda task: task[0]):
                # A worker may have written its part before it died.
                written = _find_part(self._parts, number)
                if written is None:
                    self.submit(number, batch)
                else:
                    found.append(PartDone(written.rows, written.errors))
        return found

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _restart(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(self._moderator,)
        )


_OWN: list[ArrowModerator] = []
"""The moderator of a worker process."""


def _begin(moderator: ArrowModerator) -> None:
    _OWN[:] = [moderator]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the worker if the process that gives it work was killed: it would wait for more for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(parts: Path, number: int, batch: pa.RecordBatch) -> PartDone:
    return _moderate(_OWN[0], parts, number, batch)


def _moderate(moderator: ArrowModerator, parts: Path, number: int, batch: pa.RecordBatch) -> PartDone:
    found = moderator(batch)
    table = pa.Table.from_batches([found])
    _replace(_name(parts, number), lambda path: pq.write_table(table, path, compression="zstd"))
    return PartDone(found.num_rows, _count_errors(table, moderator.prefix))


def _count_errors(table: pa.Table, prefix: str) -> int:
    return int(pc.sum(pc.is_valid(table[f"{prefix}error"])).as_py() or 0)


def _name(parts: Path, number: int) -> Path:
    return parts / f"{number:08}.parquet"


def _find_part(parts: Path, number: int) -> PartDone | None:
    """What an earlier run wrote for a part."""
    path = _name(parts, number)
    if not path.exists():
        return None
    error = pq.read_schema(path).names[-1]
    table = pq.read_table(path, columns=[error])
    return PartDone(table.num_rows, _count_errors(table, error.removesuffix("error")), earlier=True)


def _join(parts: Path, count: int, target: Path, schema: pa.Schema) -> None:
    def write(path: Path) -> None:
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for number in range(count):
                writer.write_table(pq.read_table(_name(parts, number)).cast(schema))

    _replace(target, write)


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that it appears complete or not at all, whatever happens meanwhile."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(unfinished)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
