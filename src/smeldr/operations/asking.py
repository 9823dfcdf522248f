"""What a call names: the places of a list, where its page starts, items named once, places that take nothing more."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from smeldr.model.errors import conflict, validation_failed
from smeldr.model.items import ItemKey, Reference
from smeldr.model.records import Item
from smeldr.model.rights import Right
from smeldr.operations.call import Call, NamedPlace


def places_asked(call: Call, place: Reference | None, right: Right = "read") -> Collection[ItemKey] | None:
    """The places over which the caller holds the right, among the one named and those inside it, or among all."""
    asked, held = places_inside(call, place), call.places_with(right)
    if asked is None or held is None:
        return held if asked is None else asked
    return frozenset(asked) & frozenset(held)


def places_inside(call: Call, place: Reference | None) -> Collection[ItemKey] | None:
    """The place named and every place inside it; None for everything. Raises `not_found`."""
    if place is None:
        return None
    found = call.find_place(place)
    if found.item is None:
        return None
    inside = call.unit.items.areas_in([found.key]) if found.item.type == "Domain" else set()
    return {found.key} | inside


def position(call: Call, after: Reference | None, item_type: str) -> ItemKey | None:
    """Where a page starts: behind this address, whether or not anything has it; an id has to be found."""
    if after is None or after.key is not None:
        return after.key if after else None
    return call.find(after, item_type).key


def refuse_retired(place: NamedPlace) -> None:
    """Refuse to put anything in a place that was retired."""
    if place.item is not None and place.item.state != "live":
        raise conflict(f"{place.address} is retired", state=place.item.state)


def distinct(field: str, items: Sequence[Item]) -> None:
    """Refuse a list that names an item twice, in whichever form. Raises `validation_failed`."""
    seen: set[ItemKey] = set()
    for each in items:
        if each.key in seen:
            raise validation_failed(field, f"{each.address} is named twice")
        seen.add(each.key)
