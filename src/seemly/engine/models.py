"""Where models are, and the scorers that they make. Nothing is downloaded, ever."""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from seemly.core.errors import ConfigError, ModelError
from seemly.core.locks import ProcessLock
from seemly.inference.accurate import AccurateModel
from seemly.inference.cascade import EVERYTHING, CascadeScorer
from seemly.inference.fast import FastScorer
from seemly.inference.language import Detector
from seemly.inference.manifest import FILE, Manifest
from seemly.media.providers import MediaModels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from seemly.inference.scorer import Scorer
    from seemly.media.hashing import Hasher
    from seemly.media.image import ImageModel
    from seemly.media.speech import Transcriber

__all__ = ["TIERS", "Models"]

TIERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "fast": ("text-fast",),
        "cascade": ("text-fast", "text-accurate"),
        "accurate": ("text-fast", "text-accurate"),
    }
)
"""The tiers of text scorers, each with its models' folders; the last one's calibration holds."""


_ROOT = "SEEMLY_MODELS"


class Models:
    """The models of one application: opened once, shared by its engines and its threads.

    A model is looked for in `root`, in the folder that `$SEEMLY_MODELS` names, among the weights that come with
    the package, and in the checkout's `models/`; the first folder with a manifest counts. What could not be
    loaded stays so for the life of this object, with the same error each time. Pickles as what it was made of.

    `viewers` look at pictures and `transcriber` writes speech down in place of those that are installed.
    """

    def __init__(
        self,
        root: Path | str | None = None,
        *,
        viewers: Sequence[ImageModel] | None = None,
        hasher: Hasher | None = None,
        transcriber: Transcriber | None = None,
    ) -> None:
        self.root = None if root is None else Path(root)
        self._given = {"viewers": viewers, "hasher": hasher, "transcriber": transcriber}
        self.senses = MediaModels(viewers=viewers, hasher=hasher, transcriber=transcriber, roots=self._roots)
        self._lock = ProcessLock()
        self._scorers: dict[tuple[str, float], Scorer | str] = {}
        self._accurate: AccurateModel | None = None
        self._detector: Detector | None = None

    def path(self, name: str) -> Path:
        """The folder of the model of that name. Raises ModelError where there is none."""
        for root in self._roots():
            if (root / name / FILE).is_file():
                return root / name
        there = ", ".join(self.tiers()) or "none"
        raise ModelError(
            f"there is no model {name!r}: give Models a root that has it, or set ${_ROOT}; tiers that work: {there}"
        )

    def tiers(self) -> tuple[str, ...]:
        """The tiers whose models are there."""
        there = {name for names in TIERS.values() for name in names if self._has(name)}
        return tuple(tier for tier, names in TIERS.items() if there.issuperset(names))

    def scorer(self, tier: str, share: float = 0.2) -> Scorer:
        """The scorer of a tier, the same one each time; its weights load with the first text.

        `share`, 0 to 1, is how much of ordinary traffic the accurate model of the cascade reads. Raises ConfigError
        for a tier that there is not, ModelError where a manifest cannot be read.
        """
        self._names(tier)
        wanted = (tier, share if tier == "cascade" else EVERYTHING)
        with self._lock:
            if wanted not in self._scorers:
                try:
                    self._scorers[wanted] = self._make(*wanted)
                except ModelError as error:
                    self._scorers[wanted] = str(error)
            scorer = self._scorers[wanted]
        if isinstance(scorer, str):
            raise ModelError(scorer)
        return scorer

    def detector(self) -> Detector:
        """The language detector, the same one each time; its model loads with the first text that needs it.

        Raises ModelError where there is none.
        """
        with self._lock:
            return self._find_detector()

    def default_thresholds(self, tier: str) -> Mapping[str, float]:
        """The probability from which each label counts as found, as calibration set it."""
        return Manifest.read(self.path(self._names(tier)[-1])).thresholds

    def versions(self, tier: str) -> Mapping[str, str]:
        """The versions of a tier's models, by name. Raises ConfigError, ModelError as `scorer` does."""
        return {name: Manifest.read(self.path(name)).version for name in self._names(tier)}

    def _names(self, tier: str) -> tuple[str, ...]:
        if tier not in TIERS:
            raise ConfigError(f"no such tier: {tier!r}; there are {', '.join(self.tiers()) or 'none'}")
        return TIERS[tier]

    def _has(self, name: str) -> bool:
        return any((root / name / FILE).is_file() for root in self._roots())

    def _make(self, tier: str, share: float) -> Scorer:
        fast = self._scorers.get(("fast", EVERYTHING))
        if not isinstance(fast, FastScorer):
            fast = self._scorers["fast", EVERYTHING] = FastScorer(self.path("text-fast"))
        if tier == "fast":
            return fast
        self._accurate = self._accurate or AccurateModel(self.path("text-accurate"))
        return CascadeScorer(fast, self._accurate, self._find_detector(), share)

    def _find_detector(self) -> Detector:
        if self._detector is None:
            self._detector = Detector(self.path("language"))
        return self._detector

    def _roots(self) -> tuple[Path, ...]:
        package = Path(__file__).parents[1]
        named = os.environ.get(_ROOT)
        first = (self.root, Path(named) if named else None)
        return (
            *(root for root in first if root is not None),
            package / "weights",
            package.parent.parent / "models",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.root, self._given)


def _remade(root: Path | None, given: dict[str, Any]) -> Models:
    return Models(root, **given)
