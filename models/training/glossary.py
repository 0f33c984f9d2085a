"""Words that pairs lack, above all names of groups and oaths, with what they mean in English.

`glossary.tsv` beside this file: a header of languages, English first; below, a concept a line, its words in each
language by `/`, the most usual first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from training.pairs import Pair
from training.reading import read_text
from training.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

WEIGHT = 1.0

_FILE = Path(__file__).with_suffix(".tsv")


def glossary() -> Iterator[Pair]:
    """Every word as a pair with the English word, several times, so that the alignment believes it."""
    header, *lines = (line.split("\t") for line in read_text(_FILE).splitlines() if line)
    for line in lines:
        english = line[0]
        for language, words in zip(header[1:], line[1:], strict=False):
            for word in filter(None, map(str.strip, words.split("/"))):
                yield from [Pair(Row(word, {}, "glossary", language, WEIGHT), english)] * 3
