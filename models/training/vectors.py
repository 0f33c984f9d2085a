"""Where the fast model's embeddings start: at those of the accurate model, which have one meaning in all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from seemly.inference.tokenizer import CONTINUED, END, WordPieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_DEVIATION = 0.1


def aligned(vocabulary: Sequence[str], pieces: Sequence[str], table: NDArray[np.float32], width: int) -> torch.Tensor:
    """A row of `width` numbers a piece of `vocabulary`: the mean of the accurate model's `pieces` that it is made of.

    They are turned to their principal components, the first of which are kept.
    """
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
    _, _, axes = np.linalg.svd(centred[:: max(1, len(centred) // 20_000)], full_matrices=False)
    found = rows @ axes[:width].T
    return torch.from_numpy((found * (_DEVIATION / found.std())).astype(np.float32))
