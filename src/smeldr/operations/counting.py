"""What the sweep counts over, read once, and the counts that follow from it, one at a time.

Nothing is written here. What is counted for whom is rules/stored_count.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smeldr.model.items import ItemKey
from smeldr.model.kinds import OneWay
from smeldr.model.records import Count
from smeldr.model.states import OPEN_STATES
from smeldr.rules.stored_count import by_place, inside
from smeldr.store.contract import Unit

Row = tuple[ItemKey, OneWay, ItemKey, Count]
"""(item, direction, place, count)."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Places and states by item, neighbours by direction, and the number of relations."""

    place: dict[ItemKey, ItemKey]
    open: set[ItemKey]
    neighbours: dict[OneWay, dict[ItemKey, list[ItemKey]]]
    relations: int


def read_graph(unit: Unit) -> Graph:
    """Read every Decision and Amendment, and the live relations that the counts follow."""
    place: dict[ItemKey, ItemKey] = {}
    waiting: set[ItemKey] = set()
    for key, its_place, state in unit.counts.counted_items():
        place[key] = its_place
        if state in OPEN_STATES:
            waiting.add(key)
    outgoing: dict[ItemKey, list[ItemKey]] = {}
    incoming: dict[ItemKey, list[ItemKey]] = {}
    relations = 0
    for source, target in unit.counts.counted_edges():
        outgoing.setdefault(source, []).append(target)
        incoming.setdefault(target, []).append(source)
        relations += 1
    return Graph(place, waiting, {"incoming": incoming, "outgoing": outgoing}, relations)


def counts(graph: Graph) -> Iterator[Row]:
    """Walk from every item that has neighbours; each count is made when it is asked for."""
    for direction, neighbours in graph.neighbours.items():
        within = inside(neighbours, graph.place)
        for key in neighbours:
            for place, count in by_place(key, neighbours, within, graph.place, graph.open).items():
                yield key, direction, place, count
