"""A stored count is summed over the places that the caller may read, and is never higher than the live count was.

What is stored, per item, direction and place, is what can be reached by paths whose every step lands in that place.
Such paths lie inside what a reader of the place may walk, and two places share no item: hence the bound. The price is
a lower number where paths lead from place to place. Reading what was stored is not done here.
Source: docs/rules/stored-count.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


def by_place(
    start: ItemKey,
    neighbours: Neighbours,
    place_of: Mapping[ItemKey, ItemKey],
    is_open: Callable[[ItemKey], bool],
    cap: int = MAX_COUNTED,
) -> dict[ItemKey, Count]:
    """Count, for each place next to `start`, what is reached from it without ever landing outside that place."""
    rings: dict[ItemKey, list[ItemKey]] = {}
    for key in neighbours.get(start, ()):
        rings.setdefault(place_of[key], []).append(key)
    return {place: _within(start, place, first, neighbours, place_of, is_open, cap) for place, first in rings.items()}


def _within(
    start: ItemKey,
    place: ItemKey,
    first: Sequence[ItemKey],
    neighbours: Neighbours,
    place_of: Mapping[ItemKey, ItemKey],
    is_open: Callable[[ItemKey], bool],
    cap: int,
) -> Count:
    seen = {start}
    reached: list[ItemKey] = []
    ring = sorted(set(first) - seen)
    while ring:
        room = cap - len(reached)
        reached += ring[:room]
        if len(ring) > room:
            return _count(reached, is_open, at_least=True)
        seen.update(ring)
        nearby = {key for origin in ring for key in neighbours.get(origin, ())}
        ring = sorted(key for key in nearby - seen if place_of[key] == place)
    return _count(reached, is_open, at_least=False)


def _count(reached: Sequence[ItemKey], is_open: Callable[[ItemKey], bool], *, at_least: bool) -> Count:
    waiting = sum(1 for key in reached if is_open(key))
    return Count(waiting, len(reached) - waiting, at_least)
