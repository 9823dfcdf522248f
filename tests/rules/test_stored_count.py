"""A stored count is summed over the places that the caller may read, and is never higher than the live count was."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from smeldr.model.items import ItemKey, address_of
from smeldr.model.kinds import COUNTED
from smeldr.model.records import Count
from smeldr.rules import stored_count
from smeldr.rules.rest_count import rests
from smeldr.rules.stored_count import by_place, inside, summed
from tests.graphs import Direction, addresses, key, keys, neighbours, ring

FIVE = "D3 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D5; D4 -addresses-> D1"
HERE = {"ARE1": "D1 D2 D3 D4 D5"}


def placed(places: Mapping[str, str]) -> dict[ItemKey, ItemKey]:
    """Where each item lies, from `{"ARE1": "D1 D2"}`."""
    return {item: key(place) for place, inside in places.items() for item in keys(inside)}


def stored(
    drawing: str,
    places: Mapping[str, str],
    start: str = "D1",
    *,
    waiting: str = "",
    cap: int = 1_000,
    direction: Direction = "incoming",
) -> dict[str, Count]:
    """What the sweep stores of one item in one direction, by place."""
    around, place_of = neighbours(drawing, direction), placed(places)
    found = by_place(key(start), around, inside(around, place_of), place_of, set(keys(waiting)), cap)
    return {address_of(place): count for place, count in found.items()}


def test_up_to_200_items_are_listed_in_one_call() -> None:
    assert stored_count.MAX_LISTED == 200


def test_in_one_place_everything_that_rests_on_an_item_is_counted() -> None:
    assert {"ARE1": Count(0, 4)} == stored(FIVE, HERE)


def test_the_other_direction_is_counted_alike() -> None:
    assert {"ARE1": Count(0, 2)} == stored(FIVE, HERE, "D3", direction="outgoing")


def test_what_waits_for_somebody_is_counted_as_open() -> None:
    assert {"ARE1": Count(2, 2)} == stored(FIVE, HERE, waiting="D3 D4")


def test_an_item_without_neighbours_stores_nothing() -> None:
    assert {} == stored(FIVE, HERE, "D3")


def test_the_start_may_lie_anywhere_and_is_never_counted() -> None:
    assert {"ARE1": Count(0, 4)} == stored(FIVE, {"ARE1": "D2 D3 D4 D5", "ARE2": "D1"})
    assert {"ARE1": Count(0, 2)} == stored(
        "D1 -grounded_in-> D2 -grounded_in-> D3 -grounded_in-> D1", {"ARE1": "D1 D2 D3"}
    )


def test_each_place_has_a_number_of_its_own() -> None:
    assert {"ARE1": Count(0, 2), "ARE2": Count(0, 1), "ARE3": Count(0, 1)} == stored(
        FIVE, {"ARE1": "D1 D2 D3", "ARE2": "D4", "ARE3": "D5"}
    )


def test_a_path_that_leaves_the_place_is_not_followed_even_when_it_comes_back() -> None:
    drawing = "D4 -grounded_in-> D3 -grounded_in-> D2 -grounded_in-> D1"
    assert {"ARE1": Count(0, 1)} == stored(drawing, {"ARE1": "D1 D2 D4", "ARE2": "D3"})


def test_a_second_way_inside_the_place_is_followed() -> None:
    drawing = "D4 -grounded_in-> D3 -grounded_in-> D2 -grounded_in-> D1; D4 -addresses-> D2"
    assert {"ARE1": Count(0, 2)} == stored(drawing, {"ARE1": "D1 D2 D4", "ARE2": "D3"})


def test_an_item_is_counted_once_and_a_circle_is_walked_once() -> None:
    drawing = "D2 -grounded_in-> D1 <-addresses- D2; D2 -grounded_in-> D3 -grounded_in-> D2"
    assert {"ARE1": Count(0, 2)} == stored(drawing, {"ARE1": "D1 D2 D3"})


def test_exactly_the_cap_is_not_at_least() -> None:
    assert {"ARE1": Count(0, 4, at_least=False)} == stored(FIVE, HERE, cap=4)


def test_one_more_than_the_cap_is_at_least_and_keeps_the_nearest() -> None:
    assert {"ARE1": Count(0, 3, at_least=True)} == stored(FIVE, HERE, cap=3, waiting="D3")
    assert {"ARE1": Count(1, 2, at_least=True)} == stored(FIVE, HERE, cap=3, waiting="D2")


def test_the_places_are_added_up() -> None:
    assert Count(3, 7) == summed([Count(1, 2), Count(2, 5)])
    assert Count(0, 0) == summed([])


def test_a_sum_of_exactly_the_cap_is_not_at_least() -> None:
    assert Count(1, 3) == summed([Count(1, 1), Count(0, 2)], cap=4)


def test_a_sum_over_the_cap_is_at_least_and_cuts_the_closed_ones_first() -> None:
    assert Count(3, 1, at_least=True) == summed([Count(1, 2), Count(2, 3)], cap=4)


def test_when_even_the_open_ones_are_too_many_only_open_ones_are_left() -> None:
    assert Count(4, 0, at_least=True) == summed([Count(3, 1), Count(2, 3)], cap=4)


def test_a_part_that_was_cut_makes_the_sum_at_least() -> None:
    assert Count(1, 3, at_least=True) == summed([Count(1, 2, at_least=True), Count(0, 1)], cap=1_000)


EDGES = st.lists(st.tuples(st.integers(1, 8), st.sampled_from(sorted(COUNTED)), st.integers(1, 8)), max_size=20)
PLACES = st.lists(st.sampled_from(["ROOT", "ARE1", "ARE2"]), min_size=8, max_size=8)


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(EDGES, PLACES, st.integers(1, 6), st.sets(st.integers(1, 8)))
def test_no_reader_finds_a_stored_count_above_the_live_one(
    edges: list[tuple[int, str, int]], places: list[str], cap: int, waiting: set[int]
) -> None:
    drawing = ";".join(f"D{source} -{kind}-> D{target}" for source, kind, target in edges)
    lying = {place: " ".join(f"D{n}" for n, its in enumerate(places, 1) if its == place) for place in set(places)}
    found = stored(drawing, lying, waiting=" ".join(f"D{n}" for n in waiting), cap=cap)
    readers = [set(some) for count in range(4) for some in combinations(("ROOT", "ARE1", "ARE2"), count)]
    for readable in readers:
        hidden = addresses(item for item, place in placed(lying).items() if address_of(place) not in readable)
        live, _ = rests(key("D1"), ring(drawing, "incoming", COUNTED, hidden=hidden), cap)
        total = summed((count for place, count in found.items() if place in readable), cap)
        assert total.open + total.closed <= len(live)
        assert total.open + total.closed <= cap
