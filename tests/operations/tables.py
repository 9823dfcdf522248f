"""Everything that stands in a register's database, read past the register itself.

It knows the tables and nothing of what they mean; it writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, create_engine, select
from sqlalchemy.pool import NullPool

from smeldr.store.schema import METADATA

Row = dict[str, Any]


class Tables:
    """The tables of one database."""

    def __init__(self, database: str) -> None:
        self._engine = create_engine(database, poolclass=NullPool)

    def rows(self, name: str) -> list[Row]:
        """The rows of a table, in the order of its primary key."""
        with self._engine.connect() as connection:
            return _rows(connection, name)

    def dump(self) -> dict[str, list[Row]]:
        """Every row of every table."""
        with self._engine.connect() as connection:
            return {name: _rows(connection, name) for name in METADATA.tables}

    def entries(self, after: int = 0) -> list[Row]:
        """The entries of the history behind that `seq`, `changes` as values and `texts` by field."""
        texts: dict[int, dict[str, str]] = {}
        for row in self.rows("history_texts"):
            texts.setdefault(row["seq"], {})[row["field"]] = row["text"]
        return [
            {**row, "changes": json.loads(row["changes"]), "texts": texts.get(row["seq"], {})}
            for row in self.rows("history")
            if row["seq"] > after
        ]

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Insist that the block leaves every table as it was."""
        before = self.dump()
        yield
        assert before == self.dump()


def _rows(connection: Connection, name: str) -> list[Row]:
    table = METADATA.tables[name]
    return [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
