"""What a caller is told does not depend on what is hidden from it.

Two registers are made alike, then one is given Decisions, Amendments, places, relations and conditions in places where
the caller holds no right. Whatever the caller asks, both give the same answer, refusals and their texts included.
Ids are compared by the order in which they turn up, instants not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller, principal
from tests.conftest import Fresh
from tests.databases import Databases
from tests.properties.profile import bounded

Reply = dict[str, Any]

SEEN_PLACES = ("DOM1", "ARE1", "ARE2")
HIDDEN_PLACES = ("ROOT", "DOM2", "ARE3")
VISIBLE, HIDDEN = 5, 4
KINDS = ("grounded_in", "addresses", "contradicts", "grounded_in")
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

GRANTS = st.lists(
    st.tuples(st.sampled_from(["read", "read", "author", "ratify", "administer"]), st.sampled_from(SEEN_PLACES)),
    min_size=1,
    max_size=4,
    unique=True,
)


@dataclass(frozen=True)
class Visible:
    """What both registers hold: where each Decision is, what it does to which other, and how far it has come."""

    places: list[str]
    edges: list[tuple[int, str, int]]
    states: list[str]
    amended: list[int]


@dataclass(frozen=True)
class Concealed:
    """What one register holds besides: Decisions in hidden places, and what joins them to the others."""

    places: list[str]
    ratified: list[bool]
    among_themselves: list[tuple[int, str, int]]
    onto_visible: list[tuple[int, str, int]]
    from_visible: list[tuple[int, str, int]]
    amended: list[int]
    replaced: list[tuple[int, int]]


def edges(sources: int, targets: int, *kinds: str) -> st.SearchStrategy[list[tuple[int, str, int]]]:
    """Some relations from so many Decisions to so many."""
    one = st.tuples(st.integers(0, sources - 1), st.sampled_from(kinds), st.integers(0, targets - 1))
    return st.lists(one, max_size=5)


def places(among: tuple[str, ...], size: int) -> st.SearchStrategy[list[str]]:
    """A place for each of so many Decisions."""
    return st.lists(st.sampled_from(among), min_size=size, max_size=size)


VISIBLES = st.builds(
    Visible,
    places=places(SEEN_PLACES, VISIBLE),
    edges=edges(VISIBLE, VISIBLE, *KINDS),
    states=st.lists(st.sampled_from(["proposed", "ratified", "retired"]), min_size=VISIBLE, max_size=VISIBLE),
    amended=st.lists(st.integers(0, VISIBLE - 1), max_size=2),
)
CONCEALED = st.builds(
    Concealed,
    places=places(HIDDEN_PLACES, HIDDEN),
    ratified=st.lists(st.booleans(), min_size=HIDDEN, max_size=HIDDEN),
    among_themselves=edges(HIDDEN, HIDDEN, *KINDS),
    onto_visible=edges(HIDDEN, VISIBLE, "grounded_in", "addresses"),
    from_visible=edges(VISIBLE, HIDDEN, "grounded_in", "addresses"),
    amended=st.lists(st.integers(0, HIDDEN - 1), max_size=2),
    replaced=st.lists(st.tuples(st.integers(0, VISIBLE - 1), st.integers(0, HIDDEN - 1)), max_size=2),
)


def build(owner: Caller, visible: Visible, grants: list[tuple[str, str]]) -> Caller:
    """Make the visible part and the limited caller."""
    for domain in ("One", "Two"):
        owner.call("create_domain", name=domain)
    for domain in ("DOM1", "DOM1", "DOM2"):
        owner.call("create_area", name="Area", domain=domain)
    limited = principal(owner, "Limited", "person", {})
    for right, place in grants:
        owner.call("grant_right", principal=limited.id, right=right, place=place)
    made = propose(owner, visible.places)
    for index in visible.amended:
        owner.call("propose_amendment", amends=made[index], title="An Amendment", body="Text")
    relate(owner, made, visible.edges, made)
    for decision, state in zip(made, visible.states, strict=True):
        if state != "proposed":
            owner.call("ratify_decision", decision=decision)
        if state == "retired":
            owner.call("retire_decision", decision=decision, reason="Gone")
    return limited


def conceal(owner: Caller, hidden: Concealed) -> None:
    """Make the hidden part: it opens no condition about a visible Decision, whose existence would be no secret."""
    owner.call("create_area", name="Hidden", domain="DOM2")
    owner.call("create_domain", name="Hidden")
    visible = [f"D{number}" for number in range(1, VISIBLE + 1)]
    made = propose(owner, hidden.places)
    for decision, ratified in zip(made, hidden.ratified, strict=True):
        if ratified:
            owner.call("ratify_decision", decision=decision)
    relate(owner, made, hidden.among_themselves, made)
    relate(owner, made, hidden.onto_visible, visible)
    relate(owner, visible, hidden.from_visible, made)
    for index in hidden.amended:
        owner.call("propose_amendment", amends=made[index], title="An Amendment", body="Text")
    felt = {target for _, kind, target in hidden.from_visible if kind == "grounded_in"}
    for successor, index in hidden.replaced:
        in_force = owner.call("get_decision", id=visible[successor])["in_force"]
        if index not in felt and in_force and owner.call("get_decision", id=made[index])["in_force"]:
            owner.call("supersede_decision", decision=made[index], by=visible[successor])


def propose(owner: Caller, where: list[str]) -> list[str]:
    """Propose a Decision in each place; their addresses."""
    made = (owner.call("propose_decision", title="A Decision", body="Text", place=place) for place in where)
    return [str(decision["address"]) for decision in made]


def relate(owner: Caller, sources: list[str], wanted: list[tuple[int, str, int]], targets: list[str]) -> None:
    """Record relations, leaving out those of a Decision with itself."""
    for source, kind, target in wanted:
        ends = {"source_type": "Decision", "source_id": sources[source]}
        ends |= {"target_type": "Decision", "target_id": targets[target]}
        if sources[source] != targets[target]:
            owner.call("assert_relation", relation_kind=kind, **ends)


def questions() -> Iterator[tuple[str, Reply]]:
    """Everything that the caller asks; much of it about what is hidden in one register and absent in the other."""
    decisions = [f"D{number}" for number in range(1, VISIBLE + HIDDEN + 2)]
    others = [("Amendment", f"A{n}") for n in range(1, 6)] + [("Signal", f"SIG{n}") for n in range(1, 12)]
    all_places = [("Domain", f"DOM{n}") for n in range(1, 4)] + [("Area", f"ARE{n}") for n in range(1, 5)]
    items = [("Decision", decision) for decision in decisions] + others + all_places
    for tool in ("list_places", "list_amendments", "list_decisions", "list_grants", "whoami", "list_relation_kinds"):
        yield tool, {}
    for tool in ("list_principals", "list_tokens", "run_sweep", "get_sweep_run"):
        yield tool, {}
    for offset in range(0, 8, 2):
        yield "list_decisions", {"limit": 2, "offset": offset}
        yield "list_relations", {"limit": 2, "offset": offset, "include_ended": True}
        yield "list_signals", {"limit": 2, "offset": offset, "state": "all"}
    for _, place in [("Root", "ROOT"), *all_places]:
        yield "list_decisions", {"place": place}
        yield "list_signals", {"place": place}
        yield "list_grants", {"place": place}
        yield "propose_decision", {"title": "A Decision", "body": "Text", "place": place, "grounded_in": ["D9"]}
        yield "rename_place", {"place": place, "name": ""}
    for _, signal in others[5:]:
        yield "get_signal", {"id": signal}
        yield "confirm_premise", {"condition": signal, "reason": "Fine", "rev": 99}
    for _, amendment in others[:5]:
        yield "get_amendment", {"id": amendment}
        yield "ratify_amendment", {"amendment": amendment, "rev": 99}
    yield "list_rest_counts", {"items": [{"type": type_name, "id": item} for type_name, item in items]}
    for type_name, item in items:
        yield "get_rest_counts", {"type": type_name, "id": item}
        yield "list_relations", {"type_name": type_name, "id": item, "include_ended": True}
        for direction in ("incoming", "outgoing", "both"):
            walk = {"type_name": type_name, "id": item, "direction": direction}
            yield "get_reachability", {**walk, "depth": 10}
            yield "get_reachability", {**walk, "depth": 4, "max_items": 3}
    for decision in decisions:
        yield "get_decision", {"id": decision}
        yield "list_signals", {"about": decision, "state": "all"}
        yield "list_amendments", {"decision": decision}
        yield "ratify_decision", {"decision": decision, "rev": 99}
        yield "retire_decision", {"decision": decision, "reason": "Gone", "rev": 99}
        yield "supersede_decision", {"decision": decision, "by": "D1", "rev": 99}
        yield "supersede_decision", {"decision": "D1", "by": decision, "rev": 99}
        yield "move_item", {"type": "Decision", "id": decision, "place": "DOM3", "reason": "Tidy"}
        yield "confirm_premise", {"decision": "D1", "premise": decision, "reason": "Fine", "rev": 99}
        yield "replace_premise", {"decision": "D1", "premise": decision, "by": "D999", "reason": "Better"}
        yield "propose_amendment", {"amends": decision, "title": "", "body": "Text"}


def answers(caller: Caller) -> list[Any]:
    """What the caller is told, with ids numbered by their turning up and without instants."""
    known: dict[str, str] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: "an instant" if name.endswith("_at") else plain(each) for name, each in value.items()}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, str):
            return ID.sub(lambda found: known.setdefault(found[0], f"id {len(known) + 1}"), value)
        return value

    def told(tool: str, arguments: Reply) -> Any:
        try:
            return plain(caller.call(tool, **arguments))
        except Refusal as refusal:
            return plain(refusal.reply())

    return [(tool, arguments, told(tool, arguments)) for tool, arguments in questions()]


def test_two_registers_that_differ_only_in_what_is_hidden_answer_alike(fresh: Fresh, databases: Databases) -> None:
    def register() -> Register:
        return open_register(Settings(database=databases.copy(fresh.database)))

    @bounded(4)
    @given(visible=VISIBLES, hidden=CONCEALED, grants=GRANTS)
    def alike(visible: Visible, hidden: Concealed, grants: list[tuple[str, str]]) -> None:
        plain, fuller = (Caller(register(), fresh.token, fresh.owner_id) for _ in range(2))
        limited = [build(owner, visible, grants) for owner in (plain, fuller)]
        conceal(fuller, hidden)
        for owner in (plain, fuller):
            owner.call("run_sweep")
        for expected, found in zip(answers(limited[0]), answers(limited[1]), strict=True):
            assert expected == found

    alike()
