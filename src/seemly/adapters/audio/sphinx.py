"""Speech written down by PocketSphinx: `pip install "seemly[media]"`. Its model, of American English, comes in its
wheel; nothing is downloaded.

It is small, needs no accelerator, and is far behind today's recognizers: of clear speech it gets most words right, of
speech in noise or over other voices few, and of other languages none. See `seemly.adapters.audio.whisper` for better.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.core.errors import ModelError
from seemly.core.locks import ProcessLock
from seemly.inference.session import Opened
from seemly.media.speech import RATE, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from seemly.media.speech import Sound

__all__ = ["SphinxTranscriber", "Word", "join_words"]

_FRAME_MS = 10
_PAUSE_MS = 500
"""Words that are further apart than this go into two segments."""

_FILLER = re.compile(r"[<\[].*")
_VARIANT = re.compile(r"\(\d+\)$")

_SETTINGS = {
    "loglevel": "FATAL",  # its log holds what was said
    "fwdflat": False,  # a second pass finds a few more words in noise, but cannot be done in steps: see `_listen`
    "maxwpf": 20,  # words that may end in one moment; without a bound, of noise more than linear time is made
    "compallsen": True,  # without it, what it computes for a moment of sound depends on what it heard before
}
_GLANCE = RATE * 2
_STEP = RATE // 20
"""How many samples it is given at a time, in the first and in the second reading. See `_listen`."""

_NOTHING = "nothing"
"""The name of a search for one word, the least that the decoder can do with a sound; without a name, it is for all."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as PocketSphinx writes it, its first and last frame of 10 ms, and how sure it is of it, 0 to 1."""

    text: str = field(repr=False)
    first: int
    last: int
    probability: float


class SphinxTranscriber:
    """Writes English down, in small letters, without punctuation, numbers in words.

    Pickles as nothing but itself; the model loads with the first sound. Safe to call from threads: their sounds are
    written down one after the other by one decoder. More would be no faster, for PocketSphinx keeps Python's
    interpreter to itself while it works; it is given sounds in small steps, so that other threads run between them.
    """

    def __init__(self) -> None:
        self._decoder = Opened(_open)
        self._turn = ProcessLock()

    def transcribe(self, sound: Sound) -> list[Segment]:
        """What is said between one pause and the next. Raises ModelError as `warm_up` does.

        The probability of a segment is the mean of its words'. A word's is its posterior in the decoder's lattice: of
        everything that the decoder still thought possible in the end, the share in which the word is said there. What
        it never thought of does not count, so it is too sure of itself, above all where it is wrong.
        """
        decoder = self._decoder()
        with self._turn:
            words = _listen(decoder, sound.samples)
        return join_words(words, sound.time_ms)

    def warm_up(self) -> None:
        """Load the model. Raises ModelError where it is not there."""
        self._decoder()

    def __reduce__(self) -> tuple[type[SphinxTranscriber], tuple[()]]:
        return SphinxTranscriber, ()


def join_words(words: Iterable[Word], time_ms: int = 0) -> list[Segment]:
    """The segments that words make, `time_ms` being the time of their first frame.

    Silence and noise, `<sil>` or `[NOISE]`, are left out, and so is the number that tells one pronunciation of a word
    from another, `the(2)`.
    """
    passages: list[list[Word]] = []
    for word in words:
        if _FILLER.match(word.text):
            continue
        if passages and (word.first - passages[-1][-1].last - 1) * _FRAME_MS <= _PAUSE_MS:
            passages[-1].append(word)
        else:
            passages.append([word])
    return [
        Segment(
            " ".join(_VARIANT.sub("", word.text) for word in passage),
            time_ms + passage[0].first * _FRAME_MS,
            time_ms + (passage[-1].last + 1) * _FRAME_MS,
            sum(word.probability for word in passage) / len(passage),
        )
        for passage in passages
    ]


def _open() -> Any:
    if find_spec("pocketsphinx") is None:
        raise ModelError('what writes speech down is not installed: pip install "seemly[media]"')
    from pocketsphinx import Decoder

    try:
        decoder = Decoder(**_SETTINGS)
        decoder.add_keyphrase(_NOTHING, "nothing")
    except (RuntimeError, ValueError) as error:
        raise ModelError(
            "PocketSphinx cannot load the model that comes with it: install its wheel from PyPI"
        ) from error
    return decoder


def _listen(decoder: Any, samples: NDArray[np.int16]) -> list[Word]:
    """The words of a sound, fillers among them, whatever the decoder heard before.

    Features count from their mean over the sound. PocketSphinx takes it itself where it gets a sound in one piece, and
    lets no other thread run until it has read it, which may take seconds. So the sound is read twice: at a glance, in
    pieces, of which the means are taken, and in small steps, with the mean of those.
    """
    mean = _find_mean(decoder, samples)
    if mean is None:
        return []
    decoder.reinit_feat()
    decoder.set_cmn(",".join(f"{value:.4f}" for value in mean))
    decoder.activate_search()
    _read(decoder, [samples[at : at + _STEP] for at in range(0, len(samples), _STEP)], whole=False)
    return [Word(heard.word, heard.start_frame, heard.end_frame, min(1.0, heard.prob)) for heard in decoder.seg() or ()]


def _find_mean(decoder: Any, samples: NDArray[np.int16]) -> NDArray[np.float64] | None:
    """The mean of the features of a sound; None of one that has none, or is nothing but zeros."""
    # The noise of the sound before would be taken off this one.
    decoder.reinit_feat()
    decoder.activate_search(_NOTHING)
    means: list[NDArray[np.float64]] = []
    weights: list[int] = []
    for at in range(0, len(samples), _GLANCE):
        piece = samples[at : at + _GLANCE]
        _read(decoder, [piece], whole=True)
        mean = np.array([float(value) for value in decoder.get_cmn(False).split(",")])
        if np.isfinite(mean).all():
            means.append(mean)
            weights.append(len(piece))
    return np.average(means, axis=0, weights=weights) if means else None


def _read(decoder: Any, pieces: Sequence[NDArray[np.int16]], *, whole: bool) -> None:
    decoder.start_utt()
    try:
        for piece in pieces:
            decoder.process_raw(piece.tobytes(), full_utt=whole)
    finally:
        decoder.end_utt()
