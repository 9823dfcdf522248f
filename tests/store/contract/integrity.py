"""Looking for damage: rows that should not be there, and a history that is not as it was written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.entries import Act, Entry
from smeldr.model.items import ROOT
from smeldr.model.records import Count, SweepRun
from smeldr.store.contract import ASKED, REMOVABLE, Store, Unit
from tests.graphs import key, keys
from tests.store.building import at, documents, item, place, relate, relation_of, signal


def rows(unit: Unit, code: str) -> list[dict[str, Any]]:
    given = {"before": at(5)} if code == "request-key-old" else {}
    return [dict(row) for row in unit.integrity.rows(code, **given)]


def test_a_founded_store_answers_every_question_with_nothing(store: Store) -> None:
    with store.read() as unit:
        assert [] == [code for code in ASKED if rows(unit, code)]
        assert [] == list(unit.integrity.chain())


def test_an_answer_says_what_the_list_of_questions_says_and_keys_are_numbers(store: Store) -> None:
    with store.write() as unit:
        place(unit, "DOM1")
        documents(unit, "D1 D2", "DOM1")
        away = relation_of(unit, key("D1"), "addresses", key("D2"))
        unit.relations.add([(away, key("DOM1"), ROOT)])
        (found,) = rows(unit, "relation-end-misplaced")
        assert (ASKED["relation-end-misplaced"], away.id, "target", key("D2"), key("DOM1"), ROOT) == (
            tuple(found),
            *found.values(),
        )


def test_answers_come_in_an_order_that_stays(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D3 D1 D2", state="pondered")
        assert keys("D1 D2 D3") == [row["key"] for row in rows(unit, "item-state-unknown")]
        assert keys("D1 D2 D3") == [row["key"] for row in rows(unit, "history-disagrees") if row["field"] == "entry"]


def test_a_relation_is_alike_whichever_way_round_one_that_reads_both_ways_is_kept(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1 D2 D3")
        first, turned = relate(unit, "D1 -contradicts-> D2 -contradicts-> D1")
        (alone,) = relate(unit, "D3 -contradicts-> D2")
        relate(unit, "D1 -addresses-> D2 -addresses-> D1")
        assert [turned] == [row["id"] for row in rows(unit, "relation-doubled")]
        assert [alone] == [row["id"] for row in rows(unit, "relation-turned")]
        unit.relations.end(first, by="somebody", at=at(9), cause="withdrawn", reason=None)
        assert [] == rows(unit, "relation-doubled")


def test_a_counter_that_is_behind_is_raised_and_none_is_lowered(store: Store) -> None:
    with store.write() as unit:
        unit.items.next_keys("Decision", 3)
        unit.items.next_keys("Area", 9)
        documents(unit, "D3 D7")
        place(unit, "ARE2")
        assert [{"name": "Decision", "counter": "3", "highest": key("D7")}] == rows(unit, "counter-behind")
        unit.integrity.raise_counter("Decision", 7)
        unit.integrity.raise_counter("Area", 2)
        assert [] == rows(unit, "counter-behind")
        assert {"Decision": 7, "Area": 9}.items() <= unit.items.numbers_given().items()


def test_derived_rows_of_nothing_are_removed_and_what_a_killed_sweep_left_is_left_to_the_next(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1 D2")
        relate(unit, "D2 -grounded_in-> D1")
        unit.counts.put_run(SweepRun(unit.new_id(), at(0), at(0), at(0), 2, 1, 2, 0, 0, None, {}, 2))
        for generation in (1, 2, 3):
            unit.counts.add(generation, [(key(each), "incoming", ROOT, Count(1, 1)) for each in ("D1", "D9")])
        unit.conditions.confirm(key("D2"), key("D1"), 1)
        unit.conditions.confirm(key("D1"), key("D2"), 1)
        assert [1, 1] == [len(rows(unit, code)) for code in REMOVABLE]
        assert [1, 1] == [unit.integrity.remove(code) for code in REMOVABLE]
        assert [0, 0] == [unit.integrity.remove(code) for code in REMOVABLE]
        assert [2, 1, 2] == [len(unit.counts.stored(generation, keys("D1 D9"), None)) for generation in (1, 2, 3)]
        assert [1] == [each.confirmed_at for each in unit.conditions.touching(keys("D2"), ())]


def test_what_fails_apart_is_undone_and_the_transaction_goes_on(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1")
        with pytest.raises(IntegrityError), unit.integrity.apart():
            documents(unit, "D2 D1")
        with unit.integrity.apart():
            documents(unit, "D3")
    with store.read() as unit:
        assert set(keys("D1 D3")) == unit.items.get(keys("D1 D2 D3")).keys()


def test_the_size_of_a_register_is_its_items_relations_and_entries(store: Store) -> None:
    with store.write() as unit:
        documents(unit, "D1 D2")
        relation = relate(unit, "D1 -addresses-> D2")[0]
        unit.relations.end(relation, by="somebody", at=at(9), cause="withdrawn", reason=None)
        unit.history.append(Act("an act", at(1), "somebody", "person", None), [Entry("Decision", "an id")] * 3)
        assert (2, 1, 3) == unit.integrity.sizes()


def test_a_history_as_it_was_written_has_no_fault_however_long(store: Store) -> None:
    with store.write() as unit:
        for second in range(3):
            written = [
                Entry("Decision", f"an id of {number}", changes={"rev": number}, texts={"title": "題", "body": "B\r\n"})
                for number in range(1_500)
            ]
            unit.history.append(Act(f"act {second}", at(second), "somebody", "person", "a_tool"), written)
        unit.history.append(Act("late", at(1), "somebody", "person", "a_tool"), [Entry("Decision", "an id")])
        assert [("history-backwards", 4_501)] == [fault[:2] for fault in unit.integrity.chain()]


def test_the_last_entry_about_a_thing_is_what_counts(store: Store) -> None:
    with store.write() as unit:
        one = item(unit, "D1", state="retired")
        unit.items.add([one])
        told = Entry("Decision", one.id, one.key, None, "proposed", {"rev": 1, "place": ROOT})
        then = replace(told, from_state="proposed", to_state="retired", changes={"rev": 1})
        unit.history.append(Act("an act", at(1), "somebody", "person", None), [told])
        assert ["state"] == [row["field"] for row in rows(unit, "history-disagrees")]
        unit.history.append(Act("an act", at(2), "somebody", "person", None), [then])
        assert [] == rows(unit, "history-disagrees")
        unit.history.append(Act("an act", at(3), "somebody", "person", None), [replace(then, changes={"rev": 11})])
        assert ["rev"] == [row["field"] for row in rows(unit, "history-disagrees")]


def test_a_signal_is_where_its_decision_is_and_hangs_on_a_relation_of_the_two(store: Store) -> None:
    with store.write() as unit:
        place(unit, "DOM1")
        documents(unit, "D1 D2 D3", "DOM1")
        one, other = relate(unit, "D2 -grounded_in-> D1; D3 -contradicts-> D2")
        signal(unit, "SIG1", "D2", "D1", one, "DOM1")
        signal(unit, "SIG2", "D2", "D3", other, "DOM1", "conflict-detected")
        assert [] == rows(unit, "condition-without-relation") + rows(unit, "condition-misplaced")
        signal(unit, "SIG3", "D3", "D1", one, "ROOT")
        assert [key("SIG3")] == [row["key"] for row in rows(unit, "condition-without-relation")]
        assert [(key("SIG3"), ROOT, key("D3"), key("DOM1"))] == [
            tuple(row.values()) for row in rows(unit, "condition-misplaced")
        ]
