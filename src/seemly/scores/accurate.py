"""The accurate model: a small transformer that reads one text at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.manifest import Manifest
from seemly.pieces import END, START, Pieces
from seemly.scores.session import Opened, open_session

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AccurateModel"]


class AccurateModel:
    """Pickles as its folder; weights load with the first text.

    Its matrices are quantized with one scale for the whole input, which padding and neighbours would change: so a
    text is read alone, and scores the same however it comes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.read(folder)
        self._network = Opened(lambda: _Network(self.manifest, folder))

    def read(self, text: str) -> NDArray[np.float32]:
        """The probabilities of every label for a text's first `manifest.window` pieces."""
        return self._network().run(text)

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError where they do not load."""
        self._network()

    def __reduce__(self) -> tuple[type[AccurateModel], tuple[Path]]:
        return AccurateModel, (self.folder,)


class _Network:
    """An open session with its vocabulary."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._room = manifest.window - 2
        self._pieces = Pieces(manifest.load(folder, "vocab.txt").decode().split("\n"), bare=True)
        self._session = open_session(manifest.load(folder, "weights.onnx"), manifest.name)

    def run(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        pieces = [START, *self._pieces.encode(text)[: self._room], END]
        scores: NDArray[np.float32] = self._session.run(None, {"pieces": np.array([pieces], np.int32)})[0][0]
        return scores
