"""New rows, handed to the driver as they are.

SQLAlchemy prepares each row for itself, which takes longer than writing it; where a rule opens 50,000 conditions in one
transaction that is felt. Values are the driver's own types here: no column needs more. An engine file may say how its
database takes many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Table, insert
from sqlalchemy.sql.compiler import SQLCompiler

Rows = Sequence[Mapping[str, Any]]
AddRows = Callable[[Connection, Table, Rows], None]

MANY: Final = 20
"""From so many rows on it pays to write them as many."""

_MANY_AT_ONCE: Final[dict[str, AddRows]] = {}


def many_at_once(backend: str) -> Callable[[AddRows], AddRows]:
    """Have many rows written by this function on that database."""

    def registered(add: AddRows) -> AddRows:
        _MANY_AT_ONCE[backend] = add
        return add

    return registered


def add_rows(connection: Connection, table: Table, rows: Rows) -> None:
    """Write new rows, which all name the same columns, in their order."""
    if not rows:
        return
    add_many = _MANY_AT_ONCE.get(connection.dialect.name)
    if add_many and len(rows) >= MANY:
        add_many(connection, table, rows)
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
