"""Moderate a data frame of Daft.

frame = moderate_dataframe(daft.read_parquet("comments/"), Channel(key="comments"), text="body")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import daft as _daft
import pyarrow as pa

from seemly.adapters.arrow import COLUMNS, ArrowModerator
from seemly.core.errors import ConfigError, Issue
from seemly.engine.engine import DEFAULT_TIER

if TYPE_CHECKING:
    from seemly.core.channel import Channel

__all__ = ["moderate_dataframe"]


def moderate_dataframe(
    frame: Any, channel: Channel | None = None, *, text: str = "text", tier: str = DEFAULT_TIER, prefix: str = ""
) -> Any:
    """The data frame with the columns of the verdict. Lazy, as Daft is; each worker has an engine of its own.

    Raises ConfigError for a channel that cannot work, or columns that do not fit.
    """
    moderator = ArrowModerator(channel, text=text, tier=tier, prefix=prefix)
    names = [f"{prefix}{name}" for name in COLUMNS]
    issues = [Issue(name, "is there already: give a prefix") for name in frame.column_names if name in names]
    if text not in frame.column_names:
        issues.append(Issue(text, "is not a column of the data frame"))
    if issues:
        raise ConfigError("the data frame cannot be moderated", issues)
    kind = _daft.DataType.from_arrow_type(pa.struct(list(moderator.verdict_schema())))

    @_daft.func.batch(return_dtype=kind)
    def moderate(texts: Any) -> Any:
        return moderator.moderate_values(texts.to_pylist()).to_struct_array()

    verdict = f"{prefix}verdict_of_seemly"
    found = frame.with_column(verdict, moderate(frame[text]))
    return found.with_columns({name: found[verdict][name] for name in names}).exclude(verdict)
