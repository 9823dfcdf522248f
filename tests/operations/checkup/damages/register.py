"""A register that is damaged on purpose: rows changed past the operations, and the history that goes with them.

Where the history is told of a change, the damage is what a faulty version of the register would leave; where it is not,
somebody has been at the tables. `DAMAGES` collects the ways, by code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, and_, create_engine, delete, insert, select, text, update
from sqlalchemy.pool import NullPool

from smeldr.model.items import ROOT, ItemKey
from smeldr.model.kinds import KindName
from smeldr.model.records import Item, Relation
from smeldr.operations import entries
from smeldr.operations.call import Call
from smeldr.store.schema import METADATA
from tests.callers import Caller
from tests.graphs import key

ABSENT: Final = "01900000-0000-7000-8000-000000000000"
LONG_AGO: Final = "2020-01-01T00:00:00.000000Z"
Damage = Callable[["Damaged"], None]
DAMAGES: Final[list[tuple[str, Damage]]] = []


def leads_to(code: str) -> Callable[[Damage], Damage]:
    """Say which finding, and no other, a way of damaging leads to."""

    def collect(damage: Damage) -> Damage:
        DAMAGES.append((code, damage))
        return damage

    return collect


@dataclass(frozen=True)
class Damaged:
    """The register, and ways past it. The owner's own calls are in order."""

    owner: Caller
    database: str

    @contextmanager
    def tables(self) -> Iterator[Connection]:
        """The tables without their foreign keys."""
        engine = create_engine(self.database, poolclass=NullPool)
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET session_replication_role = replica")
            yield connection

    def run(self, statement: str) -> None:
        with self.tables() as connection:
            connection.execute(text(statement))

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        found, which = _which(table, where)
        with self.tables() as connection:
            rows = connection.execute(select(found).where(which).order_by(*found.primary_key.columns))
            return [dict(row._mapping) for row in rows]

    def add(self, table: str, **values: Any) -> None:
        self.add_all(table, [values])

    def add_all(self, table: str, rows: list[dict[str, Any]]) -> None:
        with self.tables() as connection:
            connection.execute(insert(METADATA.tables[table]), rows)

    def change(self, table: str, values: dict[str, Any], **where: Any) -> None:
        found, which = _which(table, where)
        with self.tables() as connection:
            assert connection.execute(update(found).where(which).values(values)).rowcount

    def remove(self, table: str, **where: Any) -> None:
        found, which = _which(table, where)
        with self.tables() as connection:
            assert connection.execute(delete(found).where(which)).rowcount

    @contextmanager
    def badly(self) -> Iterator[Call]:
        """A write that the history is told of, and that judges no condition."""
        with self.owner.register.locally("a fault") as call:
            yield call

    def item(self, call: Call, address: str) -> Item:
        return call.unit.items.get([key(address)])[key(address)]

    def state(self, address: str, state: str) -> None:
        """Put an item in a state, and nothing that follows from it."""
        with self.badly() as call:
            item = self.item(call, address)
            call.unit.items.set_state([item.key], state, call.now)
            call.record(entries.moved(item, state))

    def place(self, address: str, place: ItemKey) -> None:
        """Put an item elsewhere, and nothing that follows from it but its relations."""
        with self.badly() as call:
            item = self.item(call, address)
            call.unit.items.set_place([item.key], place, raise_rev=True)
            call.unit.relations.move_ends([item.key], place)
            call.record(entries.placed(item, place))

    def relate(self, source: str, kind: str, target: str, *, told: bool = True) -> str:
        """Write a live relation between what lies in ROOT, or is not there; its id."""
        with self.owner.register.store.read() as unit:
            relation_id = unit.new_id()
        by = {"asserted_by": self.owner.id, "asserted_at": LONG_AGO}
        ends = {"source": key(source), "source_place": ROOT, "target": key(target), "target_place": ROOT}
        self.add("relations", id=relation_id, kind=kind, rev=1, **ends, **by)
        if told:
            name: KindName = kind  # type: ignore[assignment]
            self.tell(entries.related(Relation(relation_id, name, key(source), key(target), 1, "", LONG_AGO)))  # type: ignore[arg-type]
        return relation_id

    def tell(self, *told: Any) -> None:
        """Enter something in the history."""
        with self.badly() as call:
            for each in told:
                call.record(each)


def _which(table: str, where: dict[str, Any]) -> tuple[Any, Any]:
    found = METADATA.tables[table]
    return found, and_(True, *(found.c[name] == value for name, value in where.items()))
