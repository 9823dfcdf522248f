"""Writers of one process get their turn in the order in which they came."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from smeldr.model.errors import Refusal
from smeldr.store.turns import Turns


def waiting(turns: Turns, work: Callable[[], None]) -> threading.Thread:
    """A thread that is in the queue when this returns."""
    before = len(turns._waiting)

    def take() -> None:
        with turns.turn(60):
            work()

    thread = threading.Thread(target=take)
    thread.start()
    while len(turns._waiting) == before:
        pass
    return thread


def test_turns_come_in_the_order_in_which_they_were_asked_for() -> None:
    turns, order = Turns(1), list[int]()
    with turns.turn(1):
        threads = [waiting(turns, lambda number=number: order.append(number)) for number in range(5)]  # type: ignore[misc]
    for thread in threads:
        thread.join()
    assert [0, 1, 2, 3, 4] == order


def test_whoever_has_just_had_a_turn_waits_behind_those_who_came_before() -> None:
    turns, order = Turns(1), list[str]()
    with turns.turn(1):
        thread = waiting(turns, lambda: order.append("the one who waited"))
    with turns.turn(60):
        order.append("the one who had a turn")
    thread.join()
    assert ["the one who waited", "the one who had a turn"] == order


def test_so_many_have_a_turn_at_once() -> None:
    turns = Turns(2)
    with turns.turn(1), turns.turn(1):
        with pytest.raises(Refusal) as raised, turns.turn(0.01):
            pass
        assert "busy" == raised.value.code
    with turns.turn(1), turns.turn(1):
        pass


def test_whoever_gave_up_waiting_takes_no_turn() -> None:
    turns = Turns(1)
    with turns.turn(1):
        for _ in range(3):
            with pytest.raises(Refusal), turns.turn(0.01):
                pass
    with turns.turn(0.01):
        pass


def test_a_turn_ends_when_its_block_fails() -> None:
    turns = Turns(1)
    with pytest.raises(RuntimeError), turns.turn(1):
        raise RuntimeError
    with turns.turn(0.01):
        pass
