"""Conditions: the relations to judge, the Signals that are open, and writing both. It judges nothing itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, func, insert, select, update

from smeldr.model.items import ROOT, ItemKey, key_range
from smeldr.model.kinds import KINDS
from smeldr.model.records import End, Item, Judged, Relation, Signal
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.items import COLUMNS as _ITEM
from smeldr.store.relations import COLUMNS as _RELATION
from smeldr.store.rows import add_rows
from smeldr.store.schema import confirmations, items, relations, signals, texts
from smeldr.store.sets import chunks, key_set, keys_of, passed, within

_BATCH: Final = 2_000
_BOTH_ENDS: Final = (relations.c.source, relations.c.target)
_JUDGED_KINDS: Final = sorted(kind.name for kind in KINDS.values() if kind.raises_flag or kind.both_ways)
_JUDGED: Final = (
    select(*_RELATION, confirmations.c.state_changes.label("confirmed_at"))
    .select_from(
        relations.outerjoin(
            confirmations,
            and_(confirmations.c.decision == relations.c.source, confirmations.c.premise == relations.c.target),
        )
    )
    .where(relations.c.kind.in_(_JUDGED_KINDS))
)
_ENDS: Final = (
    select(items.c.key, items.c.place, items.c.state, items.c.state_changes, texts.c.ratified_by.is_not(None))
    .select_from(items.join(texts, texts.c.key == items.c.key))
    .where(items.c.key.in_(keys_of("keys")))
)
_SIGNALS: Final = select(
    *_ITEM,
    signals.c.condition,
    signals.c.about,
    signals.c.other,
    signals.c.relation,
    signals.c.resolution,
    signals.c.confirmed_by,
).select_from(signals.join(items, items.c.key == signals.c.key))
_FIRST, _BEYOND = key_range("Signal")
_OPEN: Final = (  # found by the index of the states, whose order is that of the rows: half the time of any other way
    select(signals.c.condition, func.count())
    .select_from(items.join(signals, signals.c.key == items.c.key))
    .where(items.c.state == "open", items.c.key >= _FIRST, items.c.key < _BEYOND)
    .group_by(signals.c.condition)
)
_CLOSE: Final = (
    update(signals)
    .where(signals.c.key.in_(keys_of("keys")))
    .values(resolution=bindparam("said"), confirmed_by=bindparam("by"))
)


class Conditions(contract.Conditions):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def touching(self, decisions: Collection[ItemKey], named: Collection[str]) -> list[Judged]:
        found: dict[str, Judged] = {}
        live = relations.c.ended_at.is_(None)
        asked = [_JUDGED.where(end.in_(key_set(decisions)), live) for end in _BOTH_ENDS if decisions]
        asked += [_JUDGED.where(relations.c.id.in_(some)) for some in chunks(named)]
        for statement in asked:
            judged = self._judged(self._connection.execute(statement).all())
            found.update((each.relation.id, each) for each in judged)
        return list(found.values())

    def all_live(self) -> Iterator[Judged]:
        statement = _JUDGED.where(relations.c.ended_at.is_(None))
        with self._connection.execute(statement, execution_options={"yield_per": _BATCH}) as result:
            for rows in result.partitions():
                yield from self._judged(rows)

    def _judged(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> Iterator[Judged]:
        """Relations may share an end by the thousand, so ends are looked up once each."""
        relating = [(Relation(*columns), confirmed_at) for *columns, confirmed_at in rows]
        ends = self._ends({key for each, _ in relating for key in (each.source, each.target)})
        for each, confirmed_at in relating:
            if each.source in ends and each.target in ends:
                yield Judged(each, ends[each.source], ends[each.target], confirmed_at)

    def _ends(self, keys: Collection[ItemKey]) -> dict[ItemKey, End]:
        rows = self._connection.execute(_ENDS, {"keys": passed(keys)}).all() if keys else ()
        return {row[0]: End(*row) for row in rows}

    def all_open(self) -> Iterator[Signal]:
        statement = _SIGNALS.where(signals.c.resolution.is_(None))
        with self._connection.execute(statement, execution_options={"yield_per": _BATCH}) as rows:
            yield from map(_signal, rows)

    def open_signals(self, *, about: Collection[ItemKey], other: Collection[ItemKey] = ()) -> list[Signal]:
        is_open = signals.c.resolution.is_(None)
        found = {
            each.item.key: each for each in self._signals(_SIGNALS.where(is_open, signals.c.about.in_(key_set(about))))
        }
        if other:
            more = self._signals(_SIGNALS.where(is_open, signals.c.other.in_(key_set(other))))
            found.update((each.item.key, each) for each in more)
        return list(found.values())

    def count_open(self) -> dict[str, int]:
        return dict(self._connection.execute(_OPEN).all())

    def signals(self, keys: Collection[ItemKey]) -> dict[ItemKey, Signal]:
        found: dict[ItemKey, Signal] = {}
        for some in chunks(keys):
            found.update((each.item.key, each) for each in self._signals(_SIGNALS.where(items.c.key.in_(some))))
        return found

    def list_signals(
        self,
        where: Readable,
        *,
        condition: str | None = None,
        state: str | None = None,
        about: ItemKey | None = None,
        after: ItemKey | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[Signal], int]:
        matching: list[ColumnElement[bool]] = within(items.c.place, where)
        if condition:
            matching.append(signals.c.condition == condition)
        if state and about is None:
            matching.append(items.c.state == state)
        elif state:  # the few about one Decision are found by it, so the state is asked where no index offers itself
            matching.append(signals.c.resolution.is_(None) if state == "open" else signals.c.resolution.is_not(None))
        if about is not None:
            matching.append(signals.c.about == about)
        counted = select(func.count()).select_from(signals.join(items, items.c.key == signals.c.key))
        total = self._connection.execute(counted.where(*matching)).scalar_one()
        wanted = _SIGNALS.where(*matching)
        if after is not None:
            wanted = wanted.where(items.c.key > after)
        return self._signals(wanted.order_by(items.c.key).limit(limit).offset(offset)), total

    def _signals(self, statement: Select[Any]) -> list[Signal]:
        return [_signal(row) for row in self._connection.execute(statement).all()]

    def open(self, new: Iterable[Signal]) -> None:
        rows = [
            {
                "key": each.item.key,
                "condition": each.condition,
                "about": each.about,
                "other": each.other,
                "relation": each.relation,
            }
            for each in new
        ]
        add_rows(self._connection, signals, rows)

    def close(self, closed: Iterable[tuple[ItemKey, str, str | None]]) -> None:
        alike: dict[tuple[str, str | None], list[ItemKey]] = {}
        for key, resolution, by in closed:
            alike.setdefault((resolution, by), []).append(key)
        for (resolution, by), keys in alike.items():
            self._connection.execute(_CLOSE, {"keys": passed(keys), "said": resolution, "by": by})

    def signals_about(self, decisions: Collection[ItemKey]) -> list[ItemKey]:
        return list(
            self._connection.execute(select(signals.c.key).where(signals.c.about.in_(key_set(decisions)))).scalars()
        )

    def confirm(self, decision: ItemKey, premise: ItemKey, state_changes: int) -> None:
        pair = and_(confirmations.c.decision == decision, confirmations.c.premise == premise)
        changed = self._connection.execute(update(confirmations).where(pair).values(state_changes=state_changes))
        if not changed.rowcount:
            self._connection.execute(
                insert(confirmations).values(decision=decision, premise=premise, state_changes=state_changes)
            )


def _signal(row: Row[*tuple[Any, ...]]) -> Signal:
    key, id_, place, *rest = row[:8]
    path = (ItemKey(ROOT),) if place == ROOT else (ItemKey(place), ROOT)
    return Signal(Item(key, id_, path, *rest), *row[8:14])
