"""Decisions and Amendments: proposing, changing the text, the moves, and reading them."""

from __future__ import annotations

from tests.model.call import Call, page
from tests.model.refusal import ModelRefusal
from tests.model.state import ROOT, Item

MOVES = {
    "proposed": ("update_decision", "ratify_decision", "archive_decision"),
    "ratified": ("supersede_decision", "retire_decision"),
    "superseded": ("reinstate_decision", "archive_decision"),
    "retired": ("reinstate_decision", "archive_decision"),
    "archived": (),
}
AMENDMENT_MOVES = {
    "proposed": ("update_amendment", "ratify_amendment", "archive_amendment"),
    "ratified": ("archive_amendment",),
    "archived": (),
}


def has_right_to(call: Call, move: str, item: Item, state: str) -> bool:
    """The caller holds the right that a move asks for while the item is in this state."""
    if move.startswith("update_"):
        return call.may_on("author", item)
    if move == "archive_decision" and state == "proposed":
        return call.may_on("author", item) or call.may_on("ratify", item)
    if move == "archive_amendment" and state == "proposed":
        return call.may_on("author", item)
    return call.may_on("ratify", item)


def summary(call: Call, item: Item) -> Item:
    """An item as lists show it."""
    shown = {name: item[name] for name in ("type", "address", "title", "state", "rev")}
    shown |= {"in_force": item["state"] == "ratified", "place": call.state.place_of(item)}
    names = ("proposed_by", "ratified_by", "amends")
    return shown | {name: item[name] for name in names if item.get(name)}


def full(call: Call, item: Item) -> Item:
    """An item with its body, and the moves that this caller may make now."""
    table = MOVES if item["type"] == "Decision" else AMENDMENT_MOVES
    moves = [move for move in table[item["state"]] if has_right_to(call, move, item, item["state"])]
    source = {"source": item["source"]} if item.get("source") else {}
    return summary(call, item) | {"body": item["body"], "moves": moves} | source


def moved(call: Call, item: Item) -> Item:
    """What a move answers."""
    return {name: item[name] for name in ("type", "address", "state", "rev")}


def enter(call: Call, item: Item, state: str) -> None:
    """Put an item into a state."""
    item |= {"state": state, "rev": item["rev"] + 1, "state_changes": item["state_changes"] + 1}
    if state == "ratified" and not item["ratified_by"]:
        item["ratified_by"] = call.principal


def new(call: Call, type_name: str, **more: object) -> Item:
    """A proposal with the text that the call carries."""
    text = {"title": call.get("title"), "body": call.get("body"), "proposed_by": call.principal}
    return call.state.new_item(type_name, "proposed", state_changes=0, ratified_by=None, **text, **more)


# tools ---------------------------------------------------------------------------------------------------------------


def propose_decision(call: Call) -> Item:
    place = call.place("place", ROOT)
    named = {kind: [call.find(ref) for ref in call.get(kind, [])] for kind in ("grounded_in", "addresses")}
    for found in named.values():
        if len({i["address"] for i in found}) < len(found):
            raise ModelRefusal("validation_failed", "named twice")
    call.need(call.may("author", place))
    for found in named.values():
        for target in found:
            call.need(call.may_on("read", target))
    call.rights_hold()
    call.need_usable(place)
    item = new(call, "Decision", place=place, source=call.get("source"))
    for kind, found in named.items():
        for target in found:
            call.state.new_relation(kind, item["address"], target["address"], call.principal)
    return full(call, item)


def update_text(call: Call, parameter: str) -> Item:
    if call.get("title") is None and call.get("body") is None:
        raise ModelRefusal("validation_failed", "title or body")
    item = call.find(call.get(parameter))
    call.need(call.may_on("author", item))
    call.rights_hold()
    call.need_state(item, "proposed")
    call.need_rev(item, call.get("rev"))
    text = {name: call.get(name, item[name]) for name in ("title", "body")}
    if text != {name: item[name] for name in text}:
        item |= {**text, "rev": item["rev"] + 1}
    return full(call, item)


def update_decision(call: Call) -> Item:
    return update_text(call, "decision")


def update_amendment(call: Call) -> Item:
    return update_text(call, "amendment")


