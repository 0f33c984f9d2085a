"""What a verdict costs, in calls of alt-profanity-check: `python -m benchmarks.hot_path [--tier TIER …]`.

Times waver by a factor of five between machines and within a busy one, so this prints ratios only. The unit is one
call of `profanity_check.predict_prob` on the same message, in the same process. The two take turns, message by
message; a verdict is divided by the median of the calls around it. The process keeps to one core, and time in which it
waits for that core is not counted.

The messages are distinct English chat, a tenth of them harmful: of 190 to 210 characters, and of a median of 80.
`sys.setprofile` counts the calls that `Engine.moderate` makes. Without alt-profanity-check, only those are printed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import FrameType

from benchmarks.messages import chat_messages
from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.text.normalize import normalize

AROUND = 12
"""How many calls of the peer before a verdict, and how many after it, are its unit."""

BATCH = 128
CALLS = 12
"""How many messages `moderate_many` gets at a time, and how many calls of the peer follow each batch."""

WARM = 64
"""How many messages come before those that are timed, and how many after them."""

LONG, SHORT = "200 characters", "short chat"
AIMS: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("fast", LONG): ("≤ .05", "≤ .12", "≥ 40"),
    ("cascade", SHORT): ("≤ .06", "", "≥ 25"),
}
"""By tier and messages: the aims of p50, p99 and of the messages in the time of a call."""

COLUMNS = (
    "p50",
    "p99",
    "messages in a call's time",
    "Python calls a message",
    "all calls",
    "read by the second tier %",
)


def select_messages(count: int) -> dict[str, list[str]]:
    """Select `count` distinct messages of each kind, with WARM more before and after them."""
    wanted = count + 2 * WARM
    pool = 20 * wanted
    while len(long := [text for text in chat_messages(pool) if 190 <= len(text) <= 210]) < wanted:
        pool *= 2
    return {LONG: long[:wanted], SHORT: chat_messages(wanted, seed=1)}


def measure_latency(engine: Engine, peer: Callable[[str], object], messages: Sequence[str]) -> tuple[float, float]:
    """Measure p50 and p99 of `moderate`, each verdict divided by the calls of the peer around it."""
    calls: list[float] = []
    verdicts: list[float] = []
    pair: list[tuple[list[float], Callable[[str], object]]] = [(calls, peer), (verdicts, engine.moderate)]
    for at, message in enumerate(messages):
        for times, act in pair if at % 2 else reversed(pair):
            times.append(_seconds(act, message))
    units = [median(calls[max(0, at - AROUND) : at + AROUND + 1]) for at in range(len(calls))]
    ratios = sorted(verdict / unit for verdict, unit in zip(verdicts, units, strict=True))
    return ratios[len(ratios) // 2], ratios[len(ratios) * 99 // 100]


def measure_rate(engine: Engine, peer: Callable[[str], object], messages: Sequence[str]) -> float:
    """Measure how many messages `moderate_many` judges in the time of one call of the peer."""
    rates = []
    for at in range(0, len(messages) - BATCH + 1, BATCH):
        batch = messages[at : at + BATCH]
        taken = _seconds(lambda texts: list(engine.moderate_many(texts)), batch)
        unit = median(_seconds(peer, message) for message in batch[:CALLS])
        rates.append(BATCH * unit / taken)
    return median(rates)


def count_calls(act: Callable[[str], object], messages: Sequence[str]) -> tuple[float, float]:
    """Count the calls of Python functions, and of those and built-in ones, that a message costs on average."""
    counts: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _given: object) -> None:
        counts[event] += 1

    sys.setprofile(count)
    try:
        for message in messages:
            act(message)
    finally:
        sys.setprofile(None)
    # The call that ends the profile is a built-in one, too.
    return counts["call"] / len(messages), (counts["call"] + counts["c_call"] - 1) / len(messages)


def measure(tier: str, peer: Callable[[str], object] | None, count: int) -> Iterator[tuple[str, list[float | None]]]:
    """Measure one tier: for each kind of message, the figures of COLUMNS."""
    engine = Engine(Channel(key="hot path"), tier=tier).warm_up()
    for name, messages in select_messages(count).items():
        warm, timed, counted = messages[:WARM], messages[WARM:-WARM], messages[-WARM:]
        for message in warm:
            engine.moderate(message)
            if peer:
                peer(message)
        figures: list[float | None] = [None, None, None]
        if peer:
            half = len(timed) // 2
            p50, p99 = measure_latency(engine, peer, timed[:half])
            figures = [round(p50, 3), round(p99, 3), round(measure_rate(engine, peer, timed[half:]), 1)]
        own, every = count_calls(engine.moderate, counted)
        read = engine._plan.find_read([normalize(message) for message in timed]) if tier == "cascade" else []
        share = round(100 * sum(read) / len(read), 1) if read else None
        yield name, [*figures, round(own), round(every), share]


def find_peer() -> Callable[[str], object] | None:
    """Return alt-profanity-check's call on one text, or None if it is not installed."""
    try:
        predict = importlib.import_module("profanity_check").predict_prob
    except ImportError:
        return None
    return lambda message: predict([message])


def _seconds(act: Callable[..., object], given: object) -> float:
    started = time.process_time()
    act(given)
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", nargs="+", default=["fast", "cascade"])
    parser.add_argument("--messages", type=int, default=1536, metavar="N", help="how many of each kind to time (1536)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    args = parser.parse_args()
    if args.messages < 2 * BATCH:
        parser.error(f"--messages must be at least {2 * BATCH}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peer = find_peer()
    if peer is None:
        print("alt-profanity-check is not installed: pip install -r benchmarks/requirements.txt\n")
    print(f"| tier | messages | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 2)}")
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for tier in args.tier:
        for name, figures in measure(tier, peer, args.messages):
            aims = (*AIMS.get((tier, name), ("", "", "")), "", "", "≤ 20" if tier == "cascade" else "")
            cells = [_cell(figure, aim) for figure, aim in zip(figures, aims, strict=True)]
            print(f"| {tier} | {name} | {' | '.join(cells)} |", flush=True)
            found.setdefault(tier, {})[name] = dict(zip(COLUMNS, figures, strict=True))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _cell(value: float | None, aim: str) -> str:
    return ("–" if value is None else f"{value:g}") + (f" ({aim})" if aim else "")


if __name__ == "__main__":
    main()
