"""What may be granted and taken back, and what somebody holds afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from tests.callers import Caller, principal
from tests.conftest import MakeCaller
from tests.operations.clock import Clock
from tests.operations.tables import Tables


def made(owner: Caller, cls: str = "person") -> str:
    """The id of a new principal."""
    return str(owner.call("create_principal", name="Somebody", **{"class": cls})["id"])


def trusting(owner: Caller) -> Caller:
    """The same caller where agents may hold every right."""
    return Caller(Register(owner.register.store, Policy(allow_agent_ratify=True)), owner.token, owner.id)


@pytest.mark.parametrize("right", ["ratify", "administer"])
def test_an_agent_is_not_granted_what_it_could_not_hold(owner: Caller, tables: Tables, right: str) -> None:
    agent = made(owner, "agent")
    with tables.unchanged():
        owner.refused("conflict", "grant_right", principal=agent, right=right, place="ROOT")
    assert trusting(owner).call("grant_right", principal=agent, right=right, place="ROOT")["created"]


@pytest.mark.parametrize("right", ["ratify", "administer"])
def test_an_agent_that_was_granted_it_holds_it_only_while_agents_may(owner: Caller, right: str) -> None:
    owner.call("propose_decision", title="T", body="B")
    agent = principal(trusting(owner), "Agent", "agent", {"ROOT": [right]})
    under_rules = Caller(owner.register, agent.token, agent.id)
    tool, arguments = {
        "ratify": ("ratify_decision", {"decision": "D1"}),
        "administer": ("create_domain", {"name": "N"}),
    }[right]
    under_rules.refused("not_found" if right == "ratify" else "forbidden", tool, **arguments)
    assert 0 == under_rules.call("list_decisions")["total"]
    assert [False] == [grant["counts"] for grant in under_rules.call("whoami")["grants"]]
    assert {"allow_agent_ratify": False} == under_rules.call("whoami")["settings"]
    agent.call(tool, **arguments)


@pytest.mark.parametrize("right", ["read", "author"])
def test_an_agent_reads_and_authors_whatever_the_policy(owner: Caller, right: str) -> None:
    agent = principal(owner, "Agent", "agent", {"ROOT": [right]})
    assert [True] == [grant["counts"] for grant in agent.call("whoami")["grants"]]
    assert 0 == agent.call("list_decisions")["total"]


def test_the_same_grant_again_is_the_one_there_is(owner: Caller, tables: Tables) -> None:
    asked = {"principal": made(owner), "right": "read", "place": "ROOT"}
    first = owner.call("grant_right", **asked, reason="They asked.")
    with tables.unchanged():
        again = owner.call("grant_right", **asked, reason="They asked again.")
    assert (True, False) == (first["created"], again["created"])
    assert first["id"] == again["id"]


def test_a_grant_that_ends_at_another_time_is_another_grant(timed: Caller, clock: Clock) -> None:
    asked = {"principal": made(timed), "right": "read", "place": "ROOT"}
    ends = [{}, {"expires_at": clock.ahead(hours=1)}, {"expires_at": clock.ahead(hours=2)}]
    assert 3 == len({timed.call("grant_right", **asked, **each)["id"] for each in ends})


def test_the_longest_of_several_grants_decides(timed: Caller, clock: Clock) -> None:
    timed.call("propose_decision", title="T", body="B")
    reader = principal(timed, "Reader")
    for hours in (2, 1):
        timed.call("grant_right", principal=reader.id, right="read", place="ROOT", expires_at=clock.ahead(hours=hours))
    clock.forward(hours=1)
    assert "D1" == reader.call("get_decision", id="D1")["address"]
    clock.forward(hours=1)
    reader.refused("not_found", "get_decision", id="D1")


def test_an_expiry_in_another_time_zone_is_the_same_instant(timed: Caller, clock: Clock) -> None:
    reader = principal(timed, "Reader")
    asked = {"principal": reader.id, "right": "read", "place": "ROOT"}
    first = timed.call("grant_right", **asked, expires_at="2100-01-01T14:00:00+01:00")
    assert "2100-01-01T13:00:00.000000Z" == first["expires_at"]
    assert not timed.call("grant_right", **asked, expires_at="2100-01-01T13:00:00Z")["created"]
    clock.forward(hours=1)
    assert [] == reader.call("whoami")["grants"]


def test_an_expired_grant_may_still_be_taken_back_and_given_anew(timed: Caller, clock: Clock) -> None:
    asked = {"principal": made(timed), "right": "read", "place": "ROOT"}
    first = timed.call("grant_right", **asked, expires_at=clock.ahead(hours=1))
    clock.forward(hours=1)
    assert timed.call("grant_right", **asked)["created"]
    assert first["id"] == timed.call("revoke_grant", id=first["id"], reason="Tidied.")["id"]


def test_a_grant_that_was_taken_back_gives_nothing_at_the_next_call(owner: Caller, caller: MakeCaller) -> None:
    owner.call("propose_decision", title="T", body="B")
    reader = caller("Reader", rights={"ROOT": ["read"]})
    grant = reader.call("whoami")["grants"][0]["id"]
    assert "D1" == reader.call("get_decision", id="D1")["address"]
    revoked = owner.call("revoke_grant", id=grant, reason="No longer.")
    assert {"id", "principal", "right", "place", "granted_by", "granted_at", "revoked_at"} == set(revoked)
    reader.refused("not_found", "get_decision", id="D1")
    assert [] == reader.call("whoami")["grants"]


def test_a_grant_and_a_token_are_taken_back_once(owner: Caller, tables: Tables) -> None:
    somebody = made(owner)
    grant = owner.call("grant_right", principal=somebody, right="read", place="ROOT")["id"]
    token = owner.call("create_token", principal=somebody)["id"]
    owner.call("revoke_grant", id=grant, reason="R")
    owner.call("revoke_token", id=token)
    with tables.unchanged():
        assert "revoked" == owner.refused("conflict", "revoke_grant", id=grant, reason="R").state
        assert "revoked" == owner.refused("conflict", "revoke_token", id=token).state


def test_who_was_deactivated_is_given_nothing_more(owner: Caller, tables: Tables) -> None:
    somebody = made(owner)
    owner.call("deactivate_principal", principal=somebody, reason="Left.")
    refusals: list[tuple[str, dict[str, Any]]] = [
        ("grant_right", {"right": "read", "place": "ROOT"}),
        ("create_token", {}),
        ("deactivate_principal", {"reason": "R"}),
    ]
    with tables.unchanged():
        for tool, arguments in refusals:
            assert "deactivated" == owner.refused("conflict", tool, principal=somebody, **arguments).state


@pytest.mark.parametrize("right", ["read", "author", "ratify"])
def test_a_grant_is_given_and_taken_back_by_who_administers_its_place(
    owner: Caller, caller: MakeCaller, right: str
) -> None:
    for name in ("One", "Two"):
        owner.call("create_domain", name=name)
    somebody = made(owner)
    administrator = caller("Administrator", rights={"DOM1": ["administer"], "DOM2": ["read"]})
    grant = administrator.call("grant_right", principal=somebody, right=right, place="DOM1")["id"]
    there = owner.call("grant_right", principal=somebody, right=right, place="DOM2")["id"]
    administrator.refused("forbidden", "grant_right", principal=somebody, right=right, place="DOM2")
    administrator.refused("forbidden", "revoke_grant", id=there, reason="R")
    administrator.refused("forbidden", "grant_right", principal=somebody, right=right, place="ROOT")
    assert grant == administrator.call("revoke_grant", id=grant, reason="R")["id"]


def test_nobody_gives_up_a_grant_without_administering_its_place(caller: MakeCaller) -> None:
    writer = caller("Writer", rights={"ROOT": ["author"]})
    writer.refused("forbidden", "revoke_grant", id=writer.call("whoami")["grants"][0]["id"], reason="R")


def test_anybody_makes_and_revokes_tokens_of_their_own(caller: MakeCaller) -> None:
    somebody = caller("Somebody")
    second = somebody.call("create_token", principal=somebody.id, expires_in_days=1)
    assert 2 == somebody.call("list_tokens")["total"]
    by_second = Caller(somebody.register, second["token"], somebody.id)
    by_second.call("revoke_token", id=second["id"])
    by_second.refused("unauthorized", "whoami")
    assert [False, True] == ["revoked_at" in each for each in somebody.call("list_tokens")["tokens"]]


def test_no_list_shows_a_token(owner: Caller, tables: Tables) -> None:
    token = owner.call("create_token", principal=owner.id)["token"]
    assert token not in str(owner.call("list_tokens"))
    assert token not in str(tables.dump())
