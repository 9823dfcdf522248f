"""Brute-force walks: every ring looks at every edge there is.

The count, the stored count and the trace are all read off the same rings. Nothing here knows about rights: the caller
hands in the set of addresses that a walk may land on.
"""

from __future__ import annotations

from collections.abc import Collection

from tests.model.state import ROOT, Item, State, order

KINDS = ("about", "addresses", "amends", "contradicts", "grounded_in", "placed_in", "supersedes")
COUNTED = ("addresses", "amends", "grounded_in")
BOTH_WAYS = ("contradicts",)
DIRECTION = {"rests_on_this": "incoming", "this_rests_on": "outgoing"}

Via = tuple[int, str, str]
Ring = list[tuple[str, Via]]


def edges(state: State) -> list[tuple[str, str, str]]:
    """Every live edge as (kind, source, target), with those that follow from the items themselves."""
    found = [(r["kind"], r["source"], r["target"]) for r in state.relations.values() if r["state"] == "live"]
    for item in state.items.values():
        if item["type"] == "Signal" and item["state"] == "closed":
            continue
        if item["type"] == "Signal":
            found.append(("about", item["address"], item["about"]))
        place = item["domain"] if item["type"] == "Area" else state.place_of(item)
        if place not in (ROOT, item["address"]):
            found.append(("placed_in", item["address"], place))
    return found


def rings(
    state: State, start: str, kinds: Collection[str], direction: str, may_land: Collection[str], depth: int | None
) -> list[Ring]:
    """What lies one hop, two hops, ... from `start`: `depth` rings, or all that are not empty."""
    all_edges = [e for e in edges(state) if e[0] in kinds]
    seen, ring, found = {start}, [start], list[Ring]()
    while len(found) < depth if depth is not None else ring:
        reached: dict[str, list[Via]] = {}
        for position, here in enumerate(ring):
            for kind, source, target in all_edges:
                steps = []
                if source == here and (direction != "incoming" or kind in BOTH_WAYS):
                    steps.append(target)
                if target == here and (direction != "outgoing" or kind in BOTH_WAYS):
                    steps.append(source)
                for there in steps:
                    if there in may_land and there not in seen:
                        reached.setdefault(there, []).append((position, kind, here))
        ring = sorted(reached, key=order)
        seen.update(ring)
        found.append([(there, min(reached[there])) for there in ring])
    return found


def count(state: State, start: str, direction: str, may_land: Collection[str]) -> Item:
    """`{open, closed, at_least?}` of what a walk over the counted kinds reaches, nearest first, up to the cap."""
    walked = rings(state, start, COUNTED, DIRECTION[direction], may_land, None)
    reached = [address for ring in walked for address, _ in ring]
    counted = reached[: state.count_cap]
    waiting = sum(1 for address in counted if state.items[address]["state"] == "proposed")
    result: Item = {"open": waiting, "closed": len(counted) - waiting}
    return result | ({"at_least": True} if len(reached) > len(counted) else {})


def counted_items(state: State) -> list[Item]:
    """What a sweep counts."""
    return state.of_type("Decision", "Amendment")


def parts(state: State, start: str, direction: str) -> dict[str, Item]:
    """Per place, the count of what is reached by paths whose every step lands in that place."""
    return {
        place: count(
            state, start, direction, {i["address"] for i in counted_items(state) if state.place_of(i) == place}
        )
        for place in state.places()
    }


def summed(state: State, part_counts: list[Item]) -> Item:
    """The sum of stored counts, stopped at the cap; what is cut off is taken from `closed` first."""
    waiting, closed = sum(p["open"] for p in part_counts), sum(p["closed"] for p in part_counts)
    cut = waiting + closed > state.count_cap or any(p.get("at_least") for p in part_counts)
    waiting = min(waiting, state.count_cap)
    result: Item = {"open": waiting, "closed": min(closed, state.count_cap - waiting)}
    return result | ({"at_least": True} if cut else {})


def trace(walked: list[Ring], max_items: int) -> Item:
    """`{items, ring_sizes, cut?}` of rings that are returned up to `max_items` items."""
    items: list[Item] = []
    sizes: list[int] = []
    for depth, ring in enumerate(walked, start=1):
        kept = ring[: max_items - len(items)]
        sizes.append(len(kept))
        for address, (_, kind, origin) in kept:
            via = {"kind": kind, "from": origin}
            items.append({"depth": depth, "type": order(address)[0], "address": address, "via": via})
        if len(kept) < len(ring):
            return {"items": items, "ring_sizes": sizes, "cut": {"depth": depth, "dropped": len(ring) - len(kept)}}
    return {"items": items, "ring_sizes": sizes}
