"""What an accurate model says of English texts (Hinton et al. 2015)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from seemly.inference.tokenizer import END, START, WordPieceTokenizer
from training.accurate import start
from training.accurate.network import Network
from training.rows import FIRST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LENGTH, _BATCH = 64, 128


@torch.no_grad()
def say(texts: Sequence[str], folder: Path) -> list[dict[str, float]]:
    """The probabilities of each text by the finished English model in `folder`."""
    known, tensors = start.reopen(folder)
    network = Network(len(FIRST), len(known))
    network.load_state_dict({**tensors, "foreign.weight": network.foreign.weight})
    network.eval()
    cutter = WordPieceTokenizer(known, bare=True)
    rows = [[START, *cutter.encode(text[:600])[: _LENGTH - 2].tolist(), END] for text in texts]
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    found: list[dict[str, float]] = [{} for _ in rows]
    for begin in range(0, len(order), _BATCH):
        part = order[begin : begin + _BATCH]
        block = np.zeros((len(part), len(rows[part[-1]])), np.int64)
        for at, row in enumerate(part):
            block[at, : len(rows[row])] = rows[row]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits, _ = network(torch.from_numpy(block))
        for row, scores in zip(part, logits.float().sigmoid().tolist(), strict=True):
            found[row] = dict(zip(FIRST, scores, strict=True))
    return found
