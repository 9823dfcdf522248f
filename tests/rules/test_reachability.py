"""The trace goes ring by ring, up to 10 hops, and says exactly where it was cut."""

from __future__ import annotations

from smeldr.model.items import address_of
from smeldr.rules import reachability
from smeldr.rules.reachability import Cut, Ring, Trace, trace
from tests.graphs import key, ring

CHAIN = "D3 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D5; D4 -addresses-> D1"
GROUNDS = ("grounded_in",)


def walk(edges: Ring, start: str = "D1", depth: int = 3, max_items: int = 500) -> Trace:
    return trace(key(start), depth, max_items, edges)


def told(found: Trace) -> list[str]:
    """Every item with its ring and the edge that reached it first, as `2 D3 grounded_in D2`."""
    return [
        f"{each.depth} {address_of(each.via.to)} {each.via.kind} {address_of(each.via.origin)}" for each in found.items
    ]


def test_its_bounds_are_those_of_the_page() -> None:
    assert (10, 1) == (reachability.MAX_DEPTH, reachability.DEFAULT_DEPTH)
    assert (2_000, 500) == (reachability.MAX_ITEMS, reachability.DEFAULT_MAX_ITEMS)
    assert (500, 100) == (reachability.MAX_PAGE, reachability.DEFAULT_PAGE)


def test_the_premise_chain_is_two_rings_and_an_empty_third() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS))
    assert ["1 D2 grounded_in D1", "1 D5 grounded_in D1", "2 D3 grounded_in D2"] == told(found)
    assert [2, 1, 0] == found.ring_sizes
    assert found.cut is None


def test_an_item_with_nothing_around_it_has_a_size_for_every_ring_asked() -> None:
    found = walk(ring(CHAIN, "incoming"), "D4", depth=10)
    assert ([], [0] * 10, None) == (found.items, found.ring_sizes, found.cut)


def test_the_depth_asked_is_the_depth_walked() -> None:
    assert [2] == walk(ring(CHAIN, "incoming", GROUNDS), depth=1).ring_sizes


def test_outgoing_follows_what_an_item_rests_on() -> None:
    assert ["1 D2 grounded_in D3", "2 D1 grounded_in D2"] == told(walk(ring(CHAIN, "outgoing"), "D3"))


def test_both_directions_reach_everything_around() -> None:
    found = walk(ring(CHAIN, "both"), "D2", depth=2)
    assert ["1 D1 grounded_in D2", "1 D3 grounded_in D2", "2 D4 addresses D1", "2 D5 grounded_in D1"] == told(found)


def test_without_a_kind_places_and_signals_are_reached_too() -> None:
    drawing = "D1 -placed_in-> ARE1 -placed_in-> DOM1; SIG1 -about-> D1"
    found = walk(ring(drawing, "both"), depth=2)
    assert ["1 ARE1 placed_in D1", "1 SIG1 about D1", "2 DOM1 placed_in ARE1"] == told(found)


def test_a_relation_that_reads_both_ways_is_walked_both_ways_whatever_the_direction() -> None:
    assert ["1 D2 contradicts D1"] == told(walk(ring("D1 -contradicts-> D2", "incoming")))
    assert ["1 D1 contradicts D2"] == told(walk(ring("D1 -contradicts-> D2", "outgoing"), "D2"))


def test_an_item_is_in_the_nearest_ring_only() -> None:
    drawing = "D3 -grounded_in-> D2 -grounded_in-> D1; D3 -addresses-> D1"
    assert ["1 D2 grounded_in D1", "1 D3 addresses D1"] == told(walk(ring(drawing)))


def test_a_circle_ends_where_it_began_and_the_start_is_never_an_item() -> None:
    found = walk(ring("D1 -grounded_in-> D2 -grounded_in-> D3 -grounded_in-> D1", "outgoing"), depth=4)
    assert ["1 D2 grounded_in D1", "2 D3 grounded_in D2"] == told(found)
    assert [1, 1, 0, 0] == found.ring_sizes


def test_inside_a_ring_the_order_is_the_type_by_name_then_the_number() -> None:
    drawing = "D1 <-grounded_in- D10; D1 <-grounded_in- D2; D1 <-amends- A7; SIG3 -about-> D1; D1 -placed_in-> DOM2"
    found = walk(ring(drawing, "both"), depth=1)
    assert ["A7", "D2", "D10", "DOM2", "SIG3"] == [address_of(each.via.to) for each in found.items]


def test_of_several_edges_the_one_from_the_first_item_is_told() -> None:
    drawing = "D9 -grounded_in-> D3 -grounded_in-> D1; D9 -addresses-> D2 -grounded_in-> D1"
    assert told(walk(ring(drawing)))[-1] == "2 D9 addresses D2"


def test_of_several_edges_from_one_item_the_kind_that_comes_first_by_name_is_told() -> None:
    drawing = "D2 -grounded_in-> D1 <-addresses- D2; D1 -contradicts-> D2"
    assert ["1 D2 addresses D1"] == told(walk(ring(drawing)))


def test_a_cut_says_its_depth_and_how_many_items_of_that_ring_were_left_out() -> None:
    found = walk(ring("D2 -grounded_in-> D1; D3 -grounded_in-> D1; D4 -grounded_in-> D1"), max_items=1)
    assert ["1 D2 grounded_in D1"] == told(found)
    assert ([1], Cut(1, 2)) == (found.ring_sizes, found.cut)


def test_the_rings_beyond_a_cut_are_absent_rather_than_empty() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS), depth=10, max_items=1)
    assert ([1], Cut(1, 1)) == (found.ring_sizes, found.cut)


def test_a_ring_at_which_the_cap_was_used_up_before_may_keep_nothing() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS), max_items=2)
    assert ["1 D2 grounded_in D1", "1 D5 grounded_in D1"] == told(found)
    assert ([2, 0], Cut(2, 1)) == (found.ring_sizes, found.cut)


def test_using_the_cap_up_exactly_with_nothing_beyond_is_no_cut() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS), max_items=3)
    assert ([2, 1, 0], None) == (found.ring_sizes, found.cut)


def test_what_lies_deeper_than_asked_is_no_cut_either() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS), depth=1, max_items=2)
    assert ([2], None) == (found.ring_sizes, found.cut)


def test_items_met_before_are_not_among_those_left_out() -> None:
    drawing = "D1 <-grounded_in- D2 <-grounded_in- D3; D1 -grounded_in-> D2 <-addresses- D4"
    assert Cut(2, 2) == walk(ring(drawing, "both"), max_items=1, depth=2).cut


def test_an_item_that_several_edges_reach_is_left_out_once() -> None:
    drawing = "D4 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D3 <-grounded_in- D4"
    assert Cut(2, 1) == walk(ring(drawing), max_items=2).cut


def test_what_is_hidden_is_neither_reached_nor_walked_through_nor_counted_as_left_out() -> None:
    found = walk(ring(CHAIN, "incoming", GROUNDS, hidden="D2"), max_items=1)
    assert (["1 D5 grounded_in D1"], [1, 0, 0], None) == (told(found), found.ring_sizes, found.cut)


def test_it_asks_for_one_ring_at_a_time_and_for_none_beyond_an_empty_one() -> None:
    asked: list[str] = []
    walk(ring(CHAIN, "incoming", GROUNDS, asked=asked), depth=10)
    assert ["D1", "D2 D5", "D3"] == asked


def test_it_does_not_ask_beyond_a_cut() -> None:
    asked: list[str] = []
    walk(ring(CHAIN, "incoming", GROUNDS, asked=asked), max_items=1)
    assert ["D1"] == asked
