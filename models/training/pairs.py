"""Sentences with their English translations: what an English model says of one side teaches the other.

News (`ntrex_news`) is not among them: `benchmarks.ordinary` measures on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from training.calm import CALM, zeros
from training.codes import code
from training.oaths import swears
from training.reading import read_table
from training.rows import Row, digest, key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ORDINARY = ("tico19_pairs", "xquad_questions", "nusax_pairs")
"""Sets in which nobody offends."""

_GLAD, _SAD = {"5", "8"}, {"1", "3", "4", "6"}
"""Plutchik's emotions, as `xed_subtitles` numbers them, that are a positive or a negative sentiment."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, its English translation, and what is known of both beside what the teacher says."""

    row: Row
    english: str


def pairs(data: Path, held: frozenset[bytes] | set[bytes]) -> Iterator[Pair]:
    """Every pair, one a sentence, neither side of which stands in a set kept for evaluation."""
    seen: set[bytes] = set()
    for read in (_tatoeba, _subtitles, _columns):
        for source, language, english, other, emotions in read(data / "train"):
            marks = digest(english), digest(other)
            if not key(english) or not key(other) or key(english) == key(other) or marks[1] in seen:
                continue
            if held.intersection(marks):
                continue
            seen.add(marks[1])
            weight = 1.0 if source in ORDINARY else 0.3
            labels = zeros(english, CALM if source in ORDINARY else _NEW)
            if swears(other, language, data / "lexicons"):
                labels = {label: value for label, value in labels.items() if label not in _OATHS}
            labels |= _sentiment(emotions)
            weights = {"positive": 0.5, "negative": 0.5}
            yield Pair(Row(other, labels, source, language, weight, weights), english)


_NEW = tuple(label for label in CALM[12:])
_OATHS = ("profanity", "toxicity", "toxicity_severe", "insult", "sexual", "hate", "identity_attack", "harassment")


def _tatoeba(train: Path) -> Iterator[tuple[str, str, str, str, str]]:
    for path in sorted((train / "tatoeba_pairs").glob("*.tsv.gz")):
        for r in read_table(path, delimiter="\t", header="english other"):
            yield "tatoeba_pairs", code(path.name.split(".")[0]), r["english"], r["other"], ""


def _subtitles(train: Path) -> Iterator[tuple[str, str, str, str, str]]:
    for path in sorted((train / "xed_subtitles").glob("*.tsv.gz")):
        name = path.name.split(".")[0]
        if name in ("annotated_en_fi", "zh_en_mixed"):
            continue
        for r in read_table(path, delimiter="\t"):
            if r["english"]:
                yield "xed_subtitles", code(name), r["english"], r["text"], r["emotions"]


def _columns(train: Path) -> Iterator[tuple[str, str, str, str, str]]:
    for path in sorted((train / "tico19_pairs").glob("*.tsv.gz")):
        for r in read_table(path, delimiter="\t", header="english other"):
            yield "tico19_pairs", code(path.name.split(".")[0]), r["english"], r["other"], ""
    for r in read_table(train / "xquad_questions/pairs.tsv", delimiter="\t"):
        yield "xquad_questions", code(r["lang"]), r["english"], r["text"], ""
    for r in read_table(train / "nusax_pairs/pairs.tsv", delimiter="\t"):
        yield "nusax_pairs", {"indonesian": "id"}.get(r["lang"], "many"), r["english"], r["text"], ""


def _sentiment(emotions: str) -> dict[str, float]:
    told = set(emotions.split(",")) - {""}
    if not told:
        return {}
    return {"positive": float(bool(told & _GLAD) and not told & _SAD), "negative": float(bool(told & _SAD))}
