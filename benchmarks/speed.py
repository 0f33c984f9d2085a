"""Measures every speed and memory figure that the README states: `python -m benchmarks.speed [--peers] [--soak N]`."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import peers
from benchmarks.messages import HOSTILE, chat_messages, english_messages, english_prose, hostile, mixed_scripts
from seemly.core.channel import Channel, Wordlist
from seemly.engine.engine import Engine
from seemly.engine.plan import BoundPolicy
from seemly.policies.protocol import Item
from seemly.text.normalize import normalize

HEAVY = ("numpy", "onnxruntime", "tokenizers", "PIL", "pydantic")


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the report. `met` is None where no figure was aimed at."""

    what: str
    measured: str
    aim: str = ""
    met: bool | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="also measure other libraries")
    parser.add_argument("--soak", type=int, default=0, metavar="N", help="also moderate N messages, watching memory")
    parser.add_argument("--messages", type=int, default=4000, metavar="N", help="how many messages to time (4000)")
    parser.add_argument("--linear", action="store_true", help="also time policies from 10,000 characters to 100,000")
    given = parser.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores\n")
    figures = [*measure_start(), *measure_messages(given.messages), *measure_long(), *measure_normalize()]
    figures += measure_cascade(given.messages)
    figures += [measure_wordlist(given.messages), measure_memory()]
    if given.soak:
        figures.append(measure_soak(given.soak))
    print_table(figures)
    if given.linear:
        print_linear()
    if given.peers:
        peers.print_table(english_messages(600, seed=3))


def measure_start() -> Iterable[Figure]:
    heavy = f"[each for each in {HEAVY} if each in sys.modules]"
    code = f"import sys, time; t = time.perf_counter(); import seemly; print(time.perf_counter() - t, {heavy})"
    seconds, loaded = min(_child(code).split(" ", 1) for _ in range(5))
    yield Figure(
        "`import seemly`", f"{float(seconds) * 1000:.0f} ms, heavy modules loaded: {loaded}", "< 100 ms, []",
        float(seconds) < 0.1 and loaded == "[]",
    )  # fmt: skip
    code = "from seemly import Engine; Engine(tier='fast').moderate('you are an idiot, write to jo@example.com')"
    times = []
    for _ in range(5):
        started = time.perf_counter()
        _child(code)
        times.append(time.perf_counter() - started)
    yield Figure(
        "fast: first verdict from a cold process (from start to exit)",
        f"{min(times) * 1000:.0f} ms", "< 700 ms", min(times) < 0.7,
    )  # fmt: skip


def measure_messages(count: int) -> Iterable[Figure]:
    messages = english_messages(count + 500)
    engine = Engine(Channel(key="bench"), tier="fast").warm_up()
    for message in messages[:500]:
        engine.moderate(message)
    timed = [_seconds(engine.moderate, message) for message in messages[500:]]
    p50, p99 = _percentile(timed, 50), _percentile(timed, 99)
    mean = statistics.mean(map(len, messages))
    yield Figure(
        f"fast: `moderate`, {count} distinct English messages, mean {mean:.0f} characters",
        f"p50 {p50 * 1e6:.0f} µs, p99 {p99 * 1e6:.0f} µs", "p50 ≤ 300 µs, p99 ≤ 1 ms", p50 <= 3e-4 and p99 <= 1e-3,
    )  # fmt: skip
    rates = [count / _seconds(lambda: _exhaust(engine.moderate_many(messages[500:]))) for _ in range(3)]
    yield Figure(
        "fast: `moderate_many`, same messages, one core", f"{max(rates):,.0f} a second", "≥ 8,000", max(rates) >= 8000
    )


