"""From an image, a video or a sound to what policies read, and to what is told of it.

Pictures are looked at as they come and then forgotten, so that an hour of video takes no more memory than a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seemly.content import MAX_TEXT, Audio, Image, Text, Video
from seemly.decode import Capture, Decoder, Piece, take_pieces
from seemly.errors import DecodeError
from seemly.frozen import FrozenMapping
from seemly.leaf import Leaf, Place
from seemly.plan import Plan
from seemly.result import ImageLabel, MediaResult
from seemly.sight import ALL_LABELS, IMAGE_LABELS, ImageModel, Picture, Region, Sight, Writing
from seemly.speech import Segment, Sound

__all__ = ["Media", "read_media"]

_TOGETHER = 4
"""Pictures that are looked at together."""

PASSAGE = 400
"""The most code points of speech that are read as one text, the length that the closer text model reads at once."""

_PAUSE = 2_000
"""Milliseconds of silence after which speech starts a new text."""


@dataclass(frozen=True, slots=True)
class Media:
    """What one image, video or sound comes down to: leaves, why parts of it could not be read, and what to tell."""

    leaves: tuple[Leaf, ...]
    failures: tuple[Exception, ...]
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
    while True:
        try:
            piece = next(pieces, None)
        except Exception as error:  # noqa: BLE001  (whatever a decoder raises must not cost what it gave before)
            reader.failures.append(error)
            piece = None
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
    return Media(tuple(reader.leaves), tuple(reader.failures), reader.tell(part.type))


@dataclass(slots=True)
class _Reader:
    plan: Plan
    name: str | None
    leaves: list[Leaf] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    writings: list[Writing] = field(default_factory=list)
    pictures: int = 0
    speech_ms: int = 0
    _passage: list[Segment] = field(default_factory=list)
    _viewers: list[ImageModel] | None = None
    _deaf: bool = False
    _blind: bool = False

    def look(self, pictures: Sequence[Picture]) -> list[Leaf]:
        """Take in what the models see in pictures. Returns the leaves that are new."""
        self.pictures += len(pictures)
        hashes = self._hash(pictures)
        unknown = [at for at, found in enumerate(hashes) if found is None or not self.plan.allows(found)]
        sights = [Sight(hash=found) for found in hashes]
        for seen in self._view([pictures[at] for at in unknown]):
            for at, sight in zip(unknown, seen, strict=True):
                sights[at] = _join(sights[at], sight)
        before = len(self.leaves)
        for picture, sight in zip(pictures, sights, strict=True):
            self._keep(sight, picture.time_ms)
        return self.leaves[before:]

    def hear(self, piece: Piece) -> None:
        """What is said in a sound, or stands in a text; pictures are looked at elsewhere."""
        if isinstance(piece, Text):
            self.leaves.append(Leaf(self.name, piece.text[:MAX_TEXT], places=(Place(0),)))
        elif isinstance(piece, Sound):
            self.speech_ms += piece.duration_ms
            if not self._deaf:
                try:
                    transcriber = self.plan.senses.transcriber(self.plan.channel.transcription_quality)
                    self._say(transcriber.transcribe(piece))
                except Exception as error:  # noqa: BLE001  (of a sound that cannot be written down the pictures count)
                    self._deaf = True
                    self.failures.append(error)

    def close(self) -> None:
        """Take in what was said last."""
        if self._passage:
            self.leaves.append(_passage_leaf(self.name, self._passage))
            self._passage = []

    def tell(self, kind: str) -> MediaResult:
        """Everything seen and heard."""
        spoken = " ".join(segment.text for segment in self.segments)
        transcribed = self.speech_ms > 0 and not self._deaf
        return MediaResult(
            kind,
            self.name,
            tuple(ImageLabel(label, self.scores[label]) for label in ALL_LABELS if label in self.scores),
            tuple(label for label in IMAGE_LABELS if label not in self.scores) if self.pictures else (),
            tuple(self.regions),
            tuple(self.writings),
            spoken if transcribed and self.plan.channel.include_transcript_in_response else None,
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

    def _hash(self, pictures: Sequence[Picture]) -> list[bytes | None]:
        if not self.plan.hashes:
            return [None] * len(pictures)
        try:
            hasher = self.plan.senses.hasher()
            return [hasher.hash(picture.pixels) for picture in pictures]
        except Exception as error:  # noqa: BLE001  (a picture that cannot be hashed can still be looked at)
            if not self._blind:
                self.failures.append(error)
            self._blind = True
            return [None] * len(pictures)

    def _view(self, pictures: Sequence[Picture]) -> Iterator[list[Sight]]:
        """What each model sees, model by model; one that fails is not asked again."""
        if not pictures:
            return
        for viewer in tuple(self._eyes()):
            try:
                found = viewer.look([picture.pixels for picture in pictures])
                if len(found) != len(pictures):
                    raise DecodeError("a model of images gave other than one sight a picture")
            except Exception as error:  # noqa: BLE001  (what one model fails at, others can still see)
                self.failures.append(error)
                self._eyes().remove(viewer)
                for label in viewer.labels:
                    self.scores.pop(label, None)
            else:
                yield found

    def _eyes(self) -> list[ImageModel]:
        if self._viewers is None:
            self._viewers = []
            try:
                self._viewers.extend(self.plan.senses.viewers())
                if not self._viewers:
                    raise DecodeError('nothing that looks at pictures is installed: pip install "seemly[nudity,ocr]"')
            except Exception as error:  # noqa: BLE001  (a model of the user's own that cannot work)
                self.failures.append(error)
        return self._viewers

    def _keep(self, sight: Sight, time_ms: int | None) -> None:
        for label, score in sight.scores.items():
            self.scores[label] = max(self.scores.get(label, 0.0), score)
        self.regions.extend(replace(region, time_ms=time_ms) for region in sight.regions)
        self.writings.extend(replace(writing, time_ms=time_ms) for writing in sight.writings)
        self.leaves.append(Leaf(self.name, sight=sight, time_ms=time_ms))
        lines = [writing for writing in sight.writings if not writing.code]
        if lines:
            self.leaves.append(_written_leaf(self.name, lines, time_ms))
        self.leaves.extend(_written_leaf(self.name, [writing], time_ms) for writing in sight.writings if writing.code)


def _join(one: Sight, other: Sight) -> Sight:
    """Both sights of one picture; of a label that both tell of the larger score."""
    scores = {**one.scores}
    for label, score in other.scores.items():
        scores[label] = max(score, scores.get(label, 0.0))
    return Sight(FrozenMapping(scores), one.regions + other.regions, one.writings + other.writings, one.hash)


def _written_leaf(name: str | None, lines: Sequence[Writing], time_ms: int | None) -> Leaf:
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
