"""What a model folder says of itself, and whether its files are those that it names."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from seemly.core.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE", "FORMAT", "Manifest"]

FILE = "manifest.json"
"""The manifest's name within a model's folder."""

FORMAT = 1
"""The layout of manifests that this release reads."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A text model's description.

    `labels` gives the order of the scores, `thresholds` the probability (0 to 1) from which each label counts
    as found. A text of more than `window` pieces is read in windows, each starting `stride` pieces after the
    one before. `languages` are those that it was trained and measured on. `files` maps each file of the folder to its
    sha256. `bands` are the accurate model's: for some shares of ordinary traffic (0 to 1), by label, how far below
    and above the threshold, in log-odds, the fast model's score is uncertain. `blend` is the accurate model's, too: by
    label, what the log-odds of the fast model and its own count where both read a text, and what is added.

    Three keys are about languages, by their ISO 639-1 codes:

    - `languages`: a list of those that the model was trained and measured on.
    - `supported`: by language, the labels that may flag there. A label is listed if, on rows kept from training, its
      area under the ROC curve is .85 or more, its own false alarms on ordinary text are at most .7 % (.3 % in English),
      and 50 natural or written rows or more have it. A language that is not listed supports nothing. Without this key
      every label is supported in every one of `languages`.
    - `calibration`: the accurate model's. By language and label, what `blend` has for texts whose language cannot be
      told: `[fast, accurate, shift]`. It makes one threshold a label fit every language.
    """

    name: str
    version: str
    labels: tuple[str, ...]
    thresholds: Mapping[str, float]
    window: int
    stride: int
    files: Mapping[str, str]
    languages: frozenset[str] = frozenset()
    bands: Mapping[float, Mapping[str, tuple[float, float]]] = field(default_factory=lambda: MappingProxyType({}))
    blend: Mapping[str, tuple[float, float, float]] = field(default_factory=lambda: MappingProxyType({}))
    supported: Mapping[str, frozenset[str]] | None = None
    calibration: Mapping[str, Mapping[str, tuple[float, float, float]]] = field(
        default_factory=lambda: MappingProxyType({})
    )

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of `folder`. Raises ModelError where it is missing, damaged, or of another format."""
        try:
            found = json.loads((folder / FILE).read_bytes())
        except (OSError, ValueError) as error:
            raise ModelError(f"the manifest of model {folder.name!r} cannot be read") from error
        return cls._parse(found, folder.name)

    @classmethod
    def _parse(cls, found: Any, folder: str) -> Manifest:
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ModelError(f"the manifest of model {folder!r} is not of format {FORMAT}, which this release reads")
        try:
            manifest = cls(
                name=str(found["name"]),
                version=str(found["version"]),
                labels=tuple(map(str, found["labels"])),
                thresholds=MappingProxyType({str(k): float(v) for k, v in found["thresholds"].items()}),
                window=int(found["window"]),
                stride=int(found["stride"]),
                files=MappingProxyType({str(k): str(v) for k, v in found["files"].items()}),
                languages=frozenset(map(str, found.get("languages", ()))),
                bands=MappingProxyType(
                    {
                        float(share): {str(label): (float(a), float(b)) for label, (a, b) in band.items()}
                        for share, band in found.get("bands", {}).items()
                    }
                ),
                blend=_blend(found.get("blend", {})),
                supported=None
                if found.get("supported") is None
                else MappingProxyType(
                    {str(code): frozenset(map(str, labels)) for code, labels in found["supported"].items()}
                ),
                calibration=MappingProxyType(
                    {str(code): _blend(labels) for code, labels in found.get("calibration", {}).items()}
                ),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"the manifest of model {folder!r} is incomplete") from error
        labels = set(manifest.labels)
        named = [manifest.blend, *manifest.calibration.values(), *(manifest.supported or {}).values()]
        whole = all(set(band) == labels for band in manifest.bands.values())
        known = labels == set(manifest.thresholds) and all(set(each) <= labels for each in named)
        if not known or not 0 < manifest.stride <= manifest.window or not whole:
            raise ModelError(f"the manifest of model {folder!r} contradicts itself")
        return manifest

    def supports(self, label: str, language: str | None) -> bool:
        """Return whether a label may flag in a language; always if the language cannot be told (None)."""
        if language is None:
            return True
        if self.supported is None:
            return label in self.thresholds and language in self.languages
        return label in self.supported.get(language, ())

    def band(self, share: float) -> Mapping[str, tuple[float, float]]:
        """By label, the band for a share of traffic: between the shares that the model knows, a straight line.

        Below the least of them, but for 0, its band holds, above the greatest, but for 1, that one's. Nothing is
        uncertain at 0, everything at 1. Raises ModelError where the model has no bands.
        """
        if 0.0 < share < 1.0 and not self.bands:
            raise ModelError(f"model {self.name!r} has no bands, which the tier cascade needs")
        if not 0.0 < share < 1.0:
            edge = math.inf if share >= 1.0 else -math.inf
            return dict.fromkeys(self.labels, (edge, edge))
        known = sorted(self.bands)
        low = max((each for each in known if each <= share), default=known[0])
        high = min((each for each in known if each >= share), default=known[-1])
        part = 0.0 if high == low else (share - low) / (high - low)
        return {
            label: (
                (1 - part) * self.bands[low][label][0] + part * self.bands[high][label][0],
                (1 - part) * self.bands[low][label][1] + part * self.bands[high][label][1],
            )
            for label in self.labels
        }

    def load(self, folder: Path, file: str) -> bytes:
        """The bytes of one of the model's files. Raises ModelError unless their sha256 is the manifest's."""
        expected = self.files.get(file)
        if expected is None:
            raise ModelError(f"model {self.name!r} has no file {file!r}")
        try:
            found = (folder / file).read_bytes()
        except OSError as error:
            raise ModelError(f"{file!r} of model {self.name!r} cannot be read") from error
        if hashlib.sha256(found).hexdigest() != expected:
            raise ModelError(f"{file!r} of model {self.name!r} is damaged: its sha256 is not the manifest's")
        return found


def _blend(found: Mapping[str, Any]) -> Mapping[str, tuple[float, float, float]]:
    return MappingProxyType(
        {str(label): (float(fast), float(own), float(shift)) for label, (fast, own, shift) in found.items()}
    )
