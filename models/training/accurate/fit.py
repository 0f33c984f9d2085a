"""Training in two stages, each resumable from its last checkpoint."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from training.fit import balance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from training.accurate.dataset import Encoded
    from training.accurate.network import Network

RATE = 8e-5
HEAD_RATE = 8e-4
_WARM = 300
"""Steps over which the rate rises at the start."""

_NORM = 80.0
"""Rows that an average batch has: sums of losses are divided by it, so that every row counts alike in any batch."""

_SAVED = 250
"""Steps between checkpoints."""


def fit(
    network: Network,
    passes: Callable[[int], Encoded],
    count: int,
    saved: Path,
    *,
    seed: int,
    device: str = "cpu",
    peak: float,
    last: float,
) -> None:
    """Train over `count` passes, `passes(i)` giving the rows of each, and leave the network at `saved`.

    The rates climb to `peak` times theirs, and fall from there in a straight line to `last` times.
    """
    parts = [
        {
            "params": [p for name, p in network.named_parameters() if name.startswith(("hidden", "out"))],
            "lr": HEAD_RATE,
        },
        {"params": [p for name, p in network.named_parameters() if not name.startswith(("hidden", "out"))], "lr": RATE},
    ]
    optimizer = torch.optim.AdamW(parts, weight_decay=0.01, betas=(0.9, 0.98))
    rates = [group["lr"] for group in optimizer.param_groups]
    first = 0
    if saved.exists():
        state = torch.load(saved, map_location=device)
        network.load_state_dict(state["network"])
        first = state["step"]
        if state["done"]:
            return
        optimizer.load_state_dict(state["optimizer"])
    torch.manual_seed(seed + first)
    network.train()
    step, began, total = 0, time.perf_counter(), 0.0
    for number in range(count):
        rows = passes(number)
        weight = torch.tensor(balance(rows.labels, rows.weights), device=device)
        batches = list(rows.batches(np.random.default_rng((seed, number))))
        steps = len(batches) * count
        for batch in batches:
            step += 1
            if step <= first:
                continue
            share = step / steps
            height = (peak + share * (last - peak)) * min(1.0, step / _WARM)
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * height
            with torch.autocast(device, dtype=torch.bfloat16):
                logits = network(torch.from_numpy(rows.block(batch)).to(device))
            labels = torch.from_numpy(rows.labels[batch]).to(device)
            known = torch.from_numpy(rows.weights[batch]).to(device) * ~labels.isnan()
            loss = functional.binary_cross_entropy_with_logits(
                logits.float(), labels.nan_to_num(), weight=known, pos_weight=weight, reduction="sum"
            )
            loss = loss / _NORM
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            total += loss.item()
            if step % _SAVED == 0:
                took = time.perf_counter() - began
                print(f"{saved.stem}: step {step} of {steps}, loss {total / _SAVED:.4f}, {took:.0f} s", flush=True)
                total = 0.0
                _save(network, optimizer, step, saved, done=False)
    _save(network, optimizer, step, saved, done=True)


def _save(network: Network, optimizer: torch.optim.Optimizer, step: int, saved: Path, *, done: bool) -> None:
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "done": done}
    part = saved.with_suffix(".part")
    torch.save(state, part)
    part.rename(saved)
