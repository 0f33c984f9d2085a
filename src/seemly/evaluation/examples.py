"""Labelled examples: read them from files and tables, and check them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any

from seemly.core.content import Audio, Image, Object, Submission, Text, Video
from seemly.core.errors import DataError, Issue, shorten
from seemly.core.frozen import EMPTY, FrozenMapping
from seemly.evaluation.formatting import need

__all__ = ["BadRow", "Example", "Labels", "Source", "is_frame", "read_examples", "read_file", "read_frame"]


Labels = Mapping[str, str] | Iterable[str] | None
"""Which columns are labels: columns mapped to policies, or the policies whose ids are columns; None finds them."""

Source = Any
"""Examples in any of the forms that `read_examples` takes."""

_MOST_ISSUES = 20
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_IDS = ("id", "contentId", "content_id")
_WIRE = frozenset(
    ("content", "channel", "authorId", "conversationId", "metadata", "timestamp", "clientAction", "policies",
     "doNotStore", "metaType", "history", "labels", *_IDS)
)  # fmt: skip
"""Keys by which a submission says something to the engine, and which so are no attributes."""
_LONGEST_ID = 100
"""The longest content id that a submission takes; a longer one stays with the example alone."""


@dataclass(frozen=True, slots=True)
class Example:
    """Something to moderate, and the truth about it.

    `content` is anything that `Engine.moderate` takes. `labels` maps policies to True, False, None (unknown) or the
    share, 0 to 1, of those who judged it who said so. `attributes` are what results can be sliced by.
    """

    content: object = field(repr=False)
    labels: Mapping[str, float | None] = EMPTY
    attributes: Mapping[str, Any] = EMPTY
    id: str | None = None


def read_examples(
    source: Source, *, text: str = "text", labels: Labels = None, policies: Collection[str] = ()
) -> tuple[Example, ...]:
    """Every example of `source`, with labels as floats from 0 to 1, or None.

    `source` is a path (`.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.parquet`), a DataFrame, or an iterable of Examples,
    (content, labels) pairs, contents, and dicts. A dict has its text under `text`, or else a `content` as the wire
    has it; its labels under the columns that `labels` names (by default those named as one of `policies`) or in a
    mapping under `labels`; its id under `id` or `contentId`. What else it has that is a plain value, and says
    nothing to the engine, is an attribute. `policies` are the ids that labels may name.

    Raises DataError that lists the rows, from 1, and fields that are wrong; an issue never quotes them.
    """
    reader = _Reader(text, labels, policies)
    examples = [reader.read(number, row) for number, row in enumerate(_rows(source), start=1)]
    reader.close(bool(examples))
    return tuple(example for example in examples if example is not None)


def _rows(source: Source) -> Iterator[object]:
    if isinstance(source, str | Path):
        return read_file(Path(source))
    if is_frame(source):
        return read_frame(source)
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise DataError("examples must be an iterable, a DataFrame, or the path of a JSONL, CSV or Parquet file")
    return iter(source)


class _Reader:
    """Reads rows and gathers what is wrong with them."""

    def __init__(self, text: str, labels: Labels, policies: Collection[str]) -> None:
        self.text = text
        self.policies = policies
        self.issues: list[Issue] = []
        self.wrong = 0
        self.legible = 0
        self.without_text = 0
        self.unknown: set[str] = set()
        self.unseen: set[str] = set()
        self.columns: Mapping[str, str] = {each: each for each in policies}
        if labels is not None:
            if isinstance(labels, str):
                raise DataError("labels must map columns to policies, or list policies")
            self.columns = dict(labels) if isinstance(labels, Mapping) else {each: each for each in labels}
            self.unseen = set(self.columns)
            twice = {each for each in self.columns.values() if list(self.columns.values()).count(each) > 1}
            if twice:
                raise DataError(f"labels names {', '.join(sorted(twice))} more than once")

    def read(self, number: int, row: object) -> Example | None:
        """The example of a row, or None where it is wrong."""
        where = f"row {number}"
        if isinstance(row, BadRow):
            self.refuse(where, row.problem)
            return None
        self.legible += 1
        if isinstance(row, Example):
            example = row
        elif isinstance(row, tuple | list) and len(row) == 2 and isinstance(row[1], Mapping):
            example = Example(row[0], row[1])
        elif isinstance(row, str | Text | Image | Video | Audio | Object | Submission):
            example = Example(row)
        elif isinstance(row, Mapping):
            return self.read_mapping(where, row)
        else:
            self.refuse(where, "must be an Example, a (content, labels) pair, a content or a mapping")
            return None
        for name in ("labels", "attributes"):
            if not isinstance(getattr(example, name), Mapping):
                self.refuse(f"{where}.{name}", "must be a mapping")
                return None
        truths = self.read_labels(f"{where}.labels", {self.columns.get(k, k): v for k, v in example.labels.items()})
        self.unseen -= set(example.labels)
        return Example(example.content, truths, example.attributes, example.id or _find_id(example.content))

    def read_mapping(self, where: str, row: Mapping[str, Any]) -> Example | None:
        self.unseen -= set(row)
        content: Any = row
        taken = _WIRE
        if self.text in row or "content" not in row:
            self.without_text += self.text not in row
            text = row.get(self.text)
            if not isinstance(text, str):
                problem = "is missing" if text is None else "must be a string"
                self.refuse(f"{where}.{shorten(self.text)}", problem)
                return None
            around = _read_around(row)
            content = {"content": text, **around}
            taken = frozenset((*around, "timestamp", *_IDS))
        if row.get("timestamp") not in (None, ""):
            try:
                content = {**content, "timestamp": _read_time(row["timestamp"])}
            except ValueError:
                self.refuse(f"{where}.timestamp", "must be Unix milliseconds or an ISO 8601 time")
                return None
        key = next((str(row[name]) for name in _IDS if row.get(name) not in (None, "")), None)
        if key is not None and len(key) <= _LONGEST_ID and "contentId" not in content:
            content = {**content, "contentId": key}
        inner = row.get("labels")
        given = {policy: row[column] for column, policy in self.columns.items() if column in row}
        if isinstance(inner, Mapping):
            given |= {self.columns.get(name, name): each for name, each in inner.items()}
            self.unseen -= set(inner)
        attributes = {
            name: each
            for name, each in row.items()
            if isinstance(each, str | bool | int | float)
            and name not in taken
            and name != self.text
            and name not in self.columns
        }
        return Example(content, self.read_labels(where, given), FrozenMapping(attributes), key)

    def read_labels(self, where: str, given: Mapping[Any, Any]) -> FrozenMapping:
        """The labels as floats; what is wrong with one is kept, and its value None."""
        truths: dict[str, float | None] = {}
        for policy, value in given.items():
            if policy not in self.policies:
                self.unknown.add(str(policy))
                continue
            try:
                truths[policy] = _read_truth(value)
            except ValueError as error:
                self.refuse(f"{where}.{shorten(policy)}", str(error))
        return FrozenMapping(truths)

    def refuse(self, path: str, problem: str) -> None:
        self.wrong += 1
        if len(self.issues) < _MOST_ISSUES:
            self.issues.append(Issue(path, problem))

    def close(self, any_row: bool) -> None:
        """Raise a DataError where anything was wrong."""
        if not any_row:
            raise DataError("there are no examples")
        if 0 < self.legible == self.without_text:
            raise DataError(f"no row has the column {self.text!r}: name the one that has the text")
        known = ", ".join(self.policies) or "none"
        issues = [Issue(f"labels.{shorten(each)}", "no row has such a column") for each in sorted(self.unseen)]
        issues += [
            Issue(f"labels.{shorten(each)}", f"no policy that runs; {known} do") for each in sorted(self.unknown)
        ]
        issues += self.issues
        if self.wrong > len(self.issues):
            issues.append(Issue("", f"and {self.wrong - len(self.issues):,} more"))
        if issues:
            raise DataError("these examples cannot be used", issues)


def _read_around(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says of its text in the wire's words; a table has numbers for ids, and no mappings."""
    around = {
        key: str(row[key]) for key in ("authorId", "conversationId", "metaType") if row.get(key) not in (None, "")
    }
    return around | {key: row[key] for key in ("metadata", "clientAction") if isinstance(row.get(key), Mapping)}


def _find_id(content: object) -> str | None:
    if isinstance(content, Submission):
        return content.content_id
    return content.get("contentId") if isinstance(content, Mapping) else None


def _read_truth(value: object) -> float | None:
    """A label's value as a float from 0 to 1, or None. Raises ValueError, which says what it must be."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        word = value.strip().lower()
        value = _WORDS[word] if word in _WORDS else _read_number(word)
    if hasattr(value, "item"):  # a number of numpy's, without importing it
        value = value.item()
    if isinstance(value, Real):
        number = float(value)
        if math.isnan(number):
            raise ValueError("is NaN; leave out what is not known")
        if 0.0 <= number <= 1.0:
            return number
    raise ValueError("must be true, false, empty, or a share from 0 to 1")


def _read_number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return math.inf


def _read_time(value: object) -> float:
    """Unix milliseconds. A time without a zone is UTC's. Raises ValueError."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000.0
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError


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
