"""Every step of the accurate model's making; each leaves its result in the work folder and is not done twice."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import torch

from seemly.pieces import Pieces
from training.accurate import dataset, finish, start
from training.accurate.fit import fit
from training.accurate.network import Network
from training.dataset import gather
from training.rows import LABELS

if TYPE_CHECKING:
    from pathlib import Path

    from training.rows import Row


STOP = 1_750
"""Steps of the first stage: about half a pass over the public rows, which is what an hour on two cores allows."""


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
) -> dict[str, Any]:
    """From the data folder to the model's folder. The fast model must stand beside `out`, for the bands."""
    work.mkdir(parents=True, exist_ok=True)
    rows = _rows(data, examples, suites, work)
    vocabulary, tensors = start.load()
    cutter = Pieces(vocabulary, bare=True)
    torch.manual_seed(seed)
    network = Network(len(LABELS), len(vocabulary))
    network.start_from(tensors)
    network.to(device)
    first = dataset.first_stage(rows, seed)
    how = {"seed": seed, "device": device}
    fit(network, lambda _: dataset.encode(first, cutter), 1, work / "first.pt", peak=1.0, last=0.5, stop=STOP, **how)
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
    settings = {"first_rows": len(first), "steps": STOP, "second_rows": read, "passes": passes, "seed": seed}
    network.cpu().eval()
    return finish.finish(network, vocabulary, rows, out, version=version, settings=settings)


def _rows(data: Path, examples: Path, suites: Path, work: Path) -> list[Row]:
    """The rows, kept in the work folder once they were read."""
    kept = work / "rows.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(dataset.choose(gather(data, examples, suites))))
    rows: list[Row] = pickle.loads(kept.read_bytes())  # noqa: S301  (made by this command)
    return rows
