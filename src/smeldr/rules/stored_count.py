"""A stored count is summed over the places that the caller may read, and is never higher than the live count was.

What is stored, per item, direction and place, is what can be reached by paths whose every step lands in that place.
Such paths lie inside what a reader of the place may walk, and two places share no item: hence the bound. The price is
a lower number where paths lead from place to place. Reading what was stored is not done here.
Source: docs/rules/stored-count.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from smeldr.model.items import ItemKey
from smeldr.model.records import Count
from smeldr.rules.rest_count import MAX_COUNTED

MAX_LISTED: Final = 200
"""Items in one call for stored counts."""

Neighbours = Mapping[ItemKey, Sequence[ItemKey]]


def summed(counts: Iterable[Count], cap: int = MAX_COUNTED) -> Count:
    """Add up the places. Beyond the cap the closed ones are cut first: what waits for somebody is said in full."""
    parts = list(counts)
    total_open = min(sum(part.open for part in parts), cap)
    total_closed = sum(part.closed for part in parts)
    closed = min(total_closed, cap - total_open)
    cut = any(part.at_least for part in parts) or sum(part.open + part.closed for part in parts) > cap
    return Count(total_open, closed, cut)


def inside(neighbours: Neighbours, place_of: Mapping[ItemKey, ItemKey]) -> Neighbours:
    """Of each item the neighbours that lie where it lies: all that a walk asks for once it is in a place."""
    return {key: [other for other in others if place_of[other] == place_of[key]] for key, others in neighbours.items()}


def by_place(
    start: ItemKey,
    neighbours: Neighbours,
    within: Neighbours,
    place_of: Mapping[ItemKey, ItemKey],
    waiting: Set[ItemKey],
    cap: int = MAX_COUNTED,
) -> dict[ItemKey, Count]:
    """Count, for each place next to `start`, what is reached from it without ever landing outside that place.

    `within` is what `inside` makes of the neighbours, `waiting` the items that are open.
    """
    rings: dict[ItemKey, set[ItemKey]] = {}
    for key in neighbours.get(start, ()):
        rings.setdefault(place_of[key], set()).add(key)
    return {place: _walked(start, first, within, waiting, cap) for place, first in rings.items()}


def _walked(start: ItemKey, first: Set[ItemKey], within: Neighbours, waiting: Set[ItemKey], cap: int) -> Count:
    reached: set[ItemKey] = set()
    ring = first - {start}
    while ring:
        room = cap - len(reached)
        if len(ring) > room:
            reached.update(sorted(ring)[:room])
            return _count(reached, waiting, at_least=True)
        reached |= ring
        ring = set[ItemKey]().union(*filter(None, map(within.get, ring))) - reached
        ring.discard(start)
    return _count(reached, waiting, at_least=False)


def _count(reached: Set[ItemKey], waiting: Set[ItemKey], *, at_least: bool) -> Count:
    open_ones = len(reached & waiting)
    return Count(open_ones, len(reached) - open_ones, at_least)
