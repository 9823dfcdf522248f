"""Stored counts and the runs of the sweep: reading the graph for them, and reading and writing rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, or_, select, update

from smeldr.model.items import ItemKey, key_range
from smeldr.model.kinds import COUNTED, OneWay
from smeldr.model.records import Count, SweepRun
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.rows import add_rows
from smeldr.store.schema import items, register, relations, rest_counts, sweep_runs
from smeldr.store.sets import chunks, keys_of, passed, within

_BATCH: Final = 5_000
_AMONG: Final = (
    select(func.count())
    .select_from(items)
    .where(items.c.key.in_(keys_of("keys")), items.c.state.in_(bindparam("states", expanding=True)))
)
_CURRENT: Final = select(func.max(sweep_runs.c.generation))


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
            yield from self._streamed(statement.order_by(items.c.key))

    def counted_edges(self) -> Iterator[tuple[ItemKey, ItemKey]]:
        statement = select(relations.c.source, relations.c.target).where(
            relations.c.ended_at.is_(None), relations.c.kind.in_(sorted(COUNTED))
        )
        yield from self._streamed(statement)

    def _streamed(self, statement: Select[Any]) -> Iterator[Any]:
        with self._connection.execute(statement, execution_options={"yield_per": _BATCH}) as rows:
            yield from rows

    def next_generation(self) -> int:
        raised = update(register).values(generation=register.c.generation + 1)
        return int(self._connection.execute(raised.returning(register.c.generation)).scalar_one())

    def newest_generation(self) -> int:
        return int(self._connection.execute(select(register.c.generation)).scalar_one())

    def outdated(self) -> list[int]:
        in_use = (self._connection.execute(_CURRENT).scalar(), self.newest_generation())
        found: list[int] = []
        after: int | None = -1
        while after is not None:
            lowest = select(func.min(rest_counts.c.generation)).where(rest_counts.c.generation > after)
            after = self._connection.execute(lowest).scalar()
            if after is not None and after not in in_use:
                found.append(after)
        return found

    def add(self, generation: int, rows: Iterable[tuple[ItemKey, OneWay, ItemKey, Count]]) -> None:
        new = [
            {
                "generation": generation,
                "key": key,
                "direction": direction,
                "place": place,
                "open": count.open,
                "closed": count.closed,
                "at_least": count.at_least,
            }
            for key, direction, place, count in rows
        ]
        add_rows(self._connection, rest_counts, new)

    def remove(self, generation: int, after: ItemKey | None, limit: int) -> ItemKey | None:
        key = rest_counts.c.key
        behind = (rest_counts.c.generation == generation, *(() if after is None else (key > after,)))
        last = self._connection.execute(select(key).where(*behind).order_by(key).offset(limit - 1).limit(1)).scalar()
        until = () if last is None else (key <= last,)
        self._connection.execute(delete(rest_counts).where(*behind, *until))
        return None if last is None else ItemKey(last)

    def stored(
        self, generation: int, keys: Collection[ItemKey], where: Readable
    ) -> dict[tuple[ItemKey, str], list[Count]]:
        found: dict[tuple[ItemKey, str], list[Count]] = {}
        for some in chunks(keys):
            of_these = (rest_counts.c.generation == generation, rest_counts.c.key.in_(some))
            statement = select(rest_counts).where(*of_these, *within(rest_counts.c.place, where))
            for row in self._connection.execute(statement):
                count = Count(row.open, row.closed, row.at_least)
                found.setdefault((row.key, row.direction), []).append(count)
        return found

    def open_among(self, keys: Collection[ItemKey], open_states: Collection[str]) -> int:
        if not keys:
            return 0
        return self._connection.execute(_AMONG, {"keys": passed(keys), "states": list(open_states)}).scalar_one()

    def put_run(self, run: SweepRun) -> None:
        values = {name: getattr(run, name) for name in SweepRun.__slots__}
        values["counters"] = json.dumps(run.counters) if run.counters else None
        self._connection.execute(delete(sweep_runs).where(sweep_runs.c.id == run.id))
        self._connection.execute(insert(sweep_runs).values(**values))

    def last_run(self, *, counted: bool = False) -> SweepRun | None:
        statement = select(sweep_runs).order_by(sweep_runs.c.finished_at.desc(), sweep_runs.c.id.desc()).limit(1)
        if counted:
            statement = select(sweep_runs).where(sweep_runs.c.generation == _CURRENT.scalar_subquery())
        row = self._connection.execute(statement).first()
        if row is None:
            return None
        values = dict(row._mapping)
        values["counters"] = json.loads(row.counters) if row.counters else None
        return SweepRun(**values)

    def forget_runs(self, keep: int) -> None:
        last = select(sweep_runs.c.id).order_by(sweep_runs.c.finished_at.desc(), sweep_runs.c.id.desc()).limit(keep)
        not_current = or_(sweep_runs.c.generation.is_(None), sweep_runs.c.generation < _CURRENT.scalar_subquery())
        self._connection.execute(delete(sweep_runs).where(sweep_runs.c.id.not_in(last), not_current))
