"""Many threads and processes write one register: nothing is lost, no address comes twice, one is always first."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.store import Store
from tests.callers import Caller, principal
from tests.databases import Databases
from tests.operations import writer
from tests.operations.chain import broken
from tests.operations.order import in_order
from tests.operations.tables import Tables

Step = tuple[str, dict[str, Any]]
Outcomes = list[str]


def at_once(*calls: Callable[[], object]) -> Outcomes:
    """Make calls from as many threads, started together; `done` or the code of the refusal for each, sorted."""
    ready = threading.Barrier(len(calls))
    outcomes: Outcomes = []

    def one(call: Callable[[], object]) -> None:
        ready.wait()
        try:
            call()
        except Refusal as refusal:
            outcomes.append(refusal.code)
        else:
            outcomes.append("done")

    threads = [threading.Thread(target=one, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(outcomes)


def test_many_threads_lose_no_write_and_get_no_address_twice(owner: Caller, tables: Tables) -> None:
    given: list[str] = []

    def write() -> None:
        given.extend(owner.call("propose_decision", title="T", body="B")["address"] for _ in range(8))

    assert ["done"] * 10 == at_once(*[write] * 10)
    listed = owner.call("list_decisions", limit=200)["decisions"]
    assert 80 == len(set(given))
    assert set(given) == {each["address"] for each in listed}
    in_order(owner, tables)


def test_two_processes_and_threads_of_a_third_lose_no_write_and_get_no_address_twice(
    owner: Caller, database: str, tables: Tables
) -> None:
    others = [writer.start(database, owner.token, 12, seed) for seed in (1, 2)]
    mine: list[str] = []

    def write() -> None:
        mine.extend(owner.call("propose_decision", title="T", body="B")["address"] for _ in range(10))

    assert ["done"] * 3 == at_once(*[write] * 3)
    told = [json.loads(line) for other in others for line in other.communicate()[0].splitlines()]
    assert [0, 0] == [other.returncode for other in others]
    assert not any("refused" in line for line in told)
    theirs = [line["address"] for line in told if line["tool"] == "propose_decision"]
    assert 30 + 24 == len({*mine, *theirs})
    assert {*mine, *theirs} == {each["address"] for each in owner.call("list_decisions", limit=200)["decisions"]}
    in_order(owner, tables)


@dataclass(frozen=True)
class Race:
    """What comes first, the two calls that race, and how they end, in either order."""

    before: tuple[Step, ...]
    one: Step
    other: Step
    outcomes: tuple[str, str]


PROPOSED: Step = ("propose_decision", {"title": "T", "body": "B"})
RATIFIED: tuple[Step, ...] = (PROPOSED, ("ratify_decision", {"decision": "D1"}))
TWO: tuple[Step, ...] = (*RATIFIED, PROPOSED, ("ratify_decision", {"decision": "D2"}), PROPOSED, PROPOSED)
GROUNDED: Step = ("propose_decision", {"title": "T", "body": "B", "grounded_in": ["D1"]})
FLAGGED: tuple[Step, ...] = (
    *RATIFIED,
    GROUNDED,
    ("ratify_decision", {"decision": "D2"}),
    ("retire_decision", {"decision": "D1", "reason": "R"}),
)
ENDS = {"source_type": "Decision", "target_type": "Decision", "relation_kind": "contradicts"}
RACES = {
    "a Decision is ratified once": Race(
        (PROPOSED,),
        ("ratify_decision", {"decision": "D1"}),
        ("ratify_decision", {"decision": "D1"}),
        ("conflict", "done"),
    ),
    "a Decision is superseded by one of two": Race(
        TWO,
        ("supersede_decision", {"decision": "D1", "by": "D3"}),
        ("supersede_decision", {"decision": "D1", "by": "D4"}),
        ("conflict", "done"),
    ),
    "two Decisions that would take each other's place do not both leave": Race(
        TWO,
        ("supersede_decision", {"decision": "D1", "by": "D2"}),
        ("supersede_decision", {"decision": "D2", "by": "D1"}),
        ("conflict", "done"),
    ),
    "a Decision is superseded or retired": Race(
        TWO,
        ("supersede_decision", {"decision": "D1", "by": "D3"}),
        ("retire_decision", {"decision": "D1", "reason": "R"}),
        ("conflict", "done"),
    ),
    "a flag is confirmed once": Race(
        FLAGGED,
        ("confirm_premise", {"condition": "SIG1", "reason": "One"}),
        ("confirm_premise", {"decision": "D2", "premise": "D1", "reason": "Other"}),
        ("conflict", "done"),
    ),
    "a text is rewritten by the one who read it": Race(
        (PROPOSED,),
        ("update_decision", {"decision": "D1", "rev": 1, "title": "One"}),
        ("update_decision", {"decision": "D1", "rev": 1, "title": "Other"}),
        ("done", "rev_conflict"),
    ),
    "a Decision goes to one of two states": Race(
        (PROPOSED,),
        ("ratify_decision", {"decision": "D1", "rev": 1}),
        ("archive_decision", {"decision": "D1", "rev": 1, "reason": "R"}),
        ("conflict", "done"),
    ),
    "a contradiction recorded from both sides is one": Race(
        TWO,
        ("assert_relation", {**ENDS, "source_id": "D1", "target_id": "D2"}),
        ("assert_relation", {**ENDS, "source_id": "D2", "target_id": "D1"}),
        ("done", "done"),
    ),
    "a contradiction is recorded while a side leaves": Race(
        TWO,
        ("assert_relation", {**ENDS, "source_id": "D1", "target_id": "D2"}),
        ("retire_decision", {"decision": "D2", "reason": "R"}),
        ("done", "done"),
    ),
    "a Decision is proposed while its premise leaves": Race(
        RATIFIED, GROUNDED, ("retire_decision", {"decision": "D1", "reason": "R"}), ("done", "done")
    ),
    "a place is retired or used": Race(
        (("create_domain", {"name": "N"}),),
        ("retire_place", {"place": "DOM1", "reason": "R"}),
        ("propose_decision", {"title": "T", "body": "B", "place": "DOM1"}),
        ("conflict", "done"),
    ),
}


@pytest.mark.parametrize("race", RACES.values(), ids=RACES)
def test_two_calls_at_once_end_as_if_one_came_after_the_other(owner: Caller, tables: Tables, race: Race) -> None:
    for tool, arguments in race.before:
        owner.call(tool, **arguments)
    calls = [lambda step=step: owner.call(step[0], **step[1]) for step in (race.one, race.other)]
    assert list(race.outcomes) == at_once(*calls)
    in_order(owner, tables)


def test_a_relation_is_withdrawn_once(owner: Caller, tables: Tables) -> None:
    for tool, arguments in TWO:
        owner.call(tool, **arguments)
    relation = owner.call("assert_relation", **ENDS, source_id="D1", target_id="D2")["relation"]
    with_rev = {"id": relation["id"], "rev": relation["rev"], "reason": "R"}
    assert ["conflict", "done"] == at_once(*[lambda: owner.call("withdraw_relation", **with_rev)] * 2)
    assert 2 == len(owner.messages(state="closed"))
    in_order(owner, tables)


def test_one_request_key_sent_twice_at_once_does_one_thing(owner: Caller, tables: Tables) -> None:
    replies: list[dict[str, Any]] = []

    def propose() -> None:
        replies.append(owner.call("propose_decision", title="T", body="B", request_key="k"))

    assert ["done", "done"] == at_once(propose, propose)
    assert replies[0] == replies[1]
    assert 1 == owner.call("list_decisions")["total"]
    in_order(owner, tables)


def test_two_administrators_cannot_take_the_last_right_from_each_other(owner: Caller, tables: Tables) -> None:
    other = principal(owner, "Other", rights={"ROOT": ["administer"]})
    calls = [
        lambda: owner.call("deactivate_principal", principal=other.id, reason="R"),
        lambda: other.call("deactivate_principal", principal=owner.id, reason="R"),
    ]
    assert at_once(*calls) in (["conflict", "done"], ["done", "unauthorized"])
    assert [] == broken(tables)


def test_a_store_that_does_not_answer_in_time_is_busy_and_nothing_was_written(
    owner: Caller, database: str, databases: Databases, tables: Tables
) -> None:
    hurried = Caller(Register(Store(database, busy_seconds=0.05), Policy()), owner.token, owner.id)
    with tables.unchanged(), databases.held(database):
        refusal = hurried.refused("busy", "propose_decision", title="T", body="B")
        assert 503 == refusal.status
        assert 0 == hurried.call("list_decisions")["total"]
    assert "D1" == hurried.call("propose_decision", title="T", body="B")["address"]


def test_a_sweep_while_another_runs_is_a_conflict(owner: Caller) -> None:
    with owner.register.store.sweeping():
        owner.refused("conflict", "run_sweep")
    owner.call("run_sweep")


def test_calls_go_on_while_a_sweep_runs(owner: Caller, tables: Tables) -> None:
    def write() -> None:
        for _ in range(10):
            made = owner.call("propose_decision", title="T", body="B")
            owner.call("ratify_decision", decision=made["address"])

    def sweep() -> None:
        for _ in range(4):
            run = owner.call("run_sweep")
            assert (0, 0) == (run["opened"], run["closed"])

    assert ["done"] * 3 == at_once(write, write, sweep)
    in_order(owner, tables)
