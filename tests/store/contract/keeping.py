"""What is kept beside the register: stored counts, runs of the sweep, the history, request keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from smeldr.model.entries import Act, Entry
from smeldr.model.items import ROOT
from smeldr.model.records import Count, SweepRun, UsedKey
from smeldr.store.contract import Store, Unit
from tests.graphs import addresses, key, keys
from tests.store.building import at, item


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
