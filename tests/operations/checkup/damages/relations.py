"""Relations that do not fit the items, each other or the typed graph."""

from __future__ import annotations

from sqlalchemy import null

from smeldr.model.items import ROOT
from smeldr.operations import entries
from tests.graphs import key
from tests.operations.calls import related
from tests.operations.checkup.damages.register import Damaged, leads_to


@leads_to("relation-end-missing")
def a_target_is_not_there(register: Damaged) -> None:
    register.relate("D2", "grounded_in", "D99")


@leads_to("relation-end-missing")
def a_source_is_not_there(register: Damaged) -> None:
    register.relate("D99", "addresses", "D2")


@leads_to("relation-undeclared")
def a_domain_addresses_a_decision(register: Damaged) -> None:
    register.relate("DOM1", "addresses", "D2")


@leads_to("relation-undeclared")
def a_kind_is_unknown(register: Damaged) -> None:
    register.relate("D2", "rhymes_with", "D3")


@leads_to("relation-undeclared")
def a_kind_that_follows_from_the_item_has_a_row(register: Damaged) -> None:
    register.relate("D2", "placed_in", "DOM1")


@leads_to("relation-end-misplaced")
def a_source_lies_elsewhere(register: Damaged) -> None:
    register.change("relations", {"source_place": key("DOM1")}, kind="grounded_in")


@leads_to("relation-end-misplaced")
def a_target_lies_elsewhere_and_the_relation_has_ended(register: Damaged) -> None:
    found = register.owner.call("assert_relation", **related("D2", "D5"))["relation"]
    register.owner.call("withdraw_relation", id=found["id"], rev=1, reason="R")
    register.change("relations", {"target_place": key("DOM99")}, id=found["id"])


@leads_to("relation-doubled")
def a_relation_is_there_twice(register: Damaged) -> None:
    register.run("DROP INDEX ix_relations_live")
    for _ in range(3):
        register.relate("D2", "addresses", "D5")


@leads_to("relation-doubled")
def a_contradiction_is_there_from_both_sides(register: Damaged) -> None:
    register.relate("D4", "contradicts", "D3")


@leads_to("relation-turned")
def a_contradiction_starts_from_the_higher_address(register: Damaged) -> None:
    register.change("relations", {"source": key("D4"), "target": key("D3")}, source=key("D3"), target=key("D4"))


@leads_to("relation-to-itself")
def a_decision_addresses_itself(register: Damaged) -> None:
    register.relate("D2", "addresses", "D2")


@leads_to("relation-supersedes-standing")
def a_superseded_decision_is_in_force(register: Damaged) -> None:
    register.state("D4", "ratified")


@leads_to("relation-supersedes-standing")
def a_proposal_is_superseded(register: Damaged) -> None:
    register.place("D1", ROOT)
    register.relate("D2", "supersedes", "D1")


@leads_to("amendment-unattached")
def an_amendment_does_not_say_what_it_amends(register: Damaged) -> None:
    register.change("texts", {"amends": null()}, key=key("A1"))


@leads_to("amendment-unattached")
def an_amendment_amends_what_is_not_there(register: Damaged) -> None:
    register.change("texts", {"amends": key("D99")}, key=key("A1"))


@leads_to("amendment-unattached")
def the_relation_of_an_amendment_has_ended(register: Damaged) -> None:
    with register.badly() as call:
        (live,) = call.unit.relations.live("amends", source=key("A1"))
        ended = call.unit.relations.end(live.id, by=register.owner.id, at=call.now, cause="withdrawn", reason="R")
        call.record(entries.unrelated(ended))


@leads_to("amendment-unattached")
def an_amendment_amends_two_decisions(register: Damaged) -> None:
    register.relate("A1", "amends", "D5")


@leads_to("amendment-misplaced")
def an_amendment_lies_elsewhere(register: Damaged) -> None:
    register.place("A1", key("DOM1"))
