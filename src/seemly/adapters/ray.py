"""Moderate a dataset of Ray Data.

dataset = moderate_dataset(ray.data.read_parquet("comments/"), Channel(key="comments"), text="body")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ray.data as _data

from seemly.adapters.arrow import ArrowModerator
from seemly.core.errors import ConfigError
from seemly.engine.engine import DEFAULT_TIER

if TYPE_CHECKING:
    from seemly.core.channel import Channel

__all__ = ["moderate_dataset"]


class _Worker:
    """One actor: its engine is made once, and works in one thread."""

    def __init__(self, moderator: ArrowModerator) -> None:
        self._moderator = moderator

    def __call__(self, table: Any) -> Any:
        return self._moderator(table)


def moderate_dataset(
    dataset: Any,
    channel: Channel | None = None,
    *,
    text: str = "text",
    concurrency: int | tuple[int, int] = 1,
    tier: str = DEFAULT_TIER,
    prefix: str = "",
    batch_size: int = 1_024,
) -> Any:
    """The dataset with the columns of the verdict, by `concurrency` actors of one core each. Lazy, as Ray is.

    Raises ConfigError for a channel that cannot work, or something other than a dataset.
    """
    if not isinstance(dataset, _data.Dataset):
        raise ConfigError("dataset must be a ray.data.Dataset")
    moderator = ArrowModerator(channel, text=text, tier=tier, prefix=prefix)
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(moderator,),
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=concurrency,
        num_cpus=1,
    )
