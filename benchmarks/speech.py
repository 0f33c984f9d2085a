"""How well speech is written down, and at what cost: `python -m benchmarks.speech [--whisper FOLDER …]`.

The sentences below were written for this. eSpeak NG says them, in four voices, in more and more noise: white noise, and
babble, which is other sentences said at once. It comes with `pip install -r benchmarks/requirements.txt`. Its voices
are made of formants and sound little like people, so that back ends that learned from people do much worse on them:
the figures compare back ends, settings and noise, and are no forecast. For that there is `--recordings FOLDER`, with
your own: WAV files, 16 kHz, one channel, 16 bits, and beside each the words in a `.txt` of its name.

The settings of `seemly.adapters.audio.sphinx` were chosen on the first half of each kind of sentences (`--tuning`
measures on it); the figures are those of the second. The word error rate counts words put in, left out and replaced, as
a share of the words that were said. The real-time factor is seconds of processor time for a second of sound, on one
thread.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import time
import wave
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seemly.adapters.audio.sphinx import SphinxTranscriber
from seemly.adapters.audio.whisper import WhisperTranscriber
from seemly.core.errors import ModelError
from seemly.media.speech import RATE, Sound, Transcriber

VOICES = {
    "American man": "gmw/en-US",
    "British man": "gmw/en",
    "American woman": "gmw/en-US+f3",
    "British woman": "gmw/en-GB-x-rp+f2",
}
"""The voices, by what they are like; each sentence is said by another one in each condition."""

CONDITIONS = {
    "a quiet room, 40 dB": ("white", 40.0),
    "white noise, 20 dB": ("white", 20.0),
    "white noise, 10 dB": ("white", 10.0),
    "babble, 20 dB": ("babble", 20.0),
    "babble, 10 dB": ("babble", 10.0),
}
"""The noise, and how far the speech stands above it. There is some in every recording, which recognizers count on."""

SENTENCES = {
    "chat": (
        "hey everyone, sorry I am late, what did I miss",
        "that movie last night was so much better than I expected",
        "can you send me the pictures from the party",
        "I will call you back when I get home from work",
        "my sister is coming to visit us next weekend",
        "do you want to grab some coffee after the meeting",
        "I did not sleep at all because of the storm",
        "thank you for the birthday present, I really love it",
    ),
    "games": (
        "there are two of them behind the wall on the left",
        "drop me some ammo, I am almost out",
        "we should push the tower now while they are dead",
        "nice shot, that was the last one on their team",
        "wait for me at the bridge and do not start without the healer",
        "he keeps camping at the spawn point, this map is broken",
        "let us play one more round before we go to bed",
        "who took the sniper rifle from the top floor",
    ),
    "marketplace": (
        "I am selling a used bicycle in very good condition",
        "is the kitchen table still available and can you deliver it",
        "the price is forty dollars and I will not go any lower",
        "please pay with a gift card before I ship the phone",
        "the leather jacket has a small hole in the right sleeve",
        "I can pick up the washing machine on Saturday morning",
        "send the money to my bank account and I will mail the tickets",
        "brand new watches for half the price, order now",
    ),
    "threats": (
        "I know where you live and I am coming for you",
        "you had better watch your back on the way home tonight",
        "I will burn your house down while you sleep",
        "say that again and I will break your arm",
        "if you tell anyone about this I am going to kill you",
        "we will be waiting outside the school with a knife",
        "somebody should shoot that man in the head",
        "you will be sorry when I get my hands on you",
    ),
    "insults": (
        "you are the most stupid person I have ever met",
        "shut up you ugly little loser, nobody asked you",
        "go back to kindergarten, you worthless idiot",
        "what a pathetic excuse for a human being you are",
        "everybody in this school hates you and so do I",
        "you are a fat lazy pig and you smell",
        "your brain must be the size of a peanut, you moron",
        "she is such a liar and a disgusting fake friend",
    ),
    "numbers": (
        "call me at five five five, two three four, nine eight seven one",
        "my number is zero seven nine one, four four two, six one eight",
        "text me on three one zero, five five five, eight two two nine",
        "the code for the front door is four seven one six",
        "you can reach me at six four six, five five five, one three nine two",
        "my account number is nine nine two, one zero five, three three eight",
        "meet me at twenty two Baker Street at half past seven",
        "write down eight one three, five five five, four one two seven",
    ),
    "neutral": (
        "the train to the city leaves every thirty minutes",
        "add the onions and the garlic and cook them for five minutes",
        "the museum is closed on Monday and open until six on other days",
        "it will be cloudy in the morning with some rain in the afternoon",
        "plants need water, light and warm soil to grow",
        "the committee will discuss the new budget on Wednesday",
        "turn left at the second traffic light and park behind the church",
        "the river runs through three countries before it reaches the sea",
    ),
    "help": (
        "I do not want to be alive any more, nobody would miss me",
        "my boyfriend hits me and I am afraid to go home",
        "I have not eaten for three days and I feel fat",
        "please do not hurt yourself, there are people who can help",
        "I have been thinking about ending my life",
        "he told me to keep it a secret from my parents",
        "last night I cut my arm again and I cannot stop",
        "talk to a doctor or call the help line tonight",
    ),
}
"""What is said, by kind."""

Samples = NDArray[np.float64]

_VOICE_RATE = 22_050
_LOUDNESS = 2_000.0
"""The root mean square of speech, of 32,767: that of a person near a microphone, with room for noise."""
_MARGIN = RATE // 4


@dataclass(frozen=True, slots=True)
class Saying:
    """A sound, the words in it, and what it is an example of: kind, voice, condition."""

    text: str
    sound: Sound
    groups: Mapping[str, str]


@dataclass(slots=True)
class Tally:
    """What a back end made of some sayings."""

    wrong: int = 0
    words: int = 0
    seconds: float = 0.0
    processor: float = 0.0

    def add(self, wrong: int, words: int, seconds: float, processor: float) -> None:
        """Count one saying."""
        self.wrong += wrong
        self.words += words
        self.seconds += seconds
        self.processor += processor


def say(text: str, voice: str = "gmw/en-US") -> Samples:
    """A text as eSpeak NG says it, 16,000 samples a second, peaks within one. Raises ImportError where it is absent."""
    spoken: list[NDArray[np.int16]] = []

    def keep(samples: ctypes._Pointer[ctypes.c_short], count: int, _events: int) -> int:
        if samples and count > 0:
            spoken.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    espeak = _espeak()
    take = _TAKE(keep)
    espeak.espeak_SetSynthCallback(take)
    if espeak.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"eSpeak NG has no voice {voice}")
    data = text.encode()
    utf8 = 1
    espeak.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 1, 0, utf8, None, None)
    return resample(np.concatenate(spoken) / 32_768.0, _VOICE_RATE, RATE)


_TAKE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


@cache
def _espeak() -> ctypes.CDLL:
    loader = import_module("espeakng_loader")
    espeak = ctypes.CDLL(loader.get_library_path())
    synchronous = 2
    if espeak.espeak_Initialize(synchronous, 0, loader.get_data_path().encode(), 0) != _VOICE_RATE:
        raise RuntimeError("this build of eSpeak NG speaks at another rate than 22,050 samples a second")
    return espeak


def resample(samples: Samples, before: int, after: int) -> Samples:
    """The same sound at another rate; what the new rate cannot carry is left out."""
    length = round(len(samples) * after / before)
    spectrum = np.fft.rfft(samples)[: length // 2 + 1]
    return np.fft.irfft(spectrum, length) * (length / len(samples))


def mix(speech: Samples, noise: Samples, decibels: float) -> Samples:
    """Speech that stands so many decibels above noise, which begins a little before it and ends a little after."""
    noise = np.resize(noise, len(speech) + 2 * _MARGIN)
    return np.pad(speech, _MARGIN) + noise * (_loudness(speech) / _loudness(noise) / 10 ** (decibels / 20))


def _loudness(samples: Samples) -> float:
    return float(np.sqrt(np.mean(samples**2)))


def to_sound(samples: Samples) -> Sound:
    """Samples as a transcriber takes them."""
    return Sound(np.clip(np.rint(samples), -32_768, 32_767).astype(np.int16))


def read_sayings(*, tuning: bool) -> Iterator[Saying]:
    """Every sentence of one half in every condition. Voices take turns."""
    rng = np.random.default_rng(1)
    half = slice(None, 4) if tuning else slice(4, None)
    chosen = [(kind, text) for kind, texts in SENTENCES.items() for text in texts[half]]
    for (place, (kind, text)), (turn, condition) in product(enumerate(chosen), enumerate(CONDITIONS)):
        voice = list(VOICES)[(place + place // 4 + turn) % len(VOICES)]
        name, decibels = CONDITIONS[condition]
        others = [chosen[(place + step) % len(chosen)][1] for step in (3, 7, 12, 18)]
        noise = _babble(others) if name == "babble" else rng.normal(size=10 * RATE)
        speech = mix(_say_as_loud(text, VOICES[voice]), noise, decibels)
        yield Saying(text, to_sound(speech), {"noise": condition, "voice": voice, "kind": kind})


def _say_as_loud(text: str, voice: str) -> Samples:
    speech = say(text, voice)
    return speech * (_LOUDNESS / _loudness(speech))


def _babble(texts: Sequence[str]) -> Samples:
    voices = [_say_as_loud(text, voice) for text, voice in zip(texts, VOICES.values(), strict=True)]
    length = max(map(len, voices))
    together: Samples = np.sum([np.resize(voice, length) for voice in voices], axis=0)
    return together


def read_recordings(folder: Path) -> Iterator[Saying]:
    """The user's own recordings. Raises ValueError for one that is not 16 kHz, one channel, 16 bits."""
    for path in sorted(folder.glob("*.wav")):
        with wave.open(str(path)) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
                raise ValueError(f"{path.name} is not 16 kHz, one channel, 16 bits")
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int16)
        yield Saying(path.with_suffix(".txt").read_text(encoding="utf-8"), Sound(samples), {"noise": "as recorded"})


