from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="needs the extra arrow")

import pyarrow as pa
import pyarrow.parquet as pq

from seemly.adapters.arrow import ArrowModerator
from seemly.adapters.parquet import PartDone, count_rows, moderate_parquet
from seemly.core.channel import Channel, Wordlist
from seemly.core.errors import ConfigError, DecodeError
from tests.support.cli_console import seemly

CHANNEL = Channel(key="table", wordlists=(Wordlist("banned", ("forbidden",)),))
ROWS = 230


def _texts() -> list[str | None]:
    return [
        None if i % 50 == 7 else f"This is {'forbidden' if i % 9 == 4 else 'fine'}, number {i}" for i in range(ROWS)
    ]


@pytest.fixture(scope="module")
def moderator() -> ArrowModerator:
    return ArrowModerator(CHANNEL, tier="fast")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"id": range(ROWS), "text": _texts()}), path, row_group_size=60)
    return path


def _expect(moderator: ArrowModerator, source: Path) -> pa.Table:
    return moderator(pq.read_table(source))


@pytest.mark.parametrize("workers", [1, 2])
def test_every_row_is_written_in_order(moderator: ArrowModerator, source: Path, workers: int) -> None:
    target = source.with_name("out.parquet")
    seen: list[PartDone] = []
    done = moderate_parquet(source, target, moderator, workers=workers, part_rows=32, report=seen.append)
    assert pq.read_table(target).equals(_expect(moderator, source))
    assert done == PartDone(ROWS, 5)
    assert sum(part.rows for part in seen) == ROWS
    assert [path.name for path in source.parent.iterdir() if path.name != "in.parquet"] == ["out.parquet"]
    assert count_rows(target) == ROWS


def test_an_empty_file(moderator: ArrowModerator, tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), source)
    assert moderate_parquet(source, target, moderator) == PartDone(0, 0)
    assert pq.read_table(target).schema.equals(moderator.extend_schema(pq.read_schema(source)))


class _Broken:
    """Breaks off a run after some parts."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, _part: PartDone) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_a_run_that_was_broken_off_goes_on(moderator: ArrowModerator, source: Path) -> None:
    target = source.with_name("out.parquet")
    with pytest.raises(KeyboardInterrupt):
        moderate_parquet(source, target, moderator, part_rows=32, report=_Broken(3))
    assert not target.exists()
    with pytest.raises(ConfigError, match="resume it, or delete the folder"):
        moderate_parquet(source, target, moderator, part_rows=32)
    seen: list[PartDone] = []
    moderate_parquet(source, target, moderator, part_rows=32, resume=True, report=seen.append)
    assert [part.earlier for part in seen] == [True] * 3 + [False] * 5
    assert pq.read_table(target).equals(_expect(moderator, source))


@pytest.mark.parametrize("change", ["channel", "rows", "file"])
def test_parts_of_another_job_are_refused(moderator: ArrowModerator, source: Path, change: str) -> None:
    target = source.with_name("out.parquet")
    with pytest.raises(KeyboardInterrupt):
        moderate_parquet(source, target, moderator, part_rows=32, report=_Broken(2))
    other = ArrowModerator(Channel(key="other"), tier="fast") if change == "channel" else moderator
    if change == "file":
        pq.write_table(pa.table({"id": range(3), "text": ["a", "b", "c"]}), source)
    with pytest.raises(ConfigError, match="is of another file, channel or model"):
        moderate_parquet(source, target, other, part_rows=16 if change == "rows" else 32, resume=True)


def test_a_worker_that_is_killed_loses_no_row(moderator: ArrowModerator, source: Path) -> None:
    target = source.with_name("out.parquet")
    killed: list[int] = []

    def kill(_part: PartDone) -> None:
        for child in _children(os.getpid()) if not killed else ():
            os.kill(child, signal.SIGKILL)
            killed.append(child)

    done = moderate_parquet(source, target, moderator, workers=2, part_rows=8, report=kill)
    assert killed
    assert done.rows == ROWS
    assert pq.read_table(target).equals(_expect(moderator, source))


def _children(pid: int) -> Iterator[int]:
    """The worker processes of a process: not the tracker of its resources."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == pid and b"spawn_main" in command and b"resource_tracker" not in command:
            yield int(status.parent.name)


def test_a_process_that_is_killed_goes_on_exactly(source: Path) -> None:
    rows = 9_000
    table = pa.table({"id": range(rows), "text": [f"Message number {i} of many, write to me" for i in range(rows)]})
    pq.write_table(table, source)
    target, parts = source.with_name("out.parquet"), source.with_name("out.parquet.parts")
    command = [sys.executable, "-m", "seemly", "moderate", "--file", str(source), "--out", str(target)]
    command += ["--tier", "fast", "--workers", "2", "--quiet"]
    run = subprocess.Popen(command)
    while not list(parts.glob("*.parquet")) and run.poll() is None:
        time.sleep(0.02)
    workers = list(_children(run.pid))
    run.kill()
    run.wait()
    for worker in workers:
        try:
            os.kill(worker, signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert not target.exists()
    assert subprocess.run([*command, "--resume"], check=False).returncode == 0
    found = pq.read_table(target)
    assert found["id"].to_pylist() == list(range(rows))
    assert found["action"].null_count == 0
    assert not parts.exists()


def test_the_command_line_writes_a_table(source: Path, tmp_path: Path) -> None:
    channel = tmp_path / "channel.json"
    channel.write_text(json.dumps(CHANNEL.dump()))
    target = tmp_path / "out.parquet"
    given = ("moderate", "--file", str(source), "--channel", str(channel), "--tier", "fast", "--out", str(target))
    outcome = seemly(*given)
    assert outcome.code == 1
    assert f"{ROWS} rows done" in outcome.stderr
    assert "5 with an error" in outcome.stderr
    actions = pq.read_table(target)["action"].to_pylist()
    assert actions == [None if text is None else "reject" if "forbidden" in text else "allow" for text in _texts()]
    assert "--force overwrites it" in seemly(*given).stderr
    assert seemly(*given, "--force", "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        (["--file", "rows.jsonl"], "one --file, which ends in .parquet"),
        (["--file", "in.parquet", "--extended", "--fields", "x"], "--out does not go together with --fields, --ext"),
        (["--file", "in.parquet", "--workers", "0"], "--workers must be at least 1"),
        (["--file", "nowhere.parquet"], "nowhere.parquet cannot be read as Parquet"),
    ],
)
def test_a_command_line_that_cannot_work(tmp_path: Path, more: list[str], wrong: str) -> None:
    outcome = seemly("moderate", "--out", str(tmp_path / "out.parquet"), *more)
    assert outcome.code == 2
    assert wrong in outcome.stderr


def test_a_file_that_is_no_parquet(tmp_path: Path, moderator: ArrowModerator) -> None:
    path: Any = tmp_path / "in.parquet"
    path.write_bytes(b"no parquet")
    with pytest.raises(DecodeError, match=r"in\.parquet cannot be read as Parquet"):
        moderate_parquet(path, tmp_path / "out.parquet", moderator)
