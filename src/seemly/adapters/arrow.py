"""Moderate tables: Arrow tables and record batches, and, through narwhals, data frames of pandas and Polars.

moderate = ArrowModerator(Channel(key="comments"), text="body")
table = moderate(table)                       # the same rows, with columns for the verdict

frame = moderate_frame(frame, Channel(key="comments"), text="body")
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import lru_cache
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pyarrow as pa

from seemly.core.channel import Channel
from seemly.core.errors import ConfigError, ContentError, Issue
from seemly.engine.engine import DEFAULT_TIER, Engine, Rejected
from seemly.policies.builtin import BUILTIN
from seemly.policies.registry import Registry

if TYPE_CHECKING:
    from seemly.engine.result import ModerationResult

__all__ = ["COLUMNS", "ArrowModerator", "moderate_frame"]

Frame = TypeVar("Frame")

COLUMNS = (
    "action",
    "severity",
    "flagged",
    "flagged_policies",
    "probabilities",
    "language",
    "modified_text",
    "error",
)
"""The columns of a verdict. A row without a verdict has an `error`, and null in all others."""

_BATCH = 128


class ArrowModerator:
    """Adds the columns of `COLUMNS` to Arrow tables and record batches, row for row.

    `text` names the column of the texts; `keep` the columns that stay, all or those named. `prefix` stands before the
    names of the new columns. A row without a text, or with one that cannot be moderated, has an `error` and no action;
    a policy that failed on a row is null in its `probabilities`.

    Pickles as its channel. In each process there is one engine for it, and it works in the caller's thread.
    """

    def __init__(
        self,
        channel: Channel | None = None,
        *,
        text: str = "text",
        keep: Literal["all"] | Sequence[str] = "all",
        tier: str = DEFAULT_TIER,
        prefix: str = "",
        registry: Registry = BUILTIN,
    ) -> None:
        """Raises ConfigError for a channel that cannot work."""
        if isinstance(keep, str) and keep != "all":
            raise ConfigError('keep must be "all" or a sequence of column names')
        self.text = text
        self.keep: Literal["all"] | tuple[str, ...] = "all" if isinstance(keep, str) else tuple(keep)
        self.prefix = prefix
        self._recipe = pickle.dumps((Channel() if channel is None else channel, tier, registry))
        self.policies = self.engine.policies

    @property
    def engine(self) -> Engine:
        """The engine of this process."""
        return _find_engine(self._recipe)

    def __call__(self, table: Any) -> Any:
        """The same rows, as a table or record batch, with the columns of the verdict.

        Raises ConfigError if the table does not fit.
        """
        schema = self.extend_schema(table.schema)
        texts = table.column(self.text)
        verdicts = self.moderate_values(_read_texts(texts))
        kept = [name for name in schema.names if name not in verdicts.schema.names]
        columns = [table.column(name) for name in kept]
        arrays = [*columns, *verdicts.columns]
        return type(table).from_arrays(arrays, schema=schema)

    def extend_schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of the result for a table's schema. Raises ConfigError if the columns do not fit."""
        names = schema.names if self.keep == "all" else list(self.keep)
        new = [f"{self.prefix}{name}" for name in COLUMNS]
        issues = [Issue(name, "is not a column of the table") for name in {self.text, *names} - set(schema.names)]
        issues += [
            Issue(name, "is there already: leave it out by keep, or give a prefix") for name in names if name in new
        ]
        issues += [Issue(name, "is the name of several columns") for name in names if schema.names.count(name) > 1]
        if not issues and not _holds_text(schema.field(self.text).type):
            issues.append(Issue(self.text, f"holds {schema.field(self.text).type}, not text"))
        if issues:
            raise ConfigError("the table cannot be moderated", issues)
        fields = [schema.field(name) for name in names]
        return pa.schema([*fields, *self.verdict_schema()], metadata=schema.metadata)

    def verdict_schema(self) -> pa.Schema:
        """The columns of the verdict, with their types."""
        types = {
            "action": pa.string(),
            "severity": pa.float32(),
            "flagged": pa.bool_(),
            "flagged_policies": pa.list_(pa.string()),
            "probabilities": pa.struct([(policy, pa.float32()) for policy in self.policies]),
            "language": pa.string(),
            "modified_text": pa.string(),
            "error": pa.string(),
        }
        return pa.schema([(f"{self.prefix}{name}", types[name]) for name in COLUMNS])

    def moderate_values(self, values: Sequence[object]) -> pa.RecordBatch:
        """The columns of the verdict on values, of which those that are no texts get an error."""
        errors = {i: problem for i, value in enumerate(values) if (problem := _find_problem(value)) is not None}
        texts = [value for i, value in enumerate(values) if i not in errors]
        outcomes = self.engine.moderate_many(texts, batch_size=_BATCH, on_error="return")
        rows = [_fail(errors[i]) if i in errors else _tell(next(outcomes)) for i in range(len(values))]
        schema = self.verdict_schema()
        arrays = [
            pa.array([row[at] for row in rows], type=field.type)  # row by row is what the engine gives
            for at, field in enumerate(schema)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.text, self.keep, self.prefix, self._recipe, self.policies

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.text, self.keep, self.prefix, self._recipe, self.policies = state


def moderate_frame(
    frame: Frame,
    channel: Channel | None = None,
    *,
    text: str = "text",
    tier: str = DEFAULT_TIER,
    prefix: str = "",
    registry: Registry = BUILTIN,
) -> Frame:
    """The same data frame, of pandas, Polars or another library that narwhals knows, with the columns of the verdict.

    Raises ConfigError as ArrowModerator does, and if the frame is lazy.
    """
    import narwhals as nw

    try:
        own: Any = frame  # narwhals types the kinds of frames that it knows; a wrong one raises TypeError
        given = nw.from_native(own, eager_only=True)
    except TypeError as error:
        raise ConfigError("needs a data frame in memory: collect a lazy one first") from error
    moderator = ArrowModerator(channel, text=text, tier=tier, prefix=prefix, registry=registry)
    new = [f"{prefix}{name}" for name in COLUMNS]
    issues = [Issue(name, "is there already: give a prefix") for name in given.columns if name in new]
    if text not in given.columns:
        issues.append(Issue(text, "is not a column of the data frame"))
    if issues:
        raise ConfigError("the data frame cannot be moderated", issues)
    verdicts = pa.Table.from_batches([moderator.moderate_values(given[text].to_list())])
    told = nw.from_arrow(verdicts, backend=given.implementation)
    index = nw.maybe_get_index(given)
    if index is not None:
        native: Any = told.to_native()
        native.index = index
        told = nw.from_native(native, eager_only=True)
    extended: Any = given.with_columns(*(told[name] for name in told.columns)).to_native()
    return extended  # type: ignore[no-any-return]


@lru_cache(maxsize=8)
def _find_engine(recipe: bytes) -> Engine:
    """The engine of a channel, made once in each process."""
    channel, tier, registry = pickle.loads(recipe)  # noqa: S301  (made by ArrowModerator itself)
    return Engine(channel, tier=tier, registry=registry)


def _holds_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _holds_text(kind.value_type)
    return any(
        check(kind)
        for check in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    )


class _Unreadable:
    """Stands for a text that is not valid UTF-8."""


_UNREADABLE = _Unreadable()


def _read_texts(column: pa.ChunkedArray | pa.Array) -> list[object]:
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_read_scalar(scalar) for scalar in column]


def _read_scalar(scalar: pa.Scalar) -> object:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return _UNREADABLE


def _find_problem(value: object) -> str | None:
    """Why a value cannot be moderated; None for a text, whose length the engine checks."""
    if isinstance(value, str):
        return None
    if value is _UNREADABLE:
        return "is not valid UTF-8"
    # pandas has NaN, NaT and NA, too, where there is nothing.
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value)):
        return "has no text"
    return f"is not a text but of type {type(value).__name__}"


def _tell(outcome: ModerationResult | Rejected) -> tuple[Any, ...]:
    if isinstance(outcome, Rejected):
        return _fail(_say(outcome.error))
    evaluation = outcome.evaluation
    return (
        outcome.recommendation.action,
        evaluation.severity_score,
        evaluation.flagged,
        [each.id for each in outcome.policies if each.flagged],
        {each.id: each.probability for each in outcome.policies},
        outcome.language,
        outcome.modified_text,
        None,
    )


def _fail(problem: str) -> tuple[Any, ...]:
    return (None,) * (len(COLUMNS) - 1) + (problem,)


def _say(error: ContentError) -> str:
    return "; ".join(map(str, error.issues)) or error.message
