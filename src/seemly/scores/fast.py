"""The fast tier: static piece embeddings, one convolution, one small head."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from seemly.manifest import Manifest
from seemly.pieces import Pieces
from seemly.scores.scorer import pick
from seemly.scores.session import Opened, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FastScorer"]

_BATCH = 1_024
"""Pieces in one run of the session, padding included: bounds memory, and keeps a run within the cache."""


class FastScorer:
    """Reads every text to its end. Pickles as its folder; weights load with the first text."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manifest = Manifest.read(folder)
        self._network = Opened(lambda: _Network(self._manifest, folder))

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can score."""
        return self._manifest.labels

    @property
    def languages(self) -> frozenset[str]:
        """The languages that it was trained and measured on."""
        return self._manifest.languages

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels]; the thresholds make no difference to this tier."""
        del thresholds
        return pick(self._network().run(texts), self.labels, labels)

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """Its probabilities, [texts, labels]."""
        return self.score(texts, labels, ())

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """False of each."""
        del labels, thresholds
        return [False] * len(texts)

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError where they do not load."""
        self._network()

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Probabilities of a text and of copies that lack a part each, [1 + copies, labels]."""
        return self.score([text, *without], labels, thresholds)

    def __reduce__(self) -> tuple[type[FastScorer], tuple[Path]]:
        return FastScorer, (self.folder,)


class _Network:
    """An open session with its vocabulary."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._manifest = manifest
        self._pieces = Pieces(manifest.load(folder, "vocab.txt").decode().split("\n"))
        self._session = open_session(manifest.load(folder, "weights.onnx"), manifest.name)

    def run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The probabilities of every label: of a text's windows the largest, 0 for a text that has no words."""
        import numpy as np

        stride = self._manifest.stride
        windows: list[list[int]] = []
        owners: list[int] = []
        for owner, text in enumerate(texts):
            pieces = self._pieces.encode(text)
            last = max(0, len(pieces) - self._manifest.window + stride - 1)
            for start in range(0, last + 1 if pieces else 0, stride):
                windows.append(pieces[start : start + self._manifest.window])
                owners.append(owner)
        if len(windows) == len(texts) == 1:
            return self._score(np.array(windows, np.int32))
        scores = np.zeros((len(texts), len(self._manifest.labels)), np.float32)
        for batch in _batches(windows):
            block = np.zeros((len(batch), len(windows[batch[-1]])), np.int32)
            lengths = np.fromiter([len(windows[index]) for index in batch], np.intp, len(batch))
            block[np.arange(block.shape[1]) < lengths[:, None]] = list(
                chain.from_iterable([windows[index] for index in batch])
            )
            np.maximum.at(scores, [owners[index] for index in batch], self._score(block))
        return scores

    def _score(self, block: NDArray[np.int32]) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = self._session.run(None, {"pieces": block})[0]
        return scores


def _batches(windows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The windows' indices, shortest window first, in batches of at most `_BATCH` pieces once padded."""
    batch: list[int] = []
    for index in sorted(range(len(windows)), key=lambda index: len(windows[index])):
        if batch and (len(batch) + 1) * len(windows[index]) > _BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
