"""Relations made by hand, the conditions as a caller sees them, and confirming a premise."""

from __future__ import annotations

from tests.model import access
from tests.model.call import Call, page
from tests.model.conditions import FLAG
from tests.model.decisions import end
from tests.model.refusal import ModelRefusal
from tests.model.state import ROOT, Item, order

BY_HAND = ("grounded_in", "addresses", "contradicts")


def shown(relation: Item) -> Item:
    """A relation as replies carry it."""
    names = ("id", "rev", "kind", "source", "target", "state", "asserted_by", "cause", "reason", "ended_by")
    return {name: relation[name] for name in names if relation.get(name) is not None}


def live_between(call: Call, kind: str, source: str, target: str) -> Item | None:
    """The live relation between two ends; a contradiction is recorded from the lower address to the higher."""
    found = call.state.live(kind, source=source, target=target)
    return found[0] if found else None


def may_withdraw(call: Call, relation: Item) -> bool:
    """Author over the source (either side of a contradiction); ratify for the grounds of a Decision in force."""
    source, target = call.state.items[relation["source"]], call.state.items[relation["target"]]
    source_state = call.state_for_rights(source)
    if relation["kind"] == "contradicts":
        return call.may_on("author", source) or call.may_on("author", target)
    if relation["kind"] == "grounded_in" and source_state == "ratified":
        return call.may_on("ratify", source)
    return call.may_on("author", source)


# tools ---------------------------------------------------------------------------------------------------------------


def assert_relation(call: Call) -> Item:
    kind = call.get("relation_kind")
    if kind not in BY_HAND or (call.get("source_type"), call.get("target_type")) != ("Decision", "Decision"):
        raise ModelRefusal("validation_failed", "no such relation is made by hand")
    source, target = call.find(call.get("source_id")), call.find(call.get("target_id"))
    if source is target:
        raise ModelRefusal("validation_failed", "a relation with itself")
    call.need(call.may_on("read", source) and call.may_on("read", target))
    either_side = kind == "contradicts" and call.may_on("author", target)
    call.need(call.may_on("author", source) or either_side)
    call.rights_hold()
    ends = source["address"], target["address"]
    if kind == "contradicts":
        ends = ends if order(ends[0]) < order(ends[1]) else ends[::-1]
    relation = live_between(call, kind, *ends)
    if relation is not None:
        return {"relation": shown(relation), "created": False}
    return {"relation": shown(call.state.new_relation(kind, *ends, call.principal)), "created": True}


def withdraw_relation(call: Call) -> Item:
    relation = call.state.relations.get(call.get("id"))
    if relation is None or not (call.may_read(relation["source"]) and call.may_read(relation["target"])):
        raise ModelRefusal("not_found", "relation")
    call.need(may_withdraw(call, relation))
    call.rights_hold()
    if relation["kind"] not in BY_HAND or relation["state"] == "ended":
        raise ModelRefusal("conflict", "not made by hand, or ended already")
    call.need_rev(relation, call.get("rev"))
    end(call, relation, "withdrawn")
    return shown(relation)


def replace_premise(call: Call) -> Item:
    decision, premise, by = (call.find(call.get(name)) for name in ("decision", "premise", "by"))
    if by is decision or by is premise:
        raise ModelRefusal("validation_failed", "by names one of the two")
    call.need(all(call.may_on("read", item) for item in (decision, premise, by)))
    call.need(call.may_on("ratify" if call.state_for_rights(decision) == "ratified" else "author", decision))
    call.rights_hold()
    ended = live_between(call, "grounded_in", decision["address"], premise["address"])
    if ended is None:
        raise ModelRefusal("conflict", "it does not rest on that")
    end(call, ended, "withdrawn")
    relation = live_between(call, "grounded_in", decision["address"], by["address"])
    if relation is None:
        relation = call.state.new_relation("grounded_in", decision["address"], by["address"], call.principal)
    return {"ended": shown(ended), "relation": shown(relation)}


