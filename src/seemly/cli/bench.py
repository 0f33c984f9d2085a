"""`seemly bench`: what the engine costs on this machine, in a few seconds."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from seemly.cli import bench_messages
from seemly.cli.exit_codes import DONE
from seemly.cli.options import describe_models, open_engine
from seemly.core.errors import ConfigError
from seemly.core.version import __version__
from seemly.engine.engine import DEFAULT_TIER, Engine

if TYPE_CHECKING:
    from seemly.cli.streams import Console
    from seemly.engine.models import Models

__all__ = ["Figure", "bench", "resident_mb"]

_MESSAGES = 1_000
_WARM = 300
_COLD_RUNS = 3
_COLD = """
import json, sys, time
started = time.perf_counter()
import seemly
imported = time.perf_counter()
path, tier = json.loads(sys.argv[1])
channel = seemly.Channel.load(path) if path else None
seemly.Engine(channel, tier=tier).moderate("Write to jo@example.com about the garden")
verdict = time.perf_counter()
from seemly.cli.bench import resident_mb
print(json.dumps([1e3 * (imported - started), 1e3 * (verdict - started), resident_mb()]))
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured; `value` None where this system doesn't tell."""

    name: str
    value: float | None
    unit: str

    def __str__(self) -> str:
        value = "unknown" if self.value is None else f"{self.value:,.{0 if self.value >= 100 else 2}f} {self.unit}"
        return f"{self.name:<44}{value:>16}"


def bench(console: Console, channel: Path | None, tier: str | None, models: Models | None, *, as_json: bool) -> int:
    """Measure, and write each figure as soon as it is known. Raises ConfigError."""
    engine = open_engine(channel, tier, models).warm_up()
    about = {
        "seemly": __version__,
        "model": describe_models(engine),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "policies": len(engine.policies),
    }
    figures: list[Figure] = []
    if not as_json:
        console.write(", ".join(f"{name} {value}" for name, value in about.items()))
    for figure in _measure(engine, channel, tier):
        figures.append(figure)
        if not as_json:
            console.write(str(figure))
    if as_json:
        console.write(json.dumps({**about, "figures": [asdict(figure) for figure in figures]}))
    return DONE


def _measure(engine: Engine, channel: Path | None, tier: str | None) -> Iterator[Figure]:
    yield from _cold(channel, tier)
    yield from _single(engine)
    yield from _batch(engine)
    yield from _long(engine)


def _cold(channel: Path | None, tier: str | None) -> list[Figure]:
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    given = json.dumps([None if channel is None else str(channel), tier or DEFAULT_TIER])
    runs: list[list[Any]] = []
    whole: list[float] = []
    for _ in range(_COLD_RUNS):
        started = time.perf_counter()
        child = subprocess.run(  # noqa: S603  (this interpreter, on a script that stands here)
            [sys.executable, "-c", _COLD, given],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        whole.append(1e3 * (time.perf_counter() - started))
        if child.returncode:
            raise ConfigError("a fresh process could not moderate: there the cold start cannot be measured")
        runs.append(json.loads(child.stdout))
    return [
        Figure("cold: import seemly", median(run[0] for run in runs), "ms"),
        Figure("cold: import to first verdict", median(run[1] for run in runs), "ms"),
        Figure("cold: whole process, interpreter included", median(whole), "ms"),
        Figure("cold: resident memory after first verdict", runs[0][2], "MB"),
    ]


def _single(engine: Engine) -> list[Figure]:
    for message in bench_messages.english(_WARM, first=_MESSAGES):
        engine.moderate(message)
    times = [_time(engine.moderate, message) for message in bench_messages.english(_MESSAGES)]
    cuts = quantiles(times, n=100)
    return [
        Figure("moderate, ~200 characters: p50", 1e3 * cuts[49], "us"),
        Figure("moderate, ~200 characters: p99", 1e3 * cuts[98], "us"),
    ]


def _batch(engine: Engine) -> list[Figure]:
    messages = bench_messages.english(2 * _MESSAGES, first=2 * _MESSAGES)
    cpu = time.process_time()
    took = _time(lambda given: sum(1 for _ in engine.moderate_many(given)), messages)
    cpu = time.process_time() - cpu
    return [
        Figure("moderate_many: messages a second", 1e3 * len(messages) / took, "/s"),
        Figure("moderate_many: messages a CPU second", len(messages) / max(cpu, 1e-9), "/s"),
    ]


def _long(engine: Engine) -> list[Figure]:
    prose, mixed = bench_messages.long_text(), bench_messages.mixed_scripts()
    return [
        Figure("100,000 characters, English prose", median(_time(engine.moderate, prose) for _ in range(3)), "ms"),
        Figure("100,000 characters, mixed scripts", median(_time(engine.moderate, mixed) for _ in range(3)), "ms"),
        Figure("resident memory after all this", resident_mb(), "MB"),
    ]


def _time(call: Callable[[Any], object], given: Any) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    call(given)
    return 1e3 * (time.perf_counter() - started)


def resident_mb() -> float | None:
    """This process's resident memory in MB (10**6 bytes), None where the system doesn't tell.

    Read from /proc, since a child's `ru_maxrss` starts at its parent's.
    """
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    for line in status.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None
