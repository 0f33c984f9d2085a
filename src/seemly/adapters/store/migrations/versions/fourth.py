"""What the console keeps: how members sign in, and what reviewers decide, note and see."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

WORDS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
WHOLE = sa.BigInteger()

Columns = dict[str, sa.types.TypeEngine[Any]]

TABLES: dict[str, tuple[Columns, Columns, dict[str, str]]] = {
    "credentials": (
        {"member_id": WORDS, "password": WORDS, "updated_ms": WHOLE, "code_step": WHOLE},
        {"code_secret": WORDS},
        {"member_id": "members"},
    ),
    "sessions": (
        {
            "member_id": WORDS,
            "digest": WORDS,
            "created_ms": WHOLE,
            "expires_ms": WHOLE,
            "used_ms": WHOLE,
            "agent": WORDS,
        },
        {},
        {"member_id": "members"},
    ),
    "invitations": (
        {"member_id": WORDS, "digest": WORDS, "created_ms": WHOLE, "expires_ms": WHOLE},
        {},
        {"member_id": "members"},
    ),
    "decisions": (
        {
            "project_id": WORDS,
            "batch_id": WORDS,
            "member_id": WORDS,
            "action_id": WORDS,
            "at_ms": WHOLE,
            "release_ms": WHOLE,
            "outcome": WORDS,
            "state": WORDS,
        },
        {
            "item_id": WORDS,
            "author_id": WORDS,
            "queue_id": WORDS,
            "value": WORDS,
            "comment": WORDS,
            "policy": WORDS,
            "duration_ms": WHOLE,
            "spent_ms": WHOLE,
        },
        {"project_id": "projects", "item_id": "items"},
    ),
    "claims": (
        {"project_id": WORDS, "item_id": WORDS, "member_id": WORDS, "until_ms": WHOLE},
        {},
        {"project_id": "projects", "item_id": "items"},
    ),
    "notes": (
        {"project_id": WORDS, "item_id": WORDS, "member_id": WORDS, "at_ms": WHOLE, "text": WORDS},
        {},
        {"project_id": "projects", "item_id": "items"},
    ),
    "exposures": (
        {"member_id": WORDS, "day": WORDS, "mild": WHOLE, "marked": WHOLE, "severe": WHOLE},
        {},
        {"member_id": "members"},
    ),
    "reports": (
        {"project_id": WORDS, "item_id": WORDS, "at_ms": WHOLE},
        {"reporter_id": WORDS, "reason": WORDS, "comment": WORDS},
        {"project_id": "projects", "item_id": "items"},
    ),
    "review_requests": (
        {"project_id": WORDS, "item_id": WORDS, "kind": WORDS, "at_ms": WHOLE, "former": WORDS, "state": WORDS},
        {
            "message": WORDS,
            "author_id": WORDS,
            "not_member_id": WORDS,
            "answered_by": WORDS,
            "answered_ms": WHOLE,
        },
        {"project_id": "projects", "item_id": "items"},
    ),
    "channel_versions": (
        {
            "project_id": WORDS,
            "channel_id": WORDS,
            "revision": WHOLE,
            "at_ms": WHOLE,
            "by": WORDS,
            "settings": sa.JSON(),
        },
        {"note": WORDS},
        {"project_id": "projects"},
    ),
}
"""By table: the columns that are always filled, those that may be empty, and which tables its columns name."""

UNIQUE = (("sessions", "digest"), ("invitations", "digest"))

INDEXES = (
    ("credentials", "member_id"),
    ("sessions", "member_id"),
    ("sessions", "expires_ms"),
    ("invitations", "member_id"),
    ("decisions", "project_id", "at_ms"),
    ("decisions", "state", "release_ms"),
    ("decisions", "batch_id"),
    ("decisions", "item_id"),
    ("decisions", "author_id"),
    ("claims", "project_id", "until_ms"),
    ("claims", "item_id"),
    ("notes", "project_id"),
    ("notes", "item_id", "at_ms"),
    ("exposures", "member_id"),
    ("reports", "project_id", "reporter_id"),
    ("reports", "item_id", "at_ms"),
    ("review_requests", "project_id", "state"),
    ("review_requests", "item_id"),
    ("review_requests", "author_id"),
    ("channel_versions", "project_id"),
    ("channel_versions", "channel_id", "revision"),
)


def upgrade() -> None:
    """Make the tables, and the column of the activity log that names a member."""
    op.add_column("activities", sa.Column("member_id", WORDS, nullable=True))
    for name, (filled, maybe, references) in TABLES.items():
        op.create_table(
            name,
            sa.Column("id", WORDS, nullable=False),
            *(sa.Column(column, kind, nullable=False) for column, kind in filled.items()),
            *(sa.Column(column, kind, nullable=True) for column, kind in maybe.items()),
            sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
            *(
                sa.ForeignKeyConstraint([column], [f"{named}.id"], name=f"fk_{name}_{column}")
                for column, named in references.items()
            ),
            *(sa.UniqueConstraint(column, name=f"uq_{name}_{column}") for table, column in UNIQUE if table == name),
        )
    for table, *columns in INDEXES:
        op.create_index("_".join(("ix", table, *columns)), table, columns)


def downgrade() -> None:
    """Take them away."""
    for table, *columns in reversed(INDEXES):
        op.drop_index("_".join(("ix", table, *columns)), table)
    for name in reversed(TABLES):
        op.drop_table(name)
    op.drop_column("activities", "member_id")
