"""Which move a state allows, and which moves somebody may make now."""

from __future__ import annotations

import pytest

from smeldr.model.rights import RIGHTS
from smeldr.model.states import AMENDMENT_MOVES, DECISION_MOVES, MOVES, STATES, in_force
from smeldr.rules import moves
from smeldr.rules.moves import allowed_from, moves_for, not_from, why_not

DECISION = {
    "proposed": ["update_decision", "ratify_decision", "archive_decision"],
    "ratified": ["supersede_decision", "retire_decision"],
    "superseded": ["reinstate_decision", "archive_decision"],
    "retired": ["reinstate_decision", "archive_decision"],
    "archived": [],
}
AMENDMENT = {
    "proposed": ["update_amendment", "ratify_amendment", "archive_amendment"],
    "ratified": ["archive_amendment"],
    "archived": [],
}


def test_up_to_50_decisions_may_replace_one_in_one_act() -> None:
    assert moves.MAX_SUCCESSORS == 50


@pytest.mark.parametrize("state", STATES)
def test_a_decision_moves_as_its_life_says(state: str) -> None:
    assert DECISION[state] == allowed_from("Decision", state)


@pytest.mark.parametrize("state", AMENDMENT)
def test_an_amendment_moves_as_its_life_says(state: str) -> None:
    assert AMENDMENT[state] == allowed_from("Amendment", state)


@pytest.mark.parametrize("item_type", ["Signal", "Domain", "Area"])
def test_nothing_else_has_moves(item_type: str) -> None:
    assert [] == [move for state in (*STATES, "open", "live") for move in allowed_from(item_type, state)]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", DECISION_MOVES)
def test_a_move_is_refused_from_every_state_but_its_own(name: str, state: str) -> None:
    refusal = why_not(MOVES[name], "Decision", "D1", state)
    if name in DECISION[state]:
        assert refusal is None
    else:
        assert refusal is not None
        assert ("conflict", state, DECISION[state]) == (refusal.code, refusal.state, refusal.allowed)


@pytest.mark.parametrize("state", AMENDMENT)
@pytest.mark.parametrize("name", AMENDMENT_MOVES)
def test_the_same_holds_for_amendments(name: str, state: str) -> None:
    refusal = why_not(MOVES[name], "Amendment", "A1", state)
    assert (name in AMENDMENT[state]) == (refusal is None)


def test_the_refusal_names_the_item_its_state_and_what_that_allows() -> None:
    refusal = not_from("Decision", "D7", "retired", "ratify_decision")
    assert (
        "D7 is retired: ratify_decision is not possible from there; possible: reinstate_decision, archive_decision"
        == refusal.message
    )


def test_the_refusal_of_what_is_archived_says_that_nothing_is_possible() -> None:
    refusal = not_from("Decision", "D7", "archived", "reinstate_decision")
    assert refusal.message.endswith("possible: nothing")
    assert [] == refusal.allowed


@pytest.mark.parametrize("name", [name for name, move in MOVES.items() if move.target not in move.sources])
def test_a_move_cannot_be_repeated(name: str) -> None:
    move = MOVES[name]
    item_type = "Decision" if name in DECISION_MOVES else "Amendment"
    assert why_not(move, item_type, "D1", move.target) is not None


def test_only_what_is_ratified_is_in_force() -> None:
    assert ["ratified"] == [state for state in STATES if in_force(state)]


def test_a_ratifier_may_make_every_move_but_rewriting() -> None:
    assert ["ratify_decision", "archive_decision"] == moves_for("Decision", "proposed", "ratify".__eq__)
    assert DECISION["ratified"] == moves_for("Decision", "ratified", "ratify".__eq__)
    assert DECISION["superseded"] == moves_for("Decision", "superseded", "ratify".__eq__)


def test_an_author_may_rewrite_and_archive_what_is_proposed_and_nothing_else() -> None:
    by_state = {state: moves_for("Decision", state, "author".__eq__) for state in STATES}
    assert ["update_decision", "archive_decision"] == by_state.pop("proposed")
    assert not any(by_state.values())


def test_an_author_may_archive_a_proposed_amendment_and_not_a_ratified_one() -> None:
    assert ["update_amendment", "archive_amendment"] == moves_for("Amendment", "proposed", "author".__eq__)
    assert [] == moves_for("Amendment", "ratified", "author".__eq__)


@pytest.mark.parametrize("right", ["read", "administer"])
def test_reading_and_administering_move_nothing(right: str) -> None:
    assert not any(moves_for(each, state, right.__eq__) for each in ("Decision", "Amendment") for state in STATES)


def test_with_every_right_the_moves_are_those_of_the_state() -> None:
    assert DECISION == {state: moves_for("Decision", state, RIGHTS.__contains__) for state in STATES}


def test_leaving_force_for_good_reinstating_and_archiving_take_a_reason() -> None:
    assert {"retire_decision", "reinstate_decision", "archive_decision", "archive_amendment"} == {
        name for name, move in MOVES.items() if move.reason_required
    }
