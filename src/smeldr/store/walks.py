"""The edges out of one ring, one streamed query a ring. Caps and what was seen before are the rules' business.

A walk may take a thousand rings, so the statement of a ring is made once for each kind of walk and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, literal, select, union_all

from smeldr.model.items import ROOT, ItemKey, key_range
from smeldr.model.kinds import KINDS, Direction, KindName
from smeldr.model.records import Edge
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.schema import items, relations, signals
from smeldr.store.sets import key_table, keys_of, passed

FEW_PLACES: Final = 16
"""Up to so many readable places an index is asked for each of them, which makes a hub cheap to who reads little of it;
with more, it is cheaper to look at the few relations that most items have."""

_Reading = Literal["everything", "few places", "many places"]
_BATCH: Final = 500
_STORED: Final = frozenset(kind.name for kind in KINDS.values() if kind.stored)
_BOTH_WAYS: Final = frozenset(kind.name for kind in KINDS.values() if kind.both_ways)


class Walks(contract.Walks):
    """Steps along live relations, over the places that a caller may read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ring(
        self, kinds: Collection[KindName], direction: Direction, where: Readable
    ) -> Callable[[Sequence[ItemKey]], Iterator[Edge]]:
        statement = _statement(frozenset(kinds), direction, _reading(where))
        places = {} if where is None else {"places": passed(where)}

        def edges(frontier: Sequence[ItemKey]) -> Iterator[Edge]:
            parameters = {"frontier": passed(frontier), **places}
            with self._connection.execute(statement, parameters, execution_options={"yield_per": _BATCH}) as rows:
                yield from map(Edge._make, rows)

        return edges


def _reading(where: Readable) -> _Reading:
    if where is None:
        return "everything"
    return "few places" if len(where) <= FEW_PLACES else "many places"


@lru_cache(maxsize=256)
def _statement(kinds: frozenset[KindName], direction: Direction, reading: _Reading) -> CompoundSelect[Any]:
    return union_all(*_parts(kinds, direction, reading)).order_by("to", "origin", "kind")


def _parts(kinds: frozenset[KindName], direction: Direction, reading: _Reading) -> Iterator[Select[Any]]:
    outgoing = kinds if direction != "incoming" else kinds & _BOTH_WAYS
    incoming = kinds if direction != "outgoing" else kinds & _BOTH_WAYS
    if stored := outgoing & _STORED:
        yield _step(relations.c.source, relations.c.target, relations.c.target_place, stored, reading)
    if stored := incoming & _STORED:
        yield _step(relations.c.target, relations.c.source, relations.c.source_place, stored, reading)
    if "placed_in" in outgoing:
        yield _to_place(reading)
    if "placed_in" in incoming:
        yield _into_place()
    if "about" in outgoing:
        yield _about(signals.c.about, signals.c.key)
    if "about" in incoming:
        yield _about(signals.c.key, signals.c.about)


def _step(near: Any, far: Any, far_place: Any, kinds: frozenset[KindName], reading: _Reading) -> Select[Any]:
    origins = key_table("frontier")
    return (
        select(far.label("to"), near.label("origin"), relations.c.kind.label("kind"))
        .select_from(origins.join(relations, near == origins.c.value))
        .where(relations.c.ended_at.is_(None), *_readable(far_place, reading))
        .where(*([] if kinds == _STORED else [relations.c.kind.in_([literal(kind) for kind in sorted(kinds)])]))
    )


def _readable(place: ColumnElement[int], reading: _Reading) -> list[ColumnElement[bool]]:
    if reading == "everything":
        return []
    searched = place if reading == "few places" else place + 0  # no index is kept of a sum
    return [searched.in_(keys_of("places"))]


def _walked() -> Any:
    """An item takes part in a walk unless it is a closed Signal."""
    first, beyond = key_range("Signal")
    return ~((items.c.key >= first) & (items.c.key < beyond) & (items.c.state == "closed"))


def _to_place(reading: _Reading) -> Select[Any]:
    origins = key_table("frontier")
    looked_at: _Reading = "everything" if reading == "everything" else "many places"
    return (
        select(items.c.place.label("to"), items.c.key.label("origin"), literal("placed_in").label("kind"))
        .select_from(origins.join(items, items.c.key == origins.c.value))
        .where(items.c.place != ROOT, _walked(), *_readable(items.c.place, looked_at))
    )


def _into_place() -> Select[Any]:
    """What lies in a place that the caller may read, it may read as well: no further condition is needed."""
    origins = key_table("frontier")
    return (
        select(items.c.key.label("to"), items.c.place.label("origin"), literal("placed_in").label("kind"))
        .select_from(origins.join(items, items.c.place == origins.c.value))
        .where(_walked())
    )


def _about(to: Any, origin: Any) -> Select[Any]:
    """A Signal lies where its Decision lies, so who may read the one may read the other."""
    origins = key_table("frontier")
    return (
        select(to.label("to"), origin.label("origin"), literal("about").label("kind"))
        .select_from(origins.join(signals, origin == origins.c.value))
        .where(signals.c.resolution.is_(None))
    )
