"""One call in the making: who calls, with what, and the checks in the order that the contract gives them.

Parameters were checked before. A tool looks up its items, then checks rights, then says `rights_hold`, then looks at
states and revs. `rights_hold` is where a repeated call with a used `request_key` stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.model import access
from tests.model.refusal import ModelRefusal
from tests.model.state import ROOT, Item, State, split


class Replay(Exception):
    """The call was made before with the same key: the first reply stands."""

    def __init__(self, reply: Item) -> None:
        super().__init__()
        self.reply = reply


class Call:
    """What a tool works with."""

    def __init__(
        self, state: State, principal: str, tool: str, arguments: Mapping[str, Any], first: Item | None
    ) -> None:
        self.state = state
        self.principal = principal
        self.tool = tool
        self.arguments = arguments
        self.first = first
        self.state_found: str | None = None

    def get(self, name: str, default: Any = None) -> Any:
        """One argument."""
        return self.arguments.get(name, default)

    # items -------------------------------------------------------------------------------------------------------

    def find(self, reference: str) -> Item:
        """The item, unless it is absent or hidden."""
        item = self.state.items.get(reference.upper())
        if item is None or not access.sees(self.state, self.principal, item):
            raise ModelRefusal("not_found", reference)
        return item

    def place(self, name: str, default: str | None = None) -> str:
        """The place that a parameter names, unless it is absent or hidden."""
        reference = str(self.get(name, default)).upper()
        return ROOT if reference == ROOT else str(self.find(reference)["address"])

    # rights ------------------------------------------------------------------------------------------------------

    def may(self, right: str, place: str) -> bool:
        """The caller holds a right over a place."""
        return right in access.rights(self.state, self.principal, place)

    def may_on(self, right: str, item: Item) -> bool:
        """The caller holds a right over the place of an item."""
        return self.may(right, self.state.place_of(item))

    def need(self, holds: bool) -> None:
        """Refuse a caller who lacks a right."""
        if not holds:
            raise ModelRefusal("forbidden")

    def may_read(self, address: str) -> bool:
        """The caller may read an item that a reply would name."""
        return access.reads(self.state, self.principal, self.state.items[address])

    def state_for_rights(self, item: Item) -> str:
        """The state that decides which right is needed: in a repeated call, the one found the first time."""
        self.state_found = self.first["state_found"] if self.first and self.first["state_found"] else item["state"]
        return str(self.state_found)

    def rights_hold(self) -> None:
        """Mark the end of the checks that a repeated call goes through again."""
        if self.first is not None:
            raise Replay(self.first["reply"])

    # states and revs ---------------------------------------------------------------------------------------------

    def need_state(self, item: Item, *states: str) -> None:
        """Refuse a move from any other state."""
        if item["state"] not in states:
            raise ModelRefusal("conflict", f"{item['address']} is {item['state']}")

    def need_usable(self, place: str) -> None:
        """Refuse a retired place as a target."""
        if place != ROOT and self.state.items[place]["state"] == "retired":
            raise ModelRefusal("conflict", f"{place} is retired")

    def need_rev(self, thing: Item, rev: int | None) -> None:
        """Refuse a stale rev."""
        if rev is not None and rev != thing["rev"]:
            raise ModelRefusal("rev_conflict", f"rev is {thing['rev']}")


def page(call: Call, plural: str, everything: list[Item], limit: int = 50) -> Item:
    """The shape of every list."""
    limit, offset, after = call.get("limit", limit), call.get("offset", 0), call.get("after")
    following = everything
    if after is not None:
        last = split(after.upper())
        assert last is not None
        following = [i for i in everything if (split(i["address"]) or last)[1] > last[1]]
    shown = following[offset : offset + limit]
    return {plural: shown, "total": len(everything), "count": len(shown), "limit": limit, "offset": offset}
