"""New rows, handed to the driver as they are.

SQLAlchemy prepares each row for itself, which takes longer than writing it; where a rule opens 50,000 conditions in one
transaction that is felt. Values are the driver's own types here: no column needs more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Table, insert
from sqlalchemy.sql.compiler import SQLCompiler


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write new rows, which all name the same columns, in their order."""
    if not rows:
        return
    statement = _insert(table, tuple(rows[0]), connection.dialect)
    values: Any = list(rows)
    if order := statement.positiontup:
        values = list(map(itemgetter(*order), rows))
    connection.exec_driver_sql(str(statement), values)


@lru_cache(maxsize=128)
def _insert(table: Table, columns: tuple[str, ...], dialect: Dialect) -> SQLCompiler:
    compiled = insert(table).compile(dialect=dialect, column_keys=list(columns))
    assert isinstance(compiled, SQLCompiler)  # noqa: S101 - that is what an insert compiles to
    return compiled
