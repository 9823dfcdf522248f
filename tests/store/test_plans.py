"""Nothing grows with the register: whatever a call looks up, it finds through an index.

SQLite is asked how it would run every statement that the calls below send. A plan does not depend on what the tables
hold, as no statistics are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from smeldr.model.kinds import KINDS
from smeldr.store.walks import FEW_PLACES
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.databases import ON_FILES

pytestmark = ON_FILES

Plans = dict[str, list[str]]
"""The steps of each statement's plan."""

SCAN = re.compile(r"SCAN (?!json_each)")


@contextmanager
def planned() -> Iterator[Plans]:
    """Collect the plans of what is sent meanwhile."""
    plans: Plans = {}

    def explain(connection: Connection, _: Any, statement: str, parameters: Any, __: Any, executemany: bool) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE")) and statement not in plans:
            asked = connection.connection.cursor()
            asked.execute(f"EXPLAIN QUERY PLAN {statement}", parameters[0] if executemany else parameters)
            plans[statement] = [step for *_, step in asked.fetchall()]

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(Engine, "before_cursor_execute", explain)


def scans(plans: Plans) -> dict[str, list[str]]:
    """The statements that read a whole table or index."""
    return {statement: steps for statement, steps in plans.items() if any(map(SCAN.match, steps))}


@pytest.fixture
def readers(owner: Caller, caller: MakeCaller) -> list[Caller]:
    """Who reads everything, few places, and many; D1 lies where all of them read, and D2 and D3 rest on it."""
    for number in range(FEW_PLACES + 1):
        owner.call("create_domain", name=f"Domain {number}")
    first = owner.ratified("A premise", place="DOM1")
    for title in ("One", "Another"):
        owner.ratified(title, place="DOM1", grounded_in=[first])
    few = caller("Few", rights={"DOM1": ["read"]})
    many = caller("Many", rights={f"DOM{number}": ["read"] for number in range(1, FEW_PLACES + 2)})
    return [owner, few, many]


def test_counts_and_traces_search_an_index_for_every_reader(readers: list[Caller]) -> None:
    with planned() as plans:
        for reader in readers:
            reader.call("get_rest_counts", type="Decision", id="D1")
            for kind in (None, *KINDS):
                for direction in ("incoming", "outgoing", "both"):
                    wanted = {"direction": direction, "depth": 3, **({"kind": kind} if kind else {})}
                    reader.call("get_reachability", type_name="Decision", id="D1", **wanted)
    assert len(plans) > 50
    assert {} == scans(plans)


def test_stored_counts_are_found_by_their_generation_and_their_item(readers: list[Caller]) -> None:
    asked = [{"type": "Decision", "id": f"D{number}"} for number in range(1, 4)]
    readers[0].call("run_sweep")
    with planned() as plans:
        for reader in readers:
            reader.call("list_rest_counts", items=asked)
    steps = [step for found in plans.values() for step in found]
    assert any(step.startswith("SEARCH rest_counts USING PRIMARY KEY (generation=? AND key=?") for step in steps)
    assert {} == scans(plans)


def test_what_rests_on_one_item_is_not_sorted_first(readers: list[Caller]) -> None:
    everything, _, many = readers
    with planned() as plans:
        for reader in (everything, many):
            reader.call("get_rest_counts", type="Decision", id="D3")
    rings = {statement: steps for statement, steps in plans.items() if "relations.target = ?" in statement}
    assert len(rings) == 2
    for steps in rings.values():
        assert "SEARCH relations USING COVERING INDEX ix_relations_target (target=?)" in steps
        assert not any("TEMP B-TREE" in step for step in steps)


def test_who_reads_few_places_finds_a_hub_by_place(readers: list[Caller]) -> None:
    with planned() as plans:
        readers[1].call("get_rest_counts", type="Decision", id="D1")
    steps = [step for found in plans.values() for step in found]
    assert "SEARCH relations USING COVERING INDEX ix_relations_in (target=? AND source_place=? AND kind=?)" in steps


def test_moves_and_conditions_search_an_index(readers: list[Caller]) -> None:
    owner = readers[0]
    with planned() as plans:
        owner.call("assert_relation", **_related("D2", "contradicts", "D3"))
        owner.call("retire_decision", decision="D1", reason="Over.")
        owner.call("list_signals", about="D2")
        owner.call("confirm_premise", decision="D2", premise="D1", reason="Holds.")
        owner.call("move_item", type="Decision", id="D2", place="DOM2", reason="Belongs there.")
        owner.call("reinstate_decision", decision="D1", reason="Back.")
        owner.call("propose_amendment", amends="D1", title="More", body="More.")
    newest = {statement for statement in plans if "FROM history ORDER BY history.seq DESC" in statement}
    assert len(plans) > 20
    assert newest == scans(plans).keys()


def test_what_is_watched_searches_an_index_but_for_the_runs_of_the_sweep(readers: list[Caller]) -> None:
    with planned() as plans:
        readers[0].register.state()
    assert ["SCAN sweep_runs"] == [steps[0] for steps in scans(plans).values()]
    assert any("ix_items_state" in step for steps in plans.values() for step in steps)


def _related(source: str, kind: str, target: str) -> dict[str, str]:
    ends = {"source_type": "Decision", "source_id": source, "target_type": "Decision", "target_id": target}
    return {**ends, "relation_kind": kind}
