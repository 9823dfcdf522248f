"""Places: Domains and the Areas inside them. Making, renaming, moving and retiring them, and listing what one sees.

Which right over which place is rules/access.py. Source: docs/domains-and-areas.md.
"""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from smeldr.model.errors import conflict
from smeldr.model.items import ROOT, ItemKey, ItemType, address_of
from smeldr.model.records import Place
from smeldr.operations import entries, replies, writing
from smeldr.operations.asking import refuse_retired
from smeldr.operations.call import ROOT_PATH, Call
from smeldr.operations.parameters import DEFAULT_PAGE, AreaRef, DomainRef, Limit, Name, Offset, PlainPlaceRef, Reason
from smeldr.operations.registry import operation
from smeldr.rules.access import Path

LIVE, RETIRED = "live", "retired"


class PlaceReply(replies.ItemReply):
    name: str
    parent: str
    state: str
    rev: int


class Held(TypedDict):
    decisions: int
    amendments: int
    open_conditions: int


class PlaceEntry(TypedDict):
    type: str
    id: NotRequired[str]
    address: str
    name: str
    parent: NotRequired[str]
    state: str
    rev: NotRequired[int]
    counts: Held


class PlacesReply(replies.PageReply):
    places: list[PlaceEntry]


@operation(right="administer over ROOT", changes=True)
def create_domain(call: Call, name: Name) -> PlaceReply:
    """Make a Domain."""
    call.require_root()
    return _made(call, "Domain", ROOT_PATH, name)


@operation(right="administer over the Domain", changes=True)
def create_area(call: Call, domain: DomainRef, name: Name) -> PlaceReply:
    """Make an Area inside a Domain."""
    around = call.find_place(domain)
    call.require_over(around.key, around.path, "administer")
    refuse_retired(around)
    return _made(call, "Area", around.path, name)


@operation(right="administer over the place", changes=True)
def rename_place(call: Call, place: PlainPlaceRef, name: Name) -> PlaceReply:
    """Give a Domain or an Area another name; its address stays."""
    item = call.find(place, "Area", "Domain")
    call.require(item, "administer")
    if call.unit.items.places([item.key])[0].name != name:
        call.unit.items.rename_place(item.key, name)
        call.unit.items.raise_rev(item.key)
        call.record(entries.renamed(item, name))
    return _reply(call, item.key)


@operation(right="administer over the Area and over both Domains", changes=True)
def move_area(call: Call, area: AreaRef, domain: DomainRef) -> PlaceReply:
    """Put an Area, with everything in it, inside another Domain: who may do what there changes with it."""
    item, there = call.find(area, "Area"), call.find_place(domain)
    call.require_over(item.place, item.path, "administer")
    call.require_over(there.key, there.path, "administer")
    if item.state == RETIRED:
        raise conflict(f"{item.address} is retired", state=item.state, allowed=[])
    refuse_retired(there)
    if item.place == there.key:
        raise conflict(f"{item.address} is in {there.address} already")
    call.unit.items.set_place([item.key], there.key, raise_rev=True)
    call.record(entries.placed(item, there.key))
    return _reply(call, item.key)


@operation(right="administer over the place", changes=True, destructive=True)
def retire_place(call: Call, place: PlainPlaceRef, reason: Reason) -> PlaceReply:
    """Retire a Domain or an Area that is empty: nothing can be put there any more."""
    item = call.find(place, "Area", "Domain")
    call.require(item, "administer")
    if item.state == RETIRED:
        raise conflict(f"{item.address} is retired already", state=item.state, allowed=[])
    if call.unit.items.holds_any(item.key):
        raise conflict(f"{item.address} is not empty", state=item.state)
    call.unit.items.set_state([item.key], RETIRED, call.now)
    call.record(entries.moved(item, RETIRED, reason=reason))
    return _reply(call, item.key)


@operation(right="any")
def list_places(call: Call, limit: Limit = DEFAULT_PAGE, offset: Offset = 0) -> PlacesReply:
    """List ROOT and the Domains and Areas that you see, with how much you may read directly in each."""
    seen = [each for each in call.unit.items.places(_seen(call)) if call.sees(each.item)]
    total = len(seen) + 1
    shown = [None, *seen][offset : offset + limit]
    keys = [each.item.key if each else ROOT for each in shown]
    readable = [key for key in keys if call.readable is None or key in call.readable]
    held = _held(call, readable)
    listing = [_entry(each, held) if each else _root(held) for each in shown]
    return {"places": listing, **replies.page(listing, total, limit, offset)}


def _seen(call: Call) -> set[ItemKey] | None:
    """Every place that the caller might see: those granted, what is inside them, the Domains around them."""
    granted = call.access.granted()
    if ROOT in granted:
        return None
    around = {item.place for item in call.unit.items.get(granted).values()}
    return set(granted) | around | call.unit.items.areas_in(granted)


def _held(call: Call, places: list[ItemKey]) -> dict[ItemKey, Held]:
    store = call.unit.items
    kinds: tuple[tuple[ItemType, str | None], ...] = (("Decision", None), ("Amendment", None), ("Signal", "open"))
    decisions, amendments, conditions = (store.count_in(each, places, state) for each, state in kinds)
    return {
        key: {
            "decisions": decisions.get(key, 0),
            "amendments": amendments.get(key, 0),
            "open_conditions": conditions.get(key, 0),
        }
        for key in places
    }


def _nothing() -> Held:
    return {"decisions": 0, "amendments": 0, "open_conditions": 0}


def _root(held: dict[ItemKey, Held]) -> PlaceEntry:
    counts = held.get(ROOT, _nothing())
    return {"type": "Root", "address": "ROOT", "name": "ROOT", "state": LIVE, "counts": counts}


def _entry(place: Place, held: dict[ItemKey, Held]) -> PlaceEntry:
    """A Domain or an Area; whoever sees an Area sees its Domain."""
    return {**_place(place), "counts": held.get(place.item.key, _nothing())}


def _made(call: Call, item_type: ItemType, path: Path, name: str) -> PlaceReply:
    return _reply(call, writing.add_place(call, item_type, path, name).key)


def _reply(call: Call, key: ItemKey) -> PlaceReply:
    return _place(call.unit.items.places([key])[0])


def _place(place: Place) -> PlaceReply:
    item = place.item
    return {
        **replies.item_reply(item),
        "name": place.name,
        "parent": address_of(item.place),
        "state": item.state,
        "rev": item.rev,
    }
