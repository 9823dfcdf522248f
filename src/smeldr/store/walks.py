"""The edges out of one ring, one streamed query a ring. Caps and what was seen before are the rules' business.

A walk may take a thousand rings, so the statement of a ring is made once for each kind of walk and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, bindparam, literal, select, union_all

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
        walked = frozenset(kinds)
        reading = _reading(where)
        places = {} if where is None else {"places": passed(where)}

        def edges(frontier: Sequence[ItemKey]) -> Iterator[Edge]:
            alone = len(frontier) == 1 and reading != "few places"
            statement = _statement(walked, direction, reading, alone)
            parameters = places | ({"origin": frontier[0]} if alone else {"frontier": passed(frontier)})
            with self._connection.execute(statement, parameters, execution_options={"yield_per": _BATCH}) as rows:
                yield from map(Edge._make, rows)

        return edges


def _reading(where: Readable) -> _Reading:
    if where is None:
        return "everything"
    return "few places" if len(where) <= FEW_PLACES else "many places"


@lru_cache(maxsize=256)
def _statement(kinds: frozenset[KindName], direction: Direction, reading: _Reading, alone: bool) -> CompoundSelect[Any]:
    """A ring around one item alone has a statement of its own: what there is comes in order and need not be sorted.

    Who reads few places is served better by the index of places, also around one item.
    """
    return union_all(*_parts(kinds, direction, reading, alone)).order_by("to", "origin", "kind")


def _parts(kinds: frozenset[KindName], direction: Direction, reading: _Reading, alone: bool) -> Iterator[Select[Any]]:
    outgoing = kinds if direction != "incoming" else kinds & _BOTH_WAYS
    incoming = kinds if direction != "outgoing" else kinds & _BOTH_WAYS
    if stored := outgoing & _STORED:
        yield _step(relations.c.source, relations.c.target, relations.c.target_place, stored, reading, alone)
    if stored := incoming & _STORED:
        yield _step(relations.c.target, relations.c.source, relations.c.source_place, stored, reading, alone)
    if "placed_in" in outgoing:
        yield _to_place(reading, alone)
    if "placed_in" in incoming:
        yield _into_place(alone)
    if "about" in outgoing:
        yield _about(signals.c.about, signals.c.key, alone)
    if "about" in incoming:
        yield _about(signals.c.key, signals.c.about, alone)


def _edges(to: Any, origin: Any, kind: Any, alone: bool) -> Select[Any]:
    """The rows of the table of these columns whose `origin` is the item, or one of the items, that the walk is at."""
    columns = select(to.label("to"), origin.label("origin"), kind.label("kind"))
    if alone:
        return columns.where(origin == bindparam("origin"))
    frontier = key_table("frontier")
    return columns.select_from(frontier.join(origin.table, origin == frontier.c.value))


def _step(
    near: Any, far: Any, far_place: Any, kinds: frozenset[KindName], reading: _Reading, alone: bool
) -> Select[Any]:
    return (
        _edges(far, near, relations.c.kind, alone)
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


def _to_place(reading: _Reading, alone: bool) -> Select[Any]:
    looked_at: _Reading = "everything" if reading == "everything" else "many places"
    return _edges(items.c.place, items.c.key, literal("placed_in"), alone).where(
        items.c.place != ROOT, _walked(), *_readable(items.c.place, looked_at)
    )


def _into_place(alone: bool) -> Select[Any]:
    """What lies in a place that the caller may read, it may read as well: no further condition is needed."""
    return _edges(items.c.key, items.c.place, literal("placed_in"), alone).where(_walked())


def _about(to: Any, origin: Any, alone: bool) -> Select[Any]:
    """A Signal lies where its Decision lies, so who may read the one may read the other."""
    return _edges(to, origin, literal("about"), alone).where(signals.c.resolution.is_(None))
