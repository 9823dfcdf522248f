"""Items that do not fit their type or where they lie."""

from __future__ import annotations

from sqlalchemy import null

from smeldr.model.items import ROOT
from tests.graphs import key
from tests.operations.checkup.damages.register import Damaged, leads_to


@leads_to("item-state-unknown")
def a_decision_is_in_no_state_of_decisions(register: Damaged) -> None:
    register.state("D1", "pondered")


@leads_to("item-state-unknown")
def an_amendment_is_retired_which_only_decisions_are(register: Damaged) -> None:
    register.owner.call("ratify_amendment", amendment="A1")
    register.state("A1", "retired")


@leads_to("item-place-missing")
def a_decision_lies_in_a_domain_that_is_not_there(register: Damaged) -> None:
    register.place("D1", key("DOM99"))


@leads_to("item-place-missing")
def a_decision_lies_in_a_decision(register: Damaged) -> None:
    register.place("D1", key("D2"))


@leads_to("item-place-missing")
def an_area_lies_in_an_area_that_is_not_there(register: Damaged) -> None:
    register.place("ARE1", key("ARE99"))


@leads_to("item-place-retired")
def a_place_was_retired_while_it_held_a_decision(register: Damaged) -> None:
    register.state("ARE1", "retired")


@leads_to("item-place-retired")
def a_domain_was_retired_while_it_held_a_live_area(register: Damaged) -> None:
    register.state("DOM1", "retired")


@leads_to("place-nested")
def an_area_lies_in_an_area(register: Damaged) -> None:
    register.owner.call("create_area", domain="DOM1", name="Another")
    register.place("ARE2", key("ARE1"))


@leads_to("place-nested")
def an_area_lies_in_root(register: Damaged) -> None:
    register.place("ARE1", ROOT)


@leads_to("place-nested")
def a_domain_lies_in_a_domain(register: Damaged) -> None:
    register.place("DOM2", key("DOM1"))


@leads_to("item-incomplete")
def a_decision_has_no_text(register: Damaged) -> None:
    register.remove("texts", key=key("D1"))


@leads_to("item-incomplete")
def a_place_has_no_name(register: Damaged) -> None:
    register.remove("places", key=key("DOM2"))


@leads_to("item-incomplete")
def a_signal_has_no_condition(register: Damaged) -> None:
    register.owner.call("retire_decision", decision="D2", reason="R")
    register.remove("signals", key=key("SIG1"))


@leads_to("ratified-by-missing")
def nobody_ratified_what_is_in_force(register: Damaged) -> None:
    register.change("texts", {"ratified_by": null()}, key=key("D5"))


@leads_to("ratified-by-missing")
def nobody_ratified_what_is_retired(register: Damaged) -> None:
    register.change("texts", {"ratified_by": null()}, key=key("D3"))


@leads_to("counter-behind")
def a_counter_was_set_back(register: Damaged) -> None:
    register.change("counters", {"value": 2}, name="Decision")


@leads_to("counter-behind")
def a_counter_is_not_there(register: Damaged) -> None:
    register.remove("counters", name="Signal")


@leads_to("counter-behind")
def no_counter_is_there(register: Damaged) -> None:
    register.remove("counters")
