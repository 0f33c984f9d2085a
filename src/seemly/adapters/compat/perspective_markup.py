"""The text of a comment without its markup, and where each part of it stands in what was submitted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate

from seemly.core.span import Span

__all__ = ["Comment", "find_sentences"]

_WORD = re.compile("[^\\s。！？]+[。！？]*|[。！？]+")
_CLOSERS = "\"'”’)]»"
_ENDS = (".", "!", "?", "…", "。", "！", "？")

# Nothing here scans past the next "<" and then fails, so that no markup costs more than its length.
_MARKUP = re.compile(
    r"""<!--.*?(?:-->|\Z)
    | <(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)
    | <[/!?]?(?P<tag>[a-z][a-z0-9]*)(?:[^<>"']|"[^"<]*"|'[^'<]*')*+>
    | <[/!?]?[a-z][^<>]*>
    | (?P<entity>&(?:\#[0-9]+|\#x[0-9a-f]+|[a-z][a-z0-9]*);)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_BREAKS = frozenset((
    "blockquote", "br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "table",
    "td", "th", "tr", "ul",
))  # fmt: skip
"""Tags that end a line; others stand within a word, too."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment's `text`; `starts` and `ends` say which code points were submitted for each of its own, and `units` how
    many UTF-16 code units stand before each of those submitted, and in all."""

    text: str = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    ends: Sequence[int] = field(repr=False)
    units: Sequence[int] = field(repr=False)

    @classmethod
    def plain(cls, submitted: str) -> Comment:
        """A comment that is its text."""
        count = len(submitted)
        return cls(submitted, range(count), range(1, count + 1), _count_units(submitted))

    @classmethod
    def html(cls, submitted: str) -> Comment:
        """The text of HTML: without tags, comments, scripts and styles, with entities read."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for text, start, end in _read_html(submitted):
            exact = len(text) == end - start
            pieces.append(text)
            starts.extend(range(start, end) if exact else [start] * len(text))
            ends.extend(range(start + 1, end + 1) if exact else [end] * len(text))
        return cls("".join(pieces), starts, ends, _count_units(submitted))

    @property
    def whole(self) -> Span:
        """All that was submitted, in UTF-16 code units."""
        return Span(0, self.units[-1])

    def place(self, span: Span) -> Span:
        """Where a part of the text stands in what was submitted, in UTF-16 code units."""
        return Span(self.units[self.starts[span.start]], self.units[self.ends[span.end - 1]])


def find_sentences(text: str, most: int) -> list[Span]:
    """The sentences of a text, or runs of them where there are more than `most`."""
    found: list[Span] = []
    begin, end = None, 0
    for word in _WORD.finditer(text):
        if begin is not None and "\n" in text[end : word.start()]:
            found.append(Span(begin, end))
            begin = None
        begin, end = word.start() if begin is None else begin, word.end()
        if word[0].rstrip(_CLOSERS).endswith(_ENDS):
            found.append(Span(begin, end))
            begin = None
    if begin is not None:
        found.append(Span(begin, end))
    size = -(-len(found) // most) or 1
    runs = [found[at : at + size] for at in range(0, len(found), size)]
    return [Span(run[0].start, run[-1].end) for run in runs]


def _read_html(source: str) -> Iterator[tuple[str, int, int]]:
    """The texts in HTML, each with where it is written. Tags join what they stand between, or break the line.

    `html.parser` is not used: it raises on some malformed markup, and takes seconds for 20 KB of other.
    """
    done = 0
    for found in _MARKUP.finditer(source):
        if done < found.start():
            yield source[done : found.start()], done, found.start()
        done = found.end()
        if found["entity"]:
            yield unescape(found["entity"]), *found.span()
        elif found["tag"] and found["tag"].lower() in _BREAKS:
            yield "\n", *found.span()
    if done < len(source):
        yield source[done:], done, len(source)


def _count_units(text: str) -> Sequence[int]:
    """How many UTF-16 code units stand before each character, and in all."""
    if text.isascii():
        return range(len(text) + 1)
    return list(accumulate((2 if char > "\uffff" else 1 for char in text), initial=0))
