"""A call with a request key happens once: sent again it answers the same, as long as the caller still may."""

from __future__ import annotations

from typing import Any

import pytest

from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.operations.clock import Clock
from tests.operations.tables import Tables

PROPOSAL = {"title": "Keep one queue", "body": "One."}


def test_the_same_call_again_gets_the_first_answer_and_nothing_happens_twice(owner: Caller, tables: Tables) -> None:
    first = owner.call("propose_decision", **PROPOSAL, request_key="k1")
    with tables.unchanged():
        assert first == owner.call("propose_decision", **PROPOSAL, request_key="k1")
    assert 1 == owner.call("list_decisions")["total"]


def test_the_first_answer_stands_although_the_item_has_moved_on(owner: Caller) -> None:
    owner.call("propose_decision", **PROPOSAL)
    first = owner.call("ratify_decision", decision="D1", request_key="k1")
    owner.call("retire_decision", decision="D1", reason="Done.")
    assert first == owner.call("ratify_decision", decision="D1", request_key="k1")
    assert "retired" == owner.call("get_decision", id="D1")["state"]


def test_the_order_in_which_arguments_are_written_makes_no_difference(owner: Caller) -> None:
    first = owner.call("propose_decision", title="T", body="B", request_key="k1")
    assert first == owner.call("propose_decision", request_key="k1", body="B", title="T")


@pytest.mark.parametrize(
    "tool,arguments",
    [
        ("propose_decision", {"title": "Keep two queues", "body": "One."}),
        ("propose_decision", {**PROPOSAL, "source": "minutes"}),
        ("create_domain", {"name": "Queues"}),
    ],
    ids=["other arguments", "one argument more", "another tool"],
)
def test_a_used_key_with_anything_else_is_a_conflict(
    owner: Caller, tables: Tables, tool: str, arguments: dict[str, Any]
) -> None:
    owner.call("propose_decision", **PROPOSAL, request_key="k1")
    with tables.unchanged():
        owner.refused("conflict", tool, **arguments, request_key="k1")


def test_a_key_is_its_principals_own(owner: Caller, caller: MakeCaller) -> None:
    other = caller("Writer", rights={"ROOT": ["author"]})
    assert "D1" == owner.call("propose_decision", **PROPOSAL, request_key="k1")["address"]
    assert "D2" == other.call("propose_decision", **PROPOSAL, request_key="k1")["address"]


def test_a_key_is_the_principals_whichever_token_it_comes_with(owner: Caller) -> None:
    second = Caller(owner.register, owner.call("create_token", principal=owner.id)["token"], owner.id)
    first = owner.call("propose_decision", **PROPOSAL, request_key="k1")
    assert first == second.call("propose_decision", **PROPOSAL, request_key="k1")


def test_a_refused_call_does_not_use_its_key_up(owner: Caller) -> None:
    owner.refused("not_found", "ratify_decision", decision="D1", request_key="k1")
    owner.call("propose_decision", **PROPOSAL)
    assert "ratified" == owner.call("ratify_decision", decision="D1", request_key="k1")["state"]


def test_a_key_stands_until_24_hours_have_passed(timed: Caller, clock: Clock) -> None:
    first = timed.call("propose_decision", **PROPOSAL, request_key="k1")
    clock.forward(hours=24, microseconds=-1)
    assert first == timed.call("propose_decision", **PROPOSAL, request_key="k1")
    clock.forward(microseconds=1)
    assert "D2" == timed.call("propose_decision", **PROPOSAL, request_key="k1")["address"]
    assert "D2" == timed.call("propose_decision", **PROPOSAL, request_key="k1")["address"]


def test_after_24_hours_a_key_may_stand_for_another_call(timed: Caller, clock: Clock) -> None:
    timed.call("propose_decision", **PROPOSAL, request_key="k1")
    clock.forward(hours=24)
    assert "DOM1" == timed.call("create_domain", name="Queues", request_key="k1")["address"]


def test_a_token_is_not_shown_a_second_time(owner: Caller, tables: Tables) -> None:
    first = owner.call("create_token", principal=owner.id, request_key="k1")
    again = owner.call("create_token", principal=owner.id, request_key="k1")
    assert {"id": first["id"]} == again
    assert first["token"] not in str(tables.dump())


def revoke(owner: Caller, principal: str, right: str) -> None:
    for grant in owner.call("list_grants", principal=principal)["grants"]:
        if grant["right"] == right:
            owner.call("revoke_grant", id=grant["id"], reason="No longer.")


@pytest.mark.parametrize("left", [["read"], []], ids=["some right", "no right"])
def test_who_lost_the_right_over_root_does_not_get_the_former_answer(
    owner: Caller, caller: MakeCaller, left: list[str]
) -> None:
    writer = caller("Writer", rights={"ROOT": ["author", *left]})
    writer.call("propose_decision", **PROPOSAL, request_key="k1")
    revoke(owner, writer.id, "author")
    writer.refused("forbidden", "propose_decision", **PROPOSAL, request_key="k1")


def test_who_no_longer_sees_the_item_is_told_that_there_is_none(owner: Caller, caller: MakeCaller) -> None:
    owner.call("create_domain", name="Queues")
    owner.call("propose_decision", **PROPOSAL, place="DOM1")
    judge = caller("Judge", rights={"DOM1": ["ratify"]})
    judge.call("ratify_decision", decision="D1", request_key="k1")
    revoke(owner, judge.id, "ratify")
    again = judge.refused("not_found", "ratify_decision", decision="D1", request_key="k1")
    assert judge.refused("not_found", "ratify_decision", decision="D1").reply() == again.reply()


