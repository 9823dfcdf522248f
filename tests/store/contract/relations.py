"""Relations: found, listed, moved and ended."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.items import ROOT, address_of
from smeldr.model.kinds import Direction
from smeldr.store.contract import Store, Unit
from tests.graphs import addresses, key, keys
from tests.store.building import at, relate, relation_of


@pytest.fixture
def related(furnished: Store) -> Store:
    """Some relations between the Decisions that lie in different places."""
    with furnished.write() as unit:
        relate(
            unit, "D3 -grounded_in-> D1 <-grounded_in- D2; D5 -addresses-> D1; D1 -contradicts-> D4; A1 -amends-> D1"
        )
    return furnished


def listed(unit: Unit, touching: str | None = None, direction: Direction = "both", where: str | None = None) -> str:
    found, total = unit.relations.list_relations(
        None if where is None else keys(where),
        touching=key(touching) if touching else None,
        direction=direction,
        limit=10,
        offset=0,
    )
    assert total == len(found)
    return " ".join(f"{address_of(each.source)}>{address_of(each.target)}" for each in found)


def test_relations_are_listed_oldest_first(related: Store) -> None:
    with related.read() as unit:
        assert "D3>D1 D2>D1 D5>D1 D1>D4 A1>D1" == listed(unit)
        page, total = unit.relations.list_relations(None, kind="grounded_in", limit=1, offset=1)
        assert (2, key("D2")) == (total, page[0].source)


def test_relations_are_narrowed_by_item_and_direction_and_a_contradiction_goes_both_ways(related: Store) -> None:
    with related.read() as unit:
        assert "D1>D4" == listed(unit, "D1", "outgoing")
        assert "D3>D1 D2>D1 D5>D1 D1>D4 A1>D1" == listed(unit, "D1", "incoming")
        assert "D1>D4" == listed(unit, "D4", "outgoing") == listed(unit, "D4", "incoming")


def test_only_relations_with_both_ends_in_the_places_are_listed(related: Store) -> None:
    with related.read() as unit:
        assert "D2>D1 A1>D1" == listed(unit, where="ROOT")
        assert "D3>D1 D2>D1 D1>D4 A1>D1" == listed(unit, where="ROOT ARE1")
        assert "" == listed(unit, where="")


def test_moving_an_item_moves_the_ends_of_its_relations_live_and_ended(related: Store) -> None:
    with related.write() as unit:
        ended = unit.relations.live("grounded_in", source=key("D3"))[0]
        unit.relations.end(ended.id, by="somebody", at=at(9), cause="withdrawn", reason="why")
        unit.relations.move_ends(keys("D3"), ROOT)
        found, _ = unit.relations.list_relations(keys("ROOT"), include_ended=True, limit=10, offset=0)
    assert ended.id in {each.id for each in found}


def test_live_relations_are_found_by_either_end_or_both(related: Store) -> None:
    with related.read() as unit:
        assert "D3 D2" == addresses(each.source for each in unit.relations.live("grounded_in", target=key("D1")))
        assert 1 == len(unit.relations.live("grounded_in", source=key("D3")))
        assert [] == unit.relations.live("grounded_in", source=key("D1"), target=key("D3"))
        pairs = {("grounded_in", key("D3"), key("D1")), ("addresses", key("D3"), key("D1"))}
        assert {("grounded_in", key("D3"), key("D1"))} == unit.relations.existing(pairs)  # type: ignore[arg-type]


def test_an_ended_relation_stays_on_record_and_another_may_begin(related: Store) -> None:
    with related.write() as unit:
        first = unit.relations.live("grounded_in", source=key("D3"))[0]
        ended = unit.relations.end(first.id, by="somebody", at=at(9), cause="withdrawn", reason="why")
        relate(unit, "D3 -grounded_in-> D1")
        assert (2, "somebody", at(9), "withdrawn", "why") == (
            ended.rev,
            ended.ended_by,
            ended.ended_at,
            ended.cause,
            ended.reason,
        )
        assert ended == unit.relations.get(first.id)
        assert first.id != unit.relations.live("grounded_in", source=key("D3"))[0].id


def test_a_second_live_relation_of_the_same_kind_and_ends_is_a_fault(related: Store) -> None:
    with pytest.raises(IntegrityError), related.write() as unit:
        relate(unit, "D3 -grounded_in-> D1")


def test_a_relation_to_nothing_is_a_fault(related: Store) -> None:
    with pytest.raises(IntegrityError), related.write() as unit:
        unit.relations.add([(relation_of(unit, key("D1"), "addresses", key("D99")), ROOT, ROOT)])
