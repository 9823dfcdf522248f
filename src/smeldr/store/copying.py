"""Every row of a register, from one database into another, and proof that it arrived.

What is read is summed up table by table while it is written, read back from where it was written, and summed up again.
It is done on connections that are given, whose transactions are somebody else's; a batch of rows is all that is held
in memory. What a row means is not asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, exc, func, select

from smeldr.model.errors import Refusal
from smeldr.store.contract import StoreUnusable
from smeldr.store.history import canonical
from smeldr.store.rows import add_rows
from smeldr.store.schema import METADATA, register

BATCH: Final = 100
"""Rows held at once: a text may have 200,000 characters."""

Progress = Callable[[int, int], object]
"""Told how many rows further the work is, and how many more it has found that there are."""


@dataclass(frozen=True, slots=True)
class TableSum:
    """What a table holds: how many rows, and the SHA-256 in hex of all of them.

    It is taken over the rows in the order of the primary key, each as the JSON list of its columns (history.canonical)
    and a comma, so that the same rows have the same sum in every database.
    """

    table: str
    rows: int
    sha256: str


def copy_rows(source: Connection, target: Connection, progress: Progress) -> list[TableSum]:
    """Copy every table into an empty one, and give their sums in the order of the foreign keys.

    Raises:
        StoreUnusable: a table cannot be read, or holds what the other database does not take.
    """
    tables = METADATA.sorted_tables
    progress(0, 2 * sum(_count(table, source) for table in tables))
    return [_copied(table, source, target, progress) for table in tables]


def compare_rows(target: Connection, sums: Sequence[TableSum], progress: Progress) -> None:
    """Read back what was copied.

    Raises:
        Refusal: `internal` when a table did not arrive as it was read; the caller has to undo it.
    """
    for expected in sums:
        if _summed(expected.table, _batches(METADATA.tables[expected.table], target, progress)) != expected:
            raise Refusal("internal", f"the table {expected.table} did not arrive as it was read; nothing was written")


def register_in(connection: Connection) -> str | None:
    """The id of the register; None when there is none."""
    return connection.execute(select(register.c.id)).scalar()


def is_empty(connection: Connection) -> bool:
    """Whether no table holds a row."""
    return all(connection.execute(select(table).limit(1)).first() is None for table in METADATA.sorted_tables)


def clear(connection: Connection) -> None:
    """Delete every row of every table."""
    for table in reversed(METADATA.sorted_tables):
        with _told(table, "cleared"):
            connection.execute(delete(table))


def _count(table: Table, connection: Connection) -> int:
    with _told(table, "read"):
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _copied(table: Table, source: Connection, target: Connection, progress: Progress) -> TableSum:
    names = table.columns.keys()

    def written() -> Iterator[Sequence[Sequence[Any]]]:
        for rows in _batches(table, source, progress):
            with _told(table, "written"):
                add_rows(target, table, [dict(zip(names, row, strict=True)) for row in rows])
            yield rows

    return _summed(table.name, written())


def _summed(name: str, batches: Iterator[Sequence[Sequence[Any]]]) -> TableSum:
    count, digest = 0, hashlib.sha256()
    for rows in batches:
        count += len(rows)
        digest.update(f"{canonical([tuple(row) for row in rows])[1:-1]},".encode())
    return TableSum(name, count, digest.hexdigest())


def _batches(table: Table, connection: Connection, progress: Progress) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of the table in the order of its primary key."""
    statement = select(table).order_by(*table.primary_key.columns)
    with (
        _told(table, "read"),
        connection.execute(statement, execution_options={"yield_per": BATCH}) as found,
    ):
        for rows in found.partitions():
            yield rows
            progress(len(rows), 0)


@contextmanager
def _told(table: Table, done: str) -> Iterator[None]:
    """Say in one line which table it was; what fails for another reason than its rows is left as it is."""
    try:
        yield
    except exc.DatabaseError as error:
        if isinstance(error, exc.OperationalError):
            raise
        why = " ".join(str(error.orig).split())
        raise StoreUnusable(f"the table {table.name} cannot be {done}: {why}") from error
