"""Probabilities for texts: what a scorer is, and the fast one.

The only module that loads onnxruntime, and it does so when the first text is scored.
"""

from __future__ import annotations

import os
import threading
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.errors import ConfigError, ModelError
from seemly.manifest import Manifest
from seemly.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import onnxruntime as ort
    from numpy.typing import NDArray

__all__ = ["FastScorer", "Scorer"]

_BATCH = 1_024
"""Pieces in one run of the session, padding included: bounds memory, and keeps a run within the cache."""


@runtime_checkable
class Scorer(Protocol):
    """Gives texts calibrated probabilities; a text's depend on it alone. Safe to call from several threads."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can score."""
        ...

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels].

        `thresholds` are the channel's, one a label: a scorer of several tiers decides by them where a closer
        look is worth its cost. Raises ConfigError for an unknown label, ModelError for a model that does not load.
        """
        ...


class FastScorer:
    """The fast tier: static piece embeddings, one convolution, one small head; every text is read to its end.

    Weights load with the first text, once; a load that failed is not tried again. Pickles as its folder, and
    opens its own session after a fork.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manifest = Manifest.read(folder)
        self._gate = (os.getpid(), threading.Lock())
        self._loaded: tuple[int, _Network | str] | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can score."""
        return self._manifest.labels

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels]; the thresholds make no difference to this tier."""
        del thresholds
        scores = self._network().run(texts)
        if tuple(labels) == self.labels:
            return scores
        unknown = set(labels).difference(self.labels)
        if unknown:
            raise ConfigError(f"no such label: {', '.join(sorted(unknown))}; there are {', '.join(self.labels)}")
        return scores[:, [self.labels.index(label) for label in labels]]

    def _network(self) -> _Network:
        pid = os.getpid()
        loaded = self._loaded
        if loaded is None or loaded[0] != pid:
            if self._gate[0] != pid:
                # The parent's lock may have been held when this process was forked off.
                self._gate = (pid, threading.Lock())
            with self._gate[1]:
                loaded = self._loaded
                if loaded is None or loaded[0] != pid:
                    self._loaded = loaded = (pid, self._load())
        if isinstance(loaded[1], str):
            raise ModelError(loaded[1])
        return loaded[1]

    def _load(self) -> _Network | str:
        try:
            return _Network(self._manifest, self.folder)
        except ModelError as error:
            return str(error)

    def __reduce__(self) -> tuple[type[FastScorer], tuple[Path]]:
        return FastScorer, (self.folder,)


class _Network:
    """An open session with its vocabulary."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._manifest = manifest
        self._pieces = Pieces(manifest.load(folder, "vocab.txt").decode().split("\n"))
        self._session = _open(manifest.load(folder, "weights.onnx"), manifest.name)

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


def _open(weights: bytes, name: str) -> ort.InferenceSession:
    import onnxruntime as ort

    options = ort.SessionOptions()
    # Callers bring their own threads; a pool of onnxruntime's would fight them, and would not survive a fork.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # shapes differ from call to call
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common type of their own
        raise ModelError(f"the weights of model {name!r} cannot be opened by onnxruntime {ort.__version__}") from error
