"""The first tables: items and texts, relations, conditions, access, counts, history.

What each of them is for stands in store/schema.py, which says what they look like today; this file says how they began.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from smeldr.store.engines import IN_KEY_ORDER, KEY, TEXT, only_where

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

LIVE = only_where("ended_at IS NULL")
OPEN = only_where("resolution IS NULL")


def upgrade() -> None:
    _register()
    _items()
    _relations()
    _conditions()
    _access()
    _counts()
    _history()


def _register() -> None:
    op.create_table("register", _text("id"), _text("created_at"), sa.PrimaryKeyConstraint("id"))
    op.create_table("counters", _text("name"), _key("value"), sa.PrimaryKeyConstraint("name"))
    op.create_table(
        "request_keys",
        _text("principal"),
        _text("key"),
        _text("tool"),
        _text("digest"),
        _text("checks"),
        _text("reply"),
        _text("at"),
        sa.PrimaryKeyConstraint("principal", "key"),
    )


def _items() -> None:
    op.create_table(
        "items",
        _key("key"),
        _text("id"),
        _key("place"),
        _text("state"),
        _number("rev"),
        _number("state_changes"),
        _text("created_at"),
        _text("state_changed_at"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_items_id", "items", ["id"], unique=True)
    op.create_index("ix_items_place", "items", ["place", "key"])
    op.create_index("ix_items_state", "items", ["state", "key"])
    op.create_table("places", _key("key"), _text("name"), _item("places", "key"), sa.PrimaryKeyConstraint("key"))
    op.create_table(
        "texts",
        _key("key"),
        _text("title"),
        _text("source", nullable=True),
        _text("proposed_by"),
        _text("ratified_by", nullable=True),
        _key("amends", nullable=True),
        _text("body"),
        _item("texts", "key"),
        _item("texts", "amends"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_texts_amends", "texts", ["amends"])
    op.create_index("ix_texts_source", "texts", ["source"])


def _relations() -> None:
    op.create_table(
        "relations",
        _text("id"),
        _text("kind"),
        _key("source"),
        _key("source_place"),
        _key("target"),
        _key("target_place"),
        _number("rev"),
        _text("asserted_by"),
        _text("asserted_at"),
        _text("ended_by", nullable=True),
        _text("ended_at", nullable=True),
        _text("cause", nullable=True),
        _text("reason", nullable=True),
        _item("relations", "source"),
        _item("relations", "target"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_relations_asserted", "relations", ["asserted_at", "id"])
    op.create_index("ix_relations_source", "relations", ["source"])
    op.create_index("ix_relations_target", "relations", ["target", "source", "kind", "source_place", "ended_at"])
    op.create_index("ix_relations_out", "relations", ["source", "target_place", "kind", "target", "ended_at"], **LIVE)
    op.create_index("ix_relations_in", "relations", ["target", "source_place", "kind", "source", "ended_at"], **LIVE)
    op.create_index("ix_relations_live", "relations", ["source", "target", "kind"], unique=True, **LIVE)


def _conditions() -> None:
    op.create_table(
        "signals",
        _key("key"),
        _text("condition"),
        _key("about"),
        _key("other"),
        _text("relation"),
        _text("resolution", nullable=True),
        _text("confirmed_by", nullable=True),
        _item("signals", "about"),
        _item("signals", "key"),
        _item("signals", "other"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_signals_about", "signals", ["about"])
    op.create_index("ix_signals_other", "signals", ["other"], **OPEN)
    op.create_table(
        "confirmations",
        _key("decision"),
        _key("premise"),
        _number("state_changes"),
        sa.PrimaryKeyConstraint("decision", "premise"),
        **IN_KEY_ORDER,
    )


def _access() -> None:
    op.create_table(
        "principals",
        _text("id"),
        _text("name"),
        _text("class"),
        _flag("active"),
        _text("created_at"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "tokens",
        _text("id"),
        _text("principal"),
        _text("hash"),
        _text("created_at"),
        _text("expires_at", nullable=True),
        _text("revoked_at", nullable=True),
        sa.ForeignKeyConstraint(["principal"], ["principals.id"], name="fk_tokens_principal"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_tokens_hash", "tokens", ["hash"], unique=True)
    op.create_index("ix_tokens_principal", "tokens", ["principal"])
    op.create_table(
        "grants",
        _text("id"),
        _text("principal"),
        _text("right"),
        _key("place"),
        _text("granted_by"),
        _text("granted_at"),
        _text("expires_at", nullable=True),
        _text("revoked_at", nullable=True),
        sa.ForeignKeyConstraint(["principal"], ["principals.id"], name="fk_grants_principal"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_grants_place", "grants", ["place"])
    op.create_index("ix_grants_principal", "grants", ["principal"])


def _counts() -> None:
    op.create_table(
        "rest_counts",
        _key("key"),
        _text("direction"),
        _key("place"),
        _number("open"),
        _number("closed"),
        _flag("at_least"),
        sa.PrimaryKeyConstraint("key", "direction", "place"),
        **IN_KEY_ORDER,
    )
    op.create_table(
        "sweep_runs",
        _text("id"),
        _text("started_at"),
        _text("finished_at"),
        _text("counted_at", nullable=True),
        _number("items"),
        _number("relations"),
        _number("counted"),
        _number("opened"),
        _number("closed"),
        _text("error", nullable=True),
        _text("counters", nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _history() -> None:
    op.create_table(
        "history",
        _key("seq"),
        _text("act"),
        _text("at"),
        _text("actor"),
        _text("actor_class"),
        _text("tool", nullable=True),
        _text("subject_type"),
        _text("subject_id"),
        _key("subject_key", nullable=True),
        _text("from_state", nullable=True),
        _text("to_state", nullable=True),
        _text("changes"),
        _text("hash"),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("ix_history_subject", "history", ["subject_id", "seq"])
    op.create_table(
        "history_texts",
        _key("seq"),
        _text("field"),
        _text("salt"),
        _text("text"),
        sa.ForeignKeyConstraint(["seq"], ["history.seq"], name="fk_history_texts_seq"),
        sa.PrimaryKeyConstraint("seq", "field"),
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, TEXT, nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _key(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, KEY, autoincrement=False, nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _item(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], ["items.key"], name=f"fk_{table}_{column}")
