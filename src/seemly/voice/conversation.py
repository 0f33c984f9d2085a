"""What is said in a session, one utterance after the other, and what is to be done about it."""

from __future__ import annotations

from collections import deque

from seemly.core.content import Submission, Text, Turn
from seemly.core.errors import SeemlyError
from seemly.engine.extraction import tell
from seemly.media.speech import Sound, Transcriber
from seemly.voice.events import SessionWarning, Track, UtteranceFinal, UtterancePartial
from seemly.voice.line import Stretch
from seemly.voice.setup import Arguments, Parts

__all__ = ["Conversation"]

_TURNS = 10
"""How many utterances are read together with the next, where nothing else remembers: as many as a memory keeps."""


class Conversation:
    """Has every stretch of speech written down and every utterance moderated."""

    def __init__(self, given: Arguments, parts: Parts) -> None:
        self.id = given.conversation_id
        self.actions = {"allow": 0, "review": 0, "reject": 0}
        self._session_id = given.session_id
        self._moderate = given.engine.moderate if given.moderate is None else given.moderate
        self._transcriber = parts.transcriber
        self._metadata = parts.metadata
        self._began_ms = given.clock() * 1000.0
        alone = given.moderate is None and given.engine.memory is None
        remembers = alone and given.engine.channel.context_enabled
        self._turns: deque[Turn] | None = deque(maxlen=_TURNS) if remembers else None

    def hear(self, track: Track, stretch: Stretch) -> UtterancePartial | UtteranceFinal | SessionWarning | None:
        """What is to be told of a stretch of speech; None where no word is heard in it."""
        sound = stretch.sound
        end_ms = sound.time_ms + sound.duration_ms
        where = f"from {sound.time_ms} to {end_ms} ms"
        try:
            text, confidence = _write_down(self._transcriber, sound)
        except Exception as error:  # noqa: BLE001  (whatever a transcriber raises must not cost what follows)
            message = f"the speech {where} was not written down: {tell(error)}"
            return SessionWarning("transcription_failed", message, track.name)
        if not text:
            return None
        content_id = f"{self._session_id}-{track.name}-{stretch.number}"
        told = content_id, track.name, track.author_id, text, sound.time_ms, end_ms
        if not stretch.final:
            return UtterancePartial(*told)
        submission = self._submit(content_id, track, text, sound.time_ms)
        try:
            result = self._moderate(submission)
        except SeemlyError as error:
            message = f"the utterance {where} was not moderated: {error}"
            return SessionWarning("moderation_failed", message, track.name)
        self.actions[result.recommendation.action] += 1
        return UtteranceFinal(*told, confidence, result)

    def _submit(self, content_id: str, track: Track, text: str, time_ms: int) -> Submission:
        timestamp = self._began_ms + time_ms
        history = None
        if self._turns is not None:
            history = tuple(self._turns)
            self._turns.append(Turn(text, track.author_id, timestamp))
        return Submission(
            content=Text(text),
            content_id=content_id,
            author_id=track.author_id,
            conversation_id=self.id,
            meta_type="voice",
            metadata=self._metadata,
            timestamp=timestamp,
            history=history,
        )


def _write_down(transcriber: Transcriber, sound: Sound) -> tuple[str, float]:
    """What is said, and how sure that is: each segment's probability counts by the length of its text."""
    said = [(each.text.strip(), each.probability) for each in transcriber.transcribe(sound)]
    length = sum(len(text) for text, _ in said)
    confidence = sum(len(text) * probability for text, probability in said) / max(1, length)
    return " ".join(text for text, _ in said if text), confidence
