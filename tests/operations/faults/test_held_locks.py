"""Locks of PostgreSQL that somebody holds for too long: the holder loses them, or who waits is told `busy`."""

from __future__ import annotations

import psycopg
import pytest

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.contract import Interrupted
from smeldr.store.store import Store
from tests.callers import Caller
from tests.databases import ON_A_SERVER
from tests.operations.order import in_order
from tests.operations.tables import Tables

pytestmark = ON_A_SERVER

PROPOSAL = {"title": "T", "body": "B"}


def test_a_write_that_is_silent_for_too_long_is_undone_and_the_others_go_on(
    owner: Caller, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_fall_silent() -> None:
        with owner.register.store.write() as unit:
            unit.items.next_keys("Decision")
            assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]  # it gets the lock all the same
            unit.items.next_keys("Decision")

    monkeypatch.setattr("smeldr.store.postgresql.SILENT_SECONDS", 0.5)
    with pytest.raises(Interrupted):
        write_and_fall_silent()
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)


@pytest.mark.parametrize("tool,arguments", [("list_decisions", {}), ("propose_decision", PROPOSAL)])
def test_a_call_that_finds_a_table_locked_is_busy_in_time_and_goes_on_when_it_is_free(
    owner: Caller, database: str, tables: Tables, tool: str, arguments: dict[str, str]
) -> None:
    hurried = Caller(Register(Store(database, 0.05), Policy()), owner.token, owner.id)
    before = tables.dump()
    with psycopg.connect(database) as migrating:
        migrating.execute("LOCK TABLE texts IN ACCESS EXCLUSIVE MODE")
        hurried.refused("busy", tool, **arguments)
    assert before == tables.dump()
    hurried.call(tool, **arguments)
