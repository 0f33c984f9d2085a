"""Speech written down by a Whisper model that you have: `pip install "seemly[whisper]"`, and a folder of weights.

The folder is one in CTranslate2's format, as faster-whisper's own models are published and as
`ct2-transformers-converter --copy_files tokenizer.json preprocessor_config.json` writes it. Nothing is downloaded.
"""

from __future__ import annotations

import ctypes
import math
import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from seemly.core.errors import ModelError
from seemly.inference.session import Opened
from seemly.media.speech import Quality, Segment

if TYPE_CHECKING:
    from seemly.media.speech import Sound

__all__ = ["WhisperTranscriber"]

_FILES = ("model.bin", "config.json", "tokenizer.json")
"""Without the last, the library would download one."""

_BEAMS: dict[Quality, int] = {"SPEED": 1, "BALANCED": 2, "ACCURACY": 5}
"""How many readings of a sound are followed at a time; five is the library's own choice."""


class WhisperTranscriber:
    """Writes down the languages that the Whisper model in a folder knows.

    `quality` is how many readings of a sound are followed at a time: 1, 2 or 5. `language` is the code of the one that
    is spoken, `en`; without it the model tells it from the first 30 seconds of each sound. `compute_type` is how
    CTranslate2 calculates, in its own words, and `threads` how many cores it uses.

    Pickles as these settings; the weights load with the first sound. Safe to call from threads: their sounds are
    written down one after the other.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        quality: Quality = "BALANCED",
        language: str | None = None,
        compute_type: str = "int8",
        threads: int = 1,
    ) -> None:
        self._folder = Path(folder)
        self._quality: Quality = quality
        self._language = language
        self._compute_type = compute_type
        self._threads = threads
        self._model = Opened(self._open)

    def transcribe(self, sound: Sound) -> list[Segment]:
        """The segments of a sound, as the model parts them. The probability of one is the geometric mean of those that
        the model gave its tokens. Raises ModelError as `warm_up` does.
        """
        found, _ = self._model().transcribe(
            sound.samples.astype(np.float32) / 32_768.0,
            language=self._language,
            beam_size=_BEAMS[self._quality],
            temperature=0.0,  # the library's other ones draw words at random, and no two calls would be the same
            condition_on_previous_text=False,  # what was misheard once would be heard again
        )
        return [
            Segment(
                segment.text.strip(),
                sound.time_ms + round(segment.start * 1000),
                sound.time_ms + min(round(segment.end * 1000), sound.duration_ms),
                math.exp(segment.avg_logprob),
            )
            for segment in found
            # The model reads 30 seconds at a time, and may hear words in the silence that fills them.
            if segment.text.strip() and segment.start * 1000 < sound.duration_ms
        ]

    def warm_up(self) -> None:
        """Load the weights.

        Raises ModelError where the package or a file of the folder is missing, where CTranslate2 cannot open the
        weights or calculate so, and where the model does not know the language.
        """
        self._model()

    def __reduce__(self) -> tuple[partial[WhisperTranscriber], tuple[Path]]:
        settled = partial(
            WhisperTranscriber,
            quality=self._quality,
            language=self._language,
            compute_type=self._compute_type,
            threads=self._threads,
        )
        return settled, (self._folder,)

    def _open(self) -> Any:
        name = self._folder.name
        missing = [file for file in _FILES if not (self._folder / file).is_file()]
        if missing:
            raise ModelError(
                f"the folder {name!r} lacks {', '.join(missing)}: put a whole Whisper model for CTranslate2 there"
            )
        if find_spec("faster_whisper") is None:
            raise ModelError('what reads Whisper models is not installed: pip install "seemly[whisper]"')
        from faster_whisper import WhisperModel

        try:
            model = WhisperModel(
                str(self._folder),
                device="cpu",
                compute_type=self._compute_type,
                cpu_threads=self._threads,
                local_files_only=True,
            )
        except Exception as error:  # those of CTranslate2 and of tokenizers have no common type of their own
            raise ModelError(f"the Whisper model {name!r} cannot be opened, or not as {self._compute_type}") from error
        if self._language not in (None, *model.supported_languages):
            raise ModelError(f"the Whisper model {name!r} does not know the language {self._language!r}")
        _loaded.add(model)
        return model


_loaded: WeakSet[Any] = WeakSet()


def _leave_alone() -> None:
    """Keep a forked child from ever taking its parent's models apart: it would wait for threads that it has not."""
    for model in _loaded:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_leave_alone)
