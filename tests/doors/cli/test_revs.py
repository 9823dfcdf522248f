"""A move carries the rev of its item, read just before; where the caller may not read, it goes without."""

from __future__ import annotations

from tests.doors.cli.conftest import Cli
from tests.doors.cli.stub import Stub, refusal, reply

FORBIDDEN = refusal("forbidden", "you may not read D1", 403)


def decision(rev: int, state: str = "ratified") -> dict[str, object]:
    return {"address": "D1", "rev": rev, "state": state}


def test_a_move_is_sent_with_the_rev_that_the_item_has(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", reply(decision(7)))
    stub.says("retire_decision", reply({}))
    assert 0 == cli("decision", "retire", "D1", "--reason", "R").code
    assert [{"id": "D1"}] == stub.calls("get_decision")
    assert 7 == stub.calls("retire_decision")[0]["rev"]


def test_an_amendment_has_its_own_rev(stub: Stub, cli: Cli) -> None:
    stub.says("get_amendment", reply({"rev": 3}))
    stub.says("ratify_amendment", reply({}))
    assert 0 == cli("amendment", "ratify", "A1").code
    assert 3 == stub.calls("ratify_amendment")[0]["rev"]


def test_a_rev_that_was_given_is_sent_and_nothing_is_read(stub: Stub, cli: Cli) -> None:
    stub.says("ratify_decision", reply({}))
    assert 0 == cli("decision", "ratify", "D1", "--rev", "2").code
    assert ["ratify_decision"] == [each.tool for each in stub.asked]
    assert 2 == stub.calls("ratify_decision")[0]["rev"]


def test_who_may_not_read_moves_without_a_rev(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", FORBIDDEN)
    stub.says("ratify_decision", reply({}))
    assert 0 == cli("decision", "ratify", "D1").code
    assert "rev" not in stub.calls("ratify_decision")[0]


def test_the_move_itself_says_what_is_wrong_with_it(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", refusal("not_found", "there is no Decision D9", 404))
    stub.says("ratify_decision", refusal("not_found", "there is no Decision D9, says the move", 404))
    assert "smeldr-cli: not_found: there is no Decision D9, says the move\n" == cli("decision", "ratify", "D9").err


def test_a_proposed_successor_has_its_rev_sent_and_a_ratified_one_has_not(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", reply(decision(7)), reply(decision(2, "proposed")))
    stub.says("supersede_decision", reply({}))
    assert 0 == cli("decision", "supersede", "D1", "--by", "D6").code
    stub.says("get_decision", reply(decision(7)), reply(decision(2, "proposed")), reply(decision(5)))
    assert 0 == cli("decision", "supersede", "D1", "--by", "D6,D7").code
    stub.says("get_decision", reply(decision(7)), reply(decision(5)))
    assert 0 == cli("decision", "supersede", "D1", "--by", "D7").code
    stub.says("get_decision", FORBIDDEN)
    assert 0 == cli("decision", "supersede", "D1", "--by", "D7").code
    revs = [(each.get("rev"), each.get("by_rev")) for each in stub.calls("supersede_decision")]
    assert [(7, 2), (7, [2, None]), (7, None), (None, None)] == revs


def test_a_confirmation_carries_the_rev_of_its_decision(stub: Stub, cli: Cli) -> None:
    stub.says("get_signal", reply({"about": "D2"}))
    stub.says("get_decision", reply(decision(4)))
    stub.says("confirm_premise", reply({"closed": ["SIG1"]}))
    assert 0 == cli("signal", "confirm", "SIG1", "--reason", "R").code
    assert 0 == cli("signal", "confirm", "--decision", "D2", "--premise", "D1", "--reason", "R").code
    assert [{"id": "D2"}, {"id": "D2"}] == stub.calls("get_decision")
    assert [4, 4] == [each["rev"] for each in stub.calls("confirm_premise")]


def test_several_confirmations_at_once_carry_none(stub: Stub, cli: Cli) -> None:
    stub.says("confirm_premise", reply({"closed": ["SIG1", "SIG2"]}))
    assert 0 == cli("signal", "confirm", "SIG1", "SIG2", "--reason", "R").code
    assert ["confirm_premise"] == [each.tool for each in stub.asked]
    assert "rev" not in stub.calls("confirm_premise")[0]


def test_a_condition_that_cannot_be_read_is_confirmed_without_a_rev(stub: Stub, cli: Cli) -> None:
    stub.says("get_signal", FORBIDDEN)
    stub.says("confirm_premise", reply({"closed": ["SIG1"]}))
    assert 0 == cli("signal", "confirm", "SIG1", "--reason", "R").code
    assert "rev" not in stub.calls("confirm_premise")[0]
