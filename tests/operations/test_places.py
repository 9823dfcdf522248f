"""Places: who sees which, what they hold, and what changes for readers when an item or an Area goes elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.operations.tables import Tables


@pytest.fixture(autouse=True)
def _places(owner: Caller) -> None:
    """DOM1 with ARE1 and ARE2, DOM2 with ARE3; D1 in ARE1, D2 in ARE2 rests on it, D3 in ARE3 rests on D2."""
    for domain in ("One", "Two"):
        owner.call("create_domain", name=domain)
    for domain in ("DOM1", "DOM1", "DOM2"):
        owner.call("create_area", domain=domain, name="Inside")
    owner.ratified("First", place="ARE1")
    owner.ratified("Second", place="ARE2", grounded_in=["D1"])
    owner.ratified("Third", place="ARE3", grounded_in=["D2"])


def seen(who: Caller) -> dict[str, str | None]:
    """The places that somebody sees, and the place around each, where that is told."""
    return {each["address"]: each.get("parent") for each in who.call("list_places")["places"]}


def reached(who: Caller, start: str, **arguments: Any) -> list[str]:
    """What a trace from a Decision reaches, along what rests on what."""
    asked = {"kind": "grounded_in", "depth": 10, **arguments}
    return [each["address"] for each in who.call("get_reachability", type_name="Decision", id=start, **asked)["items"]]


def test_the_owner_sees_every_place_and_root_first(owner: Caller) -> None:
    assert {
        "ROOT": None,
        "ARE1": "DOM1",
        "ARE2": "DOM1",
        "ARE3": "DOM2",
        "DOM1": "ROOT",
        "DOM2": "ROOT",
    } == seen(owner)
    assert "ROOT" == owner.call("list_places", limit=1)["places"][0]["address"]


def test_a_place_is_seen_by_who_holds_a_right_over_it_or_inside_it(caller: MakeCaller) -> None:
    assert {"ROOT": None, "DOM1": "ROOT", "ARE1": "DOM1"} == seen(caller("Inside", rights={"ARE1": ["read"]}))
    assert {"ROOT": None, "DOM1": "ROOT", "ARE1": "DOM1", "ARE2": "DOM1"} == seen(
        caller("Ratifier", rights={"DOM1": ["ratify"]})
    )
    assert {"ROOT": None} == seen(caller("Nobody"))


def test_what_lies_in_a_place_is_counted_for_those_who_read_it(owner: Caller, caller: MakeCaller) -> None:
    owner.call("propose_amendment", amends="D1", title="T", body="B")
    owner.call("retire_decision", decision="D1", reason="R")

    def held(who: Caller) -> dict[str, tuple[int, int, int]]:
        return {
            each["address"]: (
                each["counts"]["decisions"],
                each["counts"]["amendments"],
                each["counts"]["open_conditions"],
            )
            for each in who.call("list_places")["places"]
        }

    assert {"ARE1": (1, 1, 0), "ARE2": (1, 0, 1), "ARE3": (1, 0, 0)} == {
        place: counts for place, counts in held(owner).items() if any(counts)
    }
    assert not any(any(counts) for counts in held(caller("Ratifier", rights={"DOM1": ["ratify"]})).values())


def test_a_moved_decision_changes_who_reads_it_and_every_walk_with_it(owner: Caller, caller: MakeCaller) -> None:
    first, both = (
        caller("First", rights={"DOM1": ["read"]}),
        caller("Both", rights={"DOM1": ["read"], "DOM2": ["read"]}),
    )
    assert (["D2"], ["D2", "D3"]) == (reached(first, "D1"), reached(both, "D1"))
    owner.call("move_item", type="Decision", id="D2", place="ARE3", reason="R")
    assert ([], ["D2", "D3"]) == (reached(first, "D1"), reached(both, "D1"))
    first.refused("not_found", "get_decision", id="D2")
    assert 0 == first.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"]["closed"]
    assert [] == first.call("list_relations")["relations"]
    owner.call("move_item", type="Decision", id="D2", place="ARE1", reason="R")
    assert (["D2"], ["D2", "D3"]) == (reached(first, "D1"), reached(both, "D1"))


def test_amendments_and_conditions_go_with_their_decision(owner: Caller, caller: MakeCaller) -> None:
    owner.call("propose_amendment", amends="D2", title="T", body="B")
    owner.call("retire_decision", decision="D1", reason="R")
    moved = owner.call("move_item", type="Decision", id="D2", place="DOM2", reason="R")
    assert ("DOM2", 3) == (moved["place"], moved["rev"])
    amendment = owner.call("get_amendment", id="A1")
    assert ("DOM2", 2) == (amendment["place"], amendment["rev"])
    assert "DOM2" == owner.call("get_signal", id="SIG1")["place"]
    assert ["D2 rests on a Decision that is not in force"] == caller("Two", rights={"DOM2": ["read"]}).messages()
    assert [] == caller("One", rights={"DOM1": ["read"]}).messages()


def test_moving_an_item_takes_author_or_administer_over_both_places(
    owner: Caller, caller: MakeCaller, tables: Tables
) -> None:
    move = {"type": "Decision", "id": "D1", "place": "DOM2", "reason": "R"}
    one = caller("One", rights={"DOM1": ["author"], "DOM2": ["read", "ratify"]})
    other = caller("Other", rights={"DOM1": ["read", "ratify"], "DOM2": ["administer"]})
    with tables.unchanged():
        one.refused("forbidden", "move_item", **move)
        other.refused("forbidden", "move_item", **move)
        owner.refused("conflict", "move_item", **{**move, "place": "ARE1"})
    assert (
        "DOM2" == caller("Both", rights={"DOM1": ["author"], "DOM2": ["administer"]}).call("move_item", **move)["place"]
    )


def test_a_moved_area_takes_its_readers_with_it(owner: Caller, caller: MakeCaller) -> None:
    first, second = caller("First", rights={"DOM1": ["read"]}), caller("Second", rights={"DOM2": ["read"]})
    owner.call("move_area", area="ARE2", domain="DOM2")
    first.refused("not_found", "get_decision", id="D2")
    assert ["D2"] == reached(second, "D3", direction="outgoing")
    assert "ARE2" not in seen(first)
    assert "DOM2" == seen(second)["ARE2"]


def test_a_place_is_retired_when_it_is_empty_and_takes_nothing_afterwards(owner: Caller, tables: Tables) -> None:
    with tables.unchanged():
        owner.refused("conflict", "retire_place", place="ARE1", reason="R")
        owner.refused("conflict", "retire_place", place="DOM2", reason="R")
    owner.call("move_item", type="Decision", id="D3", place="ROOT", reason="R")
    owner.call("retire_place", place="ARE3", reason="R")
    assert "retired" == owner.call("retire_place", place="DOM2", reason="R")["state"]
    with tables.unchanged():
        owner.refused("conflict", "retire_place", place="DOM2", reason="R")
        owner.refused("conflict", "propose_decision", title="T", body="B", place="ARE3")
        owner.refused("conflict", "move_item", type="Decision", id="D1", place="ARE3", reason="R")
        owner.refused("conflict", "create_area", domain="DOM2", name="N")
        owner.refused("conflict", "move_area", area="ARE1", domain="DOM2")
        owner.refused("conflict", "grant_right", principal=owner.id, right="read", place="ARE3")
    assert "DOM2" in seen(owner)


def test_a_domain_inside_which_one_administers_nothing_is_not_ones_to_change(
    owner: Caller, caller: MakeCaller, tables: Tables
) -> None:
    within = caller("Within", rights={"ARE1": ["administer"]})
    with tables.unchanged():
        within.refused("forbidden", "rename_place", place="DOM1", name="N")
        within.refused("not_found", "rename_place", place="DOM2", name="N")
        within.refused("not_found", "rename_place", place="ARE2", name="N")
        within.refused("forbidden", "create_domain", name="N")
        within.refused("forbidden", "create_area", domain="DOM1", name="N")
    assert "N" == within.call("rename_place", place="ARE1", name="N")["name"]


def test_an_administrator_grants_inside_what_it_administers_and_nowhere_else(
    owner: Caller, caller: MakeCaller, tables: Tables
) -> None:
    steward = caller("Steward", rights={"DOM1": ["administer"]})
    friend = caller("Friend")
    grant = steward.call("grant_right", principal=friend.id, right="author", place="ARE1")
    assert ["ARE1"] == [each["place"] for each in steward.call("list_grants", principal=friend.id)["grants"]]
    with tables.unchanged():
        steward.refused("forbidden", "grant_right", principal=friend.id, right="read", place="ROOT")
        steward.refused("not_found", "grant_right", principal=friend.id, right="read", place="DOM2")
        friend.refused("forbidden", "revoke_grant", id=grant["id"], reason="R")
    steward.call("revoke_grant", id=grant["id"], reason="R")
    friend.refused("not_found", "get_decision", id="D1")
