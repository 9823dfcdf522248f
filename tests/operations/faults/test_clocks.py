"""Two servers of one register whose clocks differ: the history goes on, never back."""

from __future__ import annotations

from datetime import timedelta

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.operations.clock import Clock
from tests.operations.order import in_order
from tests.operations.tables import Tables


def test_a_server_whose_clock_is_behind_writes_at_the_time_of_the_one_that_is_ahead(
    owner: Caller, database: str, tables: Tables
) -> None:
    ahead, behind = Clock(), Clock()
    behind.now -= timedelta(hours=1)
    stores = [open_register(Settings(database=database)).store for _ in range(2)]
    one, other = (
        Caller(Register(store, Policy(), clock), owner.token, owner.id)
        for store, clock in zip(stores, (ahead, behind), strict=True)
    )
    one.call("propose_decision", title="T", body="B", request_key="k")
    other.call("ratify_decision", decision="D1")
    ahead.now -= timedelta(days=1)
    one.call("retire_decision", decision="D1", reason="R")
    behind.now += timedelta(hours=1, seconds=1)
    other.call("reinstate_decision", decision="D1", reason="R")

    instants = [entry["at"] for entry in tables.entries() if entry["subject_type"] == "Decision"]
    assert sorted(instants) == instants
    assert 2 == len(set(instants))
    assert "D1" == other.call("propose_decision", title="T", body="B", request_key="k")["address"]
    in_order(other, tables)
