"""The page about a premise that leaves force, claim by claim (claims.toml), through the tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smeldr.settings import Settings
from tests.callers import Caller, load, resting
from tests.conftest import MakeCaller
from tests.docs.blocks import DOCS
from tests.starts import five_decisions

D2_FLAGGED = "D2 rests on a Decision that is not in force"
D3_FLAGGED = "D3 rests on a Decision that is not in force"
D5_FLAGGED = "D5 rests on a Decision that is not in force"
NONE = {"open": 0, "closed": 0}
PREMISE = {"type": "Decision", "ref": "P", "title": "Premise", "body": "b", "state": "ratified"}


@pytest.fixture
def example(owner: Caller) -> Caller:
    """The owner of a register that holds the example: D1 is in force still, D6 is proposed."""
    five_decisions(owner.call)
    return owner


@pytest.fixture
def superseded(example: Caller) -> Caller:
    """The same once D6 has replaced D1."""
    example.call("supersede_decision", decision="D1", by="D6")
    return example


def resolution(caller: Caller, signal: str) -> str:
    return str(caller.call("get_signal", id=signal)["resolution"])


def relation_id(caller: Caller, source: str, kind: str) -> str:
    found = caller.call("list_relations", type_name="Decision", id=source, kind=kind, direction="outgoing")
    return str(found["relations"][0]["id"])


def chain(caller: Caller, **arguments: Any) -> dict[str, Any]:
    """The trace of the premise chain of D1."""
    wanted = {"kind": "grounded_in", "direction": "incoming", "depth": 3, **arguments}
    return caller.call("get_reachability", type_name="Decision", id="D1", **wanted)


@pytest.mark.claim("premise-01")
def test_the_example_can_be_recorded_and_its_first_decision_superseded(superseded: Caller) -> None:
    states = {entry["address"]: entry["state"] for entry in superseded.call("list_decisions")["decisions"]}
    assert {"D1": "superseded", **dict.fromkeys(("D2", "D3", "D4", "D5", "D6"), "ratified")} == states


@pytest.mark.claim("premise-02", "premise-07", "premise-10")
def test_what_rests_on_it_directly_is_flagged_and_nothing_else(superseded: Caller) -> None:
    assert [D2_FLAGGED, D5_FLAGGED] == superseded.messages()
    assert {"premise-flagged"} == {signal["type"] for signal in superseded.call("list_signals")["signals"]}


@pytest.mark.claim("premise-03")
def test_retiring_a_premise_flags_as_superseding_it_does(example: Caller) -> None:
    example.call("retire_decision", decision="D1", reason="no longer needed")
    assert [D2_FLAGGED, D5_FLAGGED] == example.messages()


@pytest.mark.claim("premise-04")
def test_a_decision_that_loses_two_premises_carries_two_flags(example: Caller) -> None:
    both = example.ratified("Both", grounded_in=["D1", "D4"])
    for premise in ("D1", "D4"):
        example.call("retire_decision", decision=premise, reason="gone")
    about = [signal["about"] for signal in example.call("list_signals")["signals"]]
    assert 2 == about.count(both)


@pytest.mark.claim("premise-05")
def test_an_ended_relation_raises_no_flag(example: Caller) -> None:
    example.call("withdraw_relation", id=relation_id(example, "D2", "grounded_in"), rev=1, reason="not really")
    example.call("supersede_decision", decision="D1", by="D6")
    assert [D5_FLAGGED] == example.messages()


@pytest.mark.claim("premise-06")
def test_a_proposal_on_a_lost_premise_is_flagged_only_once_it_is_ratified(superseded: Caller) -> None:
    late = superseded.call("propose_decision", title="Late", body="b", grounded_in=["D1"])["address"]
    assert [D2_FLAGGED, D5_FLAGGED] == superseded.messages()
    superseded.call("ratify_decision", decision=late)
    assert [D2_FLAGGED, D5_FLAGGED, f"{late} rests on a Decision that is not in force"] == superseded.messages()


@pytest.mark.claim("premise-08", "premise-17")
def test_the_next_step_is_flagged_when_the_one_between_leaves_force(superseded: Caller) -> None:
    superseded.call("retire_decision", decision="D2", reason="it fell with D1")
    assert [D5_FLAGGED, D3_FLAGGED] == superseded.messages()
    assert "D2 is no longer ratified (retired)" == resolution(superseded, "SIG1")


@pytest.mark.claim("premise-09")
def test_confirming_the_one_between_flags_nobody_further_down(superseded: Caller) -> None:
    superseded.call("confirm_premise", decision="D2", premise="D1", reason="still holds")
    assert [D5_FLAGGED] == superseded.messages()


@pytest.mark.claim("premise-11")
def test_an_amendment_of_the_premise_is_not_flagged(example: Caller) -> None:
    example.call("propose_amendment", amends="D1", title="Test invoices", body="b")
    example.call("ratify_amendment", amendment="A1")
    example.call("supersede_decision", decision="D1", by="D6")
    assert [D2_FLAGGED, D5_FLAGGED] == example.messages()


@pytest.mark.claim("premise-12", "premise-13")
def test_the_condition_is_a_signal_to_ratify_whose_message_names_only_its_own_decision(superseded: Caller) -> None:
    signal = superseded.call("list_signals", receiver="ratify")["signals"][0]
    assert ("ratify", D2_FLAGGED, "D2", "SIG1") == tuple(
        signal[key] for key in ("receiver", "message", "about", "address")
    )


@pytest.mark.claim("premise-14")
def test_a_reader_of_the_flagged_decision_alone_learns_nothing_of_the_premise(
    owner: Caller, caller: MakeCaller
) -> None:
    for name in ("Open", "Closed"):
        owner.call("create_domain", name=name)
    premise = owner.ratified("A secret premise", place="DOM2")
    decision = owner.ratified("A public decision", place="DOM1", grounded_in=[premise])
    reader = caller("Reader", rights={"DOM1": ["read"]})
    owner.call("retire_decision", decision=premise, reason="a secret reason")
    told = str(
        [reader.call("list_signals"), reader.call("get_signal", id="SIG1"), reader.call("get_decision", id="D2")]
    )
    assert [f"{decision} rests on a Decision that is not in force"] == reader.messages()
    assert [] == [word for word in ("'D1'", "secret", "DOM2") if word in told]


@pytest.mark.claim("premise-15")
def test_it_closes_when_the_premise_is_back_in_force(superseded: Caller) -> None:
    superseded.call("reinstate_decision", decision="D1", reason="D6 did not work")
    assert [] == superseded.messages()
    assert "the premise is in force again" == resolution(superseded, "SIG1")


@pytest.mark.claim("premise-16")
def test_it_closes_when_the_relation_ends(superseded: Caller) -> None:
    superseded.call("withdraw_relation", id=relation_id(superseded, "D2", "grounded_in"), rev=1, reason="by mistake")
    assert [D5_FLAGGED] == superseded.messages()
    assert "the grounded_in relation ended (withdrawn)" == resolution(superseded, "SIG1")


@pytest.mark.claim("premise-18")
def test_confirming_takes_ratify_over_the_decisions_place_and_a_reason(superseded: Caller, caller: MakeCaller) -> None:
    pair = {"decision": "D2", "premise": "D1"}
    author = caller("Author", rights={"ROOT": ["author"]})
    judge = caller("Judge", rights={"ROOT": ["read", "ratify"]})
    author.refused("forbidden", "confirm_premise", **pair, reason="I wrote it")
    judge.refused("validation_failed", "confirm_premise", **pair)
    judge.refused("validation_failed", "confirm_premise", **pair, reason=" ")
    assert {"closed": ["SIG1"]} == judge.call("confirm_premise", **pair, reason="read again")


@pytest.mark.claim("premise-19")
def test_the_pair_can_be_named(superseded: Caller) -> None:
    superseded.call("confirm_premise", decision="D2", premise="D1", reason="Still holds: checked against D6.")
    assert "confirmed: Still holds: checked against D6." == resolution(superseded, "SIG1")


@pytest.mark.claim("premise-20")
def test_the_condition_can_be_named_by_address_or_by_id(superseded: Caller) -> None:
    by_id = superseded.call("get_signal", id="SIG2")["id"]
    superseded.call("confirm_premise", condition="SIG1", reason="by address")
    superseded.call("confirm_premise", condition=by_id, reason="by id")
    assert ["confirmed: by address", "confirmed: by id"] == [resolution(superseded, each) for each in ("SIG1", "SIG2")]


@pytest.mark.claim("premise-21")
def test_naming_the_condition_works_without_reading_the_premise(owner: Caller, caller: MakeCaller) -> None:
    for name in ("Open", "Closed"):
        owner.call("create_domain", name=name)
    owner.ratified("Hidden", place="DOM2")
    owner.ratified("Seen", place="DOM1", grounded_in=["D1"])
    owner.call("retire_decision", decision="D1", reason="gone")
    judge = caller("Judge", rights={"DOM1": ["read", "ratify"]})
    judge.refused("not_found", "confirm_premise", decision="D2", premise="D1", reason="still holds")
    assert {"closed": ["SIG1"]} == judge.call("confirm_premise", condition="SIG1", reason="still holds")


@pytest.mark.claim("premise-22")
def test_a_confirmed_pair_stays_closed_until_the_premise_moves_again(superseded: Caller) -> None:
    superseded.call("confirm_premise", decision="D2", premise="D1", reason="still holds")
    superseded.call("withdraw_relation", id=relation_id(superseded, "D2", "grounded_in"), rev=1, reason="for a moment")
    ends = {"source_type": "Decision", "source_id": "D2", "target_type": "Decision", "target_id": "D1"}
    superseded.call("assert_relation", relation_kind="grounded_in", **ends)
    assert [D5_FLAGGED] == superseded.messages()
    superseded.call("archive_decision", decision="D1", reason="put away")
    assert [D5_FLAGGED, D2_FLAGGED] == superseded.messages()


@pytest.mark.claim("premise-23", "premise-25")
def test_the_count_follows_three_kinds_both_ways_and_counts_an_item_once(example: Caller) -> None:
    top = example.ratified("On two that rest on the same", grounded_in=["D2", "D5"], addresses=["D2"])
    example.call("propose_amendment", amends=top, title="t", body="b")
    example.call("ratify_amendment", amendment="A1")
    ends = {"source_type": "Decision", "source_id": "D3", "target_type": "Decision", "target_id": "D6"}
    example.call("assert_relation", relation_kind="contradicts", **ends)
    assert {
        "rests_on_this": {"open": 0, "closed": 1},
        "this_rests_on": {"open": 0, "closed": 3},
    } == example.call("get_rest_counts", type="Decision", id=top)
    assert {"open": 0, "closed": 6} == example.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"]


@pytest.mark.claim("premise-24", "premise-26")
def test_the_count_of_the_example_is_the_documented_one(superseded: Caller) -> None:
    assert {"rests_on_this": {"open": 0, "closed": 4}, "this_rests_on": NONE} == superseded.call(
        "get_rest_counts", type="Decision", id="D1"
    )


@pytest.mark.claim("premise-27")
def test_a_proposal_counts_as_open(example: Caller) -> None:
    example.call("propose_decision", title="Maybe", body="b", grounded_in=["D4"])
    assert {"open": 1, "closed": 0} == example.call("get_rest_counts", type="Decision", id="D4")["rests_on_this"]


@pytest.mark.claim("premise-28", "premise-29")
def test_what_a_caller_may_not_read_is_neither_counted_nor_walked_through(owner: Caller, caller: MakeCaller) -> None:
    for name in ("Open", "Closed"):
        owner.call("create_domain", name=name)
    owner.ratified("Premise", place="DOM1")
    owner.ratified("Hidden between", place="DOM2", grounded_in=["D1"])
    owner.ratified("Behind the hidden one", place="DOM1", grounded_in=["D2"])
    owner.ratified("Seen", place="DOM1", grounded_in=["D1"])
    reader = caller("Reader", rights={"DOM1": ["read"]})
    counted = [who.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"] for who in (reader, owner)]
    assert [{"open": 0, "closed": 1}, {"open": 0, "closed": 3}] == counted


@pytest.mark.claim("premise-30")
def test_the_count_stops_at_1000_nearest_first_and_only_then_says_at_least(
    owner: Caller, database: str, tmp_path: Path
) -> None:
    def rests_on_first() -> dict[str, Any]:
        counted: dict[str, Any] = owner.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"]
        return counted

    load(database, tmp_path / "many.jsonl", PREMISE, *resting(999, "P"))
    owner.ratified("Far", grounded_in=["D2"])
    assert {"open": 999, "closed": 1} == rests_on_first()
    owner.call("propose_decision", title="One more near", body="b", grounded_in=["D1"])
    assert {"open": 1_000, "closed": 0, "at_least": True} == rests_on_first()
    assert {"open": 1, "closed": 1} == owner.call("get_rest_counts", type="Decision", id="D1001")["this_rests_on"]


@pytest.mark.claim("premise-31")
def test_stored_counts_are_read_for_up_to_200_items(example: Caller) -> None:
    one = {"type": "Decision", "id": "D1"}
    assert 200 == len(example.call("list_rest_counts", items=[one] * 200)["counts"])
    example.refused("validation_failed", "list_rest_counts", items=[one] * 201)


@pytest.mark.claim("premise-32")
def test_the_sweep_is_switched_on_by_a_setting_and_runs_hourly_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENABLE_STRUCTURAL_SWEEP", "STRUCTURAL_SWEEP_SCHEDULE"):
        monkeypatch.delenv(name, raising=False)
    assert (False, "0 * * * *") == (Settings().enable_structural_sweep, Settings().structural_sweep_schedule)
    monkeypatch.setenv("ENABLE_STRUCTURAL_SWEEP", "1")
    monkeypatch.setenv("STRUCTURAL_SWEEP_SCHEDULE", "30 4 * * 1")
    assert (True, "30 4 * * 1") == (Settings().enable_structural_sweep, Settings().structural_sweep_schedule)


@pytest.mark.claim("premise-33", "premise-34")
def test_a_stored_count_carries_its_sweeps_time_and_without_a_sweep_there_are_zeros(example: Caller) -> None:
    def stored(address: str) -> dict[str, Any]:
        entry: dict[str, Any] = example.call("list_rest_counts", items=[{"type": "Decision", "id": address}])["counts"][
            0
        ]
        return entry

    before = stored("D1")
    assert (NONE, NONE, False) == (before["rests_on_this"], before["this_rests_on"], "counted_at" in before)
    run = example.call("run_sweep")
    after = stored("D1")
    assert {"open": 0, "closed": 4} == after["rests_on_this"]
    assert run["started_at"] <= after["counted_at"] <= run["finished_at"]
    later = example.ratified("After the sweep", grounded_in=["D1"])
    assert {"open": 0, "closed": 4} == stored("D1")["rests_on_this"]
    assert (NONE, False) == (stored(later)["this_rests_on"], "counted_at" in stored(later))


@pytest.mark.claim("premise-35")
def test_a_stored_count_is_a_sum_over_readable_places_and_never_above_the_live_one(
    owner: Caller, caller: MakeCaller
) -> None:
    for name in ("One", "Two"):
        owner.call("create_domain", name=name)
    owner.ratified("Premise", place="DOM1")
    owner.ratified("Near", place="DOM1", grounded_in=["D1"])
    owner.ratified("Elsewhere", place="DOM2", grounded_in=["D1"])
    owner.ratified("Back again, through the other place", place="DOM1", grounded_in=["D3"])
    owner.call("run_sweep")
    readers = (owner, caller("Reader of one", rights={"DOM1": ["read"]}))
    item = {"type": "Decision", "id": "D1"}
    stored = [who.call("list_rest_counts", items=[item])["counts"][0]["rests_on_this"]["closed"] for who in readers]
    live = [who.call("get_rest_counts", **item)["rests_on_this"]["closed"] for who in readers]
    assert ([2, 1], [3, 1]) == (stored, live)


@pytest.mark.claim("premise-36", "premise-37")
def test_the_trace_of_the_example_goes_ring_by_ring(superseded: Caller) -> None:
    traced = chain(superseded)
    assert [(1, "D2"), (1, "D5"), (2, "D3")] == [(item["depth"], item["address"]) for item in traced["items"]]
    assert ([2, 1, 0], False) == (traced["ring_sizes"], "cut" in traced)


@pytest.mark.claim("premise-38")
def test_depth_is_1_to_10_and_1_when_left_out(example: Caller) -> None:
    assert 1 == len(example.call("get_reachability", type_name="Decision", id="D1")["ring_sizes"])
    assert 10 == len(chain(example, depth=10)["ring_sizes"])
    for depth in (0, 11):
        example.refused("validation_failed", "get_reachability", type_name="Decision", id="D1", depth=depth)


@pytest.mark.claim("premise-39")
def test_direction_is_incoming_outgoing_or_both_and_both_when_left_out(example: Caller) -> None:
    def reached(**arguments: Any) -> list[str]:
        traced = example.call("get_reachability", type_name="Decision", id="D2", kind="grounded_in", **arguments)
        return [item["address"] for item in traced["items"]]

    assert (["D3"], ["D1"]) == (reached(direction="incoming"), reached(direction="outgoing"))
    assert ["D1", "D3"] == reached() == reached(direction="both")
    example.refused("validation_failed", "get_reachability", type_name="Decision", id="D2", direction="up")


@pytest.mark.claim("premise-40")
def test_without_a_kind_places_and_signals_are_reached_too(owner: Caller) -> None:
    owner.call("create_domain", name="Finance")
    owner.ratified("Premise", place="DOM1")
    owner.ratified("Flagged", place="DOM1", grounded_in=["D1"])
    owner.call("retire_decision", decision="D1", reason="gone")
    reached = owner.call("get_reachability", type_name="Decision", id="D2")["items"]
    assert ["D1", "DOM1", "SIG1"] == [item["address"] for item in reached]


@pytest.mark.claim("premise-41", "premise-44")
def test_the_walk_and_its_pages_have_the_documented_sizes(owner: Caller, database: str, tmp_path: Path) -> None:
    load(database, tmp_path / "many.jsonl", PREMISE, *resting(501, "P"))
    plain = owner.call("get_reachability", type_name="Decision", id="D1")
    assert (500, 100, 100) == (plain["total"], plain["count"], plain["limit"])
    assert {"depth": 1, "dropped": 1} == plain["cut"]
    assert 500 == chain(owner, limit=500)["count"]
    wide = chain(owner, max_items=2_000)
    assert (501, False) == (wide["total"], "cut" in wide)
    for beyond in ({"max_items": 2_001}, {"max_items": 0}, {"limit": 501}, {"limit": 0}):
        owner.refused("validation_failed", "get_reachability", type_name="Decision", id="D1", **beyond)


@pytest.mark.claim("premise-42", "premise-43")
def test_a_cut_says_where_and_how_much_and_deeper_rings_are_absent(example: Caller) -> None:
    for title in ("Sixth", "Seventh"):
        example.ratified(title, grounded_in=["D1"])
    traced = chain(example, max_items=2)
    assert ({"depth": 1, "dropped": 2}, [2]) == (traced["cut"], traced["ring_sizes"])
    assert ["D2", "D5"] == [item["address"] for item in traced["items"]]
    assert ({"depth": 2, "dropped": 1}, [4, 0]) == (lambda at: (at["cut"], at["ring_sizes"]))(
        chain(example, max_items=4)
    )
    assert [4, 1, 0] == chain(example, max_items=5)["ring_sizes"]
    assert "cut" not in chain(example, max_items=5)


@pytest.mark.claim("premise-45")
def test_the_pages_that_it_refers_to_are_there() -> None:
    titles = [
        (DOCS / page).read_text(encoding="utf-8").splitlines()[0]
        for page in ("see-what-rests.md", "content-relations.md")
    ]
    assert ["# See what rests on a Decision before you replace it", "# Content relations"] == titles