def test_rights_are_judged_over_the_place_where_the_item_lies_now(owner: Caller, caller: MakeCaller) -> None:
    for name in ("Queues", "Stores"):
        owner.call("create_domain", name=name)
    owner.call("propose_decision", **PROPOSAL, place="DOM1")
    judge = caller("Judge", rights={"DOM1": ["ratify"], "DOM2": ["read"]})
    judge.call("ratify_decision", decision="D1", request_key="k1")
    owner.call("move_item", type="Decision", id="D1", place="DOM2", reason="It is theirs.")
    judge.refused("forbidden", "ratify_decision", decision="D1", request_key="k1")


def test_a_former_administrator_does_not_hear_of_a_token_of_somebody_else_again(
    owner: Caller, caller: MakeCaller
) -> None:
    administrator, writer = caller("Admin", rights={"ROOT": ["administer"]}), caller("Writer")
    token = owner.call("create_token", principal=writer.id)["id"]
    administrator.call("revoke_token", id=token, request_key="k1")
    revoke(owner, administrator.id, "administer")
    administrator.refused("forbidden", "revoke_token", id=token, request_key="k1")


def test_ones_own_token_is_revoked_once(owner: Caller) -> None:
    token = owner.call("create_token", principal=owner.id)["id"]
    first = owner.call("revoke_token", id=token, request_key="k1")
    assert first == owner.call("revoke_token", id=token, request_key="k1")


def test_a_sweep_with_a_key_runs_once(owner: Caller, tables: Tables) -> None:
    first = owner.call("run_sweep", request_key="k1")
    assert first == owner.call("run_sweep", request_key="k1")
    assert 1 == len(tables.rows("sweep_runs"))


def test_the_sweep_forgets_keys_that_no_longer_stand(timed: Caller, clock: Clock, tables: Tables) -> None:
    timed.call("propose_decision", **PROPOSAL, request_key="k1")
    clock.forward(hours=25)
    timed.call("propose_decision", **PROPOSAL, request_key="k2")
    timed.call("run_sweep")
    assert ["k2"] == [row["key"] for row in tables.rows("request_keys")]


def test_many_keys_are_forgotten_a_few_at_a_time(
    timed: Caller, clock: Clock, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smeldr.operations.sweep.BATCH", 2)
    for number in range(5):
        timed.call("propose_decision", **PROPOSAL, request_key=f"k{number}")
    clock.forward(hours=25)
    timed.call("run_sweep")
    assert [] == tables.rows("request_keys")


def test_a_key_of_64_characters_is_welcome_and_a_longer_one_is_not(owner: Caller, tables: Tables) -> None:
    owner.call("propose_decision", **PROPOSAL, request_key="k" * 64)
    with tables.unchanged():
        owner.refused("validation_failed", "propose_decision", **PROPOSAL, request_key="k" * 65)


def test_reading_takes_no_key(owner: Caller) -> None:
    refusal = owner.refused("validation_failed", "get_decision", id="D1", request_key="k1")
    assert {"request_key": {"why": "unknown parameter", "valid": ["id"]}} == refusal.fields


def test_what_a_call_made_is_not_told_again_to_who_no_longer_knows_of_it(owner: Caller, caller: MakeCaller) -> None:
    for name in ("Queues", "Stores"):
        owner.call("create_domain", name=name)
    writer = caller("Writer", rights={"DOM1": ["author"]})
    writer.call("propose_decision", **PROPOSAL, place="DOM1", request_key="k1")
    owner.call("move_item", type="Decision", id="D1", place="DOM2", reason="It is theirs.")
    again = writer.refused("not_found", "propose_decision", **PROPOSAL, place="DOM1", request_key="k1")
    assert "D1" not in again.message
    owner.call("move_item", type="Decision", id="D1", place="DOM1", reason="It is not.")
    assert "D1" == writer.call("propose_decision", **PROPOSAL, place="DOM1", request_key="k1")["address"]


def test_an_area_that_was_moved_away_is_not_told_again(owner: Caller, caller: MakeCaller) -> None:
    for name in ("Queues", "Stores"):
        owner.call("create_domain", name=name)
    keeper = caller("Keeper", rights={"DOM1": ["administer"]})
    keeper.call("create_area", domain="DOM1", name="Inbox", request_key="k1")
    owner.call("move_area", area="ARE1", domain="DOM2")
    again = keeper.refused("not_found", "create_area", domain="DOM1", name="Inbox", request_key="k1")
    assert "ARE1" not in again.message


@pytest.mark.parametrize("left", [[], ["ratify"]], ids=["no right", "a right that is not read"])
def test_a_refusal_to_answer_again_is_in_the_words_of_the_call(
    owner: Caller, caller: MakeCaller, left: list[str]
) -> None:
    for name in ("Queues", "Stores"):
        owner.call("create_domain", name=name)
    writer = caller("Writer", rights={"DOM1": ["author"], "DOM2": left})
    decision = writer.call("propose_decision", **PROPOSAL, place="DOM1")
    owner.call("propose_decision", **PROPOSAL, place="DOM1", addresses=["D1"])
    relation = owner.call("list_relations")["relations"][0]["id"]
    update = {"decision": decision["id"], "rev": 1, "title": "Keep two queues"}
    withdrawal = {"id": relation, "rev": 1, "reason": "It is not about that."}
    writer.call("update_decision", **update, request_key="k1")
    writer.call("withdraw_relation", **withdrawal, request_key="k2")
    owner.call("move_item", type="Decision", id="D1", place="DOM2", reason="It is theirs.")
    for tool, arguments, key in (("update_decision", update, "k1"), ("withdraw_relation", withdrawal, "k2")):
        code = "forbidden" if left and tool == "update_decision" else "not_found"
        again, anew = (writer.refused(code, tool, **arguments, **more) for more in ({"request_key": key}, {}))
        assert "D1" not in again.message
        if code == "not_found":
            assert anew.reply() == again.reply()
