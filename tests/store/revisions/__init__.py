"""Registers as former versions of Smeldr left them, one file a revision, and how to have one in a database.

`0001.json` holds the rows of every table, the tokens of its callers, and what the version of that revision answered
them an hour later, at `now`. It was written by that version and is not changed any more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import MetaData, insert, select

from smeldr.store.engines import open_engine
from smeldr.store.store import alembic_config

Rows = dict[str, list[dict[str, Any]]]


def kept(revision: str) -> dict[str, Any]:
    """What the file of the revision says: `now`, `tokens`, `tables`, `answers`."""
    told: dict[str, Any] = json.loads(Path(__file__).with_name(f"{revision}.json").read_text(encoding="utf-8"))
    return told


def bring_to(url: str, revision: str) -> None:
    """Run the migrations on the database up to a revision, as `smeldr migrate` of that version did."""
    engine = open_engine(url, 1.0, 1)
    config = alembic_config()
    with engine.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.close()


def fill(url: str, tables: Rows) -> None:
    """Write rows into the tables that the database has."""
    engine = open_engine(url, 1.0, 1)
    with engine.writing() as connection:
        found = MetaData()
        found.reflect(connection)
        for table in found.sorted_tables:
            if rows := tables.get(table.name):
                connection.execute(insert(table), rows)
    engine.close()


def rows(url: str) -> Rows:
    """Every row of every table that the database has, by primary key."""
    engine = open_engine(url, 1.0, 1)
    with engine.reading() as connection:
        found = MetaData()
        found.reflect(connection)
        there = {
            table.name: [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in found.sorted_tables
        }
    engine.close()
    return there
