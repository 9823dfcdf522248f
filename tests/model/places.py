"""Domains and Areas, and moving a Decision from one place to another."""

from __future__ import annotations

from tests.model import access
from tests.model.call import Call, page
from tests.model.refusal import ModelRefusal
from tests.model.state import PLACE_TYPES, ROOT, Item


def shown(call: Call, place: Item) -> Item:
    """A place as replies carry it; its Domain only where the caller sees that."""
    result = {name: place[name] for name in ("type", "address", "name", "state", "rev")}
    domain = place.get("domain", ROOT)
    if access.sees_place(call.state, call.principal, domain):
        result["parent"] = domain
    return result


def directly_in(call: Call, place: str) -> list[Item]:
    """The Decisions, Amendments and Signals whose place is this very one."""
    found = call.state.of_type("Decision", "Amendment", "Signal")
    return [i for i in found if call.state.place_of(i) == place]


def counts(call: Call, place: str) -> Item:
    """How many items stand directly in a place; zeros for who may not read there."""
    found = directly_in(call, place) if call.may("read", place) else []
    waiting = [i for i in found if i["type"] == "Signal" and i["state"] == "open"]
    of_type = {t: sum(1 for i in found if i["type"] == t) for t in ("Decision", "Amendment")}
    return {"decisions": of_type["Decision"], "amendments": of_type["Amendment"], "open_conditions": len(waiting)}


# tools ---------------------------------------------------------------------------------------------------------------


def create_domain(call: Call) -> Item:
    call.need(call.may("administer", ROOT))
    call.rights_hold()
    return shown(call, call.state.new_item("Domain", "live", name=call.get("name")))


def create_area(call: Call) -> Item:
    domain = call.place("domain")
    call.need(call.may("administer", domain))
    call.rights_hold()
    call.need_usable(domain)
    return shown(call, call.state.new_item("Area", "live", name=call.get("name"), domain=domain))


def rename_place(call: Call) -> Item:
    place = call.find(call.get("place"))
    call.need(call.may("administer", place["address"]))
    call.rights_hold()
    if place["name"] != call.get("name"):
        place |= {"name": call.get("name"), "rev": place["rev"] + 1}
    return shown(call, place)


def move_area(call: Call) -> Item:
    area, domain = call.find(call.get("area")), call.place("domain")
    call.need(call.may("administer", area["domain"]) and call.may("administer", domain))
    call.rights_hold()
    call.need_usable(area["address"])
    call.need_usable(domain)
    if area["domain"] == domain:
        raise ModelRefusal("conflict", "it is there already")
    area |= {"domain": domain, "rev": area["rev"] + 1}
    return shown(call, area)


def retire_place(call: Call) -> Item:
    place = call.find(call.get("place"))
    call.need(call.may("administer", place["address"]))
    call.rights_hold()
    areas = [i for i in call.state.of_type("Area") if (i["domain"], i["state"]) == (place["address"], "live")]
    if place["state"] == "retired" or areas or directly_in(call, place["address"]):
        raise ModelRefusal("conflict", "retired already, or not empty")
    place |= {"state": "retired", "rev": place["rev"] + 1}
    return shown(call, place)


def list_places(call: Call) -> Item:
    seen = [i for i in call.state.of_type(*PLACE_TYPES) if access.sees_place(call.state, call.principal, i["address"])]
    root = {"type": "Root", "address": ROOT, "name": ROOT, "state": "live", "counts": counts(call, ROOT)}
    entries = [root, *(shown(call, i) | {"counts": counts(call, i["address"])} for i in seen)]
    return page(call, "places", entries)


def move_item(call: Call) -> Item:
    item, place = call.find(call.get("id")), call.place("place")
    for either in (item["place"], place):
        call.need(call.may("author", either) or call.may("administer", either))
    call.rights_hold()
    call.need_usable(place)
    if item["place"] == place:
        raise ModelRefusal("conflict", "it is there already")
    item |= {"place": place, "rev": item["rev"] + 1}
    for amendment in call.state.of_type("Amendment"):
        if amendment["amends"] == item["address"]:
            amendment["rev"] += 1
    return {name: item[name] for name in ("type", "address", "place", "rev")}
