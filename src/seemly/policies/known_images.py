"""The policies `hash:<key>`: a channel's own lists of known images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seemly.core.errors import ConfigError, Issue
from seemly.core.frozen import FrozenMapping
from seemly.core.span import Span
from seemly.media.hashing import HashIndex, parse_hashes
from seemly.policies.protocol import NOTHING, Finding, Item, Match, Policy, Spec

if TYPE_CHECKING:
    from seemly.core.channel import Channel, Hashlist

__all__ = ["KnownImages", "spec_of"]

MOST = 5
"""The nearest entries of a list that are told."""


def spec_of(hashlist: Hashlist) -> Spec:
    """The registry entry of one list."""

    def build(_options: Any, _channel: Channel) -> Policy:
        return KnownImages(hashlist, HashIndex(_read(hashlist)))

    return Spec(f"hash:{hashlist.key}", "entity_matcher", build, leaves=frozenset({"image"}))


@dataclass(frozen=True, slots=True)
class KnownImages:
    """Finds pictures that look like one of a list. An `allow` list tells what it knows without flagging it."""

    hashlist: Hashlist
    index: HashIndex

    def check(self, items: Sequence[Item]) -> list[Finding]:
        """One finding a picture; one without a hash is like nothing."""
        return [self._check(item) for item in items]

    def knows(self, found: bytes) -> bool:
        """Whether a hash is within the list's distance of one of the list."""
        return bool(self.index.search(found, self.hashlist.distance))

    def _check(self, item: Item) -> Finding:
        if item.sight is None or item.sight.hash is None:
            return NOTHING
        blocks = self.hashlist.mode == "block"
        known = self.index.search(item.sight.hash, self.hashlist.distance)[:MOST]
        matches = tuple(
            Match(
                Span(0, 0),
                f"entry {each.place + 1} of the list",
                1.0,
                entity_type="known_image",
                signals=FrozenMapping({"entry": each.place + 1, "distance": each.distance}),
                flagging=blocks,
            )
            for each in known
        )
        return Finding(1.0 if blocks else 0.0, matches) if matches else NOTHING


def _read(hashlist: Hashlist) -> Any:
    import numpy as np

    inline = parse_hashes(hashlist.hashes, "hashes")
    if hashlist.file is None:
        return inline
    try:
        with Path(hashlist.file).open(encoding="utf-8-sig") as lines:
            filed = parse_hashes(lines, "file")
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError("a list of hashes cannot be read", [Issue("file", "cannot be read as text")]) from error
    return np.concatenate([inline, filed])
