"""`cd models && python -m training --data FOLDER [--model fast|accurate] [--out FOLDER] [--work FOLDER]`.

From labelled data to a model's folder. Every step leaves its result in the work folder and is not done twice: stop and
start again as you like. Delete the work folder for a run from the beginning. To make both from nothing: fast, accurate
(its bands need the fast one), fast again with `--teacher text-accurate`, and accurate once more, which then only
measures and writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "src"), str(HERE.parent)]

SUITES = HERE.parent.parent / "benchmarks" / "suites"

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run every step."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with train/, evaluate/ and lexicons/")
    parser.add_argument("--model", choices=("fast", "accurate"), default="fast")
    parser.add_argument("--out", type=Path, help="the model's folder; models/text-fast or models/text-accurate")
    parser.add_argument("--work", type=Path, help="for checkpoints and encoded rows; a folder of its own a model")
    parser.add_argument("--version", default="1", help="the model's version, for its manifest")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--epochs", type=int, default=2, help="of training, for accurate of its second stage; 2")
    parser.add_argument("--begin", type=Path, help="a finished accurate model to go on from; without: MiniLM")
    fast = parser.add_argument_group("the fast model")
    fast.add_argument("--teacher", type=Path, help="the folder of an accurate model to learn from")
    fast.add_argument("--passes", type=int, default=2, help="of the embeddings' pretraining")
    fast.add_argument("--width", type=int, default=64, help="numbers in a piece's embedding")
    fast.add_argument("--pieces", type=int, default=50_000, help="the vocabulary's size")
    args = parser.parse_args(argv)
    args.out = args.out or HERE.parent / f"text-{args.model}"
    args.work = args.work or HERE / ".work" / args.model

    import torch

    torch.set_num_threads(args.threads)
    figures = _make_fast(args) if args.model == "fast" else _make_accurate(args)
    print(json.dumps(figures["labels"]["toxicity"], indent=1))


def _make_fast(args: argparse.Namespace) -> dict[str, Any]:
    from training import dataset, finish, fit, pretrain

    splits = dataset.prepare(
        args.data, HERE / "written", SUITES, args.work, teacher=args.teacher, pieces=args.pieces, seed=args.seed
    )
    vocabulary = (args.work / "vocab.txt").read_text(encoding="utf-8").split("\n")
    how = {"seed": args.seed, "device": args.device}
    embeddings = pretrain.pretrain(splits["train"], len(vocabulary), args.width, args.work, passes=args.passes, **how)
    network = fit.fit(splits, embeddings, args.work, epochs=args.epochs, **how)
    settings = {"epochs": args.epochs, "passes": args.passes, "pieces": len(vocabulary), "seed": args.seed}
    return finish.finish(
        network,
        splits,
        args.out,
        version=args.version,
        settings=settings,
        work=args.work,
        examples=HERE / "written",
        teacher=args.teacher is not None,
    )


def _make_accurate(args: argparse.Namespace) -> dict[str, Any]:
    from training.accurate.train import train

    how = {"version": args.version, "seed": args.seed, "passes": args.epochs, "device": args.device}
    how["begin"] = args.begin
    return train(args.data, HERE / "written", SUITES, args.work, args.out, **how)


if __name__ == "__main__":
    main()
