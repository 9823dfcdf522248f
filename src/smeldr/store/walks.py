"""The edges out of one ring, one streamed query a ring. Caps and what was seen before are the rules' business.

A walk may take a thousand rings, so the statement of a ring is made once for each kind of walk and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, bindparam, literal, select, union_all

from smeldr.model.items import ROOT, ItemKey, key_range, type_of
from smeldr.model.kinds import KINDS, Direction, KindName
from smeldr.model.records import Edge
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.schema import items, relations, signals
from smeldr.store.sets import key_table, keys_of, passed, roughly

FEW_PLACES: Final = 16
"""Up to so many readable places an index is asked for each of them, which makes a hub cheap to who reads little of it;
with more, it is cheaper to look at the few relations that most items have."""

_Reading = Literal["everything", "few places", "many places"]
_BATCH: Final = 500
_STORED: Final = frozenset(kind.name for kind in KINDS.values() if kind.stored)
_PLACES: Final = ("Area", "Domain")
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
            entered = [key for key in frontier if type_of(key) in _PLACES]
            statement = _statement(walked, direction, reading, roughly(frontier), roughly(entered))
            if statement is None or not frontier:
                return
            parameters = places | {"origin": frontier[0], "frontier": passed(frontier), "entered": passed(entered)}
            with self._connection.execute(statement, parameters, execution_options={"yield_per": _BATCH}) as rows:
                yield from map(Edge._make, rows)

        return edges


def _reading(where: Readable) -> _Reading:
    if where is None:
        return "everything"
    return "few places" if len(where) <= FEW_PLACES else "many places"


@lru_cache(maxsize=512)
def _statement(
    kinds: frozenset[KindName], direction: Direction, reading: _Reading, size: int, entered: int
) -> CompoundSelect[Any] | None:
    """A ring around one item alone has a statement of its own: what there is comes in order and need not be sorted.

    Who reads few places is served better by the index of places, also around one item.
    """
    at_most = 0 if size == 1 and reading != "few places" else size
    parts = list(_parts(kinds, direction, reading, at_most, entered))
    return union_all(*parts).order_by("to", "origin", "kind") if parts else None


def _parts(
    kinds: frozenset[KindName], direction: Direction, reading: _Reading, at_most: int, entered: int
) -> Iterator[Select[Any]]:
    outgoing = kinds if direction != "incoming" else kinds & _BOTH_WAYS
    incoming = kinds if direction != "outgoing" else kinds & _BOTH_WAYS
    if stored := outgoing & _STORED:
        yield _step(relations.c.source, relations.c.target, relations.c.target_place, stored, reading, at_most)
    if stored := incoming & _STORED:
        yield _step(relations.c.target, relations.c.source, relations.c.source_place, stored, reading, at_most)
    if "placed_in" in outgoing:
        yield _to_place(reading, at_most)
    if "placed_in" in incoming and entered:
        yield _into_place(entered)
    if "about" in outgoing:
        yield _about(signals.c.about, signals.c.key, at_most)
    if "about" in incoming:
        yield _about(signals.c.key, signals.c.about, at_most)


def _edges(to: Any, origin: Any, kind: Any, at_most: int, named: str = "frontier") -> Select[Any]:
    """The rows of the table of these columns whose `origin` is one of the items, `at_most` so many; with 0, the one."""
    columns = select(to.label("to"), origin.label("origin"), kind.label("kind"))
    if not at_most:
        return columns.where(origin == bindparam("origin"))
    frontier = key_table(named, at_most)
    return columns.select_from(frontier.join(origin.table, origin == frontier.c.value))


def _step(
    near: Any, far: Any, far_place: Any, kinds: frozenset[KindName], reading: _Reading, at_most: int
) -> Select[Any]:
    return (
        _edges(far, near, relations.c.kind, at_most)
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


def _to_place(reading: _Reading, at_most: int) -> Select[Any]:
    looked_at: _Reading = "everything" if reading == "everything" else "many places"
    return _edges(items.c.place, items.c.key, literal("placed_in"), at_most).where(
        items.c.place != ROOT, _walked(), *_readable(items.c.place, looked_at)
    )


def _into_place(entered: int) -> Select[Any]:
    """What lies in a place that the caller may read, it may read as well: no further condition is needed."""
    return _edges(items.c.key, items.c.place, literal("placed_in"), entered, "entered").where(_walked())


def _about(to: Any, origin: Any, at_most: int) -> Select[Any]:
    """A Signal lies where its Decision lies, so who may read the one may read the other."""
    return _edges(to, origin, literal("about"), at_most).where(signals.c.resolution.is_(None))
