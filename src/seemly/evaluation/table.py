"""Rows from files and DataFrames, as dicts by column."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seemly.errors import DataError
from seemly.evaluation.optional import need

__all__ = ["BadRow", "is_frame", "read_file", "read_frame"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read, and why, in words that hold nothing of it."""

    problem: str


def read_file(path: Path) -> Iterator[object]:
    """The rows of a file, told apart by its suffix: dicts, what else JSON Lines hold, and BadRows.

    Raises DataError for a file that is not there, not UTF-8, or of another suffix; ConfigError for Parquet without
    pyarrow.
    """
    suffix = path.suffix.lower()
    if suffix not in (".jsonl", ".ndjson", ".parquet", *_DELIMITERS):
        raise DataError(f"{path.name} must end in .jsonl, .ndjson, .csv, .tsv or .parquet")
    try:
        if suffix == ".parquet":
            yield from _read_parquet(path)
        elif suffix in _DELIMITERS:
            yield from _read_csv(path, _DELIMITERS[suffix])
        else:
            yield from _read_jsonl(path)
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror or type(error).__name__}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8") from error


def is_frame(source: object) -> bool:
    """Whether `source` is a pandas DataFrame, or one of a kind derived from it, without importing pandas."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas" for kind in type(source).__mro__
    )


def read_frame(frame: Any) -> Iterator[dict[str, Any]]:
    """The rows of a DataFrame, with None for what is missing (NaN, NA, NaT)."""
    names = [str(each) for each in frame.columns]
    values, missing = frame.astype(object).to_numpy(), frame.isna().to_numpy()
    for row, gaps in zip(values, missing, strict=True):
        yield {name: None if gap else value for name, value, gap in zip(names, row, gaps, strict=True)}


def _read_jsonl(path: Path) -> Iterator[object]:
    with path.open(encoding="utf-8-sig") as lines:
        for line in lines:
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    yield BadRow("is not valid JSON")


def _read_csv(path: Path, delimiter: str) -> Iterator[object]:
    with path.open(encoding="utf-8-sig", newline="") as source:
        try:
            for row in csv.DictReader(source, delimiter=delimiter, strict=True):
                yield BadRow("has more cells than the header") if None in row else row
        except csv.Error as error:
            too_long = str(error).startswith("field larger than")
            problem = f"has a cell of over {csv.field_size_limit():,} characters" if too_long else "is not valid CSV"
            yield BadRow(f"{problem}; the rows after it were not read")


def _read_parquet(path: Path) -> Iterator[object]:
    parquet, arrow = need("pyarrow.parquet"), need("pyarrow")
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except arrow.ArrowInvalid as error:
        raise DataError(f"{path.name} is not valid Parquet") from error
