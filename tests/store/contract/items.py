"""Items, their texts, and the places around them."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.items import ROOT, parse_reference
from smeldr.store.contract import Store
from tests.graphs import addresses, key, keys
from tests.store.building import at, documents, numbered, place, together


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
