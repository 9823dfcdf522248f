"""Rows for the tests of the store, written past the operations: no rule, no history, no conditions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from smeldr.model.instants import Instant
from smeldr.model.items import ROOT, ItemKey, key_of, number_of, type_of
from smeldr.model.kinds import KindName
from smeldr.model.records import Item, Relation, Signal, Text
from smeldr.store.contract import Unit
from tests.graphs import addresses as addresses_of
from tests.graphs import key, read

_SECONDS = count()


class Broken(Exception):
    """What goes wrong inside a block."""


def at(second: int) -> Instant:
    """An instant; a later one for a higher number."""
    return Instant(f"2026-01-01T00:{second // 60:02}:{second % 60:02}.000000Z")


def item(unit: Unit, address: str, place: str = "ROOT", state: str = "ratified") -> Item:
    """An item, not written; `place` is the places around it, innermost first: `ARE1 DOM1`."""
    path = (*(key(each) for each in place.split() if each != "ROOT"), ROOT)
    return Item(key(address), unit.new_id(), path, state, 1, 0, at(0), at(0))


def documents(
    unit: Unit, addresses: str, place: str = "ROOT", state: str = "ratified", source: str | None = None
) -> None:
    """Write Decisions, and Amendments of D1."""
    new = [item(unit, each, place, state) for each in addresses.split()]
    unit.items.add(new)
    unit.items.add_texts((each.key, _text(each, source)) for each in new)


def _text(of: Item, source: str | None) -> Text:
    amends = key("D1") if of.type == "Amendment" else None
    return Text(f"Title of {of.address}", f"Body of {of.address}", source, "somebody", None, amends)


def place(unit: Unit, address: str, around: str = "ROOT", state: str = "live") -> None:
    """Write a Domain or an Area."""
    new = item(unit, address, around, state)
    unit.items.add([new])
    unit.items.add_place(new.key, f"Name of {address}")


def relate(unit: Unit, drawing: str) -> list[str]:
    """Write the live relations of a drawing between items that are there, each later than the one before; their ids."""
    ids = []
    for source, kind, target in read(drawing):
        there = unit.items.get([source, target])
        relation = relation_of(unit, source, kind, target)
        unit.relations.add([(relation, there[source].place, there[target].place)])
        ids.append(relation.id)
    return ids


def relation_of(unit: Unit, source: ItemKey, kind: KindName, target: ItemKey) -> Relation:
    """A live relation, not written."""
    return Relation(unit.new_id(), kind, source, target, 1, "somebody", at(next(_SECONDS)))


def signal(
    unit: Unit,
    address: str,
    about: str,
    other: str,
    relation: str,
    place: str = "ROOT",
    condition: str = "premise-flagged",
) -> Signal:
    """Write an open Signal."""
    new = Signal(item(unit, address, place, "open"), condition, key(about), key(other), relation, None, None)
    unit.items.add([new.item])
    unit.conditions.open([new])
    return new


def numbered(prefix: str, first: int, last: int) -> list[ItemKey]:
    """The keys of the addresses from first to last."""
    one = key(f"{prefix}{first}")
    return [key_of(type_of(one), number) for number in range(number_of(one), last + 1)]


def together(found: Iterable[ItemKey]) -> str:
    """Addresses of keys that come in no promised order."""
    return addresses_of(sorted(found))
