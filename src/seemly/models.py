"""Where models are, and the scorers that they make. Nothing is downloaded, ever."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from seemly.errors import ConfigError, ModelError
from seemly.language import Detector
from seemly.manifest import FILE, Manifest
from seemly.scores import FastScorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seemly.scores import Scorer

__all__ = ["TIERS", "Models"]

TIERS: Mapping[str, str] = MappingProxyType({"fast": "text-fast"})
"""The tiers of text models, each with its model's folder."""

_ROOT = "SEEMLY_MODELS"


class Models:
    """The models of one application: opened once, shared by its engines and its threads.

    A model is looked for in `root`, in the folder that `$SEEMLY_MODELS` names, among the weights that come with
    the package, and in the checkout's `models/`; the first folder with a manifest counts. What could not be
    loaded stays so for the life of this object, with the same error each time. Pickles as its root.
    """

    def __init__(self, root: Path | str | None = None) -> None:
        self.root = None if root is None else Path(root)
        self._lock = threading.Lock()
        self._scorers: dict[str, Scorer | str] = {}
        self._detector: Detector | None = None

    def path(self, name: str) -> Path:
        """The folder of the model of that name. Raises ModelError where there is none."""
        for root in self._roots():
            if (root / name / FILE).is_file():
                return root / name
        raise ModelError(f"there is no model {name!r}: give Models a root that has it, or set ${_ROOT}")

    def tiers(self) -> tuple[str, ...]:
        """The tiers whose models are there."""
        return tuple(
            tier for tier, name in TIERS.items() if any((root / name / FILE).is_file() for root in self._roots())
        )

    def scorer(self, tier: str) -> Scorer:
        """The scorer of a tier, the same one each time; its weights load with the first text.

        Raises ConfigError for a tier that there is not, ModelError where its manifest cannot be read.
        """
        if tier not in TIERS:
            raise ConfigError(f"no such tier: {tier!r}; there are {', '.join(self.tiers()) or 'none'}")
        with self._lock:
            if tier not in self._scorers:
                try:
                    self._scorers[tier] = FastScorer(self.path(TIERS[tier]))
                except ModelError as error:
                    self._scorers[tier] = str(error)
            scorer = self._scorers[tier]
        if isinstance(scorer, str):
            raise ModelError(scorer)
        return scorer

    def detector(self) -> Detector:
        """The language detector, the same one each time; its model loads with the first text that needs it.

        Raises ModelError where there is none.
        """
        with self._lock:
            if self._detector is None:
                self._detector = Detector(self.path("language"))
            return self._detector

    def default_thresholds(self, tier: str) -> Mapping[str, float]:
        """The probability from which each label counts as found, as calibration set it."""
        if tier not in TIERS:
            raise ConfigError(f"no such tier: {tier!r}; there are {', '.join(self.tiers()) or 'none'}")
        return Manifest.read(self.path(TIERS[tier])).thresholds

    def version(self, tier: str) -> str:
        """The version of the model of a tier. Raises ConfigError, ModelError as `scorer` does."""
        if tier not in TIERS:
            raise ConfigError(f"no such tier: {tier!r}; there are {', '.join(self.tiers()) or 'none'}")
        return Manifest.read(self.path(TIERS[tier])).version

    def _roots(self) -> tuple[Path, ...]:
        package = Path(__file__).parent
        named = os.environ.get(_ROOT)
        first = (self.root, Path(named) if named else None)
        return (
            *(root for root in first if root is not None),
            package / "weights",
            package.parent.parent / "models",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Models, (self.root,)