def list_relations(call: Call) -> Item:
    found = [r for r in call.state.relations.values() if call.may_read(r["source"]) and call.may_read(r["target"])]
    if not call.get("include_ended", False):
        found = [r for r in found if r["state"] == "live"]
    found = [r for r in found if call.get("kind") in (None, r["kind"])]
    if call.get("id") is not None:
        item = call.find(call.get("id"))
        call.need(call.may_on("read", item))
        direction = call.get("direction", "both")
        ends = {"incoming": ["target"], "outgoing": ["source"], "both": ["source", "target"]}[direction]
        found = [
            r
            for r in found
            if any(r[e] == item["address"] for e in (("source", "target") if r["kind"] == "contradicts" else ends))
        ]
    return page(call, "relations", [shown(r) for r in found])


def signal_shown(call: Call, signal: Item) -> Item:
    """A condition as lists show it: `type` is the condition's."""
    result = {"type": signal["condition"], "receiver": "ratify", "place": call.state.place_of(signal)}
    names = ("address", "message", "about", "state", "resolution")
    return result | {name: signal[name] for name in names if name in signal}


def list_signals(call: Call) -> Item:
    asked = call.state.inside(call.place("place", ROOT))
    about = None if call.get("about") is None else call.find(call.get("about"))
    if about is not None:
        call.need(call.may_on("read", about))
    reads_some = any(access.reads_place(call.state, call.principal, place) for place in asked)
    call.need(reads_some or not any(call.may("ratify", place) for place in asked))
    found = [s for s in call.state.of_type("Signal") if call.state.place_of(s) in asked and call.may_on("read", s)]
    state = call.get("state", "open")
    found = [s for s in found if state in ("all", s["state"]) and call.get("type") in (None, s["condition"])]
    found = [s for s in found if about is None or s["about"] == about["address"]]
    return page(call, "signals", [signal_shown(call, s) for s in found])


def get_signal(call: Call) -> Item:
    signal = call.find(call.get("id"))
    call.need(call.may_on("read", signal))
    result = signal_shown(call, signal)
    if call.may_read(signal["other"]):
        result["premise" if signal["condition"] == FLAG else "other"] = signal["other"]
        result |= {name: signal[name] for name in ("relation", "confirmed_by") if name in signal}
    return result


def confirm_premise(call: Call) -> Item:
    given = {name for name in ("decision", "premise", "condition", "conditions") if call.get(name) is not None}
    if given not in ({"decision", "premise"}, {"condition"}, {"conditions"}):
        raise ModelRefusal("validation_failed", "a pair, or a condition, or conditions")
    if given == {"conditions"} and call.get("rev") is not None:
        raise ModelRefusal("validation_failed", "rev goes with one Decision")
    signals = chosen_by_pair(call) if "decision" in given else chosen_by_name(call)
    for signal in signals:
        if signal is None or signal["condition"] != FLAG or signal["state"] != "open":
            raise ModelRefusal("conflict", "nothing is open for it")
    confirmed = [s for s in signals if s is not None]
    for signal in confirmed:
        call.need_rev(call.state.items[signal["about"]], call.get("rev"))
        premise = call.state.items[signal["other"]]
        stands = {"state_changes": premise["state_changes"], "reason": call.get("reason"), "by": call.principal}
        call.state.confirmations[signal["about"], signal["other"]] = stands
    return {"closed": [s["address"] for s in confirmed]}


def chosen_by_pair(call: Call) -> list[Item | None]:
    """The open flag of a Decision and a premise, or None."""
    decision, premise = call.find(call.get("decision")), call.find(call.get("premise"))
    call.need(call.may_on("read", decision) and call.may_on("read", premise) and call.may_on("ratify", decision))
    call.rights_hold()
    pair = (FLAG, decision["address"], premise["address"], "open")
    signals = call.state.of_type("Signal")
    return [next((s for s in signals if (s["condition"], s["about"], s["other"], s["state"]) == pair), None)]


def chosen_by_name(call: Call) -> list[Item | None]:
    """The Signals that are named, open or not."""
    named = call.get("conditions") or [call.get("condition")]
    signals: list[Item | None] = []
    for reference in named:
        signal = call.find(reference)
        if signal in signals:
            raise ModelRefusal("validation_failed", "named twice")
        signals.append(signal)
    for chosen in signals:
        assert chosen is not None
        call.need(call.may_on("ratify", chosen))
    call.rights_hold()
    return signals
