"""From an image, a video or a sound to what policies read, and to what is told of it.

Pictures are looked at as they come and then forgotten, so that an hour of video takes no more memory than a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seemly.core.content import MAX_TEXT, Audio, Image, Text, Video
from seemly.engine.leaf import Leaf, Place
from seemly.engine.plan import Plan
from seemly.engine.result import ImageLabel, MediaResult
from seemly.engine.vision import ImageAnalyzer
from seemly.media.decoding import Capture, Decoder, Piece, take_pieces
from seemly.media.image import ALL_LABELS, IMAGE_LABELS, DetectedText, ImageAnalysis, Picture, Region
from seemly.media.speech import Segment, Sound

__all__ = ["Media", "read_media"]

_TOGETHER = 4
"""Pictures that are looked at together."""

PASSAGE = 400
"""The most code points of speech that are read as one text, the length that the closer text model reads at once."""

_PAUSE = 2_000
"""Milliseconds of silence after which speech starts a new text."""


@dataclass(frozen=True, slots=True)
class Media:
    """What one image, video or sound comes down to: leaves, why parts of it could not be read, and what to tell.

    `lost` are the labels that some picture could not be looked at for, and `hash` where one could not be hashed;
    `unread` says that a part could not be taken apart.
    """

    leaves: tuple[Leaf, ...]
    failures: tuple[Exception, ...]
    lost: frozenset[str]
    unread: bool
    result: MediaResult


def read_media(
    part: Image | Video | Audio,
    name: str | None,
    plan: Plan,
    capture: Capture,
    decoders: Mapping[str, Decoder | str],
    enough: Callable[[Sequence[Leaf]], bool] | None = None,
) -> Media:
    """Take a part apart, look at its pictures and write down its speech. What fails is told, and the rest counts.

    `enough` is asked after every few pictures whether what was seen so far decides, and the rest may be left out.
    """
    reader = _Reader(plan, name)
    waiting: list[Picture] = []
    pieces = take_pieces(part, decoders, capture)
    unread = False
    while True:
        try:
            piece = next(pieces, None)
        except Exception as error:  # noqa: BLE001  (whatever a decoder raises must not cost what it gave before)
            reader.failures.append(error)
            piece, unread = None, True
        if isinstance(piece, Picture):
            waiting.append(piece)
        if waiting and (piece is None or len(waiting) == _TOGETHER):
            seen = reader.look(waiting)
            waiting = []
            if enough is not None and enough(seen):
                break
        if piece is None:
            break
        reader.hear(piece)
    reader.close()
    result = reader.tell(part.type)
    return Media(tuple(reader.leaves), tuple(reader.failures), frozenset(reader.lost), unread, result)


@dataclass(slots=True)
class _Reader:
    plan: Plan
    name: str | None
    leaves: list[Leaf] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    segments: list[Segment] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    writings: list[DetectedText] = field(default_factory=list)
    pictures: int = 0
    speech_ms: int = 0
    _passage: list[Segment] = field(default_factory=list)
    _eyes: ImageAnalyzer | None = None
    _written: tuple[str, ...] = ()
    _told: set[str] = field(default_factory=set)

    def look(self, pictures: Sequence[Picture]) -> list[Leaf]:
        """Take in what the models see in pictures. Returns the leaves that are new."""
        self.pictures += len(pictures)
        if self._eyes is None:
            self._eyes = ImageAnalyzer(self.plan)
        sights = self._eyes.look([picture.pixels for picture in pictures])
        self.failures += self._eyes.new_failures()
        self.lost |= self._eyes.lost
        before = len(self.leaves)
        for picture, sight in zip(pictures, sights, strict=True):
            self._keep(sight, picture.time_ms)
        return self.leaves[before:]

    def hear(self, piece: Piece) -> None:
        """What is said in a sound, or stands in a text; pictures are looked at elsewhere."""
        if isinstance(piece, Text):
            for start in range(0, max(1, len(piece.text)), MAX_TEXT):
                self.leaves.append(Leaf(self.name, piece.text[start : start + MAX_TEXT], places=(Place(0),)))
        elif isinstance(piece, Sound):
            self.speech_ms += piece.duration_ms
            try:
                transcriber = self.plan.senses.transcriber(self.plan.channel.transcription_quality)
                self._say(transcriber.transcribe(piece))
            except Exception as error:  # noqa: BLE001  (of what cannot be written down the rest counts)
                if str(error) not in self._told:
                    self.failures.append(error)
                self._told.add(str(error))

    def close(self) -> None:
        """Take in what was said last."""
        if self._passage:
            self.leaves.append(_passage_leaf(self.name, self._passage))
            self._passage = []

    def tell(self, kind: str) -> MediaResult:
        """Everything seen and heard."""
        spoken = " ".join(segment.text for segment in self.segments)
        asked = self.plan.channel.include_transcript_in_response and self.speech_ms > 0
        covered = set() if self._eyes is None else self._eyes.labels
        return MediaResult(
            kind,
            self.name,
            tuple(ImageLabel(label, self.scores[label]) for label in ALL_LABELS if label in self.scores),
            tuple(label for label in IMAGE_LABELS if label not in covered) if self.pictures else (),
            tuple(self.regions),
            tuple(self.writings),
            spoken if asked and (self.segments or not self._told) else None,
            self.pictures,
            self.speech_ms,
        )

    def _say(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            said = self._passage
            length = sum(len(each.text) + 1 for each in said)
            if said and (segment.start_ms - said[-1].end_ms > _PAUSE or length + len(segment.text) > PASSAGE):
                self.close()
            self._passage.append(segment)
            self.segments.append(segment)

    def _keep(self, sight: ImageAnalysis, time_ms: int | None) -> None:
        for label, score in sight.scores.items():
            self.scores[label] = max(self.scores.get(label, 0.0), score)
        self.regions.extend(replace(region, time_ms=time_ms) for region in sight.regions)
        self.leaves.append(Leaf(self.name, sight=sight, time_ms=time_ms))
        # What stands still from frame to frame was written once, and counts once.
        written = tuple(writing.text for writing in sight.writings)
        if written != self._written:
            self._write(sight.writings, time_ms)
        self._written = written

    def _write(self, writings: Sequence[DetectedText], time_ms: int | None) -> None:
        self.writings.extend(replace(writing, time_ms=time_ms) for writing in writings)
        lines = [writing for writing in writings if not writing.code]
        if lines:
            self.leaves.append(_written_leaf(self.name, lines, time_ms))
        self.leaves.extend(_written_leaf(self.name, [writing], time_ms) for writing in writings if writing.code)


def _written_leaf(name: str | None, lines: Sequence[DetectedText], time_ms: int | None) -> Leaf:
    """The lines of a picture as one text: a sentence goes on in the next line."""
    text, places = "", []
    for line in lines:
        text += "\n" if text else ""
        places.append(Place(len(text), time_ms, line.box))
        text += line.text
    return Leaf(name, text[:MAX_TEXT], places=tuple(places))


def _passage_leaf(name: str | None, segments: Sequence[Segment]) -> Leaf:
    text, places = "", []
    for segment in segments:
        text += " " if text else ""
        places.append(Place(len(text), segment.start_ms))
        text += segment.text
    return Leaf(name, text[:MAX_TEXT], places=tuple(places))
