"""Walks: the edges out of one ring, in their order, within the places that may be read."""

from __future__ import annotations

from collections.abc import Iterable

from smeldr.model.items import address_of
from smeldr.model.kinds import KINDS, Direction
from smeldr.store.contract import Store, Unit
from tests.graphs import addresses, key, keys
from tests.store.building import at, documents, numbered, relate, signal


def ring(
    unit: Unit, frontier: str, direction: Direction, kinds: Iterable[str] = KINDS, where: str | None = None
) -> list[str]:
    """The edges out of some items as `D3 grounded_in D1`: reached, kind, from where."""
    walk = unit.walks.ring(list(kinds), direction, None if where is None else keys(where))  # type: ignore[arg-type]
    return [f"{address_of(each.to)} {each.kind} {address_of(each.origin)}" for each in walk(keys(frontier))]


def test_a_ring_is_sorted_by_item_reached_then_origin_then_kind(related: Store) -> None:
    with related.write() as unit:
        documents(unit, "D11")
        relate(unit, "D10 -grounded_in-> D2; D10 -grounded_in-> D1; D10 -addresses-> D1; D11 -addresses-> D2")
        assert [
            "A1 amends D1",
            "D2 grounded_in D1",
            "D3 grounded_in D1",
            "D4 contradicts D1",
            "D5 addresses D1",
            "D10 addresses D1",
            "D10 grounded_in D1",
            "D10 grounded_in D2",
            "D11 addresses D2",
        ] == ring(unit, "D1 D2", "incoming")


def test_a_ring_follows_only_the_kinds_and_the_direction_asked_for(related: Store) -> None:
    with related.read() as unit:
        assert ["D5 addresses D1"] == ring(unit, "D1", "incoming", ["addresses"])
        assert ["D1 grounded_in D3"] == ring(unit, "D3", "outgoing", ["grounded_in", "addresses"])
        assert [] == ring(unit, "D3", "incoming", ["grounded_in"])
        assert ["D4 contradicts D1"] == ring(unit, "D1", "outgoing", ["contradicts"])
        assert [] == ring(unit, "", "both")


def test_a_ring_keeps_to_the_places_that_may_be_read(related: Store) -> None:
    with related.read() as unit:
        assert ["A1 amends D1", "D2 grounded_in D1"] == ring(unit, "D1", "incoming", where="ROOT")
        assert ["D1 grounded_in D3"] == ring(unit, "D3", "outgoing", ["grounded_in"], where="ROOT")
        assert [] == ring(unit, "D1", "incoming", where="DOM1")


def test_a_ring_reaches_places_and_what_lies_in_them(related: Store) -> None:
    with related.read() as unit:
        assert ["ARE1 placed_in D3"] == ring(unit, "D3", "outgoing", ["placed_in"])
        assert ["D3 placed_in ARE1", "D4 placed_in ARE1"] == ring(unit, "ARE1", "incoming", ["placed_in"])
        assert ["DOM1 placed_in ARE1"] == ring(unit, "ARE1", "outgoing", ["placed_in"])
        assert [] == ring(unit, "D1", "outgoing", ["placed_in"])
        assert [] == ring(unit, "D3", "outgoing", ["placed_in"], where="ROOT")


def test_a_ring_reaches_open_signals_and_no_closed_ones(related: Store) -> None:
    with related.write() as unit:
        relation = unit.relations.live("grounded_in", source=key("D3"))[0].id
        signal(unit, "SIG1", "D3", "D1", relation, "ARE1 DOM1")
        signal(unit, "SIG2", "D3", "D1", relation, "ARE1 DOM1")
        unit.conditions.close([(key("SIG2"), "over", None)])
        unit.items.set_state(keys("SIG2"), "closed", at(9), raise_rev=False)
        assert ["SIG1 about D3"] == ring(unit, "D3", "incoming", ["about"])
        assert ["D3 about SIG1"] == ring(unit, "SIG1 SIG2", "outgoing", ["about"])
        assert "SIG2 placed_in ARE1" not in ring(unit, "ARE1", "incoming")
        assert ["ARE1 placed_in SIG1"] == ring(unit, "SIG1 SIG2", "outgoing", ["placed_in"])


def test_an_ended_relation_is_not_walked(related: Store) -> None:
    with related.write() as unit:
        relation = unit.relations.live("grounded_in", source=key("D3"))[0]
        unit.relations.end(relation.id, by="somebody", at=at(9), cause="withdrawn", reason=None)
        assert [] == ring(unit, "D3", "outgoing", ["grounded_in"])


def test_a_frontier_may_be_larger_than_a_statement_has_parameters(related: Store) -> None:
    with related.read() as unit:
        walk = unit.walks.ring(["grounded_in"], "incoming", None)
        assert "D2 D3" == addresses(each.to for each in walk(numbered("D", 1, 70_000)))


def test_several_rings_can_be_read_at_once(related: Store) -> None:
    with related.read() as unit:
        walk = unit.walks.ring(["grounded_in"], "incoming", None)
        one, other = walk(keys("D1")), walk(keys("D1"))
        assert [next(one), next(one)] == [next(other), next(other)]
