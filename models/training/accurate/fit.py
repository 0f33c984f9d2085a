"""Training in rounds, resumable from the last checkpoint.

A row is learned from its labels; the other side of a pair also from what the teacher, the English model that training
began with, says of the English side: its logits, and the vectors that they are made from.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from seemly.inference.tokenizer import END, START, WordPieceTokenizer
from training.dataset import arrays
from training.rows import FIRST

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from training.accurate.network import Network
    from training.accurate.rounds import Read

RATE, HEAD_RATE, TABLE_RATE, FOREIGN_RATE = 6e-5, 3e-4, 3e-5, 4e-4
_WARM = 4
"""Rounds over which the rates rise."""

_FALL = 0.35
"""The share of the rounds, at the end, over which the rates fall."""

_NORM = 80.0
"""Rows that an average batch has: sums of losses are divided by it, so that every row counts alike in any batch."""

_TOKENS = 3_072
_TAUGHT, _ALIKE = 0.6, 1.0
"""What the teacher's logits and its vectors count in the loss, beside a label of weight 1."""

_POSITIVE = 2.0
"""What a positive label counts beside a negative one."""

LENGTH = 96
"""Pieces of a row in training, its start and end among them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of about one length, padded; `sides` are the English sides of those that `paired` lists."""

    pieces: Tensor
    labels: Tensor
    weights: Tensor
    paired: Tensor
    sides: Tensor


def fit(
    network: Network,
    teacher: Network,
    draw: Callable[[int], Sequence[Read]],
    count: int,
    cutters: tuple[WordPieceTokenizer, WordPieceTokenizer],
    saved: Path,
    *,
    seed: int,
) -> None:
    """Train over `count` rounds and leave the network at `saved`. `cutters` cut texts, and the teacher's."""
    heads = ("hidden", "out")
    named = dict(network.named_parameters())
    tables = {"pieces.weight": TABLE_RATE, "foreign.weight": FOREIGN_RATE}
    trunk = [p for name, p in named.items() if name not in tables and not name.startswith(heads)]
    head = [p for name, p in named.items() if name.startswith(heads)]
    dense = torch.optim.AdamW(
        [{"params": head, "lr": HEAD_RATE}, {"params": trunk, "lr": RATE}], weight_decay=0.01, betas=(0.9, 0.98)
    )
    sparse = torch.optim.SparseAdam([{"params": [named[name]], "lr": rate} for name, rate in tables.items()])
    rates = [[group["lr"] for group in optimizer.param_groups] for optimizer in (dense, sparse)]
    first = 0
    if saved.exists():
        state = torch.load(saved)
        network.load_state_dict(state["network"])
        dense.load_state_dict(state["dense"])
        sparse.load_state_dict(state["sparse"])
        first = state["round"]
    torch.manual_seed(seed + first)
    network.train()
    teacher.eval()
    for number in range(first, count):
        began, total, rows = time.perf_counter(), np.zeros(3), 0
        height = min(1.0, (number + 1) / _WARM, (count - number) / (_FALL * count))
        for optimizer, usual in zip((dense, sparse), rates, strict=True):
            for group, rate in zip(optimizer.param_groups, usual, strict=True):
                group["lr"] = rate * height
        for batch in batches(draw(number), *cutters, np.random.default_rng((seed, number))):
            parts = _losses(network, teacher, batch)
            loss = sum(parts)
            dense.zero_grad(set_to_none=True)
            sparse.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*trunk, *head], 2.0)
            dense.step()
            sparse.step()
            total += [part.item() * _NORM for part in parts]
            rows += len(batch.pieces)
        took = time.perf_counter() - began
        shown = " ".join(f"{part / rows:.4f}" for part in total)
        print(f"round {number + 1} of {count}: {shown}, {rows} rows, {took:.0f} s", flush=True)
        if (number + 1) % 5 == 0 or number + 1 == count:
            state = {
                "network": network.state_dict(), "dense": dense.state_dict(), "sparse": sparse.state_dict(),
                "round": number + 1,
            }  # fmt: skip
            part = saved.with_suffix(".part")
            torch.save(state, part)
            part.rename(saved)


def _losses(network: Network, teacher: Network, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits, pooled = network(batch.pieces)
    logits, pooled = logits.float(), pooled.float()
    known = batch.weights * (1 + (_POSITIVE - 1) * batch.labels)
    told = functional.binary_cross_entropy_with_logits(logits, batch.labels, weight=known, reduction="sum")
    if not len(batch.paired):
        return told / _NORM, logits.sum() * 0, logits.sum() * 0
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        said, meant = teacher(batch.sides)
    said, meant = said.float()[:, : len(FIRST)], meant.float()
    ours, theirs = logits[batch.paired][:, : len(FIRST)], pooled[batch.paired]
    taught = functional.binary_cross_entropy_with_logits(ours, said.sigmoid(), reduction="sum")
    width = theirs.shape[1] // 2
    alike = sum(
        (1 - functional.cosine_similarity(theirs[:, half], meant[:, half], dim=1)).sum()
        for half in (slice(0, width), slice(width, None))
    )
    return told / _NORM, _TAUGHT * taught / _NORM, _ALIKE * alike / _NORM


def batches(
    reads: Sequence[Read], cutter: WordPieceTokenizer, english: WordPieceTokenizer, rng: np.random.Generator
) -> list[Batch]:
    """The rows in shuffled batches, neighbours in length together."""
    encoded = [_framed(cutter, read.row.text) for read in reads]
    labels, weights = arrays([read.row for read in reads])
    order = np.argsort([len(each) + rng.random() for each in encoded], kind="stable")
    found, at = [], 0
    while at < len(order):
        size = max(8, min(160, _TOKENS // len(encoded[order[min(at + 40, len(order) - 1)]])))
        rows = order[at : at + size]
        at += size
        paired = [place for place, row in enumerate(rows) if reads[row].english is not None]
        sides = [_framed(english, reads[rows[place]].english or "") for place in paired]
        found.append(
            Batch(
                _padded([encoded[row] for row in rows]),
                torch.from_numpy(np.nan_to_num(labels[rows])),
                torch.from_numpy(weights[rows]),
                torch.tensor(paired, dtype=torch.long),
                _padded(sides),
            )
        )
    return [found[at] for at in rng.permutation(len(found))]


def _framed(cutter: WordPieceTokenizer, text: str) -> NDArray[np.int64]:
    return np.array([START, *cutter.encode(text[:1_000])[: LENGTH - 2].tolist(), END])


def _padded(rows: Sequence[NDArray[np.int64]]) -> Tensor:
    block = np.zeros((len(rows), max(map(len, rows), default=1)), np.int64)
    for at, row in enumerate(rows):
        block[at, : len(row)] = row
    return torch.from_numpy(block)
