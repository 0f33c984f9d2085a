"""Every step of the accurate model's making; each leaves its result in the work folder and is not done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from seemly.inference.tokenizer import WordPieceTokenizer
from training.accurate import dataset, finish, start
from training.accurate.fit import fit
from training.accurate.network import Network
from training.dataset import gather_once
from training.rows import LABELS

if TYPE_CHECKING:
    from pathlib import Path


def train(
    data: Path,
    examples: Path,
    suites: Path,
    work: Path,
    out: Path,
    *,
    version: str,
    seed: int,
    passes: int,
    device: str,
    begin: Path | None = None,
) -> dict[str, Any]:
    """From the data folder to the model's folder. The fast model must stand beside `out`.

    With `begin`, the folder of a finished accurate model, training goes on from its weights with the second stage, and
    ends with the mean of the weights before and after, which ranks better than either (Wortsman et al. 2022, "Robust
    fine-tuning of zero-shot models").
    """
    rows = dataset.choose(gather_once(data, examples, suites, work))
    vocabulary, tensors = start.reopen(begin) if begin else start.load()
    cutter = WordPieceTokenizer(vocabulary, bare=True)
    torch.manual_seed(seed)
    network = Network(len(LABELS), len(vocabulary))
    how = {"seed": seed, "device": device}
    first = [] if begin else dataset.first_stage(rows, seed)
    if begin:
        network.load_state_dict(tensors)
        network.to(device)
    else:
        network.start_from(tensors)
        network.to(device)
        fit(network, lambda _: dataset.encode(first, cutter), 1, work / "first.pt", peak=1.0, last=0.5, **how)
    second = [dataset.second_stage(rows, seed + number) for number in range(passes)]
    fit(
        network,
        lambda number: dataset.encode(second[number], cutter),
        passes,
        work / "second.pt",
        peak=0.6,
        last=0.02,
        **how,
    )
    read = sum(map(len, second))
    settings = {"first_rows": len(first), "second_rows": read, "passes": passes, "seed": seed}
    network.cpu().eval()
    if begin:
        network.load_state_dict({name: (tensors[name] + value) / 2 for name, value in network.state_dict().items()})
    return finish.finish(network, vocabulary, rows, out, version=version, settings=settings)
