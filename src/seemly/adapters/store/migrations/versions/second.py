"""What an event tells of, and the indexes that finding what is old, due or recent takes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WORDS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

ADDED = (
    ("items", "project_id", "created_ms"),
    ("items", "project_id", "updated_ms"),
    ("items", "project_id", "status", "created_ms"),
    ("placements", "project_id"),
    ("action_runs", "queue_id", "at_ms"),
    ("events", "item_id"),
    ("events", "author_id"),
    ("deliveries", "state", "next_ms", "webhook_id", "held_until_ms"),
    ("deliveries", "held_until_ms"),
    ("deliveries", "project_id", "created_ms"),
    ("attempts", "project_id", "at_ms"),
)
REMOVED = (
    ("items", "project_id", "timestamp_ms"),
    ("items", "project_id", "status", "timestamp_ms"),
    ("deliveries", "state", "next_ms"),
)


def upgrade() -> None:
    """Add the columns and indexes."""
    for name in ("item_id", "author_id"):
        op.add_column("events", sa.Column(name, WORDS, nullable=True))
    _exchange(REMOVED, ADDED)


def downgrade() -> None:
    """Take them away."""
    _exchange(ADDED, REMOVED)
    for name in ("item_id", "author_id"):
        op.drop_column("events", name)


def _exchange(old: tuple[tuple[str, ...], ...], new: tuple[tuple[str, ...], ...]) -> None:
    """Drop indexes and make others, each told by its table and columns."""
    for table, *columns in old:
        op.drop_index(_name(table, columns), table)
    for table, *columns in new:
        op.create_index(_name(table, columns), table, columns)


def _name(table: str, columns: list[str]) -> str:
    return "_".join(("ix", table, *columns))
