"""A connection to PostgreSQL that breaks in the middle of a call: made again, or said that nobody knows."""

from __future__ import annotations

import pytest

from tests.callers import Caller
from tests.databases import ON_A_SERVER
from tests.operations.faults.cuts import (
    LAST,
    RIGHTS,
    cutting,
    cutting_at_the_commit,
    cutting_behind_the_commit,
    failing_with,
    terminate_all,
)
from tests.operations.order import in_order
from tests.operations.tables import Tables

pytestmark = ON_A_SERVER

PROPOSAL = {"title": "T", "body": "B", "request_key": "k"}
MADE_AGAIN = {
    "40001": "serialization failure",
    "40P01": "deadlock",
    "57P03": "starting up",
    "53300": "too many clients",
}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is made again for a moment only."""
    monkeypatch.setattr("smeldr.operations.again.SECONDS", 0.2)


def test_a_write_whose_connection_is_cut_before_its_commit_is_made_again_and_happens_once(
    owner: Caller, database: str, tables: Tables
) -> None:
    with cutting(owner, database, before=LAST) as met:
        assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    assert 2 == len(met)
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)


def test_a_read_whose_connection_is_cut_is_made_again(owner: Caller, database: str) -> None:
    owner.call("propose_decision", **PROPOSAL)
    with cutting(owner, database, before=RIGHTS) as met:
        assert "T" == owner.call("get_decision", id="D1")["title"]
    assert 2 == len(met)


def test_connections_that_were_cut_between_two_calls_are_not_noticed(
    owner: Caller, database: str, tables: Tables
) -> None:
    store = owner.register.store
    with store.read(), store.read(), store.read():
        owner.call("propose_decision", **PROPOSAL)
    terminate_all(database)
    assert 1 == owner.call("list_decisions")["total"]
    terminate_all(database)
    assert "ratified" == owner.call("ratify_decision", decision="D1")["state"]
    in_order(owner, tables)


@pytest.mark.parametrize("tool,arguments", [("propose_decision", PROPOSAL), ("list_decisions", {})])
@pytest.mark.usefixtures("impatient")
def test_a_call_that_is_cut_every_time_is_busy_at_last_and_nothing_was_written(
    owner: Caller, database: str, tables: Tables, tool: str, arguments: dict[str, str]
) -> None:
    with tables.unchanged(), cutting(owner, database, before=RIGHTS, times=1_000) as met:
        refusal = owner.refused("busy", tool, **arguments)
    assert refusal.message.endswith("nothing was written")
    assert 1 < len(met)


@pytest.mark.parametrize("state", MADE_AGAIN, ids=MADE_AGAIN.values())
def test_what_the_database_takes_back_is_made_again(owner: Caller, tables: Tables, state: str) -> None:
    with failing_with(owner, state, before=LAST, times=2) as met:
        assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    assert 3 == len(met)
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)


@pytest.mark.parametrize("state", MADE_AGAIN, ids=MADE_AGAIN.values())
@pytest.mark.usefixtures("impatient")
def test_what_the_database_takes_back_every_time_is_busy_at_last(owner: Caller, tables: Tables, state: str) -> None:
    with tables.unchanged(), failing_with(owner, state, before=LAST) as met:
        refusal = owner.refused("busy", "propose_decision", **PROPOSAL)
    assert refusal.message.endswith("nothing was written")
    assert 1 < len(met)


def test_a_statement_that_was_cancelled_is_busy_at_once(owner: Caller, tables: Tables) -> None:
    with tables.unchanged(), failing_with(owner, "57014", before=LAST) as met:
        owner.refused("busy", "propose_decision", **PROPOSAL)
    assert 1 == len(met)


@pytest.mark.parametrize("state", ["53100", "53200", "58030"], ids=["disk full", "out of memory", "disk fails"])
def test_what_whoever_runs_the_database_has_to_mend_is_said_and_not_tried_again(
    owner: Caller, tables: Tables, state: str
) -> None:
    with tables.unchanged(), failing_with(owner, state, before=LAST) as met:
        refusal = owner.refused("internal", "propose_decision", **PROPOSAL)
    assert refusal.message.startswith("the store fails: the d")
    assert "; nothing was written; the log has it as " in refusal.message
    assert 1 == len(met)


def test_a_commit_whose_answer_is_lost_is_not_known_and_not_made_again(
    owner: Caller, database: str, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cutting_behind_the_commit(owner, database, monkeypatch):
        refusal = owner.refused("internal", "propose_decision", **PROPOSAL)
    assert "is not known" in refusal.message
    assert "request_key" in refusal.message
    with tables.unchanged():
        assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)


def test_a_commit_that_never_arrived_is_not_known_either_and_the_same_call_again_makes_it(
    owner: Caller, database: str, tables: Tables
) -> None:
    with tables.unchanged(), cutting_at_the_commit(owner, database):
        refusal = owner.refused("internal", "propose_decision", **PROPOSAL)
    assert "is not known" in refusal.message
    assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)
