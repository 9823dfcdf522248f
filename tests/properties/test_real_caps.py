"""Counts and traces at the caps that the documentation names, where more than a thousand items rest on one.

The model's Decisions are written straight into its dicts, since calling it a thousand times would only be slow.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.model import Model, walks
from tests.properties.world import Reply, projected

DECISIONS = 1_060
FIRST_RING = 620
ASKED = ("D1", "D2", f"D{DECISIONS}")
PLACES = ("DOM1",) * 9 + ("DOM2",)


def grounds(number: int, chance: random.Random) -> list[str]:
    """What a later Decision rests on: D1 for those of the first ring, one or two of the first ring for the others."""
    if number <= FIRST_RING:
        return ["D1"]
    return sorted({f"D{chance.randint(2, FIRST_RING)}" for _ in range(2)})


@pytest.fixture(scope="module")
def plan() -> list[tuple[str, list[str]]]:
    """Place and grounds of every Decision."""
    chance = random.Random(1)
    later = [(chance.choice(PLACES), grounds(number, chance)) for number in range(2, DECISIONS + 1)]
    return [("DOM1", []), *later]


@pytest.fixture
def callers(owner: Caller, caller: MakeCaller, plan: list[tuple[str, list[str]]]) -> tuple[Caller, Caller]:
    """The owner and a reader of DOM1, of a register that holds all of it; every tenth Decision is ratified."""
    for name in ("One", "Two"):
        owner.call("create_domain", name=name)
    for number, (place, grounded_in) in enumerate(plan, start=1):
        owner.call("propose_decision", title="A Decision", body="Text", place=place, grounded_in=grounded_in)
        if number % 10 == 1:
            owner.call("ratify_decision", decision=f"D{number}")
    owner.call("run_sweep")
    return owner, caller("Reader", rights={"DOM1": ["read"]})


def modelled(plan: list[tuple[str, list[str]]]) -> tuple[Model, tuple[str, str]]:
    """The same register in the model, and who in it is the owner and the reader."""
    model = Model()
    state = model.state
    for name in ("One", "Two"):
        state.new_item("Domain", "live", name=name)
    for number, (place, grounded_in) in enumerate(plan, start=1):
        stands = "ratified" if number % 10 == 1 else "proposed"
        item = state.new_item("Decision", stands, place=place, state_changes=0, ratified_by=None)
        for premise in grounded_in:
            state.new_relation("grounded_in", item["address"], premise, model.owner)
    counted = [(address, direction) for address in ASKED for direction in walks.DIRECTION]
    state.sweep = {"parts": {(a, d): walks.parts(state, a, d) for a, d in counted}}
    reader = str(model.call(model.owner, "create_principal", {"name": "Reader", "class": "person"})["id"])
    model.call(model.owner, "grant_right", {"principal": reader, "right": "read", "place": "DOM1"})
    return model, (model.owner, reader)


def questions(address: str) -> Iterator[tuple[str, Reply]]:
    """Counts and traces of one Decision, at caps around the sizes of its rings."""
    yield "get_rest_counts", {"type": "Decision", "id": address}
    yield "list_rest_counts", {"items": [{"type": "Decision", "id": address}]}
    yield "get_reachability", {"type_name": "Decision", "id": address, "depth": 3}
    for cap in (1, 499, 500, 501, FIRST_RING - 1, FIRST_RING, DECISIONS - 1, DECISIONS, 2_000):
        walk = {"type_name": "Decision", "id": address, "kind": "grounded_in", "direction": "incoming"}
        yield "get_reachability", {**walk, "depth": 4, "max_items": cap, "limit": 500, "offset": 400}


def test_counts_and_traces_are_the_models_where_the_caps_are_reached(
    callers: tuple[Caller, Caller], plan: list[tuple[str, list[str]]]
) -> None:
    model, (owner, reader) = modelled(plan)
    asked = [(callers[0], owner, address) for address in ASKED]
    for caller, principal, address in [*asked, (callers[1], reader, "D1")]:
        for tool, arguments in questions(address):
            expected = model.call(principal, tool, arguments)
            assert expected == projected(caller.call(tool, **arguments), {}), (tool, arguments)
    assert model.call(owner, "get_rest_counts", {"type": "Decision", "id": "D1"})["rests_on_this"]["at_least"]
