"""Findings that one question to the store brings to light: what the rows of each are called, and what is said of them.

The store has the questions, under the same codes. A key in a row is told as an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from smeldr.model.findings import Finding
from smeldr.model.items import ITEM_TYPES, NUMBERS_PER_TYPE, ROOT, ItemKey, address_of
from smeldr.store.contract import Unit

_RELATION: Final = "{kind} from {source} to {target}"

SAID: Final[Mapping[str, tuple[str, str]]] = {
    "condition-misplaced": ("{key}", "it lies in {place}, and {about}, which it is about, in {there}"),
    "condition-doubled": ("{key}", "another open Signal says {condition} of {about} and {other} too"),
    "condition-half-closed": ("{key}", "its state is {state}, and its resolution is {resolution}"),
    "condition-without-relation": ("{key}", "{relation} is no relation between {about} and {other}"),
    "relation-end-missing": ("{id}", f"{_RELATION}: there is no {{missing}}"),
    "relation-undeclared": ("{id}", f"{_RELATION}: the kind does not join these types"),
    "relation-end-misplaced": ("{id}", "its {end} {key} lies in {place}; the relation says {stored}"),
    "relation-doubled": ("{id}", f"{_RELATION}: another live relation says the same"),
    "relation-turned": ("{id}", f"{_RELATION}: it should be kept the other way round"),
    "relation-to-itself": ("{id}", "{kind} from {source} to itself"),
    "relation-supersedes-standing": ("{id}", "{source} supersedes {target}, which is {state}"),
    "item-state-unknown": ("{key}", "its state is {state}, which its type does not have"),
    "item-place-missing": ("{key}", "it lies in {place}, and that is no place that there is"),
    "item-place-retired": ("{key}", "it lies in {place}, which is retired"),
    "place-nested": ("{key}", "it lies in {place}"),
    "item-incomplete": ("{key}", "its {part} is not there"),
    "amendment-unattached": ("{key}", "it is to amend {amends}, and no one live relation says so"),
    "amendment-misplaced": ("{key}", "it lies in {place}, and {amends}, which it amends, in {there}"),
    "ratified-by-missing": ("{key}", "it is {state}, and nobody is on record for having ratified it"),
    "counter-behind": ("{name}", "the highest address is {highest}, and the counter stands at {counter}"),
    "grant-orphaned": ("{id}", "{right} over {place} for the principal {principal}: one of the two is not there"),
    "token-orphaned": ("{id}", "there is no principal {principal}"),
    "count-orphaned": ("{key}", "{direction} in {place}: one of the two is not there"),
    "confirmation-orphaned": ("{decision}", "no relation has ever joined it to {premise}"),
    "foreign-key-broken": ("{table} {row}", "its {column} is {named}, and there is no such row"),
}
"""By code: what is found, and what is said of it."""


def asked(unit: Unit, code: str) -> Iterator[Finding]:
    """The findings of a code of `SAID`."""
    what, says = SAID[code]
    for row in unit.integrity.rows(code):
        said = {name: named(value) for name, value in row.items()}
        yield Finding(code, what.format_map(said), says.format_map(said))


def named(value: ItemKey | str | None) -> str:
    """A value of a row: keys as addresses, however wrong they are."""
    if not isinstance(value, int):
        return "none" if value is None else value
    known = value == ROOT or 0 < value // NUMBERS_PER_TYPE <= len(ITEM_TYPES)
    return address_of(value) if known else f"the key {value}"
