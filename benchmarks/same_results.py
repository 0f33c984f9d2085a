"""`python -m benchmarks.same_results record FILE` and `… compare FILE`: whether a change left every result as it was.

Some 40,000 distinct texts (the written examples, the tables of disguises and hostile variants of both) go through
engines of several channels. `record` writes a digest of each result, rounded to six decimals; `compare` moderates the
same texts and names those whose result differs. With `--models none`, scores are made up from the text's hash, which
tries every way through the decision and needs no model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.messages import WRITTEN
from seemly import Author, Channel, Condition, Engine, Object, PolicySettings, Rule, Submission, Text, Wordlist
from seemly.testing import FakeModels

TABLES = Path(__file__).parent.parent / "tests" / "tables"

CHANNELS = (
    Channel(key="plain"),
    Channel(key="dry", flagging_mode="DRY_RUN"),
    Channel(
        key="tuned",
        policies=(PolicySettings("toxicity", threshold=0.8), PolicySettings("spam", flag=False)),
        wordlists=(Wordlist("list", ("hello", "free*")),),
    ),
    Channel(key="ruled", rules=(Rule("calm", (Condition("policy.hate.flagged", "is", False),), "allow"),)),
)


class HashedModels(FakeModels):
    """Models whose scores are made up from a text's hash: most are small, some cross every threshold."""

    def scorer(self, tier: str, share: float = 0.2) -> Any:
        """A scorer of made-up scores."""
        import numpy as np

        fake = super().scorer(tier, share)

        def score(texts: Any, labels: Any, _thresholds: Any) -> Any:
            rows = [
                [(zlib.crc32(f"{label} {text}".encode("utf-8", "replace")) % 10_007 / 10_007) ** 6 for label in labels]
                for text in texts
            ]
            return np.array(rows, np.float32).reshape(len(texts), len(labels))

        fake.score = score  # type: ignore[method-assign]
        return fake


def texts() -> Iterator[str]:
    """Every text once."""
    seen: set[str] = set()
    for file in [*sorted(WRITTEN.glob("*.jsonl")), *sorted(TABLES.glob("*.jsonl"))]:
        for line in file.read_text(encoding="utf-8").splitlines():
            text = json.loads(line)["text"]
            for variant in (text, text.upper()[:300]):
                if variant not in seen and variant.strip():
                    seen.add(variant)
                    yield variant


def submissions(limit: int) -> Iterator[Submission]:
    """Texts, and every twentieth as an object of two fields by an author who is trusted little."""
    last = ""
    for at, text in enumerate(islice(texts(), limit)):
        if at % 20 == 19:
            content: Any = Object({"title": Text(last), "body": Text(text)})
            yield Submission(content=content, content_id=str(at), author=Author("a", trust_level=-1))
        else:
            yield Submission(content=Text(text), content_id=str(at))
        last = text


def digests(engine: Engine, limit: int) -> Iterator[str]:
    """A digest of each result."""
    for result in engine.moderate_many(submissions(limit)):
        wire = result.to_dict(extended=True)
        for name in ("timestamp", "processing_time", "versions"):
            wire["meta"].pop(name, None)
        plain = json.dumps(_rounded(wire), sort_keys=True)
        yield hashlib.blake2b(plain.encode("ascii"), digest_size=8).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_results", description=__doc__)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--models", choices=("own", "none"), default="own")
    parser.add_argument("--tier", default="fast")
    parser.add_argument("--texts", type=int, default=50_000, help="the most texts")
    args = parser.parse_args()
    models = HashedModels() if args.models == "none" else None
    found = {
        channel.key: list(digests(Engine(channel, tier=args.tier, models=models), args.texts)) for channel in CHANNELS
    }
    if args.command == "record":
        args.file.write_text(json.dumps(found), encoding="ascii")
        print(f"{sum(map(len, found.values())):,} results recorded")
        return
    recorded = json.loads(args.file.read_text(encoding="ascii"))
    differ = 0
    for key, now in found.items():
        given = list(islice(submissions(args.texts), len(now)))
        wrong = [at for at, (a, b) in enumerate(zip(recorded[key], now, strict=True)) if a != b]
        differ += len(wrong)
        print(f"{key}: {len(wrong):,} of {len(now):,} results differ")
        for at in wrong[:5]:
            print(f"  {given[at].content!r:.200}")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
