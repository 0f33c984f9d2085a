"""What looks at pictures and listens to speech: the models of media that are installed, found when first asked for.

Each comes with an extra, or, as a folder, with the user's own models: `image-<name>` holds an image classifier (see
`seemly.adapters.images.onnx_classifier`), `speech-<name>` a Whisper model (see `seemly.adapters.audio.whisper`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from seemly.core.errors import ModelError
from seemly.core.locks import ProcessLock
from seemly.inference.manifest import FILE
from seemly.media.hashing import Hasher
from seemly.media.image import ImageAnalysis, ImageModel
from seemly.media.speech import Quality, Transcriber

__all__ = ["MediaModels"]

_VIEWERS = (
    ("nudenet", "seemly.adapters.images.nudity:NudityModel"),
    ("rapidocr", "seemly.adapters.images.ocr:TextReader"),
    ("zxingcpp", "seemly.adapters.images.barcodes:CodeReader"),
)
"""What looks at pictures: the package that it needs, and where it is."""

_CLASSIFIER = "seemly.adapters.images.onnx_classifier:ImageClassifier"
_HASHER = ("pdqhash", "seemly.adapters.images.pdq:PdqHasher")
_SPHINX = ("pocketsphinx", "seemly.adapters.audio.sphinx:SphinxTranscriber")
_WHISPER = ("faster_whisper", "seemly.adapters.audio.whisper:WhisperTranscriber")
_WEIGHTS = "model.bin"

T = TypeVar("T")


class MediaModels:
    """The models of media of one application. Those given are used as they are, the others found among what is
    installed and, under `roots`, in folders of the user's own. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        viewers: Sequence[ImageModel] | None = None,
        hasher: Hasher | None = None,
        transcriber: Transcriber | None = None,
        roots: Callable[[], Sequence[Path]] = tuple,
    ) -> None:
        self._given = (viewers, hasher, transcriber)
        self._roots = roots
        self._lock = ProcessLock()
        self._found: dict[str, Any] = {}

    def viewers(self) -> tuple[ImageModel, ...]:
        """Everything that looks at pictures; a model of the user's that cannot work fails when it is asked."""
        given = self._given[0]
        return tuple(given) if given is not None else self._once("viewers", self._find_viewers)

    def hasher(self) -> Hasher:
        """What hashes pictures. Raises ModelError where nothing does."""
        return self._given[1] or self._once("hasher", _find_hasher)

    def transcriber(self, quality: Quality) -> Transcriber:
        """What writes speech down: of those installed the fastest for SPEED, the next for BALANCED, the last for
        ACCURACY; of Whisper models the smaller is taken for the faster. Raises ModelError where there is none.
        """
        if self._given[2] is not None:
            return self._given[2]
        found = self._once("transcribers", self._find_transcribers)
        if not found:
            raise ModelError('nothing that writes speech down is installed: pip install "seemly[media]"')
        place = {"SPEED": 0, "BALANCED": min(1, len(found) - 1), "ACCURACY": len(found) - 1}
        return found[place[quality]]

    def warm_up(self, quality: Quality) -> None:
        """Load every model that is there. Raises ModelError where one does not load."""
        for viewer in self.viewers():
            viewer.warm_up()
        self.transcriber(quality).warm_up()

    def _once(self, name: str, find: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._found:
                self._found[name] = find()
            found: T = self._found[name]
            return found

    def _find_viewers(self) -> tuple[ImageModel, ...]:
        installed = [_load(name)() for package, name in _VIEWERS if find_spec(package) is not None]
        folders = self._folders("image-", FILE)
        return (*installed, *(_open(folder) for folder in folders))

    def _find_transcribers(self) -> tuple[Transcriber, ...]:
        installed = [_load(_SPHINX[1])()] if find_spec(_SPHINX[0]) is not None else []
        folders = self._folders("speech-", _WEIGHTS) if find_spec(_WHISPER[0]) is not None else []
        folders.sort(key=lambda folder: (folder / _WEIGHTS).stat().st_size)
        return (*installed, *(_load(_WHISPER[1])(folder) for folder in folders))

    def _folders(self, prefix: str, holding: str) -> list[Path]:
        """The folders of models of one sort, by name; of several of one name that of the first root."""
        found: dict[str, Path] = {}
        for root in self._roots():
            for path in sorted(root.glob(f"{prefix}*")):
                if (path / holding).is_file():
                    found.setdefault(path.name, path)
        return [found[name] for name in sorted(found)]


class _Unusable:
    """A model of the user's that cannot work: it fails whenever it is asked, and keeps nobody else from looking."""

    labels: tuple[str, ...] = ()

    def __init__(self, error: ModelError) -> None:
        self._error = str(error)

    def look(self, pictures: Sequence[object]) -> list[ImageAnalysis]:
        """Raises the ModelError, whatever the pictures."""
        del pictures
        raise ModelError(self._error)

    def warm_up(self) -> None:
        """Raises the ModelError."""
        raise ModelError(self._error)


def _open(folder: Path) -> ImageModel:
    try:
        model: ImageModel = _load(_CLASSIFIER)(folder)
    except ModelError as error:
        return _Unusable(error)
    return model


def _find_hasher() -> Hasher:
    package, name = _HASHER
    if find_spec(package) is None:
        raise ModelError('nothing that hashes images is installed: pip install "seemly[hash]"')
    hasher: Hasher = _load(name)()
    return hasher


def _load(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found
