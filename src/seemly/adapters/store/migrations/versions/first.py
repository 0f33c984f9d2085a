"""The first tables."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

WORDS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
DOCUMENT = sa.JSON()
NAMES = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "organizations",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("plan", WORDS, nullable=False),
        sa.Column("quota", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_organizations"),
    )
    op.create_table(
        "members",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("organization_id", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("email", WORDS, nullable=True),
        sa.Column("role", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_members"),
    )
    op.create_index("ix_members_organization_id", "members", ["organization_id"])
    op.create_table(
        "projects",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("organization_id", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("description", WORDS, nullable=True),
        sa.Column("domain", WORDS, nullable=True),
        sa.Column("context", WORDS, nullable=True),
        sa.Column("brief", WORDS, nullable=True),
        sa.Column("used_by_minors", sa.Boolean(), nullable=False),
        sa.Column("global_flagging_mode", WORDS, nullable=False),
        sa.Column("enable_request_logging", sa.Boolean(), nullable=False),
        sa.Column("casebook_enabled", sa.Boolean(), nullable=False),
        sa.Column("webhook_secret", WORDS, nullable=False),
        sa.Column("rate_limit", sa.BigInteger(), nullable=True),
        sa.Column("retention_days", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
    )
    op.create_index("ix_projects_organization_id", "projects", ["organization_id"])
    op.create_table(
        "channels",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("key", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("settings", DOCUMENT, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_channels"),
        sa.UniqueConstraint("project_id", "key", name="uq_channels_project_id_key"),
    )
    op.create_table(
        "wordlists",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("channel_id", WORDS, nullable=False),
        sa.Column("key", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("name", WORDS, nullable=True),
        sa.Column("description", WORDS, nullable=True),
        sa.Column("words", NAMES, nullable=False),
        sa.Column("settings", DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_wordlists"),
        sa.UniqueConstraint("channel_id", "key", name="uq_wordlists_channel_id_key"),
    )
    op.create_index("ix_wordlists_project_id", "wordlists", ["project_id"])
    op.create_table(
        "keys",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("organization_id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=True),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("digest", WORDS, nullable=False),
        sa.Column("hint", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("projects", WORDS, nullable=False),
        sa.Column("channels", WORDS, nullable=False),
        sa.Column("project_ids", NAMES, nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=True),
        sa.Column("stops_ms", sa.BigInteger(), nullable=True),
        sa.Column("last_used_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
    )
    op.create_index("ix_keys_organization_id", "keys", ["organization_id"])
    op.create_index("ix_keys_project_id", "keys", ["project_id"])
    op.create_table(
        "activities",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("organization_id", WORDS, nullable=False),
        sa.Column("key_id", WORDS, nullable=True),
        sa.Column("what", WORDS, nullable=False),
        sa.Column("target_id", WORDS, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_activities"),
    )
    op.create_index("ix_activities_organization_id_at_ms", "activities", ["organization_id", "at_ms"])
    op.create_table(
        "usage",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("organization_id", WORDS, nullable=False),
        sa.Column("month", WORDS, nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_usage"),
        sa.UniqueConstraint("organization_id", "month", name="uq_usage_organization_id_month"),
    )
    op.create_table(
        "authors",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("external_id", WORDS, nullable=False),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("name", WORDS, nullable=True),
        sa.Column("email", WORDS, nullable=True),
        sa.Column("company", WORDS, nullable=True),
        sa.Column("profile_picture", WORDS, nullable=True),
        sa.Column("external_link", WORDS, nullable=True),
        sa.Column("metadata", DOCUMENT, nullable=False),
        sa.Column("last_incident_ms", sa.BigInteger(), nullable=True),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("block_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("block_reason", WORDS, nullable=True),
        sa.Column("level", sa.BigInteger(), nullable=False),
        sa.Column("manual_level", sa.BigInteger(), nullable=True),
        sa.Column("total_content", sa.BigInteger(), nullable=False),
        sa.Column("flagged_content", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_authors"),
        sa.UniqueConstraint("project_id", "external_id", name="uq_authors_project_id_external_id"),
    )
    op.create_index("ix_authors_block_until_ms", "authors", ["block_until_ms"])
    op.create_index("ix_authors_project_id_last_seen_ms", "authors", ["project_id", "last_seen_ms"])
    op.create_table(
        "items",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("content_id", WORDS, nullable=False),
        sa.Column("channel_id", WORDS, nullable=False),
        sa.Column("channel_key", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("timestamp_ms", sa.BigInteger(), nullable=False),
        sa.Column("content", DOCUMENT, nullable=False),
        sa.Column("text", WORDS, nullable=False),
        sa.Column("media_type", WORDS, nullable=False),
        sa.Column("meta_type", WORDS, nullable=True),
        sa.Column("author_id", WORDS, nullable=True),
        sa.Column("conversation_id", WORDS, nullable=True),
        sa.Column("metadata", DOCUMENT, nullable=False),
        sa.Column("client_action", DOCUMENT, nullable=True),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("shadow_flagged", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.Double(), nullable=False),
        sa.Column("action", WORDS, nullable=False),
        sa.Column("language", WORDS, nullable=True),
        sa.Column("labels", NAMES, nullable=False),
        sa.Column("result", DOCUMENT, nullable=False),
        sa.Column("status", WORDS, nullable=False),
        sa.Column("resolved_ms", sa.BigInteger(), nullable=True),
        sa.Column("resolve_comment", WORDS, nullable=True),
        sa.Column("reviewer", WORDS, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint("project_id", "content_id", name="uq_items_project_id_content_id"),
    )
    op.create_index("ix_items_project_id_author_id_timestamp_ms", "items", ["project_id", "author_id", "timestamp_ms"])
    op.create_index(
        "ix_items_project_id_conversation_id_timestamp_ms", "items", ["project_id", "conversation_id", "timestamp_ms"]
    )
    op.create_index("ix_items_project_id_status_severity", "items", ["project_id", "status", "severity"])
    op.create_index("ix_items_project_id_status_timestamp_ms", "items", ["project_id", "status", "timestamp_ms"])
    op.create_index("ix_items_project_id_timestamp_ms", "items", ["project_id", "timestamp_ms"])
    op.create_table(
        "queues",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("description", WORDS, nullable=True),
        sa.Column("filter", DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_queues"),
    )
    op.create_index("ix_queues_project_id", "queues", ["project_id"])
    op.create_table(
        "placements",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("queue_id", WORDS, nullable=False),
        sa.Column("item_id", WORDS, nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_placements"),
        sa.UniqueConstraint("queue_id", "item_id", name="uq_placements_queue_id_item_id"),
    )
    op.create_index("ix_placements_item_id", "placements", ["item_id"])
    op.create_table(
        "actions",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("key", WORDS, nullable=True),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("description", WORDS, nullable=True),
        sa.Column("type", WORDS, nullable=False),
        sa.Column("built_in", sa.Boolean(), nullable=False),
        sa.Column("position", WORDS, nullable=False),
        sa.Column("filter_in_queue_ids", NAMES, nullable=False),
        sa.Column("queue_behaviour", WORDS, nullable=False),
        sa.Column("possible_values", NAMES, nullable=False),
        sa.Column("free_text", sa.Boolean(), nullable=False),
        sa.Column("value_required", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sa.UniqueConstraint("project_id", "key", name="uq_actions_project_id_key"),
    )
    op.create_table(
        "action_runs",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("action_id", WORDS, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("item_id", WORDS, nullable=True),
        sa.Column("author_id", WORDS, nullable=True),
        sa.Column("queue_id", WORDS, nullable=True),
        sa.Column("value", WORDS, nullable=True),
        sa.Column("comment", WORDS, nullable=True),
        sa.Column("reviewer", WORDS, nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_action_runs"),
    )
    op.create_index("ix_action_runs_author_id", "action_runs", ["author_id"])
    op.create_index("ix_action_runs_item_id", "action_runs", ["item_id"])
    op.create_index("ix_action_runs_project_id_at_ms", "action_runs", ["project_id", "at_ms"])
    op.create_table(
        "webhooks",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("name", WORDS, nullable=False),
        sa.Column("url", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("event_types", NAMES, nullable=False),
        sa.Column("description", WORDS, nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_project_id", "webhooks", ["project_id"])
    op.create_table(
        "events",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("type", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("body", WORDS, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_project_id_created_ms", "events", ["project_id", "created_ms"])
    op.create_table(
        "deliveries",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("event_id", WORDS, nullable=False),
        sa.Column("webhook_id", WORDS, nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("next_ms", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("state", WORDS, nullable=False),
        sa.Column("held_until_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_event_id", "deliveries", ["event_id"])
    op.create_index("ix_deliveries_state_next_ms", "deliveries", ["state", "next_ms"])
    op.create_index("ix_deliveries_webhook_id_created_ms", "deliveries", ["webhook_id", "created_ms"])
    op.create_table(
        "attempts",
        sa.Column("id", WORDS, nullable=False),
        sa.Column("project_id", WORDS, nullable=False),
        sa.Column("delivery_id", WORDS, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.BigInteger(), nullable=False),
        sa.Column("url", WORDS, nullable=False),
        sa.Column("headers", DOCUMENT, nullable=False),
        sa.Column("payload", WORDS, nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("body", WORDS, nullable=True),
        sa.Column("error", WORDS, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
    )
    op.create_index("ix_attempts_delivery_id_number", "attempts", ["delivery_id", "number"])


def downgrade() -> None:
    """Drop them."""
    for name in (
        "attempts",
        "deliveries",
        "events",
        "webhooks",
        "action_runs",
        "actions",
        "placements",
        "queues",
        "items",
        "authors",
        "usage",
        "activities",
        "keys",
        "wordlists",
        "channels",
        "projects",
        "members",
        "organizations",
    ):
        op.drop_table(name)