def measure_cascade(count: int) -> Iterable[Figure]:
    """The tier `cascade` on ordinary short messages, on messages that the accurate model reads, and on a long text."""
    engine = Engine(Channel(key="bench"), tier="cascade").warm_up()
    messages = chat_messages(count + 500)
    read = engine._plan.find_read([normalize(message) for message in messages])
    _exhaust(engine.moderate_many(messages[:500]))
    timed = [_seconds(engine.moderate, message) for message in messages[500:]]
    p50, p99 = _percentile(timed, 50), _percentile(timed, 99)
    length = statistics.median(map(len, messages))
    yield Figure(
        f"cascade: `moderate`, {count} chat messages, median {length:.0f} characters",
        f"p50 {p50 * 1e6:.0f} µs, p99 {p99 * 1e6:.0f} µs; {sum(read) / len(read):.0%} read by the accurate model",
        "p50 ≤ 500 µs, ≤ 20 %", p50 <= 5e-4 and sum(read) <= 0.2 * len(read),
    )  # fmt: skip
    rates = [count / _seconds(lambda: _exhaust(engine.moderate_many(messages[500:]))) for _ in range(3)]
    yield Figure(
        "cascade: `moderate_many`, same messages, all cores", f"{max(rates):,.0f} a second", "≥ 2,500",
        max(rates) >= 2500,
    )  # fmt: skip
    every = Engine(Channel(key="bench"), tier="accurate", models=engine.models).warm_up()
    longer = [message for message in english_messages(2_000) if 190 <= len(message) <= 210][:200]
    closely = _percentile([_seconds(every.moderate, message) for message in longer], 50)
    yield Figure(
        "a message of 200 characters that the accurate model reads, p50", f"{closely * 1e3:.1f} ms", "≤ 3 ms",
        closely <= 3e-3,
    )  # fmt: skip
    prose = min(_seconds(engine.moderate, english_prose(100_000)) for _ in range(3))
    yield Figure("cascade: 100,000 characters of English prose", f"{prose * 1e3:.0f} ms", "≤ 150 ms", prose <= 0.15)
    flagged = [message for message in longer if engine.moderate(message).evaluation.flagged][:50]
    told = _percentile([_seconds(engine.explain, message) for message in flagged], 50)
    yield Figure("cascade: `explain`, flagged messages of 200 characters, p50", f"{told * 1e3:.1f} ms", "≤ 10 ms",
        told <= 0.01,
    )  # fmt: skip


def measure_long() -> Iterable[Figure]:
    engine = Engine(Channel(key="bench"), tier="fast").warm_up()
    prose = min(_seconds(engine.moderate, english_prose(100_000)) for _ in range(3))
    yield Figure("fast: 100,000 characters of English prose", f"{prose * 1000:.0f} ms", "≤ 80 ms", prose <= 0.08)
    mixed = min(_seconds(engine.moderate, mixed_scripts(100_000)) for _ in range(3))
    yield Figure("fast: 100,000 characters of mixed scripts", f"{mixed * 1000:.0f} ms", "≤ 250 ms", mixed <= 0.25)
    worst = max((min(_seconds(engine.moderate, hostile(each, 100_000)) for _ in range(2)), each) for each in HOSTILE)
    yield Figure(
        f"fast: 100,000 hostile characters, the worst of {len(HOSTILE)} patterns",
        f"{worst[0] * 1000:.0f} ms (`{worst[1]}`)", "≤ 250 ms", worst[0] <= 0.25,
    )  # fmt: skip


def measure_normalize() -> Iterable[Figure]:
    for name, text, aim, unit in (
        ("ASCII", english_prose(100_000), 40.0, "MB/s"),
        ("mixed scripts", mixed_scripts(100_000), 5.0, "million characters/s"),
    ):
        rate = len(text) / min(_seconds(_read_views, text) for _ in range(7)) / 1e6
        yield Figure(
            f"normalize, all views, 100,000 characters, {name}", f"{rate:.1f} {unit}", f"≥ {aim:.0f}", rate >= aim
        )


