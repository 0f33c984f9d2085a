"""The fast tier: static piece embeddings, one convolution, one small head."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from seemly.inference.manifest import Manifest
from seemly.inference.piece_features import Rows
from seemly.inference.scorer import pick
from seemly.inference.session import Opened, open_session
from seemly.inference.tokenizer import PAD, WordPieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FastScorer"]

_BATCH = 1_024
"""Pieces that are read together: bounds memory, and keeps their rows within the cache."""


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

    def supported(self, label: str, language: str | None) -> bool:
        """Return whether a label may flag in a language, as it was measured; always if it cannot be told (None)."""
        return self._manifest.supports(label, language)

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
    """An open model with its vocabulary.

    Of each piece there is a row: what it gives every feature where it stands before, at and after a place, and then
    its embedding. A text is the largest of each feature over its places, and the mean embedding.
    """

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._manifest = manifest
        vocabulary = manifest.load(folder, "vocab.txt").decode().split("\n")
        self._pieces = WordPieceTokenizer(vocabulary)
        self._rows = Rows(open_session(manifest.load(folder, "rows.onnx"), manifest.name), len(vocabulary))
        self._head = open_session(manifest.load(folder, "head.onnx"), manifest.name)
        self._pooled: int = self._head.get_inputs()[0].shape[1]
        # A row has each feature three times, and the embedding once; what is pooled has either once.
        self._features = (self._rows.width - self._pooled) // 2

    def run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The probabilities of every label: of a text's windows the largest, 0 for a text that has no words."""
        import numpy as np

        size, stride = self._manifest.window, self._manifest.stride
        windows: list[NDArray[np.int32]] = []
        owners: list[int] = []
        for owner, text in enumerate(texts):
            pieces = self._pieces.encode(text)
            for start in range(0, max(1, len(pieces) - size + stride) if len(pieces) else 0, stride):
                windows.append(pieces[start : start + size])
                owners.append(owner)
        if len(windows) == len(texts) == 1:
            return self._score(windows)
        scores = np.zeros((len(texts), len(self._manifest.labels)), np.float32)
        for start, end in _batches(windows):
            np.maximum.at(scores, owners[start:end], self._score(windows[start:end]))
        return scores

    def _score(self, windows: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
        """The probabilities, [windows, labels], of windows none of which is empty."""
        import numpy as np

        features = self._features
        rows = self._rows.take(_join(windows))
        summed = rows[:, features : 2 * features]
        summed[1:] += rows[:-1, :features]
        summed[:-1] += rows[1:, 2 * features : 3 * features]
        embedded = rows[:, 3 * features :]
        pooled = np.empty((len(windows), self._pooled), np.float32)
        largest, mean = pooled[:, :features], pooled[:, features:]
        if len(windows) == 1:
            np.maximum(summed.max(axis=0), 0, out=largest[0])
            np.divide(np.add.reduce(embedded, dtype=np.int32), len(rows), out=mean[0])
        else:
            lengths = np.array([len(window) for window in windows])
            starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 1)])
            summed[starts[1:] - 1] = 0
            np.maximum(np.maximum.reduceat(summed, starts), 0, out=largest)
            np.divide(np.add.reduceat(embedded, starts, dtype=np.int32), lengths[:, None], out=mean)
        scores: NDArray[np.float32] = self._head.run(None, {"pooled": pooled})[0]
        return scores


def _join(windows: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """The windows one after another, with padding between them, which gives its neighbours nothing. Its own place is to
    be left out."""
    import numpy as np

    if len(windows) == 1:
        return windows[0]
    gap = np.array([PAD], np.int32)
    return np.concatenate([*chain.from_iterable([(window, gap) for window in windows])][:-1])


def _batches(windows: Sequence[NDArray[np.int32]]) -> Iterator[tuple[int, int]]:
    """Where batches of windows start and end, of at most `_BATCH` pieces each or of one window."""
    start = pieces = 0
    for end, window in enumerate(windows):
        if end > start and pieces + len(window) > _BATCH:
            yield start, end
            start, pieces = end, 0
        pieces += len(window)
    if windows:
        yield start, len(windows)
