"""The tables: one a kind of record, a column a field, a foreign key a reference of `seemly.service.base.references`.

A key only checks, and does not cascade: a database is to refuse what the store in memory refuses, and to remove no more
than it does. Each column with one leads an index, so that what it names is removed without a look at the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
)  # fmt: skip
from sqlalchemy.types import TypeEngine

from seemly.adapters.store.column_types import Document, Names, Words
from seemly.service.base.records import (
    Action,
    ActionRun,
    Activity,
    Attempt,
    Author,
    ChannelRecord,
    Delivery,
    Event,
    Item,
    Key,
    Member,
    Organization,
    Placement,
    Project,
    Queue,
    Usage,
    Webhook,
    WordlistRecord,
)  # fmt: skip
from seemly.service.base.references import REFERENCES

__all__ = ["METADATA", "TABLES"]

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

WORDS = Words()
DOCUMENT = Document()
NAMES = Names()
WHOLE = BigInteger()
REAL: Double[float] = Double()
TRUTH = Boolean()


def _has(name: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _maybe(name: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(name, kind)


def _table(name: str, *parts: Column[Any] | UniqueConstraint | Index) -> Table:
    return Table(name, METADATA, Column("id", WORDS, primary_key=True), *parts)


TABLES: Mapping[type, Table] = {
    Organization: _table(
        "organizations",
        _has("name", WORDS),
        _has("created_ms", WHOLE),
        _has("plan", WORDS),
        _maybe("quota", WHOLE),
    ),
    Member: _table(
        "members",
        _has("organization_id", WORDS),
        _has("created_ms", WHOLE),
        _has("name", WORDS),
        _maybe("email", WORDS),
        _has("role", WORDS),
        Index(None, "organization_id"),
    ),
    Project: _table(
        "projects",
        _has("organization_id", WORDS),
        _has("name", WORDS),
        _has("created_ms", WHOLE),
        _has("updated_ms", WHOLE),
        _maybe("description", WORDS),
        _maybe("domain", WORDS),
        _maybe("context", WORDS),
        _maybe("brief", WORDS),
        _has("used_by_minors", TRUTH),
        _has("global_flagging_mode", WORDS),
        _has("enable_request_logging", TRUTH),
        _has("casebook_enabled", TRUTH),
        _has("webhook_secret", WORDS),
        _maybe("rate_limit", WHOLE),
        _maybe("retention_days", WHOLE),
        Index(None, "organization_id"),
    ),
    ChannelRecord: _table(
        "channels",
        _has("project_id", WORDS),
        _has("key", WORDS),
        _has("name", WORDS),
        _has("created_ms", WHOLE),
        _has("updated_ms", WHOLE),
        _has("is_default", TRUTH),
        _has("settings", DOCUMENT),
        _has("revision", WHOLE),
        UniqueConstraint("project_id", "key"),
    ),
    WordlistRecord: _table(
        "wordlists",
        _has("project_id", WORDS),
        _has("channel_id", WORDS),
        _has("key", WORDS),
        _has("created_ms", WHOLE),
        _maybe("name", WORDS),
        _maybe("description", WORDS),
        _has("words", NAMES),
        _has("settings", DOCUMENT),
        UniqueConstraint("channel_id", "key"),
        Index(None, "project_id"),
    ),
    Key: _table(
        "keys",
        _has("organization_id", WORDS),
        _maybe("project_id", WORDS),
        _has("name", WORDS),
        _has("digest", WORDS),
        _has("hint", WORDS),
        _has("created_ms", WHOLE),
        _has("projects", WORDS),
        _has("channels", WORDS),
        _has("project_ids", NAMES),
        _maybe("expires_ms", WHOLE),
        _maybe("stops_ms", WHOLE),
        _maybe("last_used_ms", WHOLE),
        UniqueConstraint("digest"),
        Index(None, "organization_id"),
        Index(None, "project_id"),
    ),
    Activity: _table(
        "activities",
        _has("organization_id", WORDS),
        _maybe("key_id", WORDS),
        _has("what", WORDS),
        _has("target_id", WORDS),
        _has("at_ms", WHOLE),
        Index(None, "organization_id", "at_ms"),
    ),
    Usage: _table(
        "usage",
        _has("organization_id", WORDS),
        _has("month", WORDS),
        _has("units", WHOLE),
        UniqueConstraint("organization_id", "month"),
    ),
    Author: _table(
        "authors",
        _has("project_id", WORDS),
        _has("external_id", WORDS),
        _has("first_seen_ms", WHOLE),
        _has("last_seen_ms", WHOLE),
        _maybe("name", WORDS),
        _maybe("email", WORDS),
        _maybe("company", WORDS),
        _maybe("profile_picture", WORDS),
        _maybe("external_link", WORDS),
        _has("metadata", DOCUMENT),
        _maybe("last_incident_ms", WHOLE),
        _has("status", WORDS),
        _maybe("block_until_ms", WHOLE),
        _maybe("block_reason", WORDS),
        _has("level", WHOLE),
        _maybe("manual_level", WHOLE),
        _has("total_content", WHOLE),
        _has("flagged_content", WHOLE),
        UniqueConstraint("project_id", "external_id"),
        Index(None, "project_id", "last_seen_ms"),
        Index(None, "block_until_ms"),
    ),
    Item: _table(
        "items",
        _has("project_id", WORDS),
        _has("content_id", WORDS),
        _has("channel_id", WORDS),
        _has("channel_key", WORDS),
        _has("created_ms", WHOLE),
        _has("updated_ms", WHOLE),
        _has("timestamp_ms", WHOLE),
        _has("content", DOCUMENT),
        _has("text", WORDS),
        _has("media_type", WORDS),
        _maybe("meta_type", WORDS),
        _maybe("author_id", WORDS),
        _maybe("conversation_id", WORDS),
        _has("metadata", DOCUMENT),
        _maybe("client_action", DOCUMENT),
        _has("flagged", TRUTH),
        _has("shadow_flagged", TRUTH),
        _has("severity", REAL),
        _has("action", WORDS),
        _maybe("language", WORDS),
        _has("labels", NAMES),
        _has("result", DOCUMENT),
        _has("status", WORDS),
        _maybe("resolved_ms", WHOLE),
        _maybe("resolve_comment", WORDS),
        _maybe("reviewer", WORDS),
        UniqueConstraint("project_id", "content_id"),
        Index(None, "project_id", "created_ms"),
        Index(None, "project_id", "updated_ms"),
        Index(None, "project_id", "status", "created_ms"),
        Index(None, "project_id", "status", "severity"),
        Index(None, "author_id", "project_id", "timestamp_ms"),
        Index(None, "project_id", "conversation_id", "timestamp_ms"),
    ),
    Queue: _table(
        "queues",
        _has("project_id", WORDS),
        _has("name", WORDS),
        _has("created_ms", WHOLE),
        _has("updated_ms", WHOLE),
        _maybe("description", WORDS),
        _has("filter", DOCUMENT),
        Index(None, "project_id"),
    ),
    Placement: _table(
        "placements",
        _has("project_id", WORDS),
        _has("queue_id", WORDS),
        _has("item_id", WORDS),
        _has("present", TRUTH),
        _has("at_ms", WHOLE),
        UniqueConstraint("queue_id", "item_id"),
        Index(None, "project_id"),
        Index(None, "item_id"),
    ),
    Action: _table(
        "actions",
        _has("project_id", WORDS),
        _maybe("key", WORDS),
        _has("name", WORDS),
        _has("created_ms", WHOLE),
        _maybe("description", WORDS),
        _has("type", WORDS),
        _has("built_in", TRUTH),
        _has("position", WORDS),
        _has("filter_in_queue_ids", NAMES),
        _has("queue_behaviour", WORDS),
        _has("possible_values", NAMES),
        _has("free_text", TRUTH),
        _has("value_required", TRUTH),
        UniqueConstraint("project_id", "key"),
    ),
    ActionRun: _table(
        "action_runs",
        _has("project_id", WORDS),
        _has("action_id", WORDS),
        _has("at_ms", WHOLE),
        _maybe("item_id", WORDS),
        _maybe("author_id", WORDS),
        _maybe("queue_id", WORDS),
        _maybe("value", WORDS),
        _maybe("comment", WORDS),
        _maybe("reviewer", WORDS),
        _maybe("duration_ms", WHOLE),
        Index(None, "project_id", "at_ms"),
        Index(None, "queue_id", "at_ms"),
        Index(None, "item_id"),
        Index(None, "author_id"),
    ),
    Webhook: _table(
        "webhooks",
        _has("project_id", WORDS),
        _has("name", WORDS),
        _has("url", WORDS),
        _has("created_ms", WHOLE),
        _has("event_types", NAMES),
        _maybe("description", WORDS),
        _has("enabled", TRUTH),
        Index(None, "project_id"),
    ),
    Event: _table(
        "events",
        _has("project_id", WORDS),
        _has("type", WORDS),
        _has("created_ms", WHOLE),
        _has("body", WORDS),
        _maybe("item_id", WORDS),
        _maybe("author_id", WORDS),
        Index(None, "project_id", "created_ms"),
        Index(None, "item_id"),
        Index(None, "author_id"),
    ),
    Delivery: _table(
        "deliveries",
        _has("project_id", WORDS),
        _has("event_id", WORDS),
        _has("webhook_id", WORDS),
        _has("created_ms", WHOLE),
        _has("next_ms", WHOLE),
        _has("attempts", WHOLE),
        _has("state", WORDS),
        _has("held_until_ms", WHOLE),
        # All that is asked of what is due: whose turn it is not may be much, and is passed over within the index.
        Index(None, "state", "next_ms", "webhook_id", "held_until_ms"),
        Index(None, "held_until_ms"),
        Index(None, "project_id", "created_ms"),
        Index(None, "webhook_id", "created_ms"),
        Index(None, "event_id"),
    ),
    Attempt: _table(
        "attempts",
        _has("project_id", WORDS),
        _has("delivery_id", WORDS),
        _has("number", WHOLE),
        _has("at_ms", WHOLE),
        _has("duration_ms", WHOLE),
        _has("url", WORDS),
        _has("headers", DOCUMENT),
        _has("payload", WORDS),
        _maybe("status", WHOLE),
        _maybe("body", WORDS),
        _maybe("error", WORDS),
        Index(None, "project_id", "at_ms"),
        Index(None, "delivery_id", "number"),
    ),
}
"""Each kind's table."""

for _kind, _references in REFERENCES.items():
    for _field, _named in _references.items():
        TABLES[_kind].append_constraint(ForeignKeyConstraint([_field], [TABLES[_named].c.id]))
