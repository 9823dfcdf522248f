"""The trace: what is reached from an item, one ring a hop, and the exact place where a cap cut it.

A walk asks a callable for the edges of one ring at a time, in the order (item reached, item it was reached from,
kind), over what the caller may read; so the caps, the order and the cut are all here and no query is.
Source: docs/rules/reachability.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from smeldr.model.items import ItemKey
from smeldr.model.records import Edge

MAX_DEPTH: Final = 10
DEFAULT_DEPTH: Final = 1
MAX_ITEMS: Final = 2_000
DEFAULT_MAX_ITEMS: Final = 500
MAX_PAGE: Final = 500
DEFAULT_PAGE: Final = 100

Ring = Callable[[Sequence[ItemKey]], Iterable[Edge]]
"""The edges out of these items, sorted by (to, origin, kind); only items that the caller may read."""


@dataclass(frozen=True, slots=True)
class Reached:
    """One item of the trace: the ring it is in and the first edge that reached it."""

    depth: int
    via: Edge


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the walk stopped: `dropped` items of the ring at `depth` were left out."""

    depth: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Trace:
    """The items in order (depth, type by name, address number), a size for every ring walked, the cut if any."""

    items: Sequence[Reached]
    ring_sizes: Sequence[int]
    cut: Cut | None


def trace(start: ItemKey, depth: int, max_items: int, ring: Ring) -> Trace:
    """Walk outward from `start`, one ring a hop, every item once, the start never.

    A ring at which the cap is passed is partial (it may keep nothing); deeper ones are not walked and have no size.
    Using the cap up exactly with nothing beyond it is no cut.
    """
    seen = {start}
    items: list[Reached] = []
    sizes: list[int] = []
    frontier: list[ItemKey] = [start]
    for hop in range(1, depth + 1):
        kept: list[ItemKey] = []
        dropped = 0
        for edge in ring(frontier) if frontier else ():
            if edge.to in seen:
                continue
            seen.add(edge.to)
            if len(items) < max_items:
                items.append(Reached(hop, edge))
                kept.append(edge.to)
            else:
                dropped += 1
        sizes.append(len(kept))
        if dropped:
            return Trace(items, sizes, Cut(hop, dropped))
        frontier = kept
    return Trace(items, sizes, None)
