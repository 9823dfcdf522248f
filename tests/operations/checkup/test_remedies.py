"""What docs/doctor.md tells a person to do about what the doctor does not mend: where it is a call, it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from smeldr.operations.checkup.doctor import visit
from smeldr.settings import Settings
from smeldr.wiring import recover_owner
from tests.graphs import key
from tests.operations.checkup.damages import Damage, Damaged, conditions, items, people, relations

Remedy = Callable[[Damaged], object]


def withdraw(register: Damaged, **which: Any) -> dict[str, Any]:
    """End a live relation, and give it."""
    (relation,) = [row for row in register.rows("relations", **which) if row["ended_at"] is None]
    register.owner.call("withdraw_relation", id=relation["id"], rev=relation["rev"], reason="R")
    return relation


def withdraw_one_of_them(register: Damaged) -> None:
    withdraw(register, source=key("D4"), target=key("D3"))


def withdraw_it_and_record_it_anew(register: Damaged) -> None:
    withdraw(register, source=key("D4"), target=key("D3"))
    ends = {"source_type": "Decision", "source_id": "D4", "target_type": "Decision", "target_id": "D3"}
    register.owner.call("assert_relation", relation_kind="contradicts", **ends)


def withdraw_it(register: Damaged) -> None:
    withdraw(register, source=key("D2"), target=key("D2"))


def retire_and_reinstate_it(register: Damaged) -> None:
    register.owner.call("retire_decision", decision="D4", reason="R")
    register.owner.call("reinstate_decision", decision="D4", reason="R")


def move_it_somewhere_else(register: Damaged) -> None:
    register.owner.call("move_item", type="Decision", id="D1", place="DOM2", reason="R")


def move_the_area(register: Damaged) -> None:
    register.owner.call("move_area", area="ARE1", domain="DOM2")


def move_the_inner_area(register: Damaged) -> None:
    register.owner.call("move_area", area="ARE2", domain="DOM2")


def move_its_decision_and_back(register: Damaged) -> None:
    for place in ("DOM1", "ROOT"):
        register.owner.call("move_item", type="Decision", id="D2", place=place, reason="R")


def confirm_it_and_sweep(register: Damaged) -> None:
    register.owner.call("confirm_premise", decision="D2", premise="D3", reason="R")
    register.owner.call("run_sweep")


def give_an_owner_back(register: Damaged) -> None:
    recover_owner(Settings(database=register.database), None, "Owner")


REMEDIES: Final[dict[Damage, Remedy]] = {
    conditions.a_condition_was_opened_twice: confirm_it_and_sweep,
    relations.a_contradiction_is_there_from_both_sides: withdraw_one_of_them,
    relations.a_contradiction_starts_from_the_higher_address: withdraw_it_and_record_it_anew,
    relations.a_decision_addresses_itself: withdraw_it,
    relations.a_superseded_decision_is_in_force: retire_and_reinstate_it,
    relations.an_amendment_lies_elsewhere: move_its_decision_and_back,
    items.a_decision_lies_in_a_domain_that_is_not_there: move_it_somewhere_else,
    items.a_place_was_retired_while_it_held_a_decision: move_it_somewhere_else,
    items.a_domain_was_retired_while_it_held_a_live_area: move_the_area,
    items.an_area_lies_in_an_area: move_the_inner_area,
    people.the_token_of_the_administrator_expires: give_an_owner_back,
}


@pytest.mark.parametrize("damage", REMEDIES, ids=lambda damage: damage.__name__)
def test_what_is_to_be_done_can_be_done_and_then_nothing_is_found(damaged: Damaged, damage: Damage) -> None:
    damage(damaged)
    assert visit(damaged.owner.register).totals
    REMEDIES[damage](damaged)
    assert {} == visit(damaged.owner.register).totals
