"""`cd models && python -m training --data FOLDER [--out FOLDER] [--work FOLDER]`: from labelled data to `text-fast/`.

Every step leaves its result in the work folder and is not done twice: stop and start again as you like. Delete the
work folder for a run from the beginning.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "src"))


def main() -> None:
    """Run every step."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with train/, evaluate/ and lexicons/")
    parser.add_argument("--out", type=Path, default=HERE.parent / "text-fast", help="the model's folder")
    parser.add_argument("--work", type=Path, default=HERE / ".work", help="for checkpoints and encoded rows")
    parser.add_argument("--version", default="1", help="the model's version, for its manifest")
    parser.add_argument("--passes", type=int, default=2, help="of the embeddings' pretraining")
    parser.add_argument("--epochs", type=int, default=3, help="of training")
    parser.add_argument("--width", type=int, default=64, help="numbers in a piece's embedding")
    parser.add_argument("--pieces", type=int, default=50_000, help="the vocabulary's size")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    args = parser.parse_args()

    import torch

    from training import dataset, finish, fit, pretrain

    torch.set_num_threads(args.threads)
    splits = dataset.prepare(args.data, HERE / "written", args.work, pieces=args.pieces, seed=args.seed)
    vocabulary = (args.work / "vocab.txt").read_text(encoding="utf-8").split("\n")
    how = {"seed": args.seed, "device": args.device}
    embeddings = pretrain.pretrain(splits["train"], len(vocabulary), args.width, args.work, passes=args.passes, **how)
    network = fit.fit(splits, embeddings, args.work, epochs=args.epochs, **how)
    settings = {"epochs": args.epochs, "passes": args.passes, "pieces": len(vocabulary), "seed": args.seed}
    place = {"work": args.work, "examples": HERE / "written"}
    figures = finish.finish(network, splits, args.out, version=args.version, settings=settings, **place)
    print(json.dumps(figures["labels"]["toxicity"] | {"speed": figures["speed"]}, indent=1))


if __name__ == "__main__":
    main()
