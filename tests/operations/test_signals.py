"""Conditions as those see them who read their Decision, and what is kept from those who read only half."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.operations.calls import related


@pytest.fixture(autouse=True)
def _conditions(owner: Caller) -> None:
    """D2 (DOM1) rests on the retired D1 (DOM2): SIG1; D2 contradicts D3 (DOM2): SIG2 about D2, SIG3 about D3."""
    for name in ("One", "Two", "Empty"):
        owner.call("create_domain", name=name)
    owner.ratified("Premise", place="DOM2")
    owner.ratified("Flagged", place="DOM1", grounded_in=["D1"])
    owner.ratified("Contradicting", place="DOM2")
    owner.call("retire_decision", decision="D1", reason="R")
    owner.call("assert_relation", **related("D2", "D3", "contradicts"))


def seen(caller: Caller, **filters: object) -> list[str]:
    """The addresses of the conditions that a list shows."""
    return [signal["address"] for signal in caller.call("list_signals", **filters)["signals"]]


def test_who_reads_both_sides_is_told_what_a_condition_is_about(owner: Caller) -> None:
    relation = owner.call("list_relations", kind="contradicts")["relations"][0]["id"]
    flag, one, other = (owner.call("get_signal", id=f"SIG{number}") for number in (1, 2, 3))
    assert ("D2", "D1") == (flag["about"], flag["premise"])
    assert ("D2", "D3", relation) == (one["about"], one["other"], one["relation"])
    assert ("D3", "D2", relation) == (other["about"], other["other"], other["relation"])
    assert "other" not in flag
    assert "premise" not in one


@pytest.mark.parametrize("address", ["SIG1", "SIG2"])
@pytest.mark.parametrize("elsewhere", [[], ["ratify"]], ids=["hidden", "not to be read"])
def test_who_does_not_read_the_other_side_is_not_told_of_it(
    owner: Caller, caller: MakeCaller, address: str, elsewhere: Sequence[str]
) -> None:
    reader = caller("Reader", rights={"DOM1": ["read"], "DOM2": elsewhere})
    whole = owner.call("get_signal", id=address)
    told = {key: value for key, value in whole.items() if key not in ("premise", "other", "relation")}
    assert told == reader.call("get_signal", id=address)
    assert ["SIG1", "SIG2"] == seen(reader)
    assert 2 == reader.call("list_signals")["total"]


def test_who_confirmed_is_told_to_those_who_read_both_sides(owner: Caller, caller: MakeCaller) -> None:
    judge = caller("Judge", rights={"DOM1": ["ratify"]})
    judge.call("confirm_premise", condition="SIG1", reason="It holds.")
    reader = caller("Reader", rights={"DOM1": ["read"]})
    assert judge.id == owner.call("get_signal", id="SIG1")["confirmed_by"]
    assert "confirmed_by" not in reader.call("get_signal", id="SIG1")
    assert "confirmed: It holds." == reader.call("get_signal", id="SIG1")["resolution"]


def test_a_list_entry_tells_no_more_than_the_decision_it_is_about(owner: Caller) -> None:
    entries = owner.call("list_signals")["signals"]
    assert [("D2", "DOM1"), ("D2", "DOM1"), ("D3", "DOM2")] == [(each["about"], each["place"]) for each in entries]
    messages = [
        "D2 rests on a Decision that is not in force",
        "D2 contradicts a Decision",
        "D3 contradicts a Decision",
    ]
    assert messages == [each["message"] for each in entries]
    kept = {"id", "address", "type", "receiver", "message", "about", "place", "state", "opened_at"}
    assert [kept] * 3 == [set(each) for each in entries]


def test_the_filters_go_together(owner: Caller) -> None:
    owner.call("confirm_premise", condition="SIG1", reason="R")
    assert ["SIG2", "SIG3"] == seen(owner)
    assert ["SIG1"] == seen(owner, state="closed")
    assert ["SIG1", "SIG2", "SIG3"] == seen(owner, state="all", receiver="ratify")
    assert ["SIG1", "SIG2"] == seen(owner, state="all", about="D2")
    assert ["SIG1", "SIG2"] == seen(owner, state="all", place="DOM1")
    assert ["SIG1"] == seen(owner, state="all", type="premise-flagged")
    assert ["SIG3"] == seen(owner, type="conflict-detected", place="DOM2")
    assert [] == seen(owner, type="conflict-detected", about="D2", place="DOM2")


def test_paging_behind_the_last_one_seen_skips_nothing_that_closes_meanwhile(owner: Caller) -> None:
    first = owner.call("list_signals", limit=1)
    assert (["SIG1"], 3) == ([each["address"] for each in first["signals"]], first["total"])
    owner.call("confirm_premise", condition="SIG1", reason="R")
    assert ["SIG2", "SIG3"] == seen(owner, after="SIG1")
    assert ["SIG3"] == seen(owner, after=owner.call("get_signal", id="SIG2")["id"])
    assert ["SIG3"] == seen(owner, after="SIG1", offset=1)


@pytest.mark.parametrize(
    "rights,place,answer",
    [
        ({"ROOT": ["ratify"]}, None, None),
        ({"ROOT": ["ratify"]}, "DOM1", None),
        ({"ROOT": ["ratify"]}, "ROOT", None),
        ({"DOM1": ["ratify"]}, None, None),
        ({"DOM1": ["ratify"]}, "DOM1", None),
        ({"DOM1": ["ratify"], "DOM2": ["read"]}, "DOM1", None),
        ({"DOM1": ["ratify"], "DOM2": ["read"]}, "DOM2", ["SIG3"]),
        ({"DOM1": ["ratify"], "DOM2": ["read"]}, None, ["SIG3"]),
        ({"DOM1": ["ratify", "read"]}, None, ["SIG1", "SIG2"]),
        ({"DOM3": ["read"]}, None, []),
        ({}, None, []),
        ({}, "ROOT", []),
    ],
)
def test_who_may_ratify_but_read_none_of_the_places_asked_for_is_refused(
    caller: MakeCaller, rights: dict[str, list[str]], place: str | None, answer: list[str] | None
) -> None:
    somebody = caller("Somebody", rights=rights)
    filters = {"place": place} if place else {}
    if answer is None:
        somebody.refused("forbidden", "list_signals", **filters)
    else:
        assert answer == seen(somebody, **filters)


def test_who_may_ratify_without_reading_confirms_a_condition_and_reads_none(caller: MakeCaller) -> None:
    judge = caller("Judge", rights={"DOM1": ["ratify"]})
    judge.refused("forbidden", "get_signal", id="SIG1")
    judge.refused("forbidden", "get_decision", id="D2")
    judge.refused("forbidden", "list_signals", about="D2")
    judge.refused("not_found", "get_signal", id="SIG3")
    judge.refused("not_found", "confirm_premise", decision="D2", premise="D1", reason="R")
    assert {"closed": ["SIG1"]} == judge.call("confirm_premise", condition="SIG1", reason="R")


def test_the_pair_form_takes_reading_both(owner: Caller, caller: MakeCaller) -> None:
    pair = {"decision": "D2", "premise": "D1", "reason": "R"}
    for rights in ({"DOM1": ["ratify"], "DOM2": ["read"]}, {"DOM1": ["ratify", "read"], "DOM2": ["ratify"]}):
        caller("Somebody", rights=rights).refused("forbidden", "confirm_premise", **pair)
    caller("Reader", rights={"ROOT": ["read"]}).refused("forbidden", "confirm_premise", **pair)
    judge = caller("Judge", rights={"DOM1": ["ratify", "read"], "DOM2": ["read"]})
    assert {"closed": ["SIG1"]} == judge.call("confirm_premise", **pair)
    judge.refused("conflict", "confirm_premise", **pair)
    assert ["SIG1"] == seen(owner, state="closed")


def test_only_a_premise_flag_that_is_open_is_confirmed(owner: Caller) -> None:
    owner.refused("conflict", "confirm_premise", condition="SIG2", reason="R")
    owner.call("confirm_premise", condition="SIG1", reason="R")
    refusal = owner.refused("conflict", "confirm_premise", condition="SIG1", reason="R")
    assert ("closed", []) == (refusal.state, refusal.allowed)