def split_words(text: str) -> list[str]:
    """The words of a text, in small letters, without punctuation; figures as they are said.

    A number of one or two figures is one number, a longer one is its figures, as in the sentences above.
    """
    text = re.sub(r"\$(\d+)", r"\1 dollars", text.casefold().replace("’", "'"))
    text = re.sub(r"\d+", lambda found: f" {_spell(found[0])} ", text)
    return [_SAME.get(word, word) for word in re.findall(r"[a-z]+(?:'[a-z]+)*", text)]


_SAME = {"mr": "mister", "ok": "okay"}
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _spell(figures: str) -> str:
    number = int(figures)
    if len(figures) > 2 or figures.startswith("0"):
        return " ".join(_SMALL[int(figure)] for figure in figures)
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f" {_SMALL[ones]}" if ones else "")


def count_errors(said: Sequence[str], written: Sequence[str]) -> int:
    """The fewest words to put in, leave out or replace that make one text of another."""
    before = list(range(len(written) + 1))
    for place, word in enumerate(said, 1):
        row = [place]
        for at, other in enumerate(written, 1):
            row.append(min(before[at] + 1, row[-1] + 1, before[at - 1] + (word != other)))
        before = row
    return before[-1]


def measure(transcriber: Transcriber, sayings: Iterable[Saying]) -> dict[tuple[str, str], Tally]:
    """What a back end makes of sayings, by what they are examples of, and in all."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for saying in sayings:
        started = time.process_time()
        segments = transcriber.transcribe(saying.sound)
        processor = time.process_time() - started
        said = split_words(saying.text)
        wrong = count_errors(said, split_words(" ".join(segment.text for segment in segments)))
        for group in (*saying.groups.items(), ("all", "")):
            tallies[group].add(wrong, len(said), saying.sound.duration_ms / 1000, processor)
    return tallies


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whisper", type=Path, nargs="*", default=[], help="folders of Whisper models")
    parser.add_argument("--recordings", type=Path, help="a folder of your own WAV files, in place of the sentences")
    parser.add_argument("--tuning", action="store_true", help="the half of the sentences that settings are chosen on")
    args = parser.parse_args()
    try:
        sayings = list(read_recordings(args.recordings) if args.recordings else read_sayings(tuning=args.tuning))
    except ModuleNotFoundError as error:
        parser.error(f"{error.name} is not installed: pip install -r benchmarks/requirements.txt")
    print("| back end | what is said | word error rate | real-time factor | seconds of sound |\n|---|---|---|---|---|")
    makers: list[tuple[str, Callable[[], Transcriber]]] = [("PocketSphinx", SphinxTranscriber)]
    makers += [(f"Whisper, {folder.name}", partial(WhisperTranscriber, folder)) for folder in args.whisper]
    for name, make in makers:
        transcriber = make()
        try:
            transcriber.warm_up()
        except ModelError as error:
            print(f"| {name} | {error} | | | |")
            continue
        for (group, value), tally in measure(transcriber, sayings).items():
            shown = f"{group}: {value}" if value else f"**{group}**"
            rate, factor = tally.wrong / tally.words, tally.processor / tally.seconds
            print(f"| {name} | {shown} | {rate:.1%} | {factor:.2f} | {tally.seconds:,.0f} |")


if __name__ == "__main__":
    main()
