"""Training, from encoded rows to a network; goes on from its last checkpoint."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from training.network import Network
from training.rows import FIRST, LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from training.dataset import Encoded

_RATE = 6e-4
_BATCH = 256
_AVERAGED = 2
"""After how many of the last passes the weights are averaged (Izmailov et al. 2018)."""
_REMEMBERED = 0.5
"""What the network that training begins with counts in a label of an English row."""
_CERTAIN = ("natural", "ordinary", "ud_ordinary", "xpersona", "babble")
"""What the sources of rows begin with that are not remembered: their labels are certain."""
_SORTED = 40
"""Batches among whose rows neighbours in length are put together."""


def fit(
    splits: dict[str, Encoded], begin: dict[str, torch.Tensor], work: Path, *, epochs: int, seed: int, device: str
) -> Network:
    """The network after `epochs` passes from the weights to `begin` with: the mean of its weights after the last two.

    Each pass ends with a checkpoint in `work` and the validation rows' figures. What the network says of English rows
    before training is part of their labels, so that it forgets little of what it was begun with (Li and Hoiem 2016,
    "Learning without forgetting").
    """
    torch.manual_seed(seed)
    network = Network(len(LABELS), begin["embedding.weight"]).to(device)
    network.load_state_dict(begin)
    train = remembering(splits["train"], network, device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.0)
    steps = sum(1 for _ in batches(train, np.random.default_rng(seed))) * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps + epochs * 50, pct_start=0.1)
    positive = torch.tensor(balance(train.labels, train.weights), device=device)
    saved, first = work / "checkpoint.pt", 0
    mean: dict[str, torch.Tensor] = {}
    if saved.exists():
        state = torch.load(saved, map_location=device)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        mean = state["mean"]
        first = state["epoch"] + 1
    for epoch in range(first, epochs):
        network.train()
        began, total, count = time.perf_counter(), 0.0, 0
        for rows in batches(train, np.random.default_rng((seed, epoch))):
            logits = network(torch.from_numpy(train.block(rows)).to(device))
            labels = torch.from_numpy(train.labels[rows]).to(device)
            weights = torch.from_numpy(train.weights[rows]).to(device)
            known = ~labels.isnan()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, labels.nan_to_num(), weight=weights * known, pos_weight=positive, reduction="sum"
            ) / len(rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total, count = total + loss.item() * len(rows), count + len(rows)
        if epoch >= epochs - _AVERAGED:
            mean = _add(mean, network.state_dict(), 1 / min(_AVERAGED, epochs))
        torch.save(
            {
                "network": network.state_dict(),
                "mean": mean,
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
                "epoch": epoch,
            },
            saved,
        )
        took = time.perf_counter() - began
        figures = _figures(splits["validation"], predict(network, splits["validation"], device))
        print(f"epoch {epoch}: loss {total / count:.4f}, {figures}, {took:.0f} s", flush=True)
    network.load_state_dict(mean)
    figures = _figures(splits["validation"], predict(network, splits["validation"], device))
    print(f"mean of the last: {figures}", flush=True)
    return network.cpu().eval()


def remembering(rows: Encoded, network: Network, device: str) -> Encoded:
    """The rows; in English ones of public sets, the labels that most sets know are in part what the network says."""
    public = np.array([not source.startswith(_CERTAIN) for source in rows.sources])
    chosen = np.flatnonzero((rows.languages == "en") & public)
    said = 1 / (1 + np.exp(-predict(network, rows.take(chosen), device)[:, : len(FIRST)]))
    labels, weights = rows.labels.copy(), rows.weights.copy()
    own = labels[chosen, : len(FIRST)]
    labels[chosen, : len(FIRST)] = np.where(np.isnan(own), said, (1 - _REMEMBERED) * own + _REMEMBERED * said)
    usual = weights[chosen].max(axis=1, keepdims=True)
    weights[chosen, : len(FIRST)] = np.where(np.isnan(own), 0.5 * usual, weights[chosen, : len(FIRST)])
    return replace(rows, labels=labels, weights=weights)


def batches(rows: Encoded, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The rows' indices in batches of similar length, shuffled; all of one size, so that every row counts alike."""
    lengths = rows.lengths()
    order = rng.permutation(len(rows))
    found = []
    for start in range(0, len(order), _BATCH * _SORTED):
        part = order[start : start + _BATCH * _SORTED]
        part = part[np.argsort(lengths[part], kind="stable")]
        found += [part[at : at + _BATCH] for at in range(0, len(part), _BATCH)]
    yield from (found[at] for at in rng.permutation(len(found)))


@torch.no_grad()
def predict(network: Network, rows: Encoded, device: str = "cpu") -> NDArray[np.float32]:
    """Logits, [rows, labels]; a row is read as far as its first window."""
    network.eval()
    logits = np.zeros((len(rows), len(LABELS)), np.float32)
    for batch in batches(rows, np.random.default_rng(0)):
        logits[batch] = network(torch.from_numpy(rows.block(batch)).to(device)).cpu().numpy()
    return logits


def balance(labels: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """A positive's weight by label: the square root of how far the negatives outweigh them, from 1 to 3."""
    weights = weights * ~np.isnan(labels)
    positive = (np.nan_to_num(labels) * weights).sum(axis=0)
    negative = weights.sum(axis=0) - positive
    return np.clip(np.sqrt(negative / np.maximum(positive, 1)), 1, 3).astype(np.float32)


def _add(mean: dict[str, torch.Tensor], weights: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """A mean with a share of further weights."""
    return {name: mean.get(name, 0.0) + share * value.detach() for name, value in weights.items()}


def _figures(rows: Encoded, logits: NDArray[np.float32]) -> str:
    shown = []
    for place, label in enumerate(LABELS):
        truth = rows.labels[:, place]
        sure = (truth <= 0.25) | (truth >= 0.75)
        if len(set((truth[sure] >= 0.5).tolist())) == 2:
            shown.append(f"{label} {roc_auc_score(truth[sure] >= 0.5, logits[sure, place]):.3f}")
    jigsaw = (rows.sources == "jigsaw") & ~np.isnan(rows.labels[:, 0])
    shown.append(f"jigsaw {roc_auc_score(rows.labels[jigsaw, 0] >= 0.5, logits[jigsaw, 0]):.4f}")
    return " ".join(shown)
