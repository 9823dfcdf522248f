"""A grant and a token count until the instant at which they end, and never after."""

from __future__ import annotations

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from tests.callers import Caller, principal
from tests.operations.clock import Clock


def test_an_expired_grant_gives_nothing_from_the_instant_of_its_expiry(timed: Caller, clock: Clock) -> None:
    timed.call("propose_decision", title="T", body="B")
    reader = principal(timed, "Reader")
    until = clock.ahead(hours=1)
    timed.call("grant_right", principal=reader.id, right="read", place="ROOT", expires_at=until)
    clock.forward(hours=1, microseconds=-1)
    assert "D1" == reader.call("get_decision", id="D1")["address"]
    clock.forward(microseconds=1)
    reader.refused("not_found", "get_decision", id="D1")
    assert [] == reader.call("whoami")["grants"]
    assert 0 == timed.call("list_grants", principal=reader.id)["total"]


def test_an_expired_token_fails_on_its_next_use(timed: Caller, clock: Clock) -> None:
    made = timed.call("create_token", principal=timed.id, expires_in_days=1)
    passing = Caller(timed.register, made["token"], timed.id)
    clock.forward(days=1, microseconds=-1)
    passing.call("whoami")
    clock.forward(microseconds=1)
    passing.refused("unauthorized", "whoami")
    passing.refused("unauthorized", "no_such_tool")


def test_a_revoked_token_and_one_of_a_deactivated_principal_fail_on_their_next_use(owner: Caller) -> None:
    one = principal(owner, "One")
    made = one.call("create_token", principal=one.id)
    owner.call("revoke_token", id=made["id"])
    Caller(owner.register, made["token"], one.id).refused("unauthorized", "whoami")
    one.call("whoami")
    owner.call("deactivate_principal", principal=one.id, reason="R")
    one.refused("unauthorized", "whoami")


def test_a_grant_that_ends_in_the_past_is_refused(timed: Caller, clock: Clock) -> None:
    for past in (clock.ahead(), clock.ahead(seconds=-1)):
        timed.refused(
            "validation_failed", "grant_right", principal=timed.id, right="read", place="ROOT", expires_at=past
        )


def test_a_policy_that_is_turned_off_takes_what_it_gave_to_agents(owner: Caller) -> None:
    trusting = Caller(Register(owner.register.store, Policy(allow_agent_ratify=True)), owner.token, owner.id)
    agent = principal(trusting, "Agent", "agent", rights={"ROOT": ["read", "ratify"]})
    owner.call("propose_decision", title="T", body="B")
    untrusted = Caller(owner.register, agent.token, agent.id)
    untrusted.refused("forbidden", "ratify_decision", decision="D1")
    assert [True, False] == [each["counts"] for each in untrusted.call("whoami")["grants"]]
    assert "ratified" == agent.call("ratify_decision", decision="D1")["state"]
