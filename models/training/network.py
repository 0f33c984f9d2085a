"""The network, as it is trained; `export` writes the same arithmetic as ONNX graphs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seemly.inference.tokenizer import PAD, UNKNOWN


class Network(nn.Module):
    """Static piece embeddings, a convolution over three pieces, the largest and the mean of each feature, a head."""

    def __init__(self, labels: int, embeddings: Tensor, *, features: int = 128, hidden: int = 128) -> None:
        super().__init__()
        width = embeddings.shape[1]
        self.embedding = nn.Embedding.from_pretrained(embeddings.clone(), freeze=False, padding_idx=PAD)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0
        self.taps = nn.Linear(width, 3 * features, bias=False)
        self.bias = nn.Parameter(torch.zeros(features))
        self.hidden = nn.Linear(features + width, hidden)
        self.out = nn.Linear(hidden, labels)
        self.drop_pieces = 0.08
        self.dropout = nn.Dropout(0.25)

    def sizes(self) -> dict[str, int]:
        """Numbers a piece's embedding has, and features of the convolution."""
        return {"width": self.embedding.embedding_dim, "features": len(self.bias)}

    def forward(self, pieces: Tensor) -> Tensor:
        """Logits, [texts, labels], of padded pieces, [texts, length]."""
        mask = (pieces != PAD).unsqueeze(2)
        if self.training:
            lost = (torch.rand(pieces.shape, device=pieces.device) < self.drop_pieces) & mask.squeeze(2)
            pieces = pieces.masked_fill(lost, UNKNOWN)
        embedded = self.embedding(pieces)
        before, here, after = self.taps(embedded).chunk(3, dim=2)
        summed = here + self.bias
        summed = (
            summed + nn.functional.pad(before[:, :-1], (0, 0, 1, 0)) + nn.functional.pad(after[:, 1:], (0, 0, 0, 1))
        )
        largest = (torch.relu(summed) * mask).amax(dim=1)
        mean = embedded.sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        pooled = self.dropout(torch.cat([largest, mean], dim=1))
        return self.out(self.dropout(torch.relu(self.hidden(pooled))))
