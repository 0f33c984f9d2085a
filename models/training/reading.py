"""Files of the data folder as records, and every text of a folder for comparing."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

csv.field_size_limit(sys.maxsize)


def read_text(path: Path) -> str:
    """A file's text, gunzipped where it is gzipped; with or without `.gz` at the end of its name."""
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8-sig", "replace")


def read_table(
    path: Path, *, delimiter: str = ",", quoted: bool = True, header: str = ""
) -> Iterator[Mapping[str, Any]]:
    """The rows of a delimited file by column. `header` names the columns of a file that does not, split by spaces."""
    reader = csv.DictReader(
        io.StringIO(read_text(path), newline=""),
        fieldnames=header.split() or None,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        restval="",
    )
    yield from reader


def read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a file, each a record with the one column `text`."""
    for line in read_text(path).splitlines():
        yield {"text": line}


def read_json(path: Path) -> Iterator[Mapping[str, Any]]:
    """The records of a JSON array or of JSON lines."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        yield from json.loads(text)
    else:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())


def every_text(folder: Path) -> Iterator[str]:
    """Every field of every file below `folder` that could be a labelled text, whatever its format.

    Lists of single words and of word pairs are left out: they would forbid greetings and the like.
    """
    for path in sorted(folder.rglob("*")):
        name = path.name.removesuffix(".gz")
        if (
            not path.is_file()
            or name.startswith(("SOURCE", "LICENSE"))
            or "single-words" in name
            or "word-pairs" in name
        ):
            continue
        if name.endswith(".xlsx"):
            yield from _spreadsheet(path)
        elif name.endswith((".json", ".jsonl")):
            yield from _strings(list(read_json(path)))
        else:
            text = read_text(path)
            yield from text.splitlines()
            for delimiter in ",\t;":
                for fields in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
                    yield from fields
        if name.endswith((".arff", ".js")):
            for line in read_text(path).splitlines():
                yield from line.replace("\\'", "'").split(",'")
                yield line.strip(" ,\"'[]")


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from _strings(value)
    elif isinstance(found, list):
        for value in found:
            yield from _strings(value)


def _spreadsheet(path: Path) -> Iterator[str]:
    import openpyxl

    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        raise ValueError(f"{path.name} is no spreadsheet")
    for sheet in openpyxl.load_workbook(io.BytesIO(raw), read_only=True):
        for cells in sheet.iter_rows(values_only=True):
            yield from (cell for cell in cells if isinstance(cell, str))
