"""Explanations of items, remembered for as long as the items stay as they are."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from seemly.core.errors import SeemlyError
from seemly.core.frozen import thaw
from seemly.engine.explain import Explanation
from seemly.service.base.records import Item
from seemly.service.moderation.moderation import Moderation

__all__ = ["Explanations"]

_MOST = 256


class Explanations:
    """Explains items by the channel that they came through as it is now. Safe to share between threads."""

    def __init__(self, moderation: Moderation) -> None:
        self._moderation = moderation
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, int], Explanation | None] = OrderedDict()

    def explain(self, item: Item) -> Explanation | None:
        """The explanation of an item's texts; None where there are none, or its channel is gone or cannot work."""
        key = (item.id, item.updated_ms)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        explanation = self._explain(item)
        with self._lock:
            self._known[key] = explanation
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return explanation

    def find_thresholds(self, item: Item) -> Mapping[str, float]:
        """The thresholds of the item's channel as they are now; none where it is gone or cannot work."""
        try:
            return self._moderation.find_engine(item.project_id, item.channel_key).thresholds
        except SeemlyError:
            return {}

    def _explain(self, item: Item) -> Explanation | None:
        content = _texts_of(thaw(item.content))
        if content is None:
            return None
        try:
            return self._moderation.find_engine(item.project_id, item.channel_key).explain({"content": content})
        except SeemlyError:
            return None


def _texts_of(content: dict[str, Any]) -> dict[str, Any] | None:
    """Content without its media, which would have to be fetched."""
    if content.get("type") == "text":
        return content
    if content.get("type") != "object":
        return None
    texts = {name: part for name, part in content.get("data", {}).items() if part.get("type") == "text"}
    return {"type": "object", "data": texts} if texts else None
