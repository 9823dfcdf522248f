"""What is kept beside the register: stored counts, runs of the sweep, the history, request keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.entries import Act, Entry
from smeldr.model.items import ROOT, ItemKey
from smeldr.model.kinds import OneWay
from smeldr.model.records import Count, SweepRun, UsedKey
from smeldr.store.contract import Store, Unit
from tests.graphs import addresses, key, keys
from tests.store.building import at, item, numbered


def test_what_the_counts_walk_is_read_in_order_of_keys(related: Store) -> None:
    with related.read() as unit:
        assert "A1 A2 D1 D2 D3 D4 D5 D10" == addresses(each for each, _, _ in unit.counts.counted_items())
        assert {"A1 D1", "D2 D1", "D3 D1", "D5 D1"} == {addresses(each) for each in unit.counts.counted_edges()}
        assert 4 == unit.counts.open_among(keys("D1 D3 D4 A1 A2"), ["proposed"])
        assert 0 == unit.counts.open_among((), ["proposed"])


def test_stored_counts_are_read_by_generation_item_and_place(store: Store) -> None:
    with store.write() as unit:
        unit.counts.add(1, counted(numbered("D", 1, 100)))
        unit.counts.add(2, [(key("D1"), "incoming", ROOT, Count(3, 4, at_least=True))])
        unit.counts.add(2, [(key("D1"), "incoming", key("ARE1"), Count(0, 1)), *counted(keys("D2"))])
        unit.counts.add(2, [(key("D1"), "outgoing", ROOT, Count(5, 6))])
        unit.counts.add(3, [])
        assert {
            (key("D1"), "incoming"): [Count(3, 4, at_least=True)],
            (key("D1"), "outgoing"): [Count(5, 6)],
        } == unit.counts.stored(2, keys("D1"), [ROOT])
        assert 100 == len(unit.counts.stored(1, numbered("D", 1, 100), None))
        assert 2 == len(unit.counts.stored(2, keys("D1"), None)[key("D1"), "incoming"])
        assert {} == unit.counts.stored(2, keys("D1"), [])
        assert {} == unit.counts.stored(3, keys("D1 D2"), None)


def test_every_generation_is_above_all_before_it(store: Store) -> None:
    with store.write() as unit:
        assert 0 == unit.counts.newest_generation()
        begun = [unit.counts.next_generation() for _ in range(3)]
        assert sorted(set(begun)) == begun
    with store.read() as unit:
        assert begun[-1] == unit.counts.newest_generation()


def test_generations_are_outdated_save_the_current_and_the_newest(store: Store) -> None:
    with store.write() as unit:
        assert [] == unit.counts.outdated()
        begun = [unit.counts.next_generation() for _ in range(5)]
        for generation in begun:
            unit.counts.add(generation, counted(keys("D1 D2")))
        assert begun[:-1] == unit.counts.outdated()
        unit.counts.put_run(run(unit, 1, generation=begun[2]))
        assert [begun[0], begun[1], begun[3]] == unit.counts.outdated()


def test_counts_are_removed_so_many_at_a_time_and_those_of_one_item_together(store: Store) -> None:
    with store.write() as unit:
        unit.counts.add(1, counted(keys("D1")))
        unit.counts.add(2, [*counted(keys("A1 D1 D2 D3")), (key("D2"), "outgoing", ROOT, Count(1))])

        def left() -> str:
            return addresses(sorted({each for each, _ in unit.counts.stored(2, keys("A1 D1 D2 D3"), None)}))

        assert key("D2") == unit.counts.remove(2, None, 3)
        assert "D3" == left()
        assert key("D3") == unit.counts.remove(2, key("D2"), 1)
        assert unit.counts.remove(2, key("D3"), 1) is None
        assert "" == left()
        assert unit.counts.remove(1, None, 2) is None
        assert {} == unit.counts.stored(1, keys("D1"), None)


def counted(items: Iterable[ItemKey]) -> list[tuple[ItemKey, OneWay, ItemKey, Count]]:
    """A count of each of these items, in one direction and place."""
    return [(each, "incoming", ROOT, Count(1, 2)) for each in items]


def run(unit: Unit, finished: int, generation: int | None = None) -> SweepRun:
    """The record of a run that finished then; one without a generation has failed."""
    told = (at(finished), {"Decision": finished}, None) if generation else (None, None, "a fault")
    counted_at, counters, error = told
    return SweepRun(unit.new_id(), at(0), at(finished), counted_at, 1, 2, 3, 4, 5, error, counters, generation)


def test_the_last_run_is_the_one_that_finished_last(store: Store) -> None:
    with store.write() as unit:
        assert unit.counts.last_run() is None
        assert unit.counts.last_run(counted=True) is None
        good, bad = run(unit, 5, generation=1), run(unit, 6)
        unit.counts.put_run(good)
        unit.counts.put_run(bad)
        assert (bad, good) == (unit.counts.last_run(), unit.counts.last_run(counted=True))


def test_the_current_counts_are_those_of_the_highest_generation_whenever_it_finished(store: Store) -> None:
    with store.write() as unit:
        late, current = run(unit, 9, generation=1), run(unit, 5, generation=2)
        unit.counts.put_run(late)
        unit.counts.put_run(current)
        assert (late, current) == (unit.counts.last_run(), unit.counts.last_run(counted=True))


def test_the_record_of_a_run_is_written_anew(store: Store) -> None:
    with store.write() as unit:
        first = run(unit, 5)
        later = replace(first, opened=7, generation=1)
        unit.counts.put_run(first)
        unit.counts.put_run(later)
        assert later == unit.counts.last_run() == unit.counts.last_run(counted=True)


def test_two_runs_of_one_generation_are_a_fault(store: Store) -> None:
    with store.write() as unit:
        unit.counts.put_run(run(unit, 5, generation=1))
    with pytest.raises(IntegrityError), store.write() as unit:
        unit.counts.put_run(run(unit, 6, generation=1))


def test_old_runs_are_forgotten_but_never_the_one_with_the_current_counts(store: Store) -> None:
    with store.write() as unit:
        runs = [run(unit, each, generation=each if each in (1, 3) else None) for each in range(1, 8)]
        for each in runs:
            unit.counts.put_run(each)
        unit.counts.forget_runs(2)
        assert (runs[6], runs[2]) == (unit.counts.last_run(), unit.counts.last_run(counted=True))
        unit.counts.forget_runs(0)
        assert runs[2] == unit.counts.last_run()


def test_runs_without_counts_are_forgotten_too(store: Store) -> None:
    with store.write() as unit:
        unit.counts.put_run(run(unit, 5))
        unit.counts.forget_runs(1)
        assert unit.counts.last_run()
        unit.counts.forget_runs(0)
        assert unit.counts.last_run() is None


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
        assert 0 == unit.keys.forget_before(at(2), 10)
        assert second == unit.keys.get("somebody", "key")
        assert 1 == unit.keys.forget_before(at(3), 10)
        assert unit.keys.get("somebody", "key") is None


def test_the_oldest_request_keys_are_forgotten_first(store: Store) -> None:
    with store.write() as unit:
        for second in (3, 1, 2):
            unit.keys.put(UsedKey("somebody", f"key {second}", "a_tool", "digest", "[]", "{}", at(second)))
        assert 2 == unit.keys.forget_before(at(9), 2)
        assert [None, None] == [unit.keys.get("somebody", f"key {second}") for second in (1, 2)]
        assert unit.keys.get("somebody", "key 3")
        assert 1 == unit.keys.forget_before(at(9), 2)


def test_an_item_with_the_key_or_the_id_of_another_is_a_fault(store: Store) -> None:
    with store.read() as unit:
        one = item(unit, "D1")
    for other in (replace(one, id=f"not {one.id}"), replace(one, key=key("D2"))):
        with pytest.raises(IntegrityError), store.write() as unit:
            unit.items.add([one, other])
