"""An item is anything with an address: D1, A1, SIG1, DOM1, ARE1.

Addresses count up per type and are never reused. Inside the register an item goes by its key, a number that sorts
by type name and then by address number, which is the order inside a ring of the trace.
This file does not say which item exists: the store does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NewType

ItemType = Literal["Amendment", "Area", "Decision", "Domain", "Signal"]
ItemKey = NewType("ItemKey", int)
"""Sorts like (type name, address number); fits in 53 bits."""

ITEM_TYPES: Final[tuple[ItemType, ...]] = ("Amendment", "Area", "Decision", "Domain", "Signal")
"""In the order of their names, which is the order of the trace inside one ring."""

PREFIXES: Final[Mapping[ItemType, str]] = {
    "Amendment": "A",
    "Area": "ARE",
    "Decision": "D",
    "Domain": "DOM",
    "Signal": "SIG",
}

ROOT: Final = ItemKey(0)
"""The place above all Domains, where unplaced items are. It is not an item: it has no address and no relations."""

NUMBERS_PER_TYPE: Final = 10**12
_MAX_DIGITS: Final = 12
_ADDRESS: Final = re.compile(rf"(A|ARE|D|DOM|SIG)([1-9][0-9]{{0,{_MAX_DIGITS - 1}}})")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RANKS: Final = {item_type: rank for rank, item_type in enumerate(ITEM_TYPES, start=1)}
_TYPES: Final[Mapping[str, ItemType]] = {prefix: item_type for item_type, prefix in PREFIXES.items()}


@dataclass(frozen=True, slots=True)
class Reference:
    """How a caller named an item: by key (an address was given) or by id. `text` is what a `not_found` echoes."""

    text: str
    key: ItemKey | None = None
    id: str | None = None


def key_of(item_type: ItemType, number: int) -> ItemKey:
    """The key of the item with that type and address number."""
    return ItemKey(_RANKS[item_type] * NUMBERS_PER_TYPE + number)


def type_of(key: ItemKey) -> ItemType:
    """The type of the item with that key. ROOT is no item: whoever may hold its key looks for that first."""
    return ITEM_TYPES[key // NUMBERS_PER_TYPE - 1]


def number_of(key: ItemKey) -> int:
    """The number in the item's address."""
    return key % NUMBERS_PER_TYPE


def address_of(key: ItemKey) -> str:
    """The item's address, for example `D12`; `ROOT` for the place above all Domains."""
    return "ROOT" if key == ROOT else f"{PREFIXES[type_of(key)]}{number_of(key)}"


def key_range(item_type: ItemType) -> tuple[ItemKey, ItemKey]:
    """The half-open range of the keys of one type: first <= key < beyond."""
    return key_of(item_type, 0), key_of(item_type, NUMBERS_PER_TYPE)


def parse_reference(text: str) -> Reference:
    """Read an address (any case), `ROOT` or a UUID. Raises ValueError when it is none of them."""
    upper = text.upper() if text.isascii() else ""
    if upper == "ROOT":
        return Reference("ROOT", key=ROOT)
    if found := _ADDRESS.fullmatch(upper):
        return Reference(upper, key=key_of(_TYPES[found[1]], int(found[2])))
    if _UUID.fullmatch(text):
        canonical = text.lower()
        return Reference(canonical, id=canonical)
    raise ValueError("neither an address nor an id")
