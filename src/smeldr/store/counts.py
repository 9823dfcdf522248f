"""Stored counts and the runs of the sweep: reading the graph for them, and reading and writing rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from smeldr.model.items import ItemKey, key_range
from smeldr.model.kinds import COUNTED, OneWay
from smeldr.model.records import Count, SweepRun
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.rows import add_rows
from smeldr.store.schema import items, relations, rest_counts, sweep_runs
from smeldr.store.sets import chunks, keys_of, passed, within

_BATCH: Final = 5_000
_AMONG: Final = (
    select(func.count())
    .select_from(items)
    .where(items.c.key.in_(keys_of("keys")), items.c.state.in_(bindparam("states", expanding=True)))
)


class Counts(contract.Counts):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def counted_items(self) -> Iterator[tuple[ItemKey, ItemKey, str]]:
        for item_type in ("Amendment", "Decision"):
            first, beyond = key_range(item_type)
            statement = select(items.c.key, items.c.place, items.c.state).where(
                items.c.key >= first, items.c.key < beyond
            )
            yield from self._connection.execute(statement.order_by(items.c.key))

    def counted_edges(self) -> Iterator[tuple[ItemKey, ItemKey]]:
        statement = select(relations.c.source, relations.c.target).where(
            relations.c.ended_at.is_(None), relations.c.kind.in_(sorted(COUNTED))
        )
        yield from self._connection.execute(statement)

    def replace(self, rows: Iterable[tuple[ItemKey, OneWay, ItemKey, Count]]) -> None:
        self._connection.execute(delete(rest_counts))
        batch: list[dict[str, Any]] = []
        for key, direction, place, count in rows:
            batch.append(
                {
                    "key": key,
                    "direction": direction,
                    "place": place,
                    "open": count.open,
                    "closed": count.closed,
                    "at_least": count.at_least,
                }
            )
            if len(batch) == _BATCH:
                add_rows(self._connection, rest_counts, batch)
                batch = []
        add_rows(self._connection, rest_counts, batch)

    def stored(self, keys: Collection[ItemKey], where: Readable) -> dict[tuple[ItemKey, str], list[Count]]:
        found: dict[tuple[ItemKey, str], list[Count]] = {}
        for some in chunks(keys):
            statement = select(rest_counts).where(rest_counts.c.key.in_(some), *within(rest_counts.c.place, where))
            for row in self._connection.execute(statement):
                count = Count(row.open, row.closed, row.at_least)
                found.setdefault((row.key, row.direction), []).append(count)
        return found

    def open_among(self, keys: Collection[ItemKey], open_states: Collection[str]) -> int:
        if not keys:
            return 0
        return self._connection.execute(_AMONG, {"keys": passed(keys), "states": list(open_states)}).scalar_one()

    def add_run(self, run: SweepRun) -> None:
        values = {name: getattr(run, name) for name in SweepRun.__slots__}
        values["counters"] = json.dumps(run.counters) if run.counters else None
        self._connection.execute(insert(sweep_runs).values(**values))

    def replace_run(self, run: SweepRun) -> None:
        self._connection.execute(delete(sweep_runs).where(sweep_runs.c.id == run.id))
        self.add_run(run)

    def last_run(self, *, counted: bool = False) -> SweepRun | None:
        statement = select(sweep_runs).order_by(sweep_runs.c.finished_at.desc(), sweep_runs.c.id.desc()).limit(1)
        if counted:
            statement = statement.where(sweep_runs.c.counted_at.is_not(None))
        row = self._connection.execute(statement).first()
        if row is None:
            return None
        values = dict(row._mapping)
        values["counters"] = json.loads(row.counters) if row.counters else None
        return SweepRun(**values)
