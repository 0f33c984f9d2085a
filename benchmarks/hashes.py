"""How long a search among a million known images takes: `python -m benchmarks.hashes`."""

from __future__ import annotations

import statistics
import time

import numpy as np

from seemly.media.hashing import BYTES, HashIndex

COUNT = 1_000_000
SEARCHES = 200


def main() -> None:
    """Build the index, search for hashes that are in it and for others, and print the milliseconds."""
    rng = np.random.default_rng(1)
    known = rng.integers(0, 256, (COUNT, BYTES), np.uint8)
    began = time.perf_counter()
    index = HashIndex(known)
    print(f"{COUNT:,} hashes indexed in {time.perf_counter() - began:.2f} s")
    for name, wanted in (
        ("in the list", known[:SEARCHES]),
        ("not in it", rng.integers(0, 256, (SEARCHES, BYTES), np.uint8)),
    ):
        took = []
        for each in wanted:
            began = time.perf_counter()
            index.search(each)
            took.append((time.perf_counter() - began) * 1e3)
        print(f"{name}: p50 {statistics.median(took):.2f} ms, largest {max(took):.2f} ms")


if __name__ == "__main__":
    main()
