"""The tables: the same, with the same columns, on every database.

Keys are numbers that sort like the trace (model/items.py), instants and ids are text that sorts in time order. The
migrations under migrations/ make these tables; a test holds the two against each other.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, MetaData, Table, text

from smeldr.store.engines import IN_KEY_ORDER, KEY, TEXT, only_where

METADATA = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "fk": "fk_%(table_name)s_%(column_0_name)s"}
)


def _key(name: str, target: str | None = None, *, nullable: bool = False) -> Column[int]:
    return Column(name, KEY, *([ForeignKey(target)] if target else []), nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, TEXT, nullable=nullable)


register = Table(
    "register",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _text("created_at"),
    Column("generation", Integer, nullable=False, server_default=text("0")),
)
"""One row: which register this is, and which generation of stored counts was begun last."""

counters = Table("counters", METADATA, Column("name", TEXT, primary_key=True), Column("value", KEY, nullable=False))
"""The last address number given out, by item type."""

items = Table(
    "items",
    METADATA,
    Column("key", KEY, primary_key=True, autoincrement=False),
    _text("id"),
    _key("place"),
    _text("state"),
    Column("rev", Integer, nullable=False),
    Column("state_changes", Integer, nullable=False),
    _text("created_at"),
    _text("state_changed_at"),
    Index("ix_items_id", "id", unique=True),
    Index("ix_items_place", "place", "key"),
    Index("ix_items_state", "state", "key"),
)
"""Every item of every type. `place` is the key of a Domain or an Area, or 0 for ROOT."""

places = Table(
    "places",
    METADATA,
    Column("key", KEY, ForeignKey("items.key"), primary_key=True, autoincrement=False),
    _text("name"),
)
"""The names of Domains and Areas."""

texts = Table(
    "texts",
    METADATA,
    Column("key", KEY, ForeignKey("items.key"), primary_key=True, autoincrement=False),
    _text("title"),
    _text("source", nullable=True),
    _text("proposed_by"),
    _text("ratified_by", nullable=True),
    _key("amends", "items.key", nullable=True),
    _text("body"),
    Index("ix_texts_source", "source"),
    Index("ix_texts_amends", "amends"),
)
"""What stands in a Decision or an Amendment now. The body comes last: what stands behind it takes reading all of it."""

_LIVE = only_where("ended_at IS NULL")

relations = Table(
    "relations",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _text("kind"),
    _key("source", "items.key"),
    _key("source_place"),
    _key("target", "items.key"),
    _key("target_place"),
    Column("rev", Integer, nullable=False),
    _text("asserted_by"),
    _text("asserted_at"),
    _text("ended_by", nullable=True),
    _text("ended_at", nullable=True),
    _text("cause", nullable=True),
    _text("reason", nullable=True),
    Index("ix_relations_out", "source", "target_place", "kind", "target", "ended_at", **_LIVE),
    Index("ix_relations_in", "target", "source_place", "kind", "source", "ended_at", **_LIVE),
    Index("ix_relations_live", "source", "target", "kind", unique=True, **_LIVE),
    Index("ix_relations_source", "source"),
    Index("ix_relations_target", "target", "source", "kind", "source_place", "ended_at"),
    Index("ix_relations_asserted", "asserted_at", "id"),
)
"""Live and ended relations. The place of each end stands in the row, so that a walk leaves alone what its
reader may not see; whoever moves an item rewrites them. The two indexes of the walks hold all that a walk asks for:
`ended_at` as well, empty as it always is there, or it would be looked up in every row. What rests on one item alone is
read in its order from `ix_relations_target`: a count stops early there, however many there are."""

_OPEN = only_where("resolution IS NULL")

signals = Table(
    "signals",
    METADATA,
    Column("key", KEY, ForeignKey("items.key"), primary_key=True, autoincrement=False),
    _text("condition"),
    _key("about", "items.key"),
    _key("other", "items.key"),
    _text("relation"),
    _text("resolution", nullable=True),
    _text("confirmed_by", nullable=True),
    Index("ix_signals_other", "other", **_OPEN),
    Index("ix_signals_about", "about"),
)
"""Conditions; open while they have no resolution."""

confirmations = Table(
    "confirmations",
    METADATA,
    Column("decision", KEY, primary_key=True, autoincrement=False),
    Column("premise", KEY, primary_key=True, autoincrement=False),
    Column("state_changes", Integer, nullable=False),
    **IN_KEY_ORDER,
)
"""That a pair still holds, for as long as the premise has changed its state this many times."""

principals = Table(
    "principals",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _text("name"),
    _text("class"),
    Column("active", Boolean, nullable=False),
    _text("created_at"),
)

tokens = Table(
    "tokens",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("principal", TEXT, ForeignKey("principals.id"), nullable=False),
    _text("hash"),
    _text("created_at"),
    _text("expires_at", nullable=True),
    _text("revoked_at", nullable=True),
    Index("ix_tokens_hash", "hash", unique=True),
    Index("ix_tokens_principal", "principal"),
)

grants = Table(
    "grants",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("principal", TEXT, ForeignKey("principals.id"), nullable=False),
    _text("right"),
    _key("place"),
    _text("granted_by"),
    _text("granted_at"),
    _text("expires_at", nullable=True),
    _text("revoked_at", nullable=True),
    Index("ix_grants_principal", "principal"),
    Index("ix_grants_place", "place"),
)

request_keys = Table(
    "request_keys",
    METADATA,
    Column("principal", TEXT, primary_key=True),
    Column("key", TEXT, primary_key=True),
    _text("tool"),
    _text("digest"),
    _text("checks"),
    _text("reply"),
    _text("at"),
    Index("ix_request_keys_at", "at"),
)
"""The first success of a call that carried a request key, and the rights it took."""

rest_counts = Table(
    "rest_counts",
    METADATA,
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("key", KEY, primary_key=True, autoincrement=False),
    Column("direction", TEXT, primary_key=True),
    Column("place", KEY, primary_key=True, autoincrement=False),
    Column("open", Integer, nullable=False),
    Column("closed", Integer, nullable=False),
    Column("at_least", Boolean, nullable=False),
    **IN_KEY_ORDER,
)
"""What sweeps stored, each under a generation of its own that is read once the record of its run is there. An item that
was counted and has no rows has nothing resting either way."""

sweep_runs = Table(
    "sweep_runs",
    METADATA,
    Column("id", TEXT, primary_key=True),
    _text("started_at"),
    _text("finished_at"),
    _text("counted_at", nullable=True),
    Column("items", Integer, nullable=False),
    Column("relations", Integer, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("opened", Integer, nullable=False),
    Column("closed", Integer, nullable=False),
    _text("error", nullable=True),
    _text("counters", nullable=True),
    Column("generation", Integer, nullable=True),
    Index("ix_sweep_runs_generation", "generation", unique=True),
)
"""One row for each of the last runs. `counters` holds the address numbers given out when it took its snapshot: what is
above was not counted. The run with the highest `generation` is the one whose counts are read."""

history = Table(
    "history",
    METADATA,
    Column("seq", KEY, primary_key=True, autoincrement=False),
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
    Index("ix_history_subject", "subject_id", "seq"),
)
"""One row for every changed thing, chained by hash. `changes` holds digests in place of what people wrote."""

history_texts = Table(
    "history_texts",
    METADATA,
    Column("seq", KEY, ForeignKey("history.seq"), primary_key=True, autoincrement=False),
    Column("field", TEXT, primary_key=True),
    _text("salt"),
    _text("text"),
)
"""What people wrote, apart from the chain, so that it can be removed and leave the chain whole."""
