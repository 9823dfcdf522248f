"""What was acknowledged stays, whatever happens to the process or the disk; what was refused leaves no trace."""

from __future__ import annotations

import json
import random
from datetime import timedelta

import pytest
from sqlalchemy import Engine, event, exc
from structlog.typing import EventDict

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.operations import writer
from tests.operations.clock import Clock
from tests.operations.order import in_order
from tests.operations.tables import Row, Tables


@pytest.mark.parametrize("seed", range(3))
def test_a_process_killed_amid_its_writes_has_lost_nothing_that_it_acknowledged(
    database: str, fresh: Fresh, tables: Tables, seed: int
) -> None:
    chance = random.Random(seed)
    acknowledged: list[Row] = []
    for life in range(2):
        running = writer.start(database, fresh.token, 10_000, seed * 10 + life)
        assert running.stdout is not None
        acknowledged += [json.loads(running.stdout.readline()) for _ in range(chance.randint(5, 40))]
        running.kill()
        acknowledged += [json.loads(line) for line in running.stdout if line.endswith("\n")]
        running.stdout.close()
        assert -9 == running.wait()

    owner = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
    proposed = [each["address"] for each in acknowledged if each["tool"] == "propose_decision"]
    assert len(proposed) == len(set(proposed))
    last = {each["address"]: each for each in acknowledged if "address" in each}
    for address, told in last.items():
        found = owner.call("get_decision", id=address)
        assert told["rev"] <= found["rev"]
        assert told["rev"] < found["rev"] or told["state"] == found["state"]
    in_order(owner, tables)


def test_the_history_never_goes_back_when_the_clock_does(timed: Caller, clock: Clock, tables: Tables) -> None:
    for back in (0, 3600, 1, 86_400):
        clock.now -= timedelta(seconds=back)
        made = timed.call("propose_decision", title="T", body="B")
        timed.call("ratify_decision", decision=made["address"])
        timed.call("retire_decision", decision=made["address"], reason="R")
    instants = [entry["at"] for entry in tables.entries()]
    assert sorted(instants) == instants
    assert 1 == len({entry["at"] for entry in tables.entries() if entry["subject_type"] == "Decision"})
    in_order(timed, tables)


def test_a_call_that_fails_inside_leaves_no_trace_and_says_where_the_log_has_it(
    owner: Caller, tables: Tables, logged: list[EventDict], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("smeldr.store.history.History.append", fault)
    with tables.unchanged():
        refusal = owner.refused("internal", "propose_decision", title="T", body="B")
    assert "secret" not in refusal.message
    failed, last = logged
    assert ("fault", "call", "internal") == (failed["event"], last["event"], last["outcome"])
    assert failed["call"] == last["call"]
    assert refusal.message.endswith(f"the log has it as {last['call']}")


def test_a_commit_that_fails_says_that_nobody_knows(owner: Caller, tables: Tables, logged: list[EventDict]) -> None:
    def fault(_: object) -> None:
        raise exc.OperationalError("COMMIT", {}, Exception("gone"))

    engine: Engine = owner.register.store._engine.engine  # type: ignore[attr-defined]
    event.listen(engine, "commit", fault)
    with tables.unchanged():
        refusal = owner.refused("internal", "propose_decision", title="T", body="B", request_key="k")
    assert "request_key" in refusal.message
    assert refusal.message.endswith(f"the log has it as {logged[-1]['call']}")
    event.remove(engine, "commit", fault)
    assert "D1" == owner.call("propose_decision", title="T", body="B", request_key="k")["address"]
    assert "D1" == owner.call("propose_decision", title="T", body="B", request_key="k")["address"]


def test_a_register_opened_anew_knows_all_that_was_acknowledged(owner: Caller, database: str, tables: Tables) -> None:
    address = owner.ratified("T")
    again = Register(open_register(Settings(database=database)).store, Policy())
    assert "ratified" == Caller(again, owner.token, owner.id).call("get_decision", id=address)["state"]
    in_order(owner, tables)
