"""The command line as a process, with the packaged model: what only a process can show."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import seemly as package
from seemly.cli import bench as bench_module
from seemly.cli import bench_messages
from seemly.cli.bench import Figure, bench
from seemly.cli.streams import Console
from tests.support.cli_console import seemly

ROOT = str(Path(package.__file__).parents[1])


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ROOT, **more}


def start(*argv: str, **more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "seemly", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**more),
    )


def test_moderates_with_the_packaged_model_whatever_the_locale() -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
    data = "\ufeffwhat a lovely garden, größe 🙂\nyou are a stupid idiot\nwrite to jo@example.com\n"
    child = start("moderate", "--fail-on", "review", **locale)
    stdout, stderr = child.communicate(data.encode() + b"\xff\n", timeout=60)
    rows = [json.loads(line) for line in stdout.splitlines()]
    assert [row["recommendation"]["action"] == "allow" for row in rows] == [True, False, False]
    assert rows[2]["content"]["modified"] == "write to {{ email hidden }}"
    assert rows[2]["policies"][0]["matches"][0]["span"] == [9, 23]
    assert b"line 4: not valid UTF-8" in stderr
    assert child.returncode == 3


def test_arguments_are_read_as_utf8_in_any_locale() -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    child = start("moderate", "--fields", "content.modified", "größe jo@example.com", **locale)
    stdout, stderr = child.communicate(timeout=60)
    assert json.loads(stdout)["content.modified"] == "größe {{ email hidden }}"
    assert (child.returncode, stderr) == (0, b"")


def test_a_reader_that_stops_reading_ends_the_run_quietly() -> None:
    child = start("moderate", "--batch-size", "1")
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise RuntimeError("the child has no pipes")
    child.stdin.write(b"fine\n" * 2000)
    child.stdin.close()
    assert child.stdout.readline().startswith(b'{"line": 1')
    child.stdout.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait(timeout=60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_the_run_with_a_word() -> None:
    child = start("moderate", "--batch-size", "1")
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise RuntimeError("the child has no pipes")
    child.stdin.write(b"fine\n")
    child.stdin.flush()
    assert child.stdout.readline().startswith(b'{"line": 1')
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 130
    assert child.stderr.read() == b"seemly: interrupted\n"
    for pipe in (child.stdin, child.stdout, child.stderr):
        pipe.close()


@pytest.mark.parametrize(
    "argv", [["--help"], ["--version"], ["moderate", "--help"], ["evaluate", "--help"], ["moderate", "--nonsense"]]
)
def test_help_loads_nothing_heavy(argv: list[str]) -> None:
    script = (
        "import sys\n"
        "from seemly.cli import main\n"
        f"main({argv!r})\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'pydantic', 'regex', 'seemly.engine.engine', 'seemly.core.channel',\n"
        "         'seemly.evaluation'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr


def test_bench_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_module, "_MESSAGES", 20)
    monkeypatch.setattr(bench_module, "_WARM", 2)
    monkeypatch.setattr(bench_module, "_COLD_RUNS", 1)
    monkeypatch.setattr(bench_messages, "LONGEST", 2_000)
    outcome = seemly("bench", "--json")
    (row,) = outcome.rows
    assert outcome.code == 0
    assert row["cores"] == os.cpu_count()
    values = {figure["name"]: figure["value"] for figure in row["figures"]}
    assert len(values) == 11
    assert all(value is None or value > 0 for value in values.values())
    assert values["cold: import seemly"] < values["cold: import to first verdict"]
    lines = seemly("bench").stdout.splitlines()
    assert lines[0].startswith("seemly 0.1.0, model text-fake fake")
    assert len(lines) == 12


def test_bench_says_so_where_a_fresh_process_fails(tmp_path: Path) -> None:
    with pytest.raises(package.ConfigError, match="fresh process"):
        bench_module._cold(tmp_path / "gone.toml", None)
    assert bench.__module__ == bench_module.__name__
    assert str(Figure("memory", None, "MB")).endswith("unknown")
    assert Console.of_process().stdout is sys.stdout
