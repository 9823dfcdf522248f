"""Counts, stored counts, the trace and the sweep."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from tests.model import access, walks
from tests.model.call import Call
from tests.model.refusal import ModelRefusal
from tests.model.state import PLACE_TYPES, ROOT, Item, State


def live_counts(state: State, principal: str, address: str) -> Item:
    """Both directions of the live count, for one caller."""
    may_land = access.readable(state, principal)
    return {direction: walks.count(state, address, direction, may_land) for direction in walks.DIRECTION}


def live_counts_at_sweep(state: State, principal: str, address: str) -> Item:
    """What the live count would have been at the sweep, for the caller with the rights of now."""
    assert state.sweep is not None
    places = {address: item for address, item in state.items.items() if item["type"] in PLACE_TYPES}
    then = replace(state, items={**state.sweep["items"], **places}, relations=state.sweep["relations"])
    return live_counts(then, principal, address)


def stored_counts(state: State, principal: str, address: str) -> Item:
    """The sum of what the sweep stored over the places that the caller may read."""
    none: Item = {direction: {"open": 0, "closed": 0} for direction in walks.DIRECTION}
    if state.sweep is None or (address, "rests_on_this") not in state.sweep["parts"]:
        return none
    result: Item = {"counted": True}
    for direction in walks.DIRECTION:
        parts = state.sweep["parts"][address, direction]
        read = [part for place, part in parts.items() if access.reads_place(state, principal, place)]
        result[direction] = walks.summed(state, read)
    return result


# tools ---------------------------------------------------------------------------------------------------------------


def get_rest_counts(call: Call) -> Item:
    item = call.find(call.get("id"))
    call.need(call.may_on("read", item))
    return live_counts(call.state, call.principal, item["address"])


def list_rest_counts(call: Call) -> Item:
    return {"counts": [entry(call, asked["type"], asked["id"].upper()) for asked in call.get("items")]}


def entry(call: Call, type_name: str, address: str) -> Item:
    """One line of list_rest_counts; `counted` stands for the presence of `counted_at`."""
    item = call.state.items.get(address)
    if item is None or item["type"] != type_name or not access.sees(call.state, call.principal, item):
        return {"type": type_name, "id": address, "error": "not_found"}
    if not access.reads(call.state, call.principal, item):
        return {"type": type_name, "id": address, "error": "forbidden"}
    return {"type": type_name, "address": address, **stored_counts(call.state, call.principal, address)}


def get_reachability(call: Call) -> Item:
    item = call.find(call.get("id"))
    call.need(call.may_on("read", item))
    kinds = walks.KINDS if call.get("kind") is None else (call.get("kind"),)
    direction, depth = call.get("direction", "both"), call.get("depth", 1)
    may_land = access.readable(call.state, call.principal)
    walked = walks.rings(call.state, item["address"], kinds, direction, may_land, depth)
    result = walks.trace(walked, call.get("max_items", 500))
    limit, offset, total = call.get("limit", 100), call.get("offset", 0), len(result["items"])
    result["items"] = result["items"][offset : offset + limit]
    result |= {"type_name": item["type"], "address": item["address"], "direction": direction, "depth": depth}
    result |= {"total": total, "count": len(result["items"]), "limit": limit, "offset": offset}
    return result | ({"kind": call.get("kind")} if call.get("kind") else {})


def run_sweep(call: Call) -> Item:
    call.need(call.may("administer", ROOT))
    call.rights_hold()
    state, counted = call.state, walks.counted_items(call.state)
    parts = {(i["address"], d): walks.parts(state, i["address"], d) for i in counted for d in walks.DIRECTION}
    relations = sum(len(state.live(kind)) for kind in walks.COUNTED)
    run = {"items": len(counted), "relations": relations, "counted": len(counted), "opened": 0, "closed": 0}
    then = {"items": deepcopy({i["address"]: i for i in counted}), "relations": deepcopy(state.relations)}
    state.sweep = {"parts": parts, "run": run, **then}
    return dict(run)


def get_sweep_run(call: Call) -> Item:
    call.need(call.may("administer", ROOT))
    if call.state.sweep is None:
        raise ModelRefusal("not_found", "no run yet")
    return dict(call.state.sweep["run"])
