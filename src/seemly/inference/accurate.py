"""The accurate model: a small transformer that reads one text at a time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from seemly.inference.manifest import Manifest
from seemly.inference.session import Opened, open_session
from seemly.inference.tokenizer import END, START, WordPieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AccurateModel"]

_THREADS = 4


class AccurateModel:
    """Pickles as its folder; weights load with the first text.

    Its matrices are quantized with one scale for the whole input, which padding and neighbours would change: so a
    text is read alone, and scores the same however it comes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.read(folder)
        self._network = Opened(lambda: _Network(self.manifest, folder))
        self._threads = Opened(lambda: ThreadPoolExecutor(min(_THREADS, _cores()), "seemly-accurate"))

    def read(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """The probabilities of every label for each text, on a few threads where there are several texts."""
        network = self._network()
        return [network.run(texts[0])] if len(texts) == 1 else list(self._threads().map(network.run, texts))

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError where they do not load."""
        self._network()

    def __reduce__(self) -> tuple[type[AccurateModel], tuple[Path]]:
        return AccurateModel, (self.folder,)


class _Network:
    """An open session with its vocabulary."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._room = manifest.window - 2
        self._pieces = WordPieceTokenizer(manifest.load(folder, "vocab.txt").decode().split("\n"), bare=True)
        self._session = open_session(manifest.load(folder, "weights.onnx"), manifest.name)

    def run(self, text: str) -> NDArray[np.float32]:
        """The probabilities for a text; of one with more pieces than a window holds, of its windows the largest."""
        import numpy as np

        pieces = self._pieces.encode(text)
        windows = [pieces[start : start + self._room] for start in range(0, max(1, len(pieces)), self._room)]
        framed = [np.array([[START, *window.tolist(), END]], np.int32) for window in windows]
        found = [self._session.run(None, {"pieces": each})[0][0] for each in framed]
        scores: NDArray[np.float32] = found[0] if len(found) == 1 else np.max(found, axis=0)
        return scores


def _cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
