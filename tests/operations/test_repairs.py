"""What is amiss with the conditions is found without a lock, and put in order under it, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import create_engine, text

from smeldr.model.items import address_of
from smeldr.operations import conditions
from smeldr.operations.call import Call, Policy
from smeldr.operations.register import Register
from tests.callers import Caller
from tests.operations.order import in_order
from tests.operations.tables import Tables
from tests.operations.watched import Watched, When


@pytest.fixture(autouse=True)
def _decisions(owner: Caller) -> None:
    """D2 and D3 rest on D1; D3 contradicts D4."""
    owner.ratified("First")
    for title in ("Second", "Third"):
        owner.ratified(title, grounded_in=["D1"])
    owner.ratified("Fourth")
    ends = {"source_type": "Decision", "target_type": "Decision", "relation_kind": "contradicts"}
    owner.call("assert_relation", **ends, source_id="D3", target_id="D4")


@contextmanager
def behind_its_back(database: str) -> Iterator[None]:
    """Retire D1 and D4 without telling the register, and put that right in the end."""
    put(database, "retired")
    yield
    put(database, "ratified")


def put(database: str, state: str) -> None:
    engine = create_engine(database)
    with engine.begin() as connection:
        statement = text("UPDATE items SET state = :state WHERE key IN (3000000000001, 3000000000004)")
        connection.execute(statement, {"state": state})
    engine.dispose()


def amiss(register: Register) -> list[str]:
    """What is amiss, in words."""
    with register.store.read() as unit:
        call = register._local(unit, "system", None, unit.history.latest())  # type: ignore[arg-type]
        return [
            f"{each.condition} about {address_of(each.about)} with {address_of(each.other)} is {each.fault}"
            for each in conditions.amiss(call)
        ]


WRONG = [
    "premise-flagged about D2 with D1 is missing",
    "conflict-detected about D3 with D4 is left open",
    "premise-flagged about D3 with D1 is missing",
    "conflict-detected about D4 with D3 is left open",
]


def test_in_a_register_in_order_nothing_is_amiss(register: Register, owner: Caller) -> None:
    owner.call("retire_decision", decision="D1", reason="R")
    owner.call("confirm_premise", decision="D2", premise="D1", reason="R")
    assert [] == amiss(register)


def test_what_is_amiss_is_told_by_decision_and_nothing_is_changed_by_looking(
    register: Register, database: str, tables: Tables
) -> None:
    with behind_its_back(database), tables.unchanged():
        assert WRONG == amiss(register)
    assert [] == amiss(register)


def test_what_is_amiss_is_repaired_a_few_at_a_time_and_others_write_in_between(
    register: Register, owner: Caller, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smeldr.operations.sweep.REPAIRED_AT_ONCE", 1)
    written: list[str] = []

    def write(when: When) -> None:
        if when == "between":
            written.append(owner.call("propose_decision", title="Meanwhile", body="B")["address"])

    with behind_its_back(database):
        run = Register(Watched(register.store, write), Policy()).sweep()
        assert (2, 2) == (run["opened"], run["closed"])
        assert ["D5", "D6", "D7", "D8"] == written
        assert [] == amiss(register)


def test_what_was_put_in_order_since_the_snapshot_is_left_alone(
    register: Register, owner: Caller, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found_first(call: Call) -> list[conditions.Amiss]:
        found = look(call)
        owner.call("retire_decision", decision="D2", reason="R")
        owner.call("reinstate_decision", decision="D2", reason="R")
        return found

    look = conditions.amiss
    with behind_its_back(database):
        with monkeypatch.context() as patched:
            patched.setattr(conditions, "amiss", found_first)
            run = register.sweep()
        assert (1, 2) == (run["opened"], run["closed"])
        assert ["D2", "D3"] == sorted(each["about"] for each in owner.call("list_signals")["signals"])
        assert [] == amiss(register)


def test_in_a_register_in_order_no_condition_is_judged_under_the_lock(
    register: Register, owner: Caller, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*_: object) -> None:
        raise AssertionError("a condition was judged")

    watched = Watched(register.store, lambda _: None)
    look = conditions.amiss

    def looked(call: Call) -> list[conditions.Amiss]:
        assert not watched.writing
        return look(call)

    with monkeypatch.context() as patched:
        patched.setattr(conditions, "repair", judged)
        patched.setattr(conditions, "amiss", looked)
        assert "error" not in Register(watched, Policy()).sweep()
    in_order(owner, tables)
