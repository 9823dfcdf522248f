"""The answers, found another way: whole rings in memory, over lists of neighbours, with no code of the product.

Slow and plain on purpose. What it walks over is the graph that was generated; the Signals, which the register opened
by itself, are read from the tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from benchmarks.shape import Edge, Graph
from smeldr.model.items import ROOT, ItemKey, address_of

CAP: Final = 1_000
COUNTED: Final = frozenset({"addresses", "amends", "grounded_in"})
BOTH_WAYS: Final = frozenset({"contradicts"})

Readable = Collection[ItemKey] | None
Steps = dict[ItemKey, list[tuple[str, ItemKey]]]
Ring = list[tuple[ItemKey, ItemKey, str]]
"""What is at one distance, in order: (item, the first it was reached from, the first kind)."""


class Walker:
    """Walks of one graph."""

    def __init__(self, graph: Graph, signals: Iterable[tuple[ItemKey, ItemKey]] = ()) -> None:
        self.place = {**graph.parents, **graph.place}
        self.state = graph.state
        self.outgoing: Steps = {}
        self.incoming: Steps = {}
        for kind, source, target in graph.edges:
            self._add(kind, source, target)
        for signal, about in signals:
            self._add("about", signal, about)
            self.place[signal] = graph.place[about]
        for key, place in self.place.items():
            if place != ROOT:
                self._add("placed_in", key, place)
        self._places = frozenset(graph.parents)

    def _add(self, *edge: Any) -> None:
        kind, source, target = edge
        self.outgoing.setdefault(source, []).append((kind, target))
        self.incoming.setdefault(target, []).append((kind, source))

    def rings(self, start: ItemKey, kinds: Collection[str], direction: str, readable: Readable) -> Iterator[Ring]:
        """Ring after ring, the whole of each; after the last one that holds anything, empty ones for ever."""
        seen, ring = {start}, [start]
        while True:
            reached: dict[ItemKey, tuple[ItemKey, str]] = {}
            for origin in sorted(ring):
                for kind, to in self._steps(origin, kinds, direction):
                    if to not in seen and self._may_land(to, readable):
                        reached[to] = min(reached.get(to, (origin, kind)), (origin, kind))
            ring = sorted(reached)
            seen.update(ring)
            yield [(to, *reached[to]) for to in ring]

    def _steps(self, origin: ItemKey, kinds: Collection[str], direction: str) -> Iterator[tuple[str, ItemKey]]:
        for steps, against in ((self.outgoing, "incoming"), (self.incoming, "outgoing")):
            for kind, to in steps.get(origin, ()):
                if kind in kinds and (direction != against or kind in BOTH_WAYS):
                    yield kind, to

    def _may_land(self, key: ItemKey, readable: Readable) -> bool:
        return readable is None or (key if key in self._places else self.place[key]) in readable

    def count(self, start: ItemKey, direction: str, readable: Readable) -> dict[str, Any]:
        """What a live count answers for one direction."""
        counted: list[ItemKey] = []
        for ring in self.rings(start, COUNTED, direction, readable):
            counted += [key for key, _, _ in ring]
            if not ring or len(counted) > CAP:
                break
        waiting = sum(1 for key in counted[:CAP] if self.state[key] == "proposed")
        found = {"open": waiting, "closed": min(len(counted), CAP) - waiting}
        return {**found, **({"at_least": True} if len(counted) > CAP else {})}

    def counts(self, start: ItemKey, readable: Readable) -> dict[str, Any]:
        """What a live count answers."""
        return {
            "rests_on_this": self.count(start, "incoming", readable),
            "this_rests_on": self.count(start, "outgoing", readable),
        }

    def stored(self, start: ItemKey, direction: str, readable: Readable) -> dict[str, Any]:
        """What a stored count answers for one direction: the sum over places, each walked without leaving it."""
        places = sorted({self.place[to] for _, to in self._steps(start, COUNTED, direction)})
        parts = [self.count(start, direction, {place}) for place in places if readable is None or place in readable]
        waiting, closed = sum(part["open"] for part in parts), sum(part["closed"] for part in parts)
        cut = waiting + closed > CAP or any("at_least" in part for part in parts)
        waiting = min(waiting, CAP)
        return {"open": waiting, "closed": min(closed, CAP - waiting), **({"at_least": True} if cut else {})}

    def trace(
        self,
        start: ItemKey,
        kinds: Collection[str],
        direction: str,
        readable: Readable,
        *,
        depth: int,
        max_items: int,
        limit: int,
    ) -> dict[str, Any]:
        """What a trace answers on its first page: items, ring sizes, total and cut."""
        items: list[dict[str, Any]] = []
        sizes: list[int] = []
        cut: dict[str, int] | None = None
        for hop, ring in zip(range(1, depth + 1), self.rings(start, kinds, direction, readable), strict=False):
            kept = ring[: max_items - len(items)]
            sizes.append(len(kept))
            items += [
                {"depth": hop, "address": address_of(to), "via": {"kind": kind, "from": address_of(origin)}}
                for to, origin, kind in kept
            ]
            if len(kept) < len(ring):
                cut = {"depth": hop, "dropped": len(ring) - len(kept)}
                break
        return {
            "items": items[:limit],
            "ring_sizes": sizes,
            "total": len(items),
            **({"cut": cut} if cut else {}),
        }


def due(graph: Graph) -> set[Edge]:
    """The conditions that the rules ask for, as (kind of the relation, its Decision, the other one)."""
    found: set[Edge] = set()
    for kind, source, target in graph.edges:
        one, other = graph.state[source], graph.state[target]
        if kind == "grounded_in" and one == "ratified" and other in ("superseded", "retired", "archived"):
            found.add((kind, source, target))
        if kind == "contradicts" and {one, other} <= {"proposed", "ratified"}:
            found |= {(kind, source, target), (kind, target, source)}
    return found
