"""What should be open, recomputed from nothing but the states and the live relations; then made so.

A condition is known by its type, the Decision it is about, and what it is open over: the premise for a flag, the
relation for a contradiction.
"""

from __future__ import annotations

from tests.model.state import Item, State

Key = tuple[str, str, str]

FLAG = "premise-flagged"
CONFLICT = "conflict-detected"


def wanted(state: State) -> dict[Key, Item]:
    """Every condition whose rule holds now."""
    found: dict[Key, Item] = {}
    for relation in state.live("grounded_in"):
        decision, premise = state.items[relation["source"]], state.items[relation["target"]]
        if decision["state"] != "ratified" or premise["state"] in ("ratified", "proposed"):
            continue
        confirmation = state.confirmations.get((decision["address"], premise["address"]))
        if confirmation and confirmation["state_changes"] == premise["state_changes"]:
            continue
        message = f"{decision['address']} rests on a Decision that is not in force"
        about = {"about": decision["address"], "other": premise["address"], "relation": relation["id"]}
        found[FLAG, decision["address"], premise["address"]] = {"condition": FLAG, "message": message, **about}
    for relation in state.live("contradicts"):
        sides = relation["source"], relation["target"]
        if any(state.items[side]["state"] not in ("proposed", "ratified") for side in sides):
            continue
        for one, other in (sides, sides[::-1]):
            about = {"about": one, "other": other, "relation": relation["id"]}
            found[CONFLICT, one, relation["id"]] = {
                "condition": CONFLICT,
                "message": f"{one} contradicts a Decision",
                **about,
            }
    return found


def key(signal: Item) -> Key:
    """What a Signal is known by among the conditions."""
    over = signal["other"] if signal["condition"] == FLAG else signal["relation"]
    return signal["condition"], signal["about"], over


def open_signals(state: State) -> list[Item]:
    """The open conditions, by address number."""
    return [s for s in state.of_type("Signal") if s["state"] == "open"]


def why_closed(state: State, signal: Item) -> str:
    """The resolution of a condition whose rule has stopped holding."""
    relation = state.relations[signal["relation"]]
    about, other = state.items[signal["about"]], state.items[signal["other"]]
    if relation["state"] == "ended":
        return f"the {relation['kind']} relation ended ({relation['cause']})"
    if signal["condition"] == FLAG:
        if about["state"] != "ratified":
            return f"{about['address']} is no longer ratified ({about['state']})"
        if other["state"] == "ratified":
            return "the premise is in force again"
        return f"confirmed: {state.confirmations[about['address'], other['address']]['reason']}"
    if about["state"] not in ("proposed", "ratified"):
        return f"{about['address']} is no longer {was(about)} ({about['state']})"
    return f"the contradicting Decision is no longer {was(other)}"


def was(decision: Item) -> str:
    """The state that a Decision left: one that was ever ratified left `ratified`."""
    return "ratified" if decision["ratified_by"] else "proposed"


def settle(state: State) -> None:
    """Close what no rule holds open any more, and open what should be open."""
    should = wanted(state)
    for signal in open_signals(state):
        if key(signal) not in should:
            signal |= {"state": "closed", "resolution": why_closed(state, signal)}
            if signal["resolution"].startswith("confirmed: "):
                signal["confirmed_by"] = state.confirmations[signal["about"], signal["other"]]["by"]
    already = {key(s) for s in open_signals(state)}
    for condition in sorted(should):
        if condition not in already:
            state.new_item("Signal", "open", **should[condition])
