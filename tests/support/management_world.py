"""An organization in memory, with a clock that stands still and ids that count, and keys of every sort."""

from __future__ import annotations

from itertools import count
from typing import Any

from seemly.adapters.store.memory import MemoryStore
from seemly.service.base.environment import Environment
from seemly.service.base.ports import ALL, Query
from seemly.service.base.records import Key, Member, Organization
from seemly.service.management.keys import find_key, issue
from seemly.service.management.setup import set_up

START_MS = 1_772_000_000_000
"""2026-02-25 06:13:20 UTC."""


class World:
    """What is set up, and one open transaction at a time."""

    def __init__(self) -> None:
        self.at_ms = START_MS
        numbers = count(1)
        self.env = Environment(
            MemoryStore(),
            now=lambda: self.at_ms,
            new_id=lambda prefix: f"{prefix}_{next(numbers)}",
            new_secret=lambda prefix: f"{prefix}{next(numbers):032}",
        )
        self.made = self.change(set_up)
        self.organization_id = self.made.organization.id
        self.owner = self.made.owner
        self.project_id = self.made.project_id
        self.channel_id = self.made.channel_id
        self.key = self.find(self.made.organization_key)
        self.project_key = self.find(self.made.project_key)

    def find(self, secret: str | None) -> Key:
        with self.env.store.read() as tx:
            return find_key(self.env, tx, secret)

    def issue(self, **access: Any) -> Key:
        """An organization key of some access."""
        with self.env.store.transaction() as tx:
            return issue(self.env, tx, self.organization_id, "A key", **access).key

    def member(self, role: Any) -> Member:
        """A member of some role."""
        member = Member(
            id=self.env.new_id("mem"), organization_id=self.organization_id, created_ms=self.at_ms, role=role
        )
        with self.env.store.transaction() as tx:
            tx.add(member)
        return member

    def put(self, record: Any) -> None:
        with self.env.store.transaction() as tx:
            tx.put(record)

    def all(self, kind: type[Any], query: Query = ALL) -> list[Any]:
        with self.env.store.read() as tx:
            return tx.find(kind, query)

    def read(self, use: Any, *rest: Any, **named: Any) -> Any:
        """Call a use case that only reads."""
        with self.env.store.read() as tx:
            return use(tx, *rest, **named)

    def change(self, use: Any, *rest: Any, **named: Any) -> Any:
        """Call a use case that changes something."""
        with self.env.store.transaction() as tx:
            return use(self.env, tx, *rest, **named)

    def stranger(self) -> World:
        """Another organization in the same store."""
        other = object.__new__(World)
        other.at_ms, other.env = self.at_ms, self.env
        organization = Organization(id=self.env.new_id("org"), name="Another", created_ms=self.at_ms)
        self.put(organization)
        other.organization_id = organization.id
        other.owner = other.member("owner")
        other.key = other.issue(projects="write", channels="write")
        return other