def measure_wordlist(count: int) -> Figure:
    messages = english_messages(count)
    words = tuple(f"{a}{b}{c}x" for a in "bdfgklmnprst" for b in _SYLLABLES for c in _SYLLABLES)[:10_000]
    plain = Engine(Channel(key="bench"), tier="fast").warm_up()
    listed = Engine(
        Channel(key="bench", wordlists=(Wordlist("own", words),)), tier="fast", models=plain.models
    ).warm_up()
    without, within = [], []
    for _ in range(7):
        without.append(_seconds(lambda: _exhaust(plain.moderate_many(messages))))
        within.append(_seconds(lambda: _exhaust(listed.moderate_many(messages))))
    added = min(within) / min(without) - 1
    return Figure(f"a custom list of {len(words):,} words", f"{added:+.1%} time", "< 10 %", added < 0.10)


def measure_memory() -> Figure:
    code = (
        "from seemly import Engine; Engine(tier='fast').moderate('you are an idiot, write to jo@example.com');"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS')))"
    )
    megabytes = int(_child(code)) / 1024
    return Figure("fast: resident memory after the first verdict", f"{megabytes:.0f} MB", "≤ 160 MB", megabytes <= 160)


def measure_soak(count: int) -> Figure:
    engine = Engine(Channel(key="bench"), tier="fast").warm_up()
    base = english_messages(5000)
    stream = (f"{base[i % len(base)]} {i}x{i * 7919 % 999_983:x}" for i in range(count))
    marks: list[float] = []
    for i, _ in enumerate(engine.moderate_many(stream)):
        if i % max(1, count // 10) == 0:
            marks.append(_resident())
    marks.append(_resident())
    grown = marks[-1] - marks[2]
    return Figure(
        f"fast: memory over {count:,} messages",
        f"{' → '.join(f'{mark:.0f}' for mark in marks)} MB", "flat", grown < 5,
    )  # fmt: skip


def print_linear() -> None:
    """The time of each policy and of normalization, per character, at 100,000 characters against 10,000."""
    engine = Engine(Channel(key="bench"), tier="fast").warm_up()
    print("\n| pattern | normalize | " + " | ".join(engine.policies) + " |")
    print("|---|" + "---|" * (len(engine.policies) + 1))
    for each in HOSTILE:
        cells = [_growth(lambda text: _read_views(text), each)]
        cells += [_growth(_checker(engine, bound), each) for bound in engine._plan.policies]
        print(f"| `{each}` | " + " | ".join(cells) + " |")
    print("\nEach cell: milliseconds for 100,000 characters (× the growth from 10,000 to 100,000; 10 is linear).")


def _checker(engine: Engine, bound: BoundPolicy) -> Callable[[str], None]:
    scores = dict.fromkeys(engine._plan.labels, 0.5)

    def check(text: str) -> None:
        bound.policy.check([Item(normalize(text), scores, "en")])

    return check


def _growth(act: Callable[[str], None], pattern: str) -> str:
    small = min(_seconds(act, hostile(pattern, 10_000)) for _ in range(3))
    large = min(_seconds(act, hostile(pattern, 100_000)) for _ in range(2))
    return f"{large * 1000:.1f} (×{large / small:.0f})"


def print_table(figures: Iterable[Figure]) -> None:
    print("| what | measured | aim | |")
    print("|---|---|---|---|")
    for each in figures:
        outcome = {None: "", True: "met", False: "missed"}[each.met]
        print(f"| {each.what} | {each.measured} | {each.aim} | {outcome} |")


def _read_views(text: str) -> None:
    read = normalize(text)
    _ = read.plain, read.folded, read.squashed


def _seconds(act: Callable[..., object], *given: object) -> float:
    started = time.perf_counter()
    act(*given)
    return time.perf_counter() - started


def _exhaust(results: Iterable[object]) -> None:
    """Take every result and keep none, as a stream is used."""
    for _ in results:
        pass


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[len(values) * percent // 100]


def _child(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _resident() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


_SYLLABLES = tuple(f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnr")

if __name__ == "__main__":
    main()
