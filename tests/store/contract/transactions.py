"""Transactions: what is kept, what is undone, and who waits for whom."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest

from smeldr.model.errors import Refusal
from smeldr.store.contract import Store
from tests.graphs import addresses, keys
from tests.store.building import Broken, documents, relate, together


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


def test_connections_are_in_use_while_a_transaction_lasts_and_idle_afterwards(store: Store) -> None:
    with store.read(), store.read():
        busy = store.connections()
    quiet = store.connections()
    assert (2, 0) == (busy.in_use, busy.idle)
    assert (0, 2) == (quiet.in_use, quiet.idle)
    assert quiet.limit == busy.limit >= 2


def test_one_sweep_at_a_time(store: Store) -> None:
    with store.sweeping() as one, store.sweeping() as other:
        assert (True, False) == (one, other)
    with pytest.raises(Broken), store.sweeping():
        raise Broken
    with store.sweeping() as again:
        assert again


def test_giving_way_between_two_writes_keeps_nobody_from_writing(store: Store) -> None:
    def other() -> None:
        with store.write() as unit:
            documents(unit, "D2")

    with store.write() as unit:
        documents(unit, "D1")
    thread = threading.Thread(target=other)
    thread.start()
    store.give_way()
    thread.join()
    with store.write() as unit:
        documents(unit, "D3")
        assert "D1 D2 D3" == together(unit.items.get(keys("D1 D2 D3")))


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
