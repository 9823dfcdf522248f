"""The page about two Decisions that contradict each other, claim by claim (claims.toml), through the tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.callers import Caller
from tests.conftest import Fresh, MakeCaller
from tests.databases import ON_FILES
from tests.docs.blocks import DOCS, Block
from tests.docs.reader import Reader
from tests.starts import billing

D3_SAYS, D4_SAYS = "D3 contradicts a Decision", "D4 contradicts a Decision"


@pytest.fixture
def example(owner: Caller) -> Caller:
    """The owner of a register with D3 and D4 in ARE1 "Billing", and D5 in DOM2 "Legal"."""
    billing(owner.call)
    return owner


def contradicts(source: str, target: str) -> dict[str, str]:
    ends = {"source_type": "Decision", "source_id": source, "target_type": "Decision", "target_id": target}
    return {**ends, "relation_kind": "contradicts"}


def recorded(caller: Caller, source: str = "D3", target: str = "D4") -> dict[str, Any]:
    relation: dict[str, Any] = caller.call("assert_relation", **contradicts(source, target))["relation"]
    return relation


def resolutions(caller: Caller) -> dict[str, str]:
    """The resolution of every closed condition, by the Decision that it is about."""
    closed = caller.call("list_signals", state="closed")["signals"]
    return {signal["about"]: caller.call("get_signal", id=signal["address"])["resolution"] for signal in closed}


@pytest.mark.claim("contradiction-01")
def test_two_decisions_may_disagree_and_nothing_marks_it(example: Caller) -> None:
    assert [] == example.messages()
    assert 0 == example.call("list_relations", kind="contradicts")["total"]


@pytest.mark.claim("contradiction-02", "contradiction-09")
def test_recording_it_opens_a_condition_about_each_side(example: Caller) -> None:
    answer = example.call("assert_relation", **contradicts("D3", "D4"))
    assert (True, "contradicts") == (answer["created"], answer["relation"]["kind"])
    assert [D3_SAYS, D4_SAYS] == example.messages(type="conflict-detected")


@pytest.mark.claim("contradiction-03")
def test_the_other_way_round_it_is_the_same_relation(example: Caller) -> None:
    first = recorded(example)
    answer = example.call("assert_relation", **contradicts("D4", "D3"))
    assert (False, first) == (answer["created"], answer["relation"])
    assert 1 == example.call("list_relations", kind="contradicts")["total"]


@pytest.mark.claim("contradiction-04")
def test_it_joins_decisions_only(example: Caller) -> None:
    to_area = {**contradicts("D3", "ARE1"), "target_type": "Area"}
    from_area = {**contradicts("ARE1", "D3"), "source_type": "Area"}
    for ends in (to_area, from_area):
        example.refused("validation_failed", "assert_relation", **ends)


@pytest.mark.claim("contradiction-05")
def test_a_decision_does_not_contradict_itself_by_whatever_name(example: Caller) -> None:
    by_id = example.call("get_decision", id="D3")["id"]
    for other in ("D3", "d3", by_id):
        example.refused("validation_failed", "assert_relation", **contradicts("D3", other))


@pytest.mark.claim("contradiction-06")
def test_one_side_may_be_proposed_and_becoming_ratified_closes_nothing(example: Caller) -> None:
    draft = example.call("propose_decision", title="Drafts may change", body="b", place="ARE1")["address"]
    recorded(example, "D3", draft)
    both = [D3_SAYS, f"{draft} contradicts a Decision"]
    assert both == example.messages()
    example.call("ratify_decision", decision=draft)
    assert both == example.messages()


@pytest.mark.claim("contradiction-07")
@pytest.mark.parametrize("cls", ["person", "agent"])
def test_an_author_may_record_it(example: Caller, caller: MakeCaller, cls: str) -> None:
    author = caller("Author", cls, {"ARE1": ["author"]})
    assert author.call("assert_relation", **contradicts("D3", "D4"))["created"]


@pytest.mark.claim("contradiction-08")
def test_ratify_alone_or_read_alone_may_not_record_it(example: Caller, caller: MakeCaller) -> None:
    refused = (
        caller("Blind ratifier", rights={"ARE1": ["ratify"]}),
        caller("Judge", rights={"ARE1": ["read", "ratify"]}),
        caller("Reader", "agent", {"ARE1": ["read"]}),
    )
    for who in refused:
        who.refused("forbidden", "assert_relation", **contradicts("D3", "D4"))
    assert [] == example.messages()


@pytest.mark.claim("contradiction-10", "contradiction-11")
def test_across_two_domains_each_sides_readers_see_their_own(example: Caller, caller: MakeCaller) -> None:
    clerk = caller("Clerk", rights={"ARE1": ["read"]})
    lawyer = caller("Lawyer", rights={"DOM2": ["read"]})
    recorded(example, "D3", "D5")
    placed = {signal["about"]: signal["place"] for signal in example.call("list_signals")["signals"]}
    assert {"D3": "ARE1", "D5": "DOM2"} == placed
    assert [D3_SAYS] == clerk.messages()
    assert ["D5 contradicts a Decision"] == lawyer.messages()
    told = str([clerk.call("get_signal", id="SIG1"), clerk.call("list_relations"), clerk.call("get_decision", id="D3")])
    assert [] == [word for word in ("'D5'", "ten years", "DOM2") if word in told]


@pytest.mark.claim("contradiction-12")
def test_recording_it_again_adds_no_condition(example: Caller) -> None:
    for source, target in (("D3", "D4"), ("D3", "D4"), ("D4", "D3")):
        recorded(example, source, target)
    assert [D3_SAYS, D4_SAYS] == example.messages(state="all")


@pytest.mark.claim("contradiction-13", "contradiction-14")
def test_a_reading_agent_sees_both_and_can_do_nothing_about_them(example: Caller, caller: MakeCaller) -> None:
    agent = caller("Reader", "agent", {"ARE1": ["read"]})
    relation = recorded(example)
    signals = agent.call("list_signals", receiver="ratify")["signals"]
    assert [("ratify", D3_SAYS), ("ratify", D4_SAYS)] == [(each["receiver"], each["message"]) for each in signals]
    agent.refused("forbidden", "withdraw_relation", id=relation["id"], rev=1, reason="no")
    agent.refused("forbidden", "retire_decision", decision="D4", reason="no")
    agent.refused("forbidden", "supersede_decision", decision="D3", by="D4")


@pytest.mark.claim("contradiction-15")
def test_who_may_ratify_and_not_read_is_refused_the_list(example: Caller, caller: MakeCaller) -> None:
    recorded(example)
    blind = caller("Blind ratifier", rights={"ARE1": ["ratify"]})
    judge = caller("Judge", rights={"ARE1": ["read", "ratify"]})
    blind.refused("forbidden", "list_signals", receiver="ratify")
    assert [D3_SAYS, D4_SAYS] == judge.messages(receiver="ratify")


@pytest.mark.claim("contradiction-16")
def test_both_decisions_stay_ratified(example: Caller) -> None:
    recorded(example)
    assert ["ratified"] * 2 == [example.call("get_decision", id=each)["state"] for each in ("D3", "D4")]


@pytest.mark.claim("contradiction-17")
def test_meanwhile_either_side_can_be_ratified_replaced_and_retired(example: Caller) -> None:
    draft = example.call("propose_decision", title="A draft", body="b", place="ARE1")["address"]
    for other in ("D3", "D4"):
        recorded(example, draft, other)
    example.call("ratify_decision", decision=draft)
    example.call("supersede_decision", decision="D3", by="D1")
    example.call("retire_decision", decision="D4", reason="not needed")
    states = [example.call("get_decision", id=each)["state"] for each in (draft, "D3", "D4")]
    assert ["ratified", "superseded", "retired"] == states


@pytest.mark.claim("contradiction-19", "contradiction-21", "contradiction-22")
def test_an_author_withdraws_it_and_the_relation_stays_on_record(example: Caller, caller: MakeCaller) -> None:
    author = caller("Author", rights={"ARE1": ["author"]})
    relation = recorded(example)
    author.call("withdraw_relation", id=relation["id"], rev=relation["rev"], reason="they do not disagree")
    assert [] == author.messages()
    assert dict.fromkeys(("D3", "D4"), "the contradicts relation ended (withdrawn)") == resolutions(author)
    ended = author.call("list_relations", kind="contradicts", include_ended=True)["relations"][0]
    assert (relation["id"], "ended", "withdrawn", "they do not disagree", author.id) == tuple(
        ended[key] for key in ("id", "state", "cause", "reason", "ended_by")
    )


@ON_FILES
@pytest.mark.claim("contradiction-20")
def test_it_is_withdrawn_from_the_command_line_as_documented(fresh: Fresh, database: str, tmp_path: Path) -> None:
    def typed(line: str) -> None:
        reader.follow(Block(DOCS, 0, "sh", (), line))

    with Reader(tmp_path) as reader:
        reader.given(database, fresh.token)
        billing(lambda tool, **arguments: reader.call(tool, arguments))
        reader.call("assert_relation", contradicts("D3", "D4"))
        typed("./smeldr-cli relation list --kind contradicts --json")
        typed('./smeldr-cli relation withdraw <id> --rev <rev> --reason "D4 was reworded and no longer conflicts"')
        closed = [reader.call("get_signal", {"id": signal})["resolution"] for signal in ("SIG1", "SIG2")]
    assert ["the contradicts relation ended (withdrawn)"] * 2 == closed


@pytest.mark.claim("contradiction-23")
def test_when_one_side_is_replaced_each_condition_says_what_happened(example: Caller) -> None:
    recorded(example)
    example.call("supersede_decision", decision="D3", by="D2")
    assert [] == example.messages()
    assert {
        "D3": "D3 is no longer ratified (superseded)",
        "D4": "the contradicting Decision is no longer ratified",
    } == resolutions(example)


@pytest.mark.claim("contradiction-24")
def test_when_one_side_is_retired_each_condition_says_what_happened(example: Caller) -> None:
    recorded(example)
    example.call("retire_decision", decision="D4", reason="not needed")
    assert {
        "D3": "the contradicting Decision is no longer ratified",
        "D4": "D4 is no longer ratified (retired)",
    } == resolutions(example)


@pytest.mark.claim("contradiction-25")
def test_a_page_says_who_may_replace_and_retire_a_decision() -> None:
    text = (DOCS / "how-a-decision-moves.md").read_text(encoding="utf-8")
    assert "## Who may replace or retire a Decision" in text


@pytest.mark.claim("contradiction-26")
def test_a_lost_premise_opens_a_condition_by_itself_placed_with_its_decision(example: Caller) -> None:
    rests = example.ratified("Rests on rounding", place="DOM2", grounded_in=["D2"])
    example.call("retire_decision", decision="D2", reason="gone")
    signal = example.call("list_signals")["signals"][0]
    assert ("premise-flagged", rests, "DOM2") == (signal["type"], signal["about"], signal["place"])
    example.call("reinstate_decision", decision="D2", reason="back")
    assert [] == example.messages()
