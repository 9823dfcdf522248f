"""Every reading tool asked for one caller, in both worlds; the world compares the answers.

Nothing here is expected to be right or wrong by itself, except that a stored count is never higher than the live one.
"""

from __future__ import annotations

from typing import Any

from tests.model.state import ROOT
from tests.properties.world import World

DIRECTIONS = ("incoming", "outgoing", "both")
MANY = 200


def addresses(world: World, *types: str) -> list[str]:
    """Every address of these types, and one that is absent."""
    found = [item["address"] for item in world.model.state.of_type(*types)]
    return [*found, {"Decision": "D999", "Amendment": "A999", "Signal": "SIG999"}.get(types[0], "DOM999")]


def lists_agree(world: World, token: str, place: str = ROOT, decision: str | None = None) -> None:
    """Every list: whole, filtered by a place, and by a Decision."""
    for tool in ("list_decisions", "list_signals", "list_grants"):
        world.call(token, tool, {"place": place, "limit": MANY})
    for state in ("open", "closed", "all"):
        world.call(token, "list_signals", {"state": state, "limit": MANY})
    if decision is not None:
        for direction in DIRECTIONS:
            arguments = {"id": decision, "type_name": "Decision", "direction": direction, "limit": MANY}
            world.call(token, "list_relations", arguments)
        world.call(token, "list_signals", {"about": decision, "receiver": "ratify", "state": "all"})
        world.call(token, "list_amendments", {"decision": decision})
    for ended in (False, True):
        world.call(token, "list_relations", {"limit": MANY, "include_ended": ended})
    for tool in ("list_amendments", "list_places", "list_principals", "list_tokens", "list_grants", "whoami"):
        world.call(token, tool, {})


def filters_agree(world: World, token: str) -> None:
    """The filters of the lists that take few values."""
    for state in ("proposed", "ratified", "superseded", "retired", "archived"):
        world.call(token, "list_decisions", {"state": state, "limit": MANY})
    for kind in ("addresses", "amends", "contradicts", "grounded_in", "supersedes"):
        world.call(token, "list_relations", {"kind": kind, "limit": MANY, "include_ended": True})
    for condition in ("premise-flagged", "conflict-detected"):
        world.call(token, "list_signals", {"type": condition, "limit": MANY})


def pages_agree(world: World, token: str, limit: int, offset: int) -> None:
    """Pages of the lists whose order the contract settles."""
    for tool in ("list_decisions", "list_signals", "list_amendments"):
        world.call(token, tool, {"limit": limit, "offset": offset})
    whole = world.call(token, "list_decisions", {"limit": MANY})
    for entry in whole["decisions"] if whole else []:
        world.call(token, "list_decisions", {"after": entry["address"], "limit": limit})
    signals = world.call(token, "list_signals", {"limit": MANY, "state": "all"})
    for entry in signals["signals"] if signals else []:
        world.call(token, "list_signals", {"after": entry["address"], "limit": limit})


def items_agree(world: World, token: str) -> None:
    """Every item by itself, by address and by id, and an absent one."""
    for tool, type_name in (("get_decision", "Decision"), ("get_amendment", "Amendment"), ("get_signal", "Signal")):
        for address in addresses(world, type_name):
            world.call(token, tool, {"id": address}, by_id=len(address) % 2 == 0)


def counts_agree(world: World, token: str) -> None:
    """The counts of every item; and the stored ones, which are never higher than the live ones at the sweep."""
    asked = [{"type": t, "id": a} for t in ("Decision", "Amendment") for a in addresses(world, t)]
    for each in asked:
        world.call(token, "get_rest_counts", each)
    stored = world.call(token, "list_rest_counts", {"items": asked})
    principal = world.model.state.tokens[token]["principal"]
    for line in stored["counts"] if stored else []:
        if "counted" in line:
            live = world.model.live_counts_at_sweep(principal, line["address"])
            for direction in ("rests_on_this", "this_rests_on"):
                assert total(line[direction]) <= total(live[direction]), (line, live)
    world.call(token, "get_sweep_run", {})


def total(count: dict[str, Any]) -> int:
    """Open and closed together."""
    return int(count["open"]) + int(count["closed"])


def traces_agree(world: World, token: str, walk: dict[str, Any]) -> None:
    """One walk from every item there is."""
    for type_name in ("Decision", "Amendment", "Signal", "Domain", "Area"):
        for address in [item["address"] for item in world.model.state.of_type(type_name)]:
            world.call(token, "get_reachability", {"type_name": type_name, "id": address, **walk})


def trace_agrees_at_every_cap(world: World, token: str, start: dict[str, Any]) -> None:
    """One walk at every cap from one item to one more than there are."""
    whole = world.call(token, "get_reachability", start)
    for cap in range(1, (whole["total"] if whole else 0) + 2):
        world.call(token, "get_reachability", {**start, "max_items": cap})
