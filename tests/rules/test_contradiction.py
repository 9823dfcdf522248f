"""Two Decisions that contradict each other carry a condition each until someone settles it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smeldr.model.kinds import KINDS, KindName
from smeldr.model.states import STATES
from smeldr.rules.contradiction import holds, message, why_closed
from tests.graphs import Judged, end, ended, judged, key, live

STANDING = ("proposed", "ratified")
GONE = ("superseded", "retired", "archived")


def pair(one: str = "ratified", other: str = "ratified") -> Judged:
    return judged("D3 -contradicts-> D4", {"D3": one, "D4": other})[0]


def resolutions(contradiction: Judged) -> tuple[str, str]:
    """What the condition about D3 says when it closes, and what the one about D4 says."""
    relation, one, other = contradiction
    return why_closed(relation, "D3", one, other), why_closed(relation, "D4", other, one)


@pytest.mark.parametrize("one", STATES)
@pytest.mark.parametrize("other", STATES)
def test_both_conditions_stand_while_each_side_is_proposed_or_ratified(one: str, other: str) -> None:
    assert (one in STANDING and other in STANDING) == holds(*pair(one, other))


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.name != "contradicts"])
def test_no_other_kind_opens_them(kind: KindName) -> None:
    assert not holds(live(kind, key("D3"), key("D4")), end(key("D3")), end(key("D4")))


def test_an_ended_contradiction_holds_no_longer() -> None:
    relation, one, other = pair()
    assert not holds(ended(relation, "withdrawn"), one, other)


def test_a_message_names_its_own_decision_and_never_the_other() -> None:
    assert ("D3 contradicts a Decision", "D4 contradicts a Decision") == (message("D3"), message("D4"))


def test_a_withdrawal_is_told_to_both_sides_alike() -> None:
    relation, one, other = pair()
    told = "the contradicts relation ended (withdrawn)"
    assert (told, told) == resolutions(Judged(ended(relation, "withdrawn"), one, other))


@pytest.mark.parametrize("state", ["superseded", "retired"])
def test_a_ratified_side_that_leaves_is_told_with_its_state_and_the_other_side_without_a_name(state: str) -> None:
    assert (
        f"D3 is no longer ratified ({state})",
        "the contradicting Decision is no longer ratified",
    ) == resolutions(pair(state))


def test_a_side_that_was_still_proposed_is_told_as_such() -> None:
    relation, one, other = pair(other="archived")
    never = replace(other, ever_ratified=False)
    assert (
        "the contradicting Decision is no longer proposed",
        "D4 is no longer proposed (archived)",
    ) == resolutions(Judged(relation, one, never))


def test_a_side_that_was_ratified_once_is_not_told_as_proposed_when_it_is_archived() -> None:
    assert resolutions(pair(other="archived"))[1] == "D4 is no longer ratified (archived)"


def test_when_both_sides_have_left_each_condition_speaks_of_its_own() -> None:
    assert ("D3 is no longer ratified (retired)", "D4 is no longer ratified (superseded)") == resolutions(
        pair("retired", "superseded")
    )


def test_no_resolution_names_the_other_side() -> None:
    told = [resolutions(pair(one, other)) for one in STATES for other in STATES if one in GONE or other in GONE]
    assert not any("D4" in own or "D3" in other for own, other in told)
