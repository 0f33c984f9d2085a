"""Piece embeddings from the train texts alone, so that pieces that labels say little of still have good neighbours.

Skip-gram with negative sampling (Mikolov et al. 2013): a piece is to tell the pieces up to three places away from
pieces drawn at random.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from training.dataset import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_REACH = 3
_BATCH = 16_384
_NEGATIVES = 192
_RARER = 1e-4
"""Pieces with a larger share of the texts than this are skipped in proportion (the paper's subsampling)."""


def pretrain(
    train: Encoded, pieces: int, width: int, work: Path, *, passes: int, seed: int, device: str
) -> torch.Tensor:
    """Embeddings of [pieces, width], standard deviation 0.1; kept in `work`."""
    saved = work / f"pretrained-{width}.pt"
    if saved.exists():
        kept: torch.Tensor = torch.load(saved)
        return kept
    torch.manual_seed(seed)
    centre = nn.Embedding(pieces, width, sparse=True, device=device)
    around = nn.Embedding(pieces, width, sparse=True, device=device)
    nn.init.normal_(centre.weight, std=0.1)
    nn.init.zeros_(around.weight)
    optimizer = torch.optim.Adagrad([*centre.parameters(), *around.parameters()], lr=0.1)
    counts = np.bincount(train.pieces, minlength=pieces).astype(np.float64)
    chance = torch.from_numpy(counts**0.75).to(device)
    for number in range(passes):
        began, total, steps = time.perf_counter(), 0.0, 0
        for these, those in _pairs(train, counts, np.random.default_rng((seed, number))):
            left = centre(torch.from_numpy(these).to(device))
            right = around(torch.from_numpy(those).to(device))
            drawn = around(torch.multinomial(chance, _NEGATIVES, replacement=True))
            near = nn.functional.logsigmoid((left * right).sum(dim=1)).sum()
            far = nn.functional.logsigmoid(-(left @ drawn.T)).sum() * (5 / _NEGATIVES)
            loss = -(near + far) / len(these) * 64
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, steps = total + loss.item() / 64, steps + 1
        print(f"pretraining {number}: loss {total / steps:.4f}, {time.perf_counter() - began:.0f} s", flush=True)
    found = centre.weight.detach().cpu()
    found = found * (0.1 / found.std())
    torch.save(found, saved)
    return found


def _pairs(
    train: Encoded, counts: NDArray[np.float64], rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Batches of neighbours, a random half of the distances a pass."""
    rows = np.repeat(np.arange(len(train)), np.diff(train.starts))
    share = counts / counts.sum()
    keep = np.minimum(1.0, np.sqrt(_RARER / np.maximum(share, 1e-12)))
    kept = rng.random(len(train.pieces)) < keep[train.pieces]
    pieces, rows = train.pieces[kept].astype(np.int64), rows[kept]
    found = []
    for reach in range(1, _REACH + 1):
        same = rows[:-reach] == rows[reach:]
        left, right = pieces[:-reach][same], pieces[reach:][same]
        found += [np.stack([left, right]), np.stack([right, left])]
    pairs = np.concatenate(found, axis=1)
    order = rng.permutation(pairs.shape[1])
    for start in range(0, len(order) - _BATCH, _BATCH):
        batch = pairs[:, order[start : start + _BATCH]]
        yield batch[0], batch[1]
