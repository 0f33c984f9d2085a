"""Rows from files: JSON Lines, CSV, TSV and plain lines, with where each stands. Memory is bounded by one line."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, Literal

from seemly.core.content import Submission, Text

__all__ = ["FORMATS", "MAX_LINE", "SUFFIXES", "BadRow", "Columns", "Format", "Place", "Row", "read_rows", "read_texts"]

Format = Literal["jsonl", "csv", "tsv", "lines"]
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "tsv", "lines")
SUFFIXES: Mapping[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "lines",
}
"""The format that a file's suffix stands for."""

MAX_LINE = 32 * 1024 * 1024
"""The longest line, in bytes. A longer one is skipped without being held."""

_CONTENT_TYPES = ("text", "image", "video", "audio", "object")
_BOM = b"\xef\xbb\xbf"
_FOREIGN_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_TOO_LONG = f"longer than {MAX_LINE:,} bytes"
_NOT_UTF8 = "not valid UTF-8"

_Lines = Iterable[tuple[int, bytes | None]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: its line, from 1, in `file` (None: standard input), up to `last` where it has several."""

    line: int
    file: str | None = None
    last: int | None = None
    unit: Literal["line", "argument"] = "line"

    def __str__(self) -> str:
        lines = f"{self.line}-{self.last}" if self.last is not None and self.last > self.line else f"{self.line}"
        return f"{self.unit} {lines}" if self.file is None else f"{self.file}:{lines}"

    def to_dict(self) -> dict[str, Any]:
        """What a result carries to be found again: `file`, where there is one, and `line`."""
        return {"line": self.line} if self.file is None else {"file": self.file, "line": self.line}


@dataclass(frozen=True, slots=True)
class Row:
    """Something to moderate."""

    place: Place
    item: object = field(repr=False)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be moderated, and why, in words that hold nothing of it."""

    place: Place
    problem: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column, or key of a JSON object, holds what. `text` None is `text`, where there is no wire content."""

    text: str | None = None
    id: str = "contentId"

    @property
    def text_name(self) -> str:
        """The column of the text."""
        return "text" if self.text is None else self.text

    def submission(self, row: Mapping[str, Any], text: str) -> Submission:
        """The row's text with the ids that the row has; numbers serve as ids too."""
        return Submission(
            content=Text(text),
            content_id=_as_id(row.get(self.id)),
            author_id=_as_id(row.get("authorId")),
            conversation_id=_as_id(row.get("conversationId")),
        )


def read_texts(texts: Iterable[str]) -> Iterator[Row | BadRow]:
    """The texts of a command line, which are UTF-8 whatever encoding Python took them for."""
    for number, text in enumerate(texts, 1):
        place = Place(number, unit="argument")
        try:
            yield Row(place, os.fsencode(text).decode("utf-8"))
        except UnicodeError:
            yield BadRow(place, _NOT_UTF8)


def read_rows(
    stream: BinaryIO,
    file: str | None,
    format: Format | None,  # noqa: A002  (the option's name)
    columns: Columns,
    on_bytes: Callable[[int], None],
) -> Iterator[Row | BadRow]:
    """The rows of a stream, in order. Without a format, the first line tells whether they are JSON.

    `on_bytes` hears how many bytes each line took. A file of another encoding is one BadRow.
    """
    lines = iter(_split(stream, on_bytes))
    first = next(lines, None)
    if first is None:
        return
    number, line = first
    if line is not None and line[:2] in _FOREIGN_BOMS:
        yield BadRow(Place(1, file), f"the file is {_FOREIGN_BOMS[line[:2]]}, and skipped: convert it to UTF-8")
        return
    if line is not None:
        first = number, line.removeprefix(_BOM)
    if format is None:
        format = "jsonl" if _is_json_row(first[1]) else "lines"  # noqa: A001
    rest: _Lines = chain((first,), lines)
    if format == "jsonl":
        yield from _read_jsonl(rest, file, columns)
    elif format == "lines":
        yield from _read_lines(rest, file)
    else:
        yield from _read_csv(rest, file, columns, "," if format == "csv" else "\t")


def _split(stream: BinaryIO, on_bytes: Callable[[int], None]) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number; None in place of one that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        on_bytes(len(line))
        if len(line) < MAX_LINE or line.endswith(b"\n"):
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
            on_bytes(len(line))
        yield number, None


def _is_json_row(line: bytes | None) -> bool:
    """An opening brace will do, since a damaged row must not pass for text; a quotation mark may be prose."""
    if line is None or line.lstrip().startswith(b"{"):
        return line is not None
    try:
        return line.lstrip().startswith(b'"') and isinstance(json.loads(line.decode("utf-8")), str)
    except ValueError:
        return False


def _read_lines(lines: _Lines, file: str | None) -> Iterator[Row | BadRow]:
    for number, line in lines:
        place = Place(number, file)
        if line is None:
            yield BadRow(place, _TOO_LONG)
            continue
        try:
            yield Row(place, line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8"))
        except UnicodeDecodeError:
            yield BadRow(place, _NOT_UTF8)


def _read_jsonl(lines: _Lines, file: str | None, columns: Columns) -> Iterator[Row | BadRow]:
    for number, line in lines:
        place = Place(number, file)
        if line is None:
            yield BadRow(place, _TOO_LONG)
        elif not line.isspace():
            yield _read_json(line, place, columns)


def _read_json(line: bytes, place: Place, columns: Columns) -> Row | BadRow:
    try:
        value = json.loads(line.decode("utf-8").rstrip())
    except UnicodeDecodeError:
        return BadRow(place, _NOT_UTF8)
    except json.JSONDecodeError as error:
        return BadRow(place, f"not valid JSON: {error.msg} (column {error.colno})")
    except RecursionError:
        return BadRow(place, "not valid JSON: nested too deeply")
    except ValueError:
        return BadRow(place, "not valid JSON: a number with too many digits")
    if isinstance(value, str):
        return Row(place, value)
    if not isinstance(value, dict):
        return BadRow(place, "must be a JSON string or object")
    if columns.text is None and ("content" in value or value.get("type") in _CONTENT_TYPES):
        return Row(place, value)
    text = value.get(columns.text_name)
    if isinstance(text, str):
        return Row(place, columns.submission(value, text))
    problem = "must be a string" if columns.text_name in value else "is missing"
    return BadRow(place, f"the field {columns.text_name!r} {problem}")


def _read_csv(lines: _Lines, file: str | None, columns: Columns, delimiter: str) -> Iterator[Row | BadRow]:
    source = _CsvLines(lines)
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        first = source.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRow(Place(first, file, source.number), f"not valid CSV: {error}")
            continue
        place = Place(first, file, source.number)
        if not cells:
            continue
        if header is None:
            header = [name.strip() for name in cells]
            if columns.text_name not in header:
                yield BadRow(place, f"the header has no column {columns.text_name!r}, and the file is skipped")
                return
            continue
        yield _read_cells(dict(zip(header, cells, strict=False)), place, columns)


def _read_cells(row: Mapping[str, str], place: Place, columns: Columns) -> Row | BadRow:
    text = row.get(columns.text_name)
    if text is None:
        return BadRow(place, f"has no value for the column {columns.text_name!r}")
    try:
        "".join(row.values()).encode("utf-8")
    except UnicodeEncodeError:
        return BadRow(place, _NOT_UTF8)
    return Row(place, columns.submission(row, text))


class _CsvLines:
    """Lines for a csv.reader, which goes on after an error only if its source does.

    Bytes that are not UTF-8 pass as lone surrogates, so that the rows keep their shape.
    """

    def __init__(self, lines: _Lines) -> None:
        self.number = 0
        self._lines = iter(lines)

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if line is None:
            raise csv.Error(_TOO_LONG)
        return line.decode("utf-8", "surrogateescape")


def _as_id(value: object) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if value == "" else value
