"""Graphs drawn as text, for the tests of the rules.

`D3 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D5` is three relations; a line (or a `;`) begins another chain.
There is no database and there are no rights here: what a reader may not see is named as `hidden`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, cast

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey, address_of, parse_reference
from smeldr.model.kinds import KINDS, KindName
from smeldr.model.records import Edge, End, Relation
from smeldr.rules.reachability import Ring

Direction = Literal["incoming", "outgoing", "both"]
_ARROW = re.compile(r"\s*(?:-(?P<out>\w+)->|<-(?P<into>\w+)-)\s*")
_THEN = Instant("2026-01-01T00:00:00.000000Z")


class Drawn(NamedTuple):
    """One relation of a drawing."""

    source: ItemKey
    kind: KindName
    target: ItemKey


class Judged(NamedTuple):
    """One relation of a drawing with its two ends, as the rules of the conditions see it."""

    relation: Relation
    source: End
    target: End


def key(address: str) -> ItemKey:
    """The key of the item with this address."""
    found = parse_reference(address).key
    assert found is not None
    return found


def keys(addresses: str) -> list[ItemKey]:
    """The keys of some addresses with spaces between them, in their order."""
    return [key(each) for each in addresses.split()]


def addresses(found: Iterable[ItemKey]) -> str:
    """The addresses of some keys, in their order, with spaces between them."""
    return " ".join(address_of(each) for each in found)


def read(drawing: str) -> list[Drawn]:
    """The relations of a drawing, in the order in which it draws them."""
    return [drawn for chain in re.split(r"[;\n]", drawing) if chain.strip() for drawn in _chain(chain.strip())]


def _chain(chain: str) -> Iterator[Drawn]:
    first, *rest = _ARROW.split(chain)
    left = key(first)
    for out, into, address in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        kind, right = cast(KindName, out or into), key(address)
        assert kind in KINDS, f"no such kind: {kind}"
        yield Drawn(left, kind, right) if out else Drawn(right, kind, left)
        left = right


def neighbours(drawing: str, direction: Direction) -> dict[ItemKey, list[ItemKey]]:
    """Who is one step away, by item, as the sweep hands it to the rule of the stored counts."""
    found: dict[ItemKey, list[ItemKey]] = {}
    for origin, _, to in _steps(read(drawing), direction):
        found.setdefault(origin, []).append(to)
    return found


def ring(
    drawing: str,
    direction: Direction = "incoming",
    kinds: Collection[str] | None = None,
    *,
    hidden: str = "",
    asked: list[str] | None = None,
) -> Ring:
    """A callable that gives the edges of one ring, as the walks ask for it: sorted by (to, origin, kind).

    `asked`, when given, is told every frontier that the walk asks about.
    """
    unseen = set(keys(hidden))
    steps = [step for step in _steps(read(drawing), direction) if kinds is None or step.kind in kinds]

    def edges(frontier: Sequence[ItemKey]) -> list[Edge]:
        if asked is not None:
            asked.append(addresses(frontier))
        here = set(frontier)
        found = [Edge(to, origin, kind) for origin, kind, to in steps if origin in here and to not in unseen]
        return sorted(found, key=lambda edge: (edge.to, edge.origin, edge.kind))

    return edges


def _steps(relations: Iterable[Drawn], direction: Direction) -> Iterator[Drawn]:
    """Every step that a walk in this direction may take; a relation that reads both ways is walked both ways."""
    for each in relations:
        both_ways = direction == "both" or KINDS[each.kind].both_ways
        if direction == "outgoing" or both_ways:
            yield each
        if direction == "incoming" or both_ways:
            yield Drawn(each.target, each.kind, each.source)


def judged(drawing: str, states: Mapping[str, str] | None = None) -> list[Judged]:
    """The relations of a drawing with the states of their ends: `ratified` unless `states` says otherwise."""
    return [
        Judged(live(kind, source, target), end(source, states), end(target, states))
        for source, kind, target in read(drawing)
    ]


def live(kind: KindName, source: ItemKey, target: ItemKey) -> Relation:
    """A live relation."""
    return Relation("a relation", kind, source, target, 1, "somebody", _THEN)


def ended(relation: Relation, cause: str) -> Relation:
    """The same relation after its end."""
    return replace(relation, rev=2, ended_by="somebody", ended_at=_THEN, cause=cause, reason="a reason")


def end(item: ItemKey, states: Mapping[str, str] | None = None, *, state_changes: int = 1) -> End:
    """One end of a relation; it was ratified once unless it is proposed still."""
    state = (states or {}).get(address_of(item), "ratified")
    return End(item, key("ROOT"), state, state_changes, state != "proposed")
