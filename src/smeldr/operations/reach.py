"""What rests on an item and what it rests on: counted live, counted by the last sweep, and traced ring by ring.

The walks are rules/rest_count.py and rules/reachability.py; here they are given the edges that the caller may read.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.items import ItemKey, Reference, address_of, number_of, parse_reference, type_of
from smeldr.model.kinds import COUNTED, KINDS, KindName
from smeldr.model.records import Count
from smeldr.model.states import OPEN_STATES
from smeldr.operations import replies
from smeldr.operations.call import Call
from smeldr.operations.parameters import Direction, ItemRef, Offset, TypeName
from smeldr.operations.registry import operation
from smeldr.rules import reachability
from smeldr.rules.rest_count import rests
from smeldr.rules.stored_count import MAX_LISTED, summed


class CountsReply(TypedDict):
    rests_on_this: replies.CountReply
    this_rests_on: replies.CountReply


class Named(TypedDict):
    type: TypeName
    id: Annotated[str, Field(min_length=1, max_length=36, description="The item's address or id.")]


class StoredEntry(TypedDict):
    type: str
    id: str
    address: NotRequired[str]
    rests_on_this: NotRequired[replies.CountReply]
    this_rests_on: NotRequired[replies.CountReply]
    counted_at: NotRequired[str]
    error: NotRequired[str]


class StoredReply(TypedDict):
    counts: list[StoredEntry]


Via = TypedDict("Via", {"kind": str, "from": str})


class ReachedEntry(TypedDict):
    depth: int
    type: str
    id: str
    address: str
    via: Via


class CutReply(TypedDict):
    depth: int
    dropped: int


class TraceReply(TypedDict):
    type_name: str
    id: str
    address: str
    kind: NotRequired[str]
    direction: str
    depth: int
    items: list[ReachedEntry]
    ring_sizes: list[int]
    total: int
    count: int
    limit: int
    offset: int
    cut: NotRequired[CutReply]


@operation(right="read")
def get_rest_counts(call: Call, type: TypeName, id: ItemRef) -> CountsReply:
    """Count what rests on an item and what it rests on, all the way, up to 1,000 items in each direction.

    Follows grounded_in, addresses and amends through what you may read. `at_least` says that a walk stopped there.
    """
    item = call.find(id, type)
    call.require(item, "read")
    return {
        "rests_on_this": _live(call, item.key, "incoming"),
        "this_rests_on": _live(call, item.key, "outgoing"),
    }


def _live(call: Call, key: ItemKey, direction: Any) -> replies.CountReply:
    reached, at_least = rests(key, call.unit.walks.ring(COUNTED, direction, call.readable))
    waiting = call.unit.counts.open_among(reached, OPEN_STATES)
    return Count(waiting, len(reached) - waiting, at_least).reply()  # type: ignore[return-value]


@operation(right="any")
def list_rest_counts(
    call: Call,
    items: Annotated[list[Named], Field(min_length=1, max_length=MAX_LISTED, description="The items to list.")],
) -> StoredReply:
    """List the counts that the last sweep stored for up to 200 items, in the order asked.

    They are summed over the places that you may read: at most the live count, often less. `counted_at` is when the
    sweep looked, and absent for what it has not seen. An item that is not there for you has an `error`.
    """
    references = [_reference(each["id"]) for each in items]
    found = call.unit.items.find([each for each in references if each])
    run = call.unit.counts.last_run(counted=True)
    counters = run.counters or {} if run else {}
    named = [found.get(reference) if reference else None for reference in references]
    seen = [
        item if item and item.type == each["type"] and call.sees(item) else None
        for each, item in zip(items, named, strict=True)
    ]
    readable = [item.key for item in seen if item and call.holds("read", item)]
    generation = run.generation if run else None
    stored = call.unit.counts.stored(generation, readable, call.readable) if generation is not None else {}
    entries: list[StoredEntry] = []
    for each, item in zip(items, seen, strict=True):
        if item is None or not call.holds("read", item):
            error = "forbidden" if item else "not_found"
            entries.append({"type": each["type"], "id": each["id"], "error": error})
            continue
        counted = run is not None and number_of(item.key) <= counters.get(item.type, 0)
        entry: StoredEntry = {
            "type": item.type,
            "id": item.id,
            "address": item.address,
            "rests_on_this": summed(stored.get((item.key, "incoming"), ())).reply(),  # type: ignore[typeddict-item]
            "this_rests_on": summed(stored.get((item.key, "outgoing"), ())).reply(),  # type: ignore[typeddict-item]
        }
        if run is not None and counted and run.counted_at:
            entry["counted_at"] = run.counted_at
        entries.append(entry)
    return {"counts": entries}


def _reference(text: str) -> Reference | None:
    try:
        return parse_reference(text)
    except ValueError:
        return None


@operation(right="read")
def get_reachability(
    call: Call,
    type_name: TypeName,
    id: ItemRef,
    kind: Annotated[KindName | None, Field(description="Only this kind of relation; every kind when left out.")] = None,
    direction: Direction = "both",
    depth: Annotated[
        int, Field(ge=1, le=reachability.MAX_DEPTH, description="How many hops to walk.")
    ] = reachability.DEFAULT_DEPTH,
    max_items: Annotated[
        int, Field(ge=1, le=reachability.MAX_ITEMS, description="The most items to reach before the walk is cut.")
    ] = reachability.DEFAULT_MAX_ITEMS,
    limit: Annotated[
        int, Field(ge=1, le=reachability.MAX_PAGE, description="The most items of the page.")
    ] = reachability.DEFAULT_PAGE,
    offset: Offset = 0,
) -> TraceReply:
    """Trace what an item reaches, ring by ring, through what you may read.

    `cut` says at which depth `max_items` stopped the walk and how many items of that ring it left out; deeper rings
    were not walked and have no size.
    """
    item = call.find(id, type_name)
    call.require(item, "read")
    kinds = (kind,) if kind else tuple(KINDS)
    walked = reachability.trace(item.key, depth, max_items, call.unit.walks.ring(kinds, direction, call.readable))
    shown = walked.items[offset : offset + limit]
    ids = call.unit.items.get({each.via.to for each in shown})
    reply: TraceReply = {
        "type_name": item.type,
        "id": item.id,
        "address": item.address,
        "direction": direction,
        "depth": depth,
        "items": [_reached(each, ids[each.via.to].id) for each in shown],
        "ring_sizes": list(walked.ring_sizes),
        "total": len(walked.items),
        "count": len(shown),
        "limit": limit,
        "offset": offset,
    }
    if kind:
        reply["kind"] = kind
    if walked.cut:
        reply["cut"] = {"depth": walked.cut.depth, "dropped": walked.cut.dropped}
    return reply


def _reached(each: reachability.Reached, id: str) -> ReachedEntry:
    return {
        "depth": each.depth,
        "type": type_of(each.via.to),
        "id": id,
        "address": address_of(each.via.to),
        "via": {"kind": each.via.kind, "from": address_of(each.via.origin)},
    }
