"""Stored counts in generations: a sweep writes the next one beside the one that is read.

The counts that are there become the first generation, which belongs to the last run that counted. The request keys get
an index by age, and the sweep can forget them a few at a time.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from smeldr.store.engines import IN_KEY_ORDER, KEY, TEXT

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _register()
    _counts()
    _runs()
    op.create_index("ix_request_keys_at", "request_keys", ["at"])


def _register() -> None:
    begun = sa.Column("generation", sa.Integer(), nullable=False, server_default=sa.text("0"))
    op.add_column("register", begun)
    op.execute("UPDATE register SET generation = 1")


def _counts() -> None:
    """Copied there and back: not every database changes a primary key, and a renamed table keeps its key's name."""
    _make_counts("new_counts")
    op.execute("INSERT INTO new_counts SELECT 1, key, direction, place, open, closed, at_least FROM rest_counts")
    op.drop_table("rest_counts")
    _make_counts("rest_counts")
    op.execute("INSERT INTO rest_counts SELECT * FROM new_counts")
    op.drop_table("new_counts")


def _make_counts(name: str) -> None:
    op.create_table(
        name,
        _number("generation"),
        _key("key"),
        sa.Column("direction", TEXT, nullable=False),
        _key("place"),
        _number("open"),
        _number("closed"),
        sa.Column("at_least", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("generation", "key", "direction", "place"),
        **IN_KEY_ORDER,
    )


def _runs() -> None:
    op.add_column("sweep_runs", sa.Column("generation", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE sweep_runs SET generation = 1 WHERE id ="
        " (SELECT id FROM sweep_runs WHERE counted_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT 1)"
    )
    op.create_index("ix_sweep_runs_generation", "sweep_runs", ["generation"], unique=True)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, KEY, autoincrement=False, nullable=False)
