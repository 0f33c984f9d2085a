"""Measures tables: `python -m benchmarks.tables [--tier TIER] [--rows N]`. Needs `seemly[arrow]`.

Rows a second of `moderate_many` on one core, of a Parquet file with one process and with two, the memory of the main
process, and the core-hours of 10⁹ rows that follow.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.messages import english_messages
from seemly.adapters.arrow import ArrowModerator
from seemly.adapters.parquet import moderate_parquet
from seemly.core.channel import Channel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="fast")
    parser.add_argument("--rows", type=int, default=40_000, metavar="N", help="rows of the file (40,000)")
    given = parser.parse_args()
    moderator = ArrowModerator(Channel(key="bench"), tier=given.tier)
    moderator.engine.warm_up()
    texts = [f"{text} {i}" for i, text in enumerate(english_messages(given.rows, seed=7))]
    begun = time.perf_counter()
    for _ in moderator.engine.moderate_many(texts[: given.rows // 2]):
        pass
    one = (given.rows // 2) / (time.perf_counter() - begun)
    print(f"tier {given.tier}: moderate_many {one:,.0f} rows/s on one core")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in.parquet")
        pq.write_table(pa.table({"text": texts}), source)
        for workers in (1, 2):
            begun = time.perf_counter()
            done = moderate_parquet(source, Path(folder, f"out{workers}.parquet"), moderator, workers=workers)
            rate = done.rows / (time.perf_counter() - begun)
            print(f"Parquet, {workers} processes: {rate:,.0f} rows/s, {rate / (workers * one):.0%} of {workers} cores")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the main process: {peak:,.0f} MB")
    print(f"10⁹ rows: {1e9 / one / 3600:,.0f} core-hours at the speed of moderate_many")


if __name__ == "__main__":
    main()
