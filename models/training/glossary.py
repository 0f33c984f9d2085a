"""Words that pairs lack, above all names of groups and oaths, with what they mean in English.

`written/glossary.tsv`: a header of languages, English first; below, a concept a line, its words in each language by
`/`, the most usual first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from training.pairs import Pair
from training.reading import read_text
from training.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEIGHT = 1.0


def glossary(folder: Path) -> Iterator[Pair]:
    """Every word as a pair with the English word, several times, so that the alignment believes it."""
    path = folder / "glossary.tsv"
    if not path.exists():
        return
    header, *lines = (line.split("\t") for line in read_text(path).splitlines() if line)
    for line in lines:
        english = line[0]
        for language, words in zip(header[1:], line[1:], strict=False):
            for word in filter(None, map(str.strip, words.split("/"))):
                yield from [Pair(Row(word, {}, "glossary", language, WEIGHT), english)] * 3
