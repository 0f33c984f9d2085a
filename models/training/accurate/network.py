"""The transformer as it is trained; `export` writes the same arithmetic as an ONNX graph.

Six layers of BERT's shape (Devlin et al. 2018) with MiniLM's sizes (Wang et al. 2020), read out by the mean of the last
layer beside its first token, one hidden layer and a sigmoid a label.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from seemly.inference.tokenizer import END, PAD, UNKNOWN

HEADS = 12
LAYERS = 6
EPSILON = 1e-12


class Layer(nn.Module):
    """Self-attention and a feed-forward part, each followed by a norm over its sum with what came in."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.attend = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.mixed = nn.LayerNorm(width, eps=EPSILON)
        self.widen = nn.Linear(width, inner)
        self.narrow = nn.Linear(inner, width)
        self.narrowed = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """The next layer's input, [texts, length, width]; `mask` is False where there is padding."""
        texts, length, width = x.shape
        q, k, v = self.attend(x).view(texts, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        # Written out: on CPUs, the fused kernel's backward pass takes a third of the time for texts this short.
        likeness = (q @ k.transpose(2, 3)) * (width // HEADS) ** -0.5
        if mask is not None:
            likeness = likeness.masked_fill(~mask, -1e9)
        found = likeness.softmax(dim=3) @ v
        x = self.mixed(x + self.mix(found.transpose(1, 2).reshape(texts, length, width)))
        return self.narrowed(x + self.narrow(functional.gelu(self.widen(x))))


class Network(nn.Module):
    """Logits of texts: [texts, labels] of pieces [texts, length], `[CLS]` first, padded with 0."""

    def __init__(
        self, labels: int, pieces: int, foreign: int = 0, *, width: int = 384, inner: int = 1536, positions: int = 512
    ) -> None:
        super().__init__()
        self.known = pieces
        self.pieces = nn.Embedding(pieces, width, sparse=True)
        # The first row stands for no piece.
        self.foreign = nn.Embedding(foreign + 1, width, sparse=True)
        self.positions = nn.Parameter(torch.zeros(positions, width))
        self.embedded = nn.LayerNorm(width, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(width, inner) for _ in range(LAYERS))
        self.hidden = nn.Linear(2 * width, width)
        self.out = nn.Linear(width, labels)
        self.drop = nn.Dropout(0.1)
        self.drop_pieces = 0.05

    def forward(self, pieces: Tensor) -> tuple[Tensor, Tensor]:
        """Logits, [texts, labels], and what they are made from: the mean of the last layer beside its first place."""
        here = pieces != PAD
        if self.training:
            lost = (torch.rand(pieces.shape, device=pieces.device) < self.drop_pieces) & (pieces > END)
            pieces = pieces.masked_fill(lost, UNKNOWN)
        new = pieces >= self.known
        looked = self.pieces(pieces.masked_fill(new, PAD))
        if bool(new.any()):
            looked = torch.where(new.unsqueeze(2), self.foreign((pieces - self.known + 1).clamp(min=0)), looked)
        x = self.embedded(looked + self.positions[: pieces.shape[1]])
        mask = None if bool(here.all()) else here[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        kept = here.unsqueeze(2)
        mean = (x * kept).sum(dim=1) / kept.sum(dim=1)
        pooled = torch.cat([mean, x[:, 0]], dim=1)
        return self.out(self.drop(functional.gelu(self.hidden(self.drop(pooled))))), pooled