def move(call: Call, parameter: str, to: str, *allowed_from: str) -> Item:
    """The checks of a move and the move itself."""
    item = call.find(call.get(parameter))
    call.need(has_right_to(call, call.tool, item, call.state_for_rights(item)))
    call.rights_hold()
    call.need_state(item, *allowed_from)
    call.need_rev(item, call.get("rev"))
    enter(call, item, to)
    return item


def ratify_decision(call: Call) -> Item:
    return moved(call, move(call, "decision", "ratified", "proposed"))


def retire_decision(call: Call) -> Item:
    return moved(call, move(call, "decision", "retired", "ratified"))


def archive_decision(call: Call) -> Item:
    return moved(call, move(call, "decision", "archived", "proposed", "superseded", "retired"))


def reinstate_decision(call: Call) -> Item:
    item = move(call, "decision", "ratified", "superseded", "retired")
    for relation in call.state.live("supersedes", target=item["address"]):
        end(call, relation, "reinstated")
    return moved(call, item)


def end(call: Call, relation: Item, cause: str) -> None:
    """End a relation and keep it on record."""
    relation |= {"state": "ended", "cause": cause, "rev": relation["rev"] + 1, "ended_by": call.principal}
    relation["reason"] = call.get("reason")


def supersede_decision(call: Call) -> Item:
    by, by_rev = call.get("by"), call.get("by_rev")
    references = by if isinstance(by, list) else [by]
    revs = by_rev if isinstance(by_rev, list) else [by_rev] * (1 if by_rev is not None else len(references))
    if len(revs) != len(references):
        raise ModelRefusal("validation_failed", "by_rev is not parallel to by")
    item, successors = call.find(call.get("decision")), [call.find(reference) for reference in references]
    addresses = [s["address"] for s in successors]
    if len(set(addresses)) < len(addresses) or item["address"] in addresses:
        raise ModelRefusal("validation_failed", "by names one twice, or the Decision itself")
    call.need(call.may_on("ratify", item))
    for successor in successors:
        waiting = successor["state"] == "proposed"
        call.need(call.may_on("ratify", successor) or (not waiting and call.may_on("read", successor)))
    call.rights_hold()
    call.need_state(item, "ratified")
    for successor in successors:
        call.need_state(successor, "proposed", "ratified")
    call.need_rev(item, call.get("rev"))
    for successor, rev in zip(successors, revs, strict=True):
        call.need_rev(successor, rev)
    enter(call, item, "superseded")
    for successor in successors:
        if successor["state"] == "proposed":
            enter(call, successor, "ratified")
        call.state.new_relation("supersedes", successor["address"], item["address"], call.principal)
    return moved(call, item)


def propose_amendment(call: Call) -> Item:
    decision = call.find(call.get("amends"))
    call.need(call.may_on("author", decision))
    call.rights_hold()
    call.need_state(decision, "proposed", "ratified")
    item = new(call, "Amendment", amends=decision["address"])
    call.state.new_relation("amends", item["address"], decision["address"], call.principal)
    return full(call, item)


def ratify_amendment(call: Call) -> Item:
    return moved(call, move(call, "amendment", "ratified", "proposed"))


def archive_amendment(call: Call) -> Item:
    return moved(call, move(call, "amendment", "archived", "proposed", "ratified"))


def get_decision(call: Call) -> Item:
    item = call.find(call.get("id"))
    call.need(call.may_on("read", item))
    return full(call, item)


get_amendment = get_decision


def list_decisions(call: Call) -> Item:
    inside = call.state.inside(call.place("place", ROOT))
    found = [i for i in call.state.of_type("Decision") if i["place"] in inside and call.may_on("read", i)]
    found = [i for i in found if call.get("state") in (None, i["state"])]
    return page(call, "decisions", [summary(call, i) for i in found])


def list_amendments(call: Call) -> Item:
    found = [i for i in call.state.of_type("Amendment") if call.may_on("read", i)]
    if call.get("decision") is not None:
        decision = call.find(call.get("decision"))
        call.need(call.may_on("read", decision))
        found = [i for i in found if i["amends"] == decision["address"]]
    found = [i for i in found if call.get("state") in (None, i["state"])]
    return page(call, "amendments", [summary(call, i) for i in found])
