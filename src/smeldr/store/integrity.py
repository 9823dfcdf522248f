"""Looking for damage: asking the questions of questions.py, recomputing the history, and mending what is derived.

Everything is read as a stream, so that memory does not grow with the register.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, Select, delete, exc, func, insert, select, update

from smeldr.model.items import ItemKey, ItemType
from smeldr.store import contract
from smeldr.store.chain import ENTRIES, TEXTS, faults
from smeldr.store.errors import interrupted
from smeldr.store.questions import LEFT_OVER, QUESTIONS
from smeldr.store.schema import counters, history, items, relations

_AT_ONCE: Final = 2_000
"""Rows that are held at a time."""


class Integrity(contract.Integrity):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def apart(self) -> Iterator[None]:
        try:
            with self._connection.begin_nested():
                yield
        except exc.DBAPIError as error:
            if error.connection_invalidated:
                raise interrupted() from error
            raise

    def sizes(self) -> tuple[int, int, int]:
        counted = (select(func.count()).select_from(table) for table in (items, relations, history))
        one, two, three = (self._connection.execute(each).scalar_one() for each in counted)
        return one, two, three

    def rows(self, code: str, **given: str) -> Iterator[Mapping[str, ItemKey | str | None]]:
        for statement in QUESTIONS[code]:
            with self._streamed(statement, given) as rows:
                for row in rows:
                    yield dict(row._mapping)

    def chain(self) -> Iterator[tuple[str, int, str]]:
        with self._streamed(ENTRIES) as entries, self._streamed(TEXTS) as kept:
            yield from faults(entries, kept)

    def raise_counter(self, item_type: ItemType, number: int) -> None:
        mine = counters.c.name == item_type
        raised = self._connection.execute(update(counters).where(mine, counters.c.value < number).values(value=number))
        if not raised.rowcount and self._connection.execute(select(counters.c.value).where(mine)).first() is None:
            self._connection.execute(insert(counters).values(name=item_type, value=number))

    def remove(self, code: str) -> int:
        table, which = LEFT_OVER[code]
        return self._connection.execute(delete(table).where(which)).rowcount

    def _streamed(self, statement: Select[Any], given: Mapping[str, str] | None = None) -> CursorResult[Any]:
        return self._connection.execute(statement, given or {}, execution_options={"yield_per": _AT_ONCE})
