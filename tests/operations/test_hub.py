"""A Decision on which 50,000 others rest leaves force like any other: in one transaction, not in 50,000 round trips."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from smeldr.model.items import ROOT
from smeldr.model.records import Item, Relation, Text
from tests.callers import Caller
from tests.store.building import at

ENOUGH = 60
"""Statements that a move may take, however much hangs on it."""


@contextmanager
def statements(owner: Caller) -> Iterator[list[str]]:
    """The statements that the register sends to its database meanwhile; one for many rows counts once."""
    engine: Engine = owner.register.store._engine.engine  # type: ignore[attr-defined]
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


def hub(owner: Caller, dependants: int) -> None:
    """D1 and this many Decisions that rest on it, all in force, written past the operations and so without history."""
    text = Text("T", "B", None, owner.id, owner.id, None)
    with owner.register.store.write() as unit:
        first, *others = [
            Item(key, unit.new_id(), (ROOT,), "ratified", 2, 1, at(0), at(0))
            for key in unit.items.next_keys("Decision", dependants + 1)
        ]
        unit.items.add([first, *others])
        unit.items.add_texts((each.key, text) for each in (first, *others))
        grounds = (Relation(unit.new_id(), "grounded_in", each.key, first.key, 1, owner.id, at(0)) for each in others)
        unit.relations.add((each, ROOT, ROOT) for each in grounds)


@pytest.mark.parametrize("dependants", [100, 50_000])
def test_a_hub_leaves_force_and_comes_back_in_few_statements_however_large_it_is(
    owner: Caller, dependants: int
) -> None:
    hub(owner, dependants)
    for tool, flagged in (("retire_decision", dependants), ("reinstate_decision", 0)):
        with statements(owner) as sent:
            owner.call(tool, decision="D1", reason="R")
        assert len(sent) < ENOUGH
        assert flagged == owner.call("list_signals", limit=1)["total"]


def test_the_counts_and_the_trace_of_a_hub_take_few_statements(owner: Caller) -> None:
    hub(owner, 3_000)
    with statements(owner) as sent:
        counted = owner.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"]
        traced = owner.call("get_reachability", type_name="Decision", id="D1", max_items=2_000)
    assert {"open": 0, "closed": 1_000, "at_least": True} == counted
    assert {"depth": 1, "dropped": 1_000} == traced["cut"]
    assert len(sent) < ENOUGH
