"""What a store promises, tested. Every database runs all of it: its test file has a `store` fixture and imports this.

The fixture gives a migrated, founded and otherwise empty store that answers `busy` after a twentieth of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.entries import Act, Entry
from smeldr.model.errors import Refusal
from smeldr.model.items import ROOT, ItemKey, address_of, parse_reference
from smeldr.model.kinds import KINDS, Direction
from smeldr.model.records import Count, Grant, Principal, SweepRun, Token, UsedKey
from smeldr.model.rights import Right
from smeldr.store.contract import Store, Unit
from tests.graphs import addresses, key, keys
from tests.store.building import at, documents, item, numbered, place, relate, relation_of, signal


class Broken(Exception):
    """What goes wrong inside a block."""


def together(found: Iterable[ItemKey]) -> str:
    """Addresses of keys that come in no promised order."""
    return addresses(sorted(found))


# transactions ----------------------------------------------------------------------------------------------------


def test_a_write_is_kept_when_its_block_ends_well(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1")
    with store.read() as unit:
        assert "D1" == addresses(unit.items.get(keys("D1 D2")))


def test_a_write_is_undone_as_a_whole_when_its_block_fails(store: Store) -> None:
    def breaking() -> None:
        with store.write() as unit:
            documents(unit, "D1 D2")
            relate(unit, "D2 -grounded_in-> D1")
            raise Broken

    with pytest.raises(Broken):
        breaking()
    with store.read() as unit:
        assert {} == unit.items.get(keys("D1 D2"))
        assert [] == unit.relations.live("grounded_in")


def test_a_write_sees_what_it_has_done(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1")
        assert unit.items.get(keys("D1"))


def test_nothing_that_is_written_in_a_read_is_kept(store: Store) -> None:
    with store.read() as unit:
        documents(unit, "D1")
    with store.read() as unit:
        assert {} == unit.items.get(keys("D1"))


def test_a_read_is_one_snapshot_whatever_is_written_meanwhile(store: Store) -> None:
    with store.read() as reading:
        assert {} == reading.items.get(keys("D1"))
        with store.write() as unit:
            documents(unit, "D1")
        assert {} == reading.items.get(keys("D1"))


def test_a_write_waits_for_the_one_before_and_sees_it(store: Store) -> None:
    entered, seen = threading.Event(), []

    def second() -> None:
        entered.set()
        with store.write() as unit:
            seen.append(addresses(unit.items.get(keys("D1"))))

    thread = threading.Thread(target=second)
    with store.write() as unit:
        thread.start()
        entered.wait()
        documents(unit, "D1")
    thread.join()
    assert ["D1"] == seen


def test_a_write_whose_turn_does_not_come_in_time_is_busy_and_the_store_works_on(store: Store) -> None:
    def second() -> None:
        try:
            with store.write() as unit:
                documents(unit, "D2")
        except Refusal as refusal:
            refused.append(refusal.code)

    refused: list[str] = []
    with store.write() as unit:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        documents(unit, "D1")
    with store.write() as unit:
        documents(unit, "D3")
    with store.read() as unit:
        assert (["busy"], "D1 D3") == (refused, together(unit.items.get(keys("D1 D2 D3"))))


def test_a_read_does_not_wait_for_a_write(store: Store) -> None:
    with store.write() as writing:
        documents(writing, "D1")
        with store.read() as unit:
            assert {} == unit.items.get(keys("D1"))


def test_one_sweep_at_a_time(store: Store) -> None:
    with store.sweeping() as one, store.sweeping() as other:
        assert (True, False) == (one, other)
    with pytest.raises(Broken), store.sweeping():
        raise Broken
    with store.sweeping() as again:
        assert again


def test_a_store_that_is_migrated_and_founded_passes_its_check_however_often_it_is_migrated(store: Store) -> None:
    store.check()
    store.migrate()
    store.check()
    with store.read() as unit:
        assert unit.is_register()


def test_a_closed_store_opens_again(store: Store) -> None:
    store.close()
    store.check()


def test_an_id_is_a_uuid_of_version_7_and_no_two_are_alike(store: Store) -> None:
    with store.read() as unit:
        made = [unit.new_id() for _ in range(1_000)]
    assert {7} == {UUID(each).version for each in made}
    assert 1_000 == len(set(made))
    assert sorted(each[:13] for each in made) == [each[:13] for each in made]


# items -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def furnished(store: Store) -> Store:
    """Two Domains, two Areas, Decisions in each, an Amendment."""
    with store.write() as unit:
        place(unit, "DOM1")
        place(unit, "DOM2")
        place(unit, "ARE1", "DOM1")
        place(unit, "ARE2", "DOM2", state="retired")
        documents(unit, "D1 D2 D10")
        documents(unit, "D3 D4", "ARE1 DOM1", state="proposed")
        documents(unit, "D5", "DOM2")
        documents(unit, "A1 A2", state="proposed")
    return store


def test_items_are_found_by_address_and_by_id_and_what_is_not_there_is_left_out(furnished: Store) -> None:
    with furnished.read() as unit:
        first = unit.items.get(keys("D1"))[key("D1")]
        named = [parse_reference(each) for each in ("d2", first.id, "D99", unit.new_id())]
        found = unit.items.find(named)
        assert {named[0]: "D2", named[1]: "D1"} == {reference: each.address for reference, each in found.items()}


def test_an_item_knows_the_places_around_it(furnished: Store) -> None:
    with furnished.read() as unit:
        found = unit.items.get(keys("D1 D3 D5 ARE1"))
    paths = {each.address: addresses(each.path) for each in found.values()}
    assert {"D1": "ROOT", "D3": "ARE1 DOM1 ROOT", "D5": "DOM2 ROOT", "ARE1": "DOM1 ROOT"} == paths


def test_more_items_are_asked_for_than_a_statement_takes(furnished: Store) -> None:
    with furnished.read() as unit:
        assert 6 == len(unit.items.get(numbered("D", 1, 70_000)))


def test_documents_are_listed_by_number_without_their_bodies(furnished: Store) -> None:
    with furnished.read() as unit:
        listed, total = unit.items.list_documents("Decision", None, limit=10, offset=0)
    assert (6, "D1 D2 D3 D4 D5 D10") == (total, addresses(each.item.key for each in listed))
    assert {""} == {each.text.body for each in listed}
    assert "Title of D1" == listed[0].text.title


def test_a_list_is_narrowed_by_place_state_and_what_is_amended(furnished: Store) -> None:
    with furnished.read() as unit:

        def listed(where: str | None, state: str | None = None) -> str:
            places = None if where is None else keys(where)
            found, total = unit.items.list_documents("Decision", places, state=state, limit=10, offset=0)
            assert total == len(found)
            return addresses(each.item.key for each in found)

        assert "D3 D4 D5" == listed("ARE1 DOM2")
        assert "" == listed("")
        assert "D3 D4" == listed(None, "proposed")
        amendments, total = unit.items.list_documents("Amendment", None, amends=key("D1"), limit=1, offset=1)
        assert (2, "A2", key("D1")) == (total, amendments[0].item.address, amendments[0].text.amends)
        assert "A1 A2" == addresses(each.key for each in unit.items.amendments_of(key("D1")))


def test_after_and_offset_move_the_page_and_leave_the_total_alone(furnished: Store) -> None:
    with furnished.read() as unit:
        listed, total = unit.items.list_documents("Decision", None, after=key("D2"), limit=2, offset=1)
    assert (6, "D4 D5") == (total, addresses(each.item.key for each in listed))


def test_the_whole_document_has_its_text(furnished: Store) -> None:
    with furnished.read() as unit:
        assert "Body of D3" == unit.items.documents(keys("D3 D99"))[key("D3")].text.body


def test_documents_are_found_by_where_they_come_from(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D2 D1", source="there")
        documents(unit, "D3", source="elsewhere")
        found = unit.items.with_source(["there", "nowhere"])
    assert {"there": keys("D1 D2")} == found


def test_places_come_by_type_name_and_number(furnished: Store) -> None:
    with furnished.read() as unit:
        assert "ARE1 ARE2 DOM1 DOM2" == addresses(each.item.key for each in unit.items.places())
        assert ["Name of ARE1"] == [each.name for each in unit.items.places(keys("ARE1 D1"))]
        assert "ARE1 ARE2" == together(unit.items.areas_in(keys("DOM1 DOM2")))


def test_what_lies_in_a_place_is_counted(furnished: Store) -> None:
    with furnished.read() as unit:
        assert {key("ARE1"): 2, ROOT: 3, key("DOM2"): 1} == unit.items.count_in("Decision", None)
        assert {ROOT: 3} == unit.items.count_in("Decision", keys("ROOT DOM1"))
        assert {key("ARE1"): 2} == unit.items.count_in("Decision", None, "proposed")


def test_a_place_holds_something_unless_only_retired_areas_are_in_it(furnished: Store) -> None:
    with furnished.write() as unit:
        assert {"ARE1": True, "ARE2": False, "DOM1": True, "DOM2": True} == {
            each.item.address: unit.items.holds_any(each.item.key) for each in unit.items.places()
        }
        unit.items.set_place(keys("D5"), ROOT, raise_rev=True)
        assert not unit.items.holds_any(key("DOM2"))


def test_numbers_rise_by_type_and_an_undone_write_hands_none_out_twice(store: Store) -> None:
    with store.write() as unit:
        assert ("D1", "D2 D3", "SIG1") == (
            addresses(unit.items.next_keys("Decision")),
            addresses(unit.items.next_keys("Decision", 2)),
            addresses(unit.items.next_keys("Signal")),
        )
    with pytest.raises(IntegrityError), store.write() as unit:
        documents(unit, addresses(unit.items.next_keys("Decision")) + " D1 D1")
    with store.write() as unit:
        assert key("D3") < unit.items.next_keys("Decision")[0]
        assert 1 == unit.items.numbers_given()["Signal"]


def test_a_move_raises_the_number_of_state_changes_and_the_rev_unless_told_otherwise(furnished: Store) -> None:
    with furnished.write() as unit:
        unit.items.set_state(keys("D1 D2"), "retired", at(7))
        unit.items.set_state(keys("D3"), "archived", at(8), raise_rev=False)
        found = unit.items.get(keys("D1 D3 D10"))
    told = {each.address: (each.state, each.rev, each.state_changes, each.state_changed_at) for each in found.values()}
    assert ("retired", 2, 1, at(7)) == told["D1"]
    assert ("archived", 1, 1, at(8)) == told["D3"]
    assert ("ratified", 1, 0, at(0)) == told["D10"]


def test_texts_names_and_ratifiers_are_replaced(furnished: Store) -> None:
    with furnished.write() as unit:
        unit.items.set_text(key("D3"), title="Another", body="Another body\r\n")
        unit.items.set_ratified_by(keys("D3"), "a ratifier")
        unit.items.raise_rev(key("D3"))
        unit.items.rename_place(key("ARE1"), "Another name")
        document = unit.items.documents(keys("D3"))[key("D3")]
        assert ("Another", "Another body\r\n", "a ratifier") == (
            document.text.title,
            document.text.body,
            document.text.ratified_by,
        )
        assert 2 == document.item.rev
        assert "Another name" == unit.items.places(keys("ARE1"))[0].name


@pytest.mark.parametrize("text", ["日本語", "עברית", "e\u0301 is not \u00e9", "𝔘 🜚", "tab\tand\nline", "'; --"])
def test_a_text_comes_back_as_it_was_given(store: Store, text: str) -> None:
    with store.write() as unit:
        documents(unit, "D1")
        unit.items.set_text(key("D1"), title=text, body=text)
    with store.read() as unit:
        assert text == unit.items.documents(keys("D1"))[key("D1")].text.body


# relations -------------------------------------------------------------------------------------------------------


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


# walks -----------------------------------------------------------------------------------------------------------


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


# conditions ------------------------------------------------------------------------------------------------------


def test_the_relations_that_conditions_hang_on_come_with_what_the_rules_ask(related: Store) -> None:
    with related.write() as unit:
        unit.items.set_state(keys("D1"), "retired", at(9))
        unit.items.set_ratified_by(keys("D1"), "somebody")
        unit.conditions.confirm(key("D3"), key("D1"), 1)
        judged = {address_of(each.relation.source): each for each in unit.conditions.touching(keys("D3"), ())}
        assert ["D3"] == list(judged)
        found = judged["D3"]
        assert ("proposed", key("ARE1"), False) == (found.source.state, found.source.place, found.source.ever_ratified)
        assert ("retired", 1, True, 1) == (
            found.target.state,
            found.target.state_changes,
            found.target.ever_ratified,
            found.confirmed_at,
        )


def test_every_live_relation_that_conditions_hang_on_is_found_and_no_other(related: Store) -> None:
    with related.read() as unit:
        found = [unit.conditions.all_live(), unit.conditions.touching(keys("D1"), ())]
        for each in found:
            assert {"grounded_in", "contradicts"} == {judged.relation.kind for judged in each}
            assert 3 == len(each)


def test_a_named_relation_is_judged_although_it_has_ended(related: Store) -> None:
    with related.write() as unit:
        relation = unit.relations.live("grounded_in", source=key("D3"))[0]
        unit.relations.end(relation.id, by="somebody", at=at(9), cause="withdrawn", reason=None)
        assert [relation.id] == [each.relation.id for each in unit.conditions.touching((), [relation.id])]
        assert [] == unit.conditions.touching(keys("D3"), ())


def test_a_later_confirmation_takes_the_place_of_the_former(related: Store) -> None:
    with related.write() as unit:
        unit.conditions.confirm(key("D3"), key("D1"), 1)
        unit.conditions.confirm(key("D3"), key("D1"), 3)
        assert [3] == [each.confirmed_at for each in unit.conditions.touching(keys("D3"), ())]


def test_open_signals_are_found_by_their_decision_or_the_other_one(related: Store) -> None:
    with related.write() as unit:
        signal(unit, "SIG1", "D3", "D1", "r1", "ARE1 DOM1")
        signal(unit, "SIG2", "D2", "D1", "r2")
        signal(unit, "SIG10", "D4", "D5", "r3", "ARE1 DOM1", "conflict-detected")
        unit.conditions.close([(key("SIG2"), "over", "a confirmer")])
        conditions = unit.conditions
        assert "SIG1 SIG10" == together(each.item.key for each in conditions.open_signals())
        assert "SIG1" == together(each.item.key for each in conditions.open_signals(about=keys("D3 D2")))
        assert "SIG10" == together(each.item.key for each in conditions.open_signals(about=(), other=keys("D5")))
        assert ("over", "a confirmer") == (
            conditions.signals(keys("SIG2"))[key("SIG2")].resolution,
            conditions.signals(keys("SIG2"))[key("SIG2")].confirmed_by,
        )
        assert "SIG2" == together(conditions.signals_about(keys("D2")))


def test_signals_are_listed_by_number_and_narrowed(related: Store) -> None:
    with related.write() as unit:
        for number, about in ((10, "D3"), (9, "D2"), (1, "D3")):
            signal(unit, f"SIG{number}", about, "D1", "r", "ARE1 DOM1" if about == "D3" else "ROOT")

        def shown(where: str | None = None, about: str | None = None, after: str | None = None) -> tuple[str, int]:
            found, total = unit.conditions.list_signals(
                None if where is None else keys(where),
                state="open",
                condition="premise-flagged",
                about=key(about) if about else None,
                after=key(after) if after else None,
                limit=2,
                offset=0,
            )
            return addresses(each.item.key for each in found), total

        assert ("SIG1 SIG9", 3) == shown()
        assert ("SIG10", 3) == shown(after="SIG9")
        assert ("SIG1 SIG10", 2) == shown("ARE1")
        assert ("SIG9", 1) == shown(about="D2")
        assert ("", 0) == shown("")


# principals, tokens, grants --------------------------------------------------------------------------------------


def somebody(unit: Unit, name: str, *rights: Right, at_place: int = ROOT, expires: int | None = None) -> Principal:
    new = Principal(unit.new_id(), name, "person", True, at(len(name)))
    unit.access.add_principal(new)
    for right in rights:
        expires_at = None if expires is None else at(expires)
        grant = Grant(unit.new_id(), new.id, right, at_place, "somebody", at(1), expires_at, None)  # type: ignore[arg-type]
        unit.access.add_grant(grant)
    return new


def token_of(unit: Unit, principal: Principal, token_hash: str, expires: int | None = None) -> Token:
    new = Token(unit.new_id(), principal.id, at(1), None if expires is None else at(expires), None)
    unit.access.add_token(new, token_hash)
    return new


def test_a_token_counts_until_it_expires_is_revoked_or_its_principal_is_deactivated(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One")
        lasting, passing = token_of(unit, one, "lasting"), token_of(unit, one, "passing", expires=10)
        assert (one, passing) == unit.access.bearer("passing", at(9))
        assert unit.access.bearer("passing", at(10)) is None
        assert unit.access.bearer("unknown", at(1)) is None
        unit.access.revoke_token(lasting.id, at(3))
        assert unit.access.bearer("lasting", at(3)) is None
        assert at(3) == getattr(unit.access.token(lasting.id), "revoked_at", None)
        unit.access.deactivate(one.id)
        assert unit.access.bearer("passing", at(1)) is None


def test_a_grant_counts_until_the_instant_of_its_expiry(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "author", expires=10)
        assert [("author", ROOT)] == unit.access.rights(one.id, at(9))
        assert [] == unit.access.rights(one.id, at(10))


def test_a_revoked_grant_gives_nothing_and_is_not_listed(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "read", "ratify")
        grants, total = unit.access.list_grants(at(5), None, principal=one.id, limit=1, offset=0)
        assert 2 == total
        unit.access.revoke_grant(grants[0].id, at(5))
        assert 1 == len(unit.access.rights(one.id, at(5)))
        assert 1 == unit.access.list_grants(at(5), keys("ROOT"), limit=10, offset=0)[1]
        assert 0 == unit.access.list_grants(at(5), keys("DOM1"), limit=10, offset=0)[1]
        assert unit.access.same_grant(one.id, grants[0].right, ROOT, None) is None
        assert at(5) == getattr(unit.access.grant(grants[0].id), "revoked_at", None)


def test_the_same_grant_has_the_same_expiry(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "read", expires=10)
        assert unit.access.same_grant(one.id, "read", ROOT, at(10))
        assert unit.access.same_grant(one.id, "read", ROOT, None) is None
        assert unit.access.same_grant(one.id, "author", ROOT, at(10)) is None


def test_principals_and_tokens_are_listed_oldest_first(store: Store) -> None:
    with store.write() as unit:
        later, earlier = somebody(unit, "Somebody"), somebody(unit, "One")
        assert ([earlier, later], 2) == unit.access.list_principals(limit=5, offset=0)
        assert ([later], 2) == unit.access.list_principals(limit=1, offset=1)
        token = token_of(unit, later, "hash")
        assert ([token], 1) == unit.access.list_tokens(later.id, limit=5, offset=0)
        assert unit.access.principal(unit.new_id()) is None


def test_a_lasting_administrator_has_a_lasting_grant_over_root_and_a_lasting_token(store: Store) -> None:
    with store.write() as unit:
        remains = unit.access.administrator_remains
        somebody(unit, "Without token", "administer")
        token_of(unit, somebody(unit, "For a while", "administer", expires=10), "one")
        token_of(unit, somebody(unit, "Below", "administer", at_place=key("DOM1")), "two")
        token_of(unit, somebody(unit, "Token for a while", "administer"), "three", expires=10)
        assert not remains(ROOT, ["person", "agent"])
        last = somebody(unit, "Lasting", "administer")
        token_of(unit, last, "four")
        assert remains(ROOT, ["person"])
        assert not remains(ROOT, ["agent"])
        unit.access.deactivate(last.id)
        assert not remains(ROOT, ["person"])


# stored counts, history, request keys ----------------------------------------------------------------------------


def test_what_the_counts_walk_is_read_in_order_of_keys(related: Store) -> None:
    with related.read() as unit:
        assert "A1 A2 D1 D2 D3 D4 D5 D10" == addresses(each for each, _, _ in unit.counts.counted_items())
        assert {"A1 D1", "D2 D1", "D3 D1", "D5 D1"} == {addresses(each) for each in unit.counts.counted_edges()}
        assert 4 == unit.counts.open_among(keys("D1 D3 D4 A1 A2"), ["proposed"])
        assert 0 == unit.counts.open_among((), ["proposed"])


def test_stored_counts_take_the_place_of_all_former_ones(store: Store) -> None:
    with store.write() as unit:
        unit.counts.replace([(key("D1"), "incoming", ROOT, Count(1, 2)), (key("D2"), "incoming", ROOT, Count(9, 9))])
        unit.counts.replace(
            [
                (key("D1"), "incoming", ROOT, Count(3, 4, at_least=True)),
                (key("D1"), "incoming", key("ARE1"), Count(0, 1)),
                (key("D1"), "outgoing", ROOT, Count(5, 6)),
            ]
        )
        assert {
            (key("D1"), "incoming"): [Count(3, 4, at_least=True)],
            (key("D1"), "outgoing"): [Count(5, 6)],
        } == unit.counts.stored(keys("D1 D2"), [ROOT])
        assert 2 == len(unit.counts.stored(keys("D1"), None)[key("D1"), "incoming"])
        assert {} == unit.counts.stored(keys("D1"), [])


def test_the_last_run_is_the_one_that_finished_last(store: Store) -> None:
    def run(unit: Unit, finished: int, *, failed: bool) -> SweepRun:
        counted, counters = (None, None) if failed else (at(finished), {"Decision": finished})
        error = "a fault" if failed else None
        return SweepRun(unit.new_id(), at(0), at(finished), counted, 1, 2, 3, 4, 5, error, counters)

    with store.write() as unit:
        assert unit.counts.last_run() is None
        good, bad = run(unit, 5, failed=False), run(unit, 6, failed=True)
        unit.counts.add_run(good)
        unit.counts.replace_run(bad)
        unit.counts.replace_run(bad)
        assert (bad, good) == (unit.counts.last_run(), unit.counts.last_run(counted=True))


def test_the_history_knows_when_its_last_entry_was_made(store: Store) -> None:
    with store.write() as unit:
        assert unit.history.latest() is None
        unit.history.append(Act(unit.new_id(), at(3), "somebody", "person", "a_tool"), [Entry("Decision", "an id")] * 2)
        unit.history.append(Act(unit.new_id(), at(4), "somebody", "person", "a_tool"), [])
        assert at(3) == unit.history.latest()


def test_a_request_key_is_its_principals_own_and_the_last_success_stands(store: Store) -> None:
    with store.write() as unit:
        first = UsedKey("somebody", "key", "a_tool", "digest", "[]", "{}", at(1))
        second = UsedKey("somebody", "key", "a_tool", "another", "[]", "{}", at(2))
        unit.keys.put(first)
        unit.keys.put(second)
        assert second == unit.keys.get("somebody", "key")
        assert unit.keys.get("somebody else", "key") is None
        unit.keys.forget_before(at(2))
        assert second == unit.keys.get("somebody", "key")
        unit.keys.forget_before(at(3))
        assert unit.keys.get("somebody", "key") is None


def test_an_item_with_the_key_or_the_id_of_another_is_a_fault(store: Store) -> None:
    with store.read() as unit:
        one = item(unit, "D1")
    for other in (replace(one, id=f"not {one.id}"), replace(one, key=key("D2"))):
        with pytest.raises(IntegrityError), store.write() as unit:
            unit.items.add([one, other])
