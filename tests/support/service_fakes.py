"""A small service in memory for tests: a project with a webhook for every event, a clock that stands still, and models
without weights."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from seemly.adapters.store.memory import MemoryStore
from seemly.media.decoding import Capture, Piece
from seemly.media.image import Picture
from seemly.service.base.environment import Environment
from seemly.service.base.ports import where
from seemly.service.base.records import KINDS, Author, ChannelRecord, Event, Item, Organization, Project, Usage, Webhook
from seemly.service.management.setup import set_up
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.service.webhooks.events import EVENT_TYPES, delete_events
from seemly.testing import FakeModels, FakeViewer

START_MS = 1_800_000_000_000
DAY_MS = 86_400_000

MODELS = FakeModels(
    {
        "bad": {"toxicity": 0.97, "insult": 0.9},
        "so so": {"toxicity": 0.55},
        "you\nare bad": {"toxicity": 0.97},
    },
    viewers=[FakeViewer({"nudity": 0.9})],
)


class Clock:
    """Unix milliseconds that pass when they are told to."""

    def __init__(self) -> None:
        self.ms = START_MS

    def __call__(self) -> int:
        return self.ms


class Red:
    """Every image is one red picture."""

    def decode(self, part: Any, capture: Capture) -> Iterator[Piece]:
        pixels = np.zeros((8, 8, 3), np.uint8)
        pixels[..., 0] = 255
        yield Picture(pixels)


@dataclass
class Service:
    """A service with one project. Ids are numbered."""

    clock: Clock = field(default_factory=Clock)
    store: MemoryStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        numbers = itertools.count()
        self.env = Environment(
            self.store,
            self.clock,
            lambda prefix: f"{prefix}_{next(numbers):06}",
            lambda prefix: f"{prefix}{next(numbers)}",
        )
        with self.store.transaction() as tx:
            made = set_up(self.env, tx)
            self.project_id, self.channel_id = made.project_id, made.channel_id
            self.organization_id = made.organization.id
            webhook = Webhook(
                id="wh_1", project_id=self.project_id, name="all", url="", created_ms=0, event_types=EVENT_TYPES
            )
            tx.add(webhook)
        self.engines = Engines(self.env, models=MODELS, decoders={"image": Red()})
        self.moderation = Moderation(self.env, self.engines)

    def add_project(self, project_id: str) -> None:
        """Another project of the organization, with nothing in it."""
        with self.store.transaction() as tx:
            tx.add(replace(tx.find(Project, where("id", self.project_id))[0], id=project_id))

    def submit(self, text: str = "fine", **more: Any) -> dict[str, Any]:
        content = more.pop("content", {"type": "text", "text": text})
        return self.moderation.submit(self.project_id, {"content": content, **more})

    def all(self, kind: Any) -> list[Any]:
        with self.store.read() as tx:
            return tx.find(kind)

    def used(self) -> int:
        """How many units were counted."""
        self.moderation.meter.flush()
        return sum(each.units for each in self.all(Usage))

    def events(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The type and object of every event so far, in order."""
        return [(each.type, json.loads(each.body)["data"]["object"]) for each in self.all(Event)]

    def types(self) -> list[str]:
        return [kind for kind, _ in self.events()]

    def forget_events(self) -> None:
        with self.store.transaction() as tx:
            while delete_events(tx, where("project_id", self.project_id)):
                pass

    def change(self, kind: Any, record_id: str, **changes: Any) -> None:
        with self.store.transaction() as tx:
            record = tx.get(kind, record_id)
            assert record is not None
            if kind is ChannelRecord:
                changes["revision"] = record.revision + 1
            tx.put(replace(record, **changes))

    def change_channel(self, **settings: Any) -> None:
        held = next(each for each in self.all(ChannelRecord) if each.id == self.channel_id)
        self.change(ChannelRecord, self.channel_id, settings={**held.settings, **settings})

    def change_project(self, **changes: Any) -> None:
        self.change(Project, self.project_id, **changes)

    def change_organization(self, **changes: Any) -> None:
        self.change(Organization, self.organization_id, **changes)

    def author(self, external_id: str = "jo") -> Author:
        authors: list[Author] = self.all(Author)
        return next(each for each in authors if each.external_id == external_id)

    def item(self, content_id: str) -> Item:
        items: list[Item] = self.all(Item)
        return next(each for each in items if each.content_id == content_id)

    def snapshot(self, *but: type) -> dict[str, list[Any]]:
        """Every record there is, by kind, but for some kinds."""
        return {kind.__name__: self.all(kind) for kind in KINDS if kind not in but}
