"""The count goes all the way, up to 1,000 items in each direction, and says "at least" when it stops."""

from __future__ import annotations

import pytest

from smeldr.model.kinds import COUNTED
from smeldr.rules import rest_count
from smeldr.rules.rest_count import rests
from tests.graphs import Direction, addresses, key, keys, ring

FIVE = """
    D3 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D5
    D4 -addresses-> D1
"""


def counted(
    drawing: str, start: str, direction: Direction = "incoming", cap: int = 1_000, hidden: str = ""
) -> tuple[str, bool]:
    reached, at_least = rests(key(start), ring(drawing, direction, COUNTED, hidden=hidden), cap)
    return addresses(reached), at_least


def test_it_stops_at_1000_items_in_each_direction() -> None:
    assert rest_count.MAX_COUNTED == 1_000


def test_four_items_rest_on_the_first_of_the_five_decisions() -> None:
    assert ("D2 D4 D5 D3", False) == counted(FIVE, "D1")
    assert ("", False) == counted(FIVE, "D1", "outgoing")


def test_what_an_item_rests_on_is_counted_the_other_way() -> None:
    assert ("D2 D1", False) == counted(FIVE, "D3", "outgoing")


def test_it_follows_grounds_subjects_and_amendments() -> None:
    drawing = "D2 -grounded_in-> D1 <-addresses- D3; A1 -amends-> D1"
    assert ("A1 D2 D3", False) == counted(drawing, "D1")


def test_it_does_not_follow_contradictions_successors_places_or_signals() -> None:
    drawing = "D2 -contradicts-> D1 <-supersedes- D3; D1 -placed_in-> ARE1; SIG1 -about-> D1"
    assert ("", False) == counted(drawing, "D1", "both")


def test_an_item_is_counted_once_however_many_ways_lead_to_it() -> None:
    drawing = "D4 -grounded_in-> D2 -grounded_in-> D1; D4 -grounded_in-> D3 -grounded_in-> D1; D4 -addresses-> D1"
    assert ("D2 D3 D4", False) == counted(drawing, "D1")


def test_a_circle_is_walked_once_and_its_start_is_never_counted() -> None:
    assert ("D3 D2", False) == counted("D1 -grounded_in-> D2 -grounded_in-> D3 -grounded_in-> D1", "D1")


def test_an_item_that_rests_on_itself_through_nothing_else_counts_nothing() -> None:
    assert ("", False) == counted("D1 -grounded_in-> D1", "D1")


def test_nearest_comes_first_and_inside_a_ring_the_type_by_name_then_the_number() -> None:
    drawing = """
        D9 -grounded_in-> D10 -grounded_in-> D1
        D2 -grounded_in-> D11 -grounded_in-> D1
        A3 -amends-> D1
        A2 -amends-> D10
    """
    assert ("A3 D10 D11 A2 D2 D9", False) == counted(drawing, "D1")


def test_exactly_the_cap_with_nothing_left_is_not_at_least() -> None:
    assert ("D2 D4 D5 D3", False) == counted(FIVE, "D1", cap=4)


def test_one_more_than_the_cap_is_at_least() -> None:
    assert ("D2 D4 D5", True) == counted(FIVE, "D1", cap=3)


def test_a_cap_inside_a_ring_keeps_the_first_of_the_ring() -> None:
    assert ("D2 D4", True) == counted(FIVE, "D1", cap=2)


def test_a_full_count_is_not_at_least_when_all_that_is_left_was_counted_before() -> None:
    assert ("D2 D3", False) == counted("D1 <-grounded_in- D2 -grounded_in-> D3 -grounded_in-> D1", "D1", cap=2)
    assert ("D3 D2", False) == counted("D1 -grounded_in-> D2 -grounded_in-> D3 -grounded_in-> D1", "D1", cap=2)


def test_a_cap_reached_at_the_end_of_a_ring_is_at_least_when_a_further_ring_has_one_more() -> None:
    assert ("D2", True) == counted("D3 -grounded_in-> D2 -grounded_in-> D1", "D1", cap=1)


def test_what_is_hidden_is_neither_counted_nor_walked_through() -> None:
    assert ("D4 D5", False) == counted(FIVE, "D1", hidden="D2")


def test_what_lies_behind_a_hidden_item_is_counted_when_another_way_leads_to_it() -> None:
    drawing = FIVE + "; D3 -addresses-> D5"
    assert ("D4 D5 D3", False) == counted(drawing, "D1", hidden="D2")


def test_hidden_items_do_not_make_a_count_at_least() -> None:
    assert ("D4 D5", False) == counted(FIVE, "D1", cap=2, hidden="D2")


def test_it_asks_for_one_ring_at_a_time_and_for_none_after_the_last() -> None:
    asked: list[str] = []
    rests(key("D1"), ring(FIVE, "incoming", COUNTED, asked=asked))
    assert ["D1", "D2 D4 D5", "D3"] == asked


@pytest.mark.parametrize("cap", range(1, 6))
def test_a_smaller_cap_gives_the_beginning_of_what_a_larger_one_gives(cap: int) -> None:
    found, at_least = counted(FIVE, "D1", cap=cap)
    assert keys("D2 D4 D5 D3")[:cap] == keys(found)
    assert (cap < 4) == at_least
