"""The sweep stores its counts all at once, repairs what is amiss, and puts on record what it did or why it failed."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import create_engine, text

from tests.callers import Caller
from tests.operations.chain import broken
from tests.operations.tables import Tables


@pytest.fixture(autouse=True)
def _decisions(owner: Caller) -> None:
    """D2 rests on D1; D3 contradicts D1."""
    owner.ratified("First")
    owner.ratified("Second", grounded_in=["D1"])
    owner.ratified("Third")
    ends = {"source_type": "Decision", "target_type": "Decision", "relation_kind": "contradicts"}
    owner.call("assert_relation", **ends, source_id="D3", target_id="D1")


def stored(owner: Caller, address: str = "D1") -> dict[str, Any]:
    found: dict[str, Any] = owner.call("list_rest_counts", items=[{"type": "Decision", "id": address}])["counts"][0]
    return found


def changed(database: str, statement: str) -> None:
    """Change the tables behind the register's back."""
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


def test_a_clean_run_is_a_record_too(owner: Caller) -> None:
    owner.refused("not_found", "get_sweep_run")
    run = owner.call("run_sweep")
    assert run == owner.call("get_sweep_run")
    assert (3, 1, 3, 0, 0) == tuple(run[name] for name in ("items", "relations", "counted", "opened", "closed"))
    assert run["started_at"] <= run["finished_at"]
    assert "error" not in run


def test_an_item_made_since_has_zeros_and_no_time(owner: Caller) -> None:
    owner.call("run_sweep")
    owner.ratified("Late", grounded_in=["D1"])
    assert "counted_at" in stored(owner)
    assert {"open": 0, "closed": 1} == stored(owner)["rests_on_this"]
    assert "counted_at" not in stored(owner, "D4")
    assert {"open": 0, "closed": 0} == stored(owner, "D4")["this_rests_on"]


def test_it_closes_and_opens_what_differs_from_the_rules_and_says_how_many(
    owner: Caller, database: str, tables: Tables
) -> None:
    changed(database, "UPDATE items SET state = 'retired', state_changes = 2 WHERE key = 3000000000001")
    run = owner.call("run_sweep")
    assert (1, 2) == (run["opened"], run["closed"])
    assert ["D2 rests on a Decision that is not in force"] == owner.messages()
    assert (0, 0) == tuple(owner.call("run_sweep")[name] for name in ("opened", "closed"))
    repaired = tables.entries()[-3:]
    assert {"system"} == {each["actor"] for each in repaired}
    assert [] == broken(tables)


def test_a_run_that_fails_leaves_the_former_counts_whole_and_a_record_of_its_failure(
    owner: Caller, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.call("run_sweep")
    before = tables.rows("rest_counts")
    owner.ratified("Late", grounded_in=["D1"])

    def fault(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    with monkeypatch.context() as patched:
        patched.setattr("smeldr.operations.counting.by_place", fault)
        assert "secret" not in owner.refused("internal", "run_sweep").message
    assert before == tables.rows("rest_counts")
    failed = owner.call("get_sweep_run")
    assert "RuntimeError" in failed["error"]
    assert {"open": 0, "closed": 1} == stored(owner)["rests_on_this"]
    assert "error" not in owner.call("run_sweep")
    assert {"open": 0, "closed": 2} == stored(owner)["rests_on_this"]


def test_a_repair_that_fails_is_a_failure_on_record_and_the_counts_stay(
    owner: Caller, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("broken")

    with monkeypatch.context() as patched:
        patched.setattr("smeldr.operations.conditions.amiss", fault)
        owner.refused("internal", "run_sweep")
    assert "error" in owner.call("get_sweep_run")
    assert {"open": 0, "closed": 1} == stored(owner)["rests_on_this"]
    assert 1 == len(tables.rows("sweep_runs"))


def test_the_schedule_sweeps_as_the_system(owner: Caller) -> None:
    assert 3 == owner.register.sweep()["counted"]
    assert "counted_at" in stored(owner)
