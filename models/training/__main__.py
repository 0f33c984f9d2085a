"""`cd models && python -m training --data FOLDER --model fast|accurate --begin FOLDER [--out FOLDER] [--work FOLDER]`.

From labelled data to a model's folder. Every step leaves its result in the work folder and is not done twice: stop and
start again as you like. Delete the work folder for a run from the beginning.

`--begin` is the folder of the finished English model that training goes on from: version 3 of `text-accurate`, which
`git show d8bb9ba:models/text-accurate/FILE` gives file by file. Both models, from nothing:

    python -m training --data DATA --begin OLD --model accurate --stage train
    python -m training --data DATA --begin OLD --before OLD_FAST --model fast
    python -m training --data DATA --begin OLD --model accurate

`--before` is likewise a fast model, version 4 of `text-fast` of the same commit. Its new pieces start from those of the
accurate one, and the accurate one is calibrated with the fast one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "src"), str(HERE.parent)]

EXAMPLES = HERE / "written"
SUITES = HERE.parent.parent / "benchmarks" / "suites"

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.rows import Row


def main(argv: Sequence[str] | None = None) -> None:
    """Run every step."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with train/, evaluate/ and lexicons/")
    parser.add_argument("--model", choices=("fast", "accurate"), default="fast")
    parser.add_argument("--begin", type=Path, required=True, help="the folder of the English model to go on from")
    parser.add_argument("--out", type=Path, help="the model's folder; models/text-fast or models/text-accurate")
    parser.add_argument("--work", type=Path, default=HERE / ".work", help="for checkpoints and encoded rows")
    parser.add_argument("--version", default="1", help="the model's version, for its manifest")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    accurate = parser.add_argument_group("the accurate model")
    accurate.add_argument("--stage", choices=("train", "all"), default="all", help="train: do not calibrate yet")
    accurate.add_argument("--rounds", type=int, default=54)
    accurate.add_argument("--size", type=int, default=2_400, help="rows a round")
    accurate.add_argument("--foreign", type=int, default=60_000, help="the most pieces of other languages")
    fast = parser.add_argument_group("the fast model")
    fast.add_argument("--rows", type=int, default=600_000, help="rows that it is trained on")
    fast.add_argument("--epochs", type=int, default=2)
    fast.add_argument("--before", type=Path, help="the folder of the fast model to go on from")
    fast.add_argument("--pieces", type=int, default=80_000, help="pieces that are learned beside its own")
    args = parser.parse_args(argv)
    args.out = args.out or HERE.parent / f"text-{args.model}"

    import torch

    torch.set_num_threads(args.threads)
    figures = _make_fast(args) if args.model == "fast" else _make_accurate(args)
    print(json.dumps(figures.get("ordinary", {}), indent=1))


def _make_fast(args: argparse.Namespace) -> dict[str, Any]:
    from training import dataset, finish, fit, vectors
    from training.accurate.train import table

    work = args.work / "fast"
    splits = dataset.prepare(
        args.data,
        EXAMPLES,
        SUITES,
        work,
        teacher=args.begin,
        before=args.before,
        pieces=args.pieces,
        size=args.rows,
        seed=args.seed,
    )
    vocabulary = (work / "vocab.txt").read_text(encoding="utf-8").split("\n")
    begin = vectors.begin(args.before, vocabulary, *table(args.begin, args.work / "accurate"))
    network = fit.fit(splits, begin, work, epochs=args.epochs, seed=args.seed, device="cpu")
    return finish.finish(
        network,
        splits,
        args.out,
        work=work,
        examples=EXAMPLES,
        version=args.version,
        settings={"epochs": args.epochs, "pieces": len(vocabulary), "seed": args.seed},
        counted=finish.count(_told(args, work)),
    )


def _make_accurate(args: argparse.Namespace) -> dict[str, Any]:
    from training import dataset
    from training.accurate.finish import finish
    from training.accurate.train import train
    from training.finish import count
    from training.held import held_rows

    work = args.work / "accurate"
    how = {"seed": args.seed, "rounds": args.rounds, "size": args.size}
    network, vocabulary = train(args.data, EXAMPLES, SUITES, work, args.begin, pieces=args.foreign, **how)
    if args.stage == "train":
        return {}
    rows, pairs = dataset.gather_once(args.data, EXAMPLES, SUITES, work), dataset.pairs_once(args.data, SUITES, work)
    natural = dataset.natural_rows(EXAMPLES, dataset.kept_apart(args.data, SUITES, work))
    held = {split: held_rows(rows, pairs, natural, split, args.seed) for split in ("validation", "test")}
    counted = count([*rows, *natural])
    return finish(network, vocabulary, held, args.out, work, version=args.version, settings=how, counted=counted)


def _told(args: argparse.Namespace, work: Path) -> list[Row]:
    """The rows that people labelled or wrote."""
    from training import dataset

    natural = dataset.natural_rows(EXAMPLES, dataset.kept_apart(args.data, SUITES, work))
    return [*dataset.gather_once(args.data, EXAMPLES, SUITES, work), *natural]


if __name__ == "__main__":
    main()
