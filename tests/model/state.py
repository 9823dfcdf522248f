"""What the model remembers: plain dicts, one per sort of thing.

It decides nothing. An item is a dict with `type`, `address`, `state`, `rev` and what its type adds; the place of an
Amendment and of a Signal is never stored, since it is always its Decision's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Item = dict[str, Any]

ROOT = "ROOT"
PREFIXES = {"Amendment": "A", "Area": "ARE", "Decision": "D", "Domain": "DOM", "Signal": "SIG"}
TYPES = {prefix: name for name, prefix in PREFIXES.items()}
PLACE_TYPES = ("Domain", "Area")


def split(address: str) -> tuple[str, int] | None:
    """The type and number that an address in capitals names, or None when it is no address."""
    match = re.fullmatch(r"(ARE|DOM|SIG|A|D)([1-9][0-9]*)", address)
    return (TYPES[match[1]], int(match[2])) if match else None


def order(address: str) -> tuple[str, int]:
    """The order of items inside a ring and in lists: type by name, then number."""
    found = split(address)
    assert found is not None, address
    return found


@dataclass
class State:
    """Everything the model knows at one moment."""

    allow_agent_ratify: bool = False
    count_cap: int = 1000
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    numbers: dict[str, int] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    relations: dict[str, Item] = field(default_factory=dict)
    principals: dict[str, Item] = field(default_factory=dict)
    tokens: dict[str, Item] = field(default_factory=dict)
    grants: dict[str, Item] = field(default_factory=dict)
    confirmations: dict[tuple[str, str], Item] = field(default_factory=dict)
    used_keys: dict[tuple[str, str], Item] = field(default_factory=dict)
    sweep: Item | None = None

    def next(self, prefix: str) -> str:
        """A number that was never used before for this prefix, as an address or handle."""
        self.numbers[prefix] = self.numbers.get(prefix, 0) + 1
        return f"{prefix}{self.numbers[prefix]}"

    def new_item(self, type_name: str, state: str, **more: Any) -> Item:
        """Add an item at rev 1."""
        address = self.next(PREFIXES[type_name])
        item: Item = {"type": type_name, "address": address, "state": state, "rev": 1, **more}
        self.items[address] = item
        return item

    def of_type(self, *type_names: str) -> list[Item]:
        """All items of these types, in the order of the trace."""
        return sorted((i for i in self.items.values() if i["type"] in type_names), key=lambda i: order(i["address"]))

    def place_of(self, item: Item) -> str:
        """The place whose rights govern an item; a Domain or Area is governed by the rights over itself."""
        if item["type"] in PLACE_TYPES:
            return str(item["address"])
        if item["type"] == "Amendment":
            return self.place_of(self.items[item["amends"]])
        if item["type"] == "Signal":
            return self.place_of(self.items[item["about"]])
        return str(item["place"])

    def chain(self, place: str) -> list[str]:
        """A place and everything that it is inside of, up to ROOT."""
        if place == ROOT:
            return [ROOT]
        parent = self.items[place].get("domain", ROOT)
        return [place, *self.chain(parent)]

    def places(self) -> list[str]:
        """Every place there is, ROOT first."""
        return [ROOT, *(i["address"] for i in self.of_type(*PLACE_TYPES))]

    def inside(self, place: str) -> list[str]:
        """A place and every place inside it."""
        return [p for p in self.places() if place in self.chain(p)]

    def live(self, kind: str, **ends: str) -> list[Item]:
        """The live relations of a kind, narrowed by `source` and `target`."""
        return [
            r
            for r in self.relations.values()
            if r["kind"] == kind and r["state"] == "live" and all(r[end] == at for end, at in ends.items())
        ]

    def new_relation(self, kind: str, source: str, target: str, by: str) -> Item:
        """Add a live relation at rev 1."""
        relation: Item = {"id": self.next("R"), "rev": 1, "kind": kind, "source": source, "target": target}
        relation |= {"state": "live", "asserted_by": by}
        self.relations[relation["id"]] = relation
        return relation
