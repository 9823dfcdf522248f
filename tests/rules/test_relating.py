"""Which relation may be recorded by hand, and whose right it takes to end one."""

from __future__ import annotations

import pytest

from smeldr.model.items import ITEM_TYPES
from smeldr.model.kinds import KINDS, MADE_BY_HAND, KindName
from smeldr.model.states import STATES
from smeldr.rules.relating import in_order, right_to_end, why_not_recorded
from tests.graphs import addresses, key


def test_three_kinds_are_made_by_hand() -> None:
    assert ("addresses", "contradicts", "grounded_in") == MADE_BY_HAND


@pytest.mark.parametrize("kind", MADE_BY_HAND)
def test_what_is_made_by_hand_runs_from_a_decision_to_a_decision_and_nowhere_else(kind: KindName) -> None:
    joined = [
        (source, target)
        for source in ITEM_TYPES
        for target in ITEM_TYPES
        if why_not_recorded(kind, source, target) is None
    ]
    assert [("Decision", "Decision")] == joined


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - set(MADE_BY_HAND)))
def test_the_other_kinds_are_refused_and_the_refusal_names_those_made_by_hand(kind: KindName) -> None:
    refusal = why_not_recorded(kind, "Decision", "Decision")
    assert refusal is not None
    assert refusal.code == "validation_failed"
    assert refusal.fields is not None
    assert list(MADE_BY_HAND) == refusal.fields["relation_kind"]["valid"]


@pytest.mark.parametrize(
    "source, target, field",
    [("Amendment", "Decision", "source_type"), ("Decision", "Area", "target_type"), ("Area", "Area", "source_type")],
)
def test_a_pair_that_the_kind_does_not_join_is_refused_at_the_end_that_is_wrong(
    source: str, target: str, field: str
) -> None:
    refusal = why_not_recorded("grounded_in", source, target)
    assert refusal is not None
    assert refusal.code == "validation_failed"
    assert [field] == list(refusal.fields or ())
    assert f"not from {source} to {target}" in refusal.message


@pytest.mark.parametrize("state", STATES)
def test_the_ground_of_a_decision_in_force_takes_ratify_to_end_and_any_other_author(state: str) -> None:
    assert ("ratify" if state == "ratified" else "author") == right_to_end("grounded_in", state)


@pytest.mark.parametrize("kind", ["addresses", "contradicts"])
@pytest.mark.parametrize("state", STATES)
def test_what_is_no_ground_takes_author_to_end_in_every_state(kind: KindName, state: str) -> None:
    assert right_to_end(kind, state) == "author"


def test_the_two_orders_of_a_contradiction_are_one_relation() -> None:
    one, other = key("D3"), key("D12")
    assert (one, other) == in_order("contradicts", one, other) == in_order("contradicts", other, one)


@pytest.mark.parametrize("kind", sorted(kind.name for kind in KINDS.values() if not kind.both_ways))
def test_every_other_kind_keeps_its_order(kind: KindName) -> None:
    assert addresses(in_order(kind, key("D12"), key("D3"))) == "D12 D3"


def test_only_contradicts_reads_both_ways() -> None:
    assert ["contradicts"] == [kind.name for kind in KINDS.values() if kind.both_ways]


def test_only_grounded_in_raises_the_flag_and_the_counts_follow_three_kinds() -> None:
    assert ["grounded_in"] == [kind.name for kind in KINDS.values() if kind.raises_flag]
    assert ["addresses", "amends", "grounded_in"] == [kind.name for kind in KINDS.values() if kind.counted]
