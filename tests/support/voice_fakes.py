"""What cuts sound into utterances and hears words in it, for tests: exactly, and without models."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from seemly.media.speech import Segment, Sound

RATE = 16_000
WORDS = {1000: "hello", 2000: "you idiot", 3000: "how are you", 4000: "   ", 5000: "kill"}


class Gate:
    """Cuts where a fifth of a second is silent, to the sample."""

    QUIET = RATE // 5

    def __init__(self) -> None:
        self.open: list[int] = []
        self.start = self.heard = self.quiet = 0

    def push(self, samples: NDArray[np.int16]) -> list[Sound]:
        done = []
        for sample in samples.tolist():
            if sample and not self.open:
                self.start = self.heard
            if sample or self.open:
                self.open.append(sample)
                self.quiet = 0 if sample else self.quiet + 1
            self.heard += 1
            if self.open and self.quiet == self.QUIET:
                done += self.end()
        return done

    def end(self) -> list[Sound]:
        sound = self.pending()
        self.open, self.quiet = [], 0
        return [] if sound is None else [sound]

    def pending(self) -> Sound | None:
        samples = self.open[: len(self.open) - self.quiet]
        return Sound(np.array(samples, np.int16), self.start * 1000 // RATE) if samples else None


class Ear:
    """Hears a word in each level of sound. Raises where it is told to; waits where it is made to."""

    def __init__(self, fails: int = 0) -> None:
        self.fails = fails
        self.heard: list[Sound] = []
        self.asked = 0
        self.free = threading.Event()
        self.free.set()

    def transcribe(self, sound: Sound) -> list[Segment]:
        self.asked += 1
        self.free.wait(20)
        self.heard.append(sound)
        level = round(float(np.median(sound.samples)) / 1000) * 1000
        if level == self.fails:
            raise RuntimeError("heard a secret word")
        words = WORDS[level].split(" ", 1)
        return [Segment(word, sound.time_ms, sound.time_ms + 1, 0.8) for word in words]

    def warm_up(self) -> None:
        pass


def say(level: int, seconds: float = 0.5, pause: float = 0.5) -> bytes:
    return np.full(int(RATE * seconds), level, "<i2").tobytes() + bytes(2 * int(RATE * pause))
