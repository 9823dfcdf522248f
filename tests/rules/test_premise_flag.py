"""A Decision in force that rests directly on a Decision which has left force is flagged: one step, by rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smeldr.model.items import address_of
from smeldr.model.kinds import KINDS, KindName
from smeldr.model.states import STATES
from smeldr.rules import premise_flag
from smeldr.rules.premise_flag import confirmed, holds, message, why_closed
from tests.graphs import Judged, end, ended, judged, key, live

FIVE = """
    D3 -grounded_in-> D2 -grounded_in-> D1 <-grounded_in- D5
    D4 -addresses-> D1
"""
OUT_OF_FORCE = ("superseded", "retired", "archived")


def flagged(drawing: str, **states: str) -> str:
    """The pairs that are flagged, as `D2>D1`: a Decision and its premise."""
    return " ".join(
        f"{address_of(source.key)}>{address_of(target.key)}"
        for relation, source, target in judged(drawing, states)
        if holds(relation, source, target, None)
    )


def pair(decision: str = "ratified", premise: str = "superseded") -> Judged:
    return judged("D2 -grounded_in-> D1", {"D2": decision, "D1": premise})[0]


def test_nothing_is_flagged_while_every_premise_is_in_force() -> None:
    assert flagged(FIVE) == ""


def test_what_rests_directly_on_a_superseded_decision_is_flagged_and_what_rests_on_that_is_not() -> None:
    assert flagged(FIVE, D1="superseded") == "D2>D1 D5>D1"


def test_the_next_step_is_flagged_when_the_flagged_decision_leaves_force_itself() -> None:
    assert flagged(FIVE, D1="superseded", D2="retired") == "D3>D2 D5>D1"


def test_a_decision_is_flagged_once_for_each_premise() -> None:
    assert flagged("D1 <-grounded_in- D3 -grounded_in-> D2", D1="retired", D2="archived") == "D3>D1 D3>D2"


@pytest.mark.parametrize("state", OUT_OF_FORCE)
def test_it_does_not_matter_how_the_premise_left_force(state: str) -> None:
    assert flagged("D2 -grounded_in-> D1", D1=state) == "D2>D1"


@pytest.mark.parametrize("state", ["proposed", "ratified"])
def test_a_premise_that_is_proposed_or_in_force_raises_no_flag(state: str) -> None:
    assert flagged("D2 -grounded_in-> D1", D1=state) == ""


@pytest.mark.parametrize("state", [state for state in STATES if state != "ratified"])
def test_a_decision_that_is_not_in_force_is_not_flagged(state: str) -> None:
    assert flagged("D2 -grounded_in-> D1", D2=state, D1="superseded") == ""


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.name != "grounded_in"])
def test_no_other_kind_raises_the_flag(kind: KindName) -> None:
    states = {"D1": "superseded"}
    assert not holds(live(kind, key("D2"), key("D1")), end(key("D2")), end(key("D1"), states), None)


def test_grounds_that_go_in_a_circle_are_judged_like_any_others() -> None:
    circle = "D1 -grounded_in-> D2 -grounded_in-> D3 -grounded_in-> D1"
    assert flagged(circle) == ""
    assert flagged(circle, D2="retired") == "D1>D2"


def test_an_ended_relation_raises_no_flag() -> None:
    relation, decision, premise = pair()
    assert not holds(ended(relation, "withdrawn"), decision, premise, None)


def test_a_confirmation_stands_until_the_premise_changes_its_state_again() -> None:
    relation, decision, premise = pair()
    again = replace(premise, state="archived", state_changes=premise.state_changes + 1)
    assert not holds(relation, decision, premise, premise.state_changes)
    assert holds(relation, decision, again, premise.state_changes)


def test_a_confirmation_of_an_earlier_state_does_not_stand() -> None:
    relation, decision, premise = pair()
    assert holds(relation, decision, premise, premise.state_changes - 1)


def test_the_message_names_the_flagged_decision_and_no_other() -> None:
    assert message("D2") == "D2 rests on a Decision that is not in force"


def test_it_resolves_when_the_premise_is_in_force_again() -> None:
    relation, decision, _ = pair(premise="ratified")
    assert why_closed(relation, "D2", decision) == "the premise is in force again"


def test_it_resolves_when_the_relation_ends() -> None:
    relation, decision, _ = pair()
    resolution = why_closed(ended(relation, "withdrawn"), "D2", decision)
    assert resolution == "the grounded_in relation ended (withdrawn)"


@pytest.mark.parametrize("state", ["superseded", "retired"])
def test_it_resolves_when_the_flagged_decision_leaves_force(state: str) -> None:
    relation, decision, _ = pair(decision=state)
    assert f"D2 is no longer ratified ({state})" == why_closed(relation, "D2", decision)


def test_a_decision_that_left_force_is_the_reason_even_when_the_premise_came_back_with_it() -> None:
    relation, decision, _ = pair(decision="retired", premise="ratified")
    assert why_closed(ended(relation, "withdrawn"), "D2", decision) == "D2 is no longer ratified (retired)"


def test_a_confirmation_says_its_reason() -> None:
    assert confirmed("Still holds: checked.") == "confirmed: Still holds: checked."


def test_no_resolution_that_the_rule_gives_names_the_premise() -> None:
    relation, decision, _ = pair()
    told = [why_closed(relation, "D2", replace(decision, state=own)) for own in STATES]
    assert not any("D1" in each for each in told)


def test_one_confirmation_closes_up_to_200_conditions() -> None:
    assert premise_flag.MAX_CONFIRMED_AT_ONCE == 200
