"""Columns that name records of other tables, checked by the database."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

REFERENCES = (
    ("members", {"organization_id": "organizations"}),
    ("projects", {"organization_id": "organizations"}),
    ("channels", {"project_id": "projects"}),
    ("wordlists", {"project_id": "projects", "channel_id": "channels"}),
    ("keys", {"organization_id": "organizations", "project_id": "projects"}),
    ("activities", {"organization_id": "organizations"}),
    ("usage", {"organization_id": "organizations"}),
    ("authors", {"project_id": "projects"}),
    ("items", {"project_id": "projects", "author_id": "authors"}),
    ("queues", {"project_id": "projects"}),
    ("placements", {"project_id": "projects", "queue_id": "queues", "item_id": "items"}),
    ("actions", {"project_id": "projects"}),
    ("action_runs", {"project_id": "projects", "item_id": "items"}),
    ("webhooks", {"project_id": "projects"}),
    ("events", {"project_id": "projects", "item_id": "items", "author_id": "authors"}),
    ("deliveries", {"project_id": "projects", "event_id": "events"}),
    ("attempts", {"project_id": "projects", "delivery_id": "deliveries"}),
)
"""Each table after those that it names: what is removed for naming nothing leaves others that then name nothing."""

KEPT = ("items", "author_id")
"""What is kept when what it names is gone, and names nothing then."""

BY_PROJECT = ["project_id", "author_id", "timestamp_ms"]
BY_AUTHOR = ["author_id", "project_id", "timestamp_ms"]


def upgrade() -> None:
    """Remove what names nothing, and add the foreign keys."""
    for table, references in REFERENCES:
        for column, named in references.items():
            op.execute(_clear(table, column, named))
    _exchange(BY_PROJECT, BY_AUTHOR)
    # SQLite makes each table anew for it: in this order, while nothing names the old one yet.
    for table, references in REFERENCES:
        with op.batch_alter_table(table) as batch:
            for column, named in references.items():
                batch.create_foreign_key(_name(table, column), named, [column], ["id"])


def downgrade() -> None:
    """Take them away. What was removed does not come back."""
    for table, references in reversed(REFERENCES):
        with op.batch_alter_table(table) as batch:
            for column in references:
                batch.drop_constraint(_name(table, column), type_="foreignkey")
    _exchange(BY_AUTHOR, BY_PROJECT)


def _clear(table: str, column: str, named: str) -> sa.sql.dml.UpdateBase:
    """What removes the rows whose column names nothing, or empties that."""
    here, there = sa.table(table, sa.column(column)), sa.table(named, sa.column("id"))
    dangles = here.c[column].is_not(None) & ~sa.exists().where(there.c.id == here.c[column])
    if (table, column) == KEPT:
        return sa.update(here).where(dangles).values({column: None})
    return sa.delete(here).where(dangles)


def _exchange(old: list[str], new: list[str]) -> None:
    """Drop an index of the items and make another, so that an author's are found by the author alone."""
    op.drop_index("_".join(("ix_items", *old)), "items")
    op.create_index("_".join(("ix_items", *new)), "items", new)


def _name(table: str, column: str) -> str:
    return f"fk_{table}_{column}"
