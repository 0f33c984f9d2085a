"""Where the fast model starts: at an earlier fast model, to which pieces are added.

The accurate model's pieces mean the same in all its languages. A linear map from them to the earlier embeddings,
fitted to the pieces that are in its vocabulary, gives every new piece its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from seemly.inference.tokenizer import CONTINUED, END, SPECIAL, WordPieceTokenizer
from training.rows import FIRST, LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_DEVIATION = 0.15
"""The standard deviation of the embeddings that the network is trained with."""

_RIDGE = 30.0
_UNLIKELY = -3.0


def extended(folder: Path, learned: Sequence[str]) -> list[str]:
    """The vocabulary of the fast model in `folder`, and what of `learned` it lacks."""
    known = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    have = set(known)
    return [*known, *(piece for piece in learned if piece not in have)]


def begin(folder: Path, vocabulary: Sequence[str], pieces: Sequence[str], table: Array) -> dict[str, torch.Tensor]:
    """The weights to start with: those of the fast model in `folder`, for all `vocabulary`.

    `pieces` and `table` are the accurate model's vocabulary and embeddings.
    """
    rows = _constants(folder / "rows.onnx")
    head = _constants(folder / "head.onnx")
    known = rows["table"].astype(np.float32) * rows["scales"]
    unit = _DEVIATION / float(known.std())
    meant = _meanings(vocabulary, pieces, table)
    told = np.abs(meant[: len(known)]).sum(axis=1) > 0
    told[: len(SPECIAL)] = False
    given, wanted = meant[: len(known)][told], known[told] * unit
    mapped = np.linalg.solve(given.T @ given + _RIDGE * np.eye(given.shape[1]), given.T @ wanted)
    embedding = np.concatenate([known * unit, meant[len(known) :] @ mapped])
    features = rows["taps"].shape[1] // 3
    out = np.zeros((len(LABELS), head["out"].shape[0]), np.float32)
    out[: len(FIRST)] = head["out"].T[: len(FIRST)]
    bias = np.full(len(LABELS), _UNLIKELY, np.float32)
    bias[: len(FIRST)] = head["out_bias"][: len(FIRST)]
    state = {
        "embedding.weight": embedding,
        "taps.weight": rows["taps"].T,
        "bias": rows["bias"][features : 2 * features] * unit,
        "hidden.weight": head["hidden"].T / unit,
        "hidden.bias": head["hidden_bias"],
        "out.weight": out,
        "out.bias": bias,
    }
    return {name: torch.from_numpy(np.array(value, np.float32, order="C")) for name, value in state.items()}


def _meanings(vocabulary: Sequence[str], pieces: Sequence[str], table: Array) -> Array:
    """For each piece of `vocabulary`, the mean of the accurate model's pieces that it is made of; 0 if of none."""
    cutter = WordPieceTokenizer(pieces, bare=True)
    numbers = {piece: at for at, piece in enumerate(pieces)}
    centred = table - table[END + 1 :].mean(axis=0)
    rows = np.zeros((len(vocabulary), table.shape[1]), np.float32)
    for at, piece in enumerate(vocabulary):
        if piece in numbers:
            rows[at] = centred[numbers[piece]]
        else:
            cut = cutter.encode(piece.removeprefix(CONTINUED))
            cut = cut[cut > END]
            if len(cut):
                rows[at] = centred[cut].mean(axis=0)
    return rows


def _constants(path: Path) -> dict[str, Array]:
    return {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
