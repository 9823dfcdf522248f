"""The edges out of one ring, one streamed query a ring. Caps and what was seen before are the rules' business."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Select, literal, select, union_all

from smeldr.model.items import ROOT, ItemKey, key_range
from smeldr.model.kinds import KINDS, Direction, KindName
from smeldr.model.records import Edge
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.schema import items, relations, signals
from smeldr.store.sets import key_table, within

_STORED: Final = frozenset(kind.name for kind in KINDS.values() if kind.stored)
_BOTH_WAYS: Final = frozenset(kind.name for kind in KINDS.values() if kind.both_ways)


class Walks(contract.Walks):
    """Steps along live relations, over the places that a caller may read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ring(
        self, kinds: Collection[KindName], direction: Direction, where: Readable
    ) -> Callable[[Sequence[ItemKey]], Iterator[Edge]]:
        def edges(frontier: Sequence[ItemKey]) -> Iterator[Edge]:
            parts = list(_parts(frontier, frozenset(kinds), direction, where))
            if not parts:
                return
            together = union_all(*parts).order_by("to", "origin", "kind")
            with self._connection.execution_options(yield_per=500).execute(together) as rows:
                for to, origin, kind in rows:
                    yield Edge(ItemKey(to), ItemKey(origin), kind)

        return edges


def _parts(
    frontier: Sequence[ItemKey], kinds: frozenset[KindName], direction: Direction, where: Readable
) -> Iterator[Select[Any]]:
    outgoing = kinds if direction != "incoming" else kinds & _BOTH_WAYS
    incoming = kinds if direction != "outgoing" else kinds & _BOTH_WAYS
    if stored := outgoing & _STORED:
        yield _step(relations.c.source, relations.c.target, relations.c.target_place, frontier, stored, where)
    if stored := incoming & _STORED:
        yield _step(relations.c.target, relations.c.source, relations.c.source_place, frontier, stored, where)
    if "placed_in" in outgoing:
        yield _to_place(frontier, where)
    if "placed_in" in incoming:
        yield _into_place(frontier)
    if "about" in outgoing:
        yield _about(signals.c.about, signals.c.key, frontier)
    if "about" in incoming:
        yield _about(signals.c.key, signals.c.about, frontier)


def _step(
    near: Any, far: Any, far_place: Any, frontier: Sequence[ItemKey], kinds: frozenset[KindName], where: Readable
) -> Select[Any]:
    origins = key_table(frontier, "frontier")
    return (
        select(far.label("to"), near.label("origin"), relations.c.kind.label("kind"))
        .select_from(origins.join(relations, near == origins.c.value))
        .where(relations.c.ended_at.is_(None), *within(far_place, where))
        .where(*([] if kinds == _STORED else [relations.c.kind.in_(sorted(kinds))]))
    )


def _walked() -> Any:
    """An item takes part in a walk unless it is a closed Signal."""
    first, beyond = key_range("Signal")
    return ~((items.c.key >= first) & (items.c.key < beyond) & (items.c.state == "closed"))


def _to_place(frontier: Sequence[ItemKey], where: Readable) -> Select[Any]:
    origins = key_table(frontier, "frontier")
    return (
        select(items.c.place.label("to"), items.c.key.label("origin"), literal("placed_in").label("kind"))
        .select_from(origins.join(items, items.c.key == origins.c.value))
        .where(items.c.place != ROOT, _walked(), *within(items.c.place, where))
    )


def _into_place(frontier: Sequence[ItemKey]) -> Select[Any]:
    """What lies in a place that the caller may read, it may read as well: no further condition is needed."""
    origins = key_table(frontier, "frontier")
    return (
        select(items.c.key.label("to"), items.c.place.label("origin"), literal("placed_in").label("kind"))
        .select_from(origins.join(items, items.c.place == origins.c.value))
        .where(_walked())
    )


def _about(to: Any, origin: Any, frontier: Sequence[ItemKey]) -> Select[Any]:
    """A Signal lies where its Decision lies, so who may read the one may read the other."""
    origins = key_table(frontier, "frontier")
    return (
        select(to.label("to"), origin.label("origin"), literal("about").label("kind"))
        .select_from(origins.join(signals, origin == origins.c.value))
        .where(signals.c.resolution.is_(None))
    )
