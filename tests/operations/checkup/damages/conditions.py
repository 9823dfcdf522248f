"""Conditions that are not as the rules say."""

from __future__ import annotations

from dataclasses import replace

from smeldr.operations import entries
from tests.graphs import key
from tests.operations.checkup.damages.register import ABSENT, Damaged, leads_to


@leads_to("condition-missing")
def a_premise_left_force_and_nobody_was_told(register: Damaged) -> None:
    register.state("D8", "retired")


@leads_to("condition-missing")
def a_side_of_a_contradiction_came_back_and_nobody_was_told(register: Damaged) -> None:
    register.owner.call("retire_decision", decision="D6", reason="R")
    register.state("D6", "ratified")


@leads_to("condition-left-open")
def a_premise_came_back_into_force_and_nobody_was_told(register: Damaged) -> None:
    register.state("D3", "ratified")


@leads_to("condition-left-open")
def a_side_of_a_contradiction_left_force_and_nobody_was_told(register: Damaged) -> None:
    register.state("D6", "retired")


@leads_to("condition-misplaced")
def a_decision_was_moved_without_its_condition(register: Damaged) -> None:
    register.place("D2", key("DOM1"))
    register.place("A1", key("DOM1"))


@leads_to("condition-misplaced")
def a_condition_lies_in_no_place_of_its_own(register: Damaged) -> None:
    register.change("items", {"place": key("ARE1")}, key=key("SIG1"))


@leads_to("condition-doubled")
def a_condition_was_opened_twice(register: Damaged) -> None:
    with register.badly() as call:
        first = call.unit.conditions.signals([key("SIG1")])[key("SIG1")]
        (again,) = call.unit.items.next_keys("Signal")
        second = replace(first, item=replace(first.item, key=again, id=call.unit.new_id()))
        call.unit.items.add([second.item])
        call.unit.conditions.open([second])
        call.record(entries.opened(second))


@leads_to("condition-half-closed")
def a_condition_has_the_state_of_a_closed_one_alone(register: Damaged) -> None:
    with register.badly() as call:
        signal = call.unit.conditions.signals([key("SIG1")])[key("SIG1")]
        call.unit.items.set_state([key("SIG1")], "closed", call.now, raise_rev=False)
        call.record(entries.closed(signal, "over"))


@leads_to("condition-without-relation")
def the_relation_of_a_condition_is_another(register: Damaged) -> None:
    register.change("signals", {"relation": ABSENT}, key=key("SIG1"))


@leads_to("condition-without-relation")
def a_closed_condition_is_about_something_else(register: Damaged) -> None:
    register.owner.call("confirm_premise", condition="SIG1", reason="R")
    register.change("signals", {"other": key("D5")}, key=key("SIG1"))
