"""Measures what a stream costs: `python -m benchmarks.streams [--tier TIER]`.

The time between the piece that completes a sentence and its release, and the share of texts of chat whose released
parts are exactly the masked whole.
"""

from __future__ import annotations

import argparse
import statistics
import time

from benchmarks.messages import english_messages, english_prose
from seemly.core.channel import Channel, Triage
from seemly.engine.engine import Engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="fast")
    parser.add_argument("--texts", type=int, default=200, metavar="N", help="texts of ten messages each (200)")
    given = parser.parse_args()
    engine = Engine(Channel(key="bench", triage=Triage(0.5, 1.0)), tier=given.tier).warm_up()
    quiet, releasing = [], []
    prose = english_prose(20_000)
    stream = engine.open_stream()
    for start in range(0, len(prose), 4):
        begun = time.perf_counter()
        released = stream.push(prose[start : start + 4])
        (releasing if released else quiet).append((time.perf_counter() - begun) * 1e3)
    print(f"tier {given.tier}, pieces of 4 characters, prose of {len(prose):,} characters")
    print(f"a piece that releases nothing: p50 {statistics.median(quiet) * 1e3:.1f} µs")
    if len(releasing) > 1:
        p99 = statistics.quantiles(releasing, n=100)[98]
        print(f"a piece that releases a part: p50 {statistics.median(releasing):.2f} ms, p99 {p99:.2f} ms")
    messages = english_messages(given.texts * 10, seed=5)
    same = 0
    for i in range(given.texts):
        text = ". ".join(messages[10 * i : 10 * i + 10])
        masked = engine.moderate(text).modified_text
        same += "".join(part.text for part in engine.stream([text])) == (text if masked is None else masked)
    print(f"released parts are exactly the masked whole: {same} of {given.texts} texts of ten messages")


if __name__ == "__main__":
    main()
