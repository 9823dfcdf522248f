"""The life of a Decision and of an Amendment, as the tools play it: right, state, rev, then the change."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.operations.tables import Tables

REASON: Final = {"reason": "R"}
MOVES: Final[dict[str, dict[str, Any]]] = {
    "ratify_decision": {},
    "supersede_decision": {"by": "D2"},
    "retire_decision": REASON,
    "reinstate_decision": REASON,
    "archive_decision": REASON,
}
ALLOWED: Final = {
    "proposed": ["ratify_decision", "archive_decision"],
    "ratified": ["supersede_decision", "retire_decision"],
    "superseded": ["reinstate_decision", "archive_decision"],
    "retired": ["reinstate_decision", "archive_decision"],
    "archived": [],
}
TARGETS: Final = {
    "ratify_decision": "ratified",
    "supersede_decision": "superseded",
    "retire_decision": "retired",
    "reinstate_decision": "ratified",
    "archive_decision": "archived",
}
WAYS: Final = {
    "proposed": (),
    "ratified": ("ratify_decision",),
    "superseded": ("ratify_decision", "supersede_decision"),
    "retired": ("ratify_decision", "retire_decision"),
    "archived": ("archive_decision",),
}
"""How D1 gets into each state."""


def brought(owner: Caller, state: str) -> None:
    """D1 in this state, and D2 proposed."""
    for title in ("One", "Two"):
        owner.call("propose_decision", title=title, body="B")
    for move in WAYS[state]:
        owner.call(move, decision="D1", **MOVES[move])


@pytest.mark.parametrize("state", ALLOWED)
@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_made_from_its_states_and_a_conflict_from_every_other(
    owner: Caller, tables: Tables, state: str, move: str
) -> None:
    brought(owner, state)
    before = owner.call("get_decision", id="D1")
    if move in ALLOWED[state]:
        reply = owner.call(move, decision="d1", **MOVES[move])
        assert {
            "type": "Decision",
            "id": before["id"],
            "address": "D1",
            "state": TARGETS[move],
            "rev": before["rev"] + 1,
        } == reply
        owner.refused("conflict", move, decision="D1", **MOVES[move])
    else:
        with tables.unchanged():
            refusal = owner.refused("conflict", move, decision="D1", **MOVES[move])
        assert (state, before["moves"]) == (refusal.state, refusal.allowed)


@pytest.mark.parametrize("state", ALLOWED)
def test_a_decision_tells_the_moves_that_its_reader_may_make(owner: Caller, caller: MakeCaller, state: str) -> None:
    brought(owner, state)
    rewriting = ["update_decision"] if state == "proposed" else []
    by_rights = {
        ("read",): [],
        ("author",): [*rewriting, *(["archive_decision"] if state == "proposed" else [])],
        ("read", "ratify"): ALLOWED[state],
        ("author", "ratify"): [*rewriting, *ALLOWED[state]],
    }
    for rights, moves in by_rights.items():
        reader = caller("Somebody", rights={"ROOT": rights})
        assert moves == reader.call("get_decision", id="D1")["moves"]


@pytest.mark.parametrize("move", [move for move in MOVES if move != "supersede_decision"])
def test_a_stale_rev_is_refused_with_the_current_one(owner: Caller, tables: Tables, move: str) -> None:
    brought(owner, next(state for state, moves in ALLOWED.items() if move in moves))
    rev = owner.call("get_decision", id="D1")["rev"]
    with tables.unchanged():
        assert rev == owner.refused("rev_conflict", move, decision="D1", rev=rev + 1, **MOVES[move]).rev
    owner.call(move, decision="D1", rev=rev, **MOVES[move])


@pytest.mark.parametrize("move", MOVES)
def test_a_move_takes_its_right_over_the_place(owner: Caller, caller: MakeCaller, tables: Tables, move: str) -> None:
    state = next(state for state, moves in ALLOWED.items() if move in moves)
    brought(owner, state)
    reader = caller("Reader", rights={"ROOT": ["read"]})
    author = caller("Author", rights={"ROOT": ["author"]})
    agent = caller("Agent", "agent", rights={"ROOT": ["author"]})
    with tables.unchanged():
        reader.refused("forbidden", move, decision="D1", **MOVES[move])
        if move != "archive_decision":
            author.refused("forbidden", move, decision="D1", **MOVES[move])
            agent.refused("forbidden", move, decision="D1", **MOVES[move])
    ratifier = caller("Ratifier", rights={"ROOT": ["ratify"]})
    assert "body" not in ratifier.call(move, decision="D1", **MOVES[move])
    ratifier.refused("forbidden", "get_decision", id="D1")


def test_an_author_archives_what_is_proposed_and_nothing_else(owner: Caller, caller: MakeCaller) -> None:
    brought(owner, "retired")
    author = caller("Author", rights={"ROOT": ["author"]})
    author.refused("forbidden", "archive_decision", decision="D1", reason="R")
    assert "archived" == author.call("archive_decision", decision="D2", reason="R")["state"]


def test_a_text_is_rewritten_while_it_is_proposed_and_locked_afterwards(owner: Caller, tables: Tables) -> None:
    brought(owner, "proposed")
    assert 2 == owner.call("update_decision", decision="D1", rev=1, body="Another\r\n")["rev"]
    again = owner.call("update_decision", decision="D1", rev=2, title="One", body="Another\r\n")
    assert (2, "Another\r\n") == (again["rev"], again["body"])
    owner.call("ratify_decision", decision="D1", rev=2)
    with tables.unchanged():
        owner.refused("conflict", "update_decision", decision="D1", rev=3, title="Late")


def test_a_successor_that_is_proposed_is_ratified_in_the_same_act(owner: Caller) -> None:
    brought(owner, "ratified")
    owner.call("supersede_decision", decision="D1", by="D2", by_rev=1)
    assert "ratified" == owner.call("get_decision", id="D2")["state"]
    (relation,) = owner.call("list_relations", kind="supersedes")["relations"]
    assert ("D2", "D1", "live") == (relation["source"], relation["target"], relation["state"])


def test_several_replace_one_and_one_replaces_several(owner: Caller) -> None:
    brought(owner, "ratified")
    three = owner.ratified("Three")
    owner.call("supersede_decision", decision="D1", by=["D2", three], by_rev=[1, None])
    owner.call("supersede_decision", decision=three, by="D2")
    drawn = {
        f"{each['source']}>{each['target']}" for each in owner.call("list_relations", kind="supersedes")["relations"]
    }
    assert {"D2>D1", "D3>D1", "D2>D3"} == drawn


@pytest.mark.parametrize(
    "code, arguments",
    [
        ("validation_failed", {"by": "D1"}),
        ("validation_failed", {"by": ["D2", "D1"]}),
        ("validation_failed", {"by": ["D2", "d2"]}),
        ("validation_failed", {"by": []}),
        ("validation_failed", {"by": ["D2"] * 51}),
        ("validation_failed", {"by": "D2", "by_rev": [1, 1]}),
        ("validation_failed", {"by": "A1"}),
        ("not_found", {"by": "D9"}),
        ("not_found", {"by": ["D2", "D9"]}),
        ("conflict", {"by": "D3"}),
        ("rev_conflict", {"by": "D2", "by_rev": 7}),
        ("rev_conflict", {"by": "D2", "rev": 7}),
        ("rev_conflict", {"by": ["D2"], "by_rev": [7]}),
    ],
)
def test_what_cannot_take_anothers_place_is_refused_and_changes_nothing(
    owner: Caller, tables: Tables, code: str, arguments: dict[str, Any]
) -> None:
    brought(owner, "ratified")
    owner.call("propose_decision", title="Three", body="B")
    owner.call("archive_decision", decision="D3", reason="R")
    with tables.unchanged():
        owner.refused(code, "supersede_decision", decision="D1", **arguments)


def test_a_state_that_no_successor_may_have_is_told_as_the_successors(owner: Caller) -> None:
    brought(owner, "ratified")
    owner.call("archive_decision", decision="D2", reason="R")
    refusal = owner.refused("conflict", "supersede_decision", decision="D1", by="D2")
    assert ("archived", []) == (refusal.state, refusal.allowed)
    assert "D2" in refusal.message


def test_a_proposed_successor_elsewhere_takes_ratify_there_too(
    owner: Caller, caller: MakeCaller, tables: Tables
) -> None:
    owner.call("create_domain", name="One")
    owner.call("create_domain", name="Two")
    owner.ratified("Old", place="DOM1")
    owner.call("propose_decision", title="New", body="B", place="DOM2")
    ratifier = caller("Ratifier", rights={"DOM1": ["ratify"], "DOM2": ["read"]})
    with tables.unchanged():
        ratifier.refused("forbidden", "supersede_decision", decision="D1", by="D2")
    owner.call("ratify_decision", decision="D2")
    assert "superseded" == ratifier.call("supersede_decision", decision="D1", by="D2")["state"]


def test_reinstating_ends_what_had_superseded_it(owner: Caller) -> None:
    brought(owner, "superseded")
    owner.call("reinstate_decision", decision="D1", reason="Too early")
    (relation,) = owner.call("list_relations", kind="supersedes", include_ended=True)["relations"]
    assert ("ended", "reinstated", "Too early") == (relation["state"], relation["cause"], relation["reason"])
    assert "ratified" == owner.call("get_decision", id="D2")["state"]


def test_an_amendment_lives_beside_its_decision(owner: Caller, tables: Tables) -> None:
    owner.call("create_domain", name="One")
    owner.ratified("Old", place="DOM1")
    made = owner.call("propose_amendment", amends="D1", title="T", body="B")
    assert ("A1", "D1", "DOM1", "proposed") == (made["address"], made["amends"], made["place"], made["state"])
    assert "ratified" == owner.call("ratify_amendment", amendment="A1", rev=1)["state"]
    with tables.unchanged():
        owner.refused("conflict", "ratify_amendment", amendment="A1")
        owner.refused("conflict", "update_amendment", amendment="A1", rev=2, title="Late")
    assert "archived" == owner.call("archive_amendment", amendment="A1", reason="R")["state"]
    owner.refused("conflict", "archive_amendment", amendment="A1", reason="R")


@pytest.mark.parametrize("state", ["superseded", "retired", "archived"])
def test_what_has_left_force_takes_no_amendment(owner: Caller, tables: Tables, state: str) -> None:
    brought(owner, state)
    with tables.unchanged():
        owner.refused("conflict", "propose_amendment", amends="D1", title="T", body="B")


def test_the_relation_of_an_amendment_is_not_withdrawn_by_hand(owner: Caller, tables: Tables) -> None:
    brought(owner, "ratified")
    owner.call("propose_amendment", amends="D1", title="T", body="B")
    (relation,) = owner.call("list_relations", kind="amends")["relations"]
    with tables.unchanged():
        owner.refused("conflict", "withdraw_relation", id=relation["id"], rev=1, reason="R")
