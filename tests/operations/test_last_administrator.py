"""Somebody who can always come back administers the register: no call may take the last such one away.

That is one principal, not deactivated, with `administer` over ROOT that does not expire and a token that does not.
"""

from __future__ import annotations

from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from tests.callers import Caller, principal
from tests.conftest import MakeCaller
from tests.operations.clock import Clock
from tests.operations.tables import Tables

Arguments = dict[str, Any]


def administration(owner: Caller, of: str) -> str:
    """The id of somebody's grant of `administer`."""
    grants = owner.call("list_grants", principal=of)["grants"]
    return next(str(grant["id"]) for grant in grants if grant["right"] == "administer")


def token_of(owner: Caller, of: str) -> str:
    return str(owner.call("list_tokens", principal=of)["tokens"][0]["id"])


def taking_away(owner: Caller, of: str) -> dict[str, Arguments]:
    """The three calls that take an administrator away."""
    return {
        "revoke_grant": {"id": administration(owner, of), "reason": "No longer."},
        "revoke_token": {"id": token_of(owner, of)},
        "deactivate_principal": {"principal": of, "reason": "No longer."},
    }


WAYS = ["revoke_grant", "revoke_token", "deactivate_principal"]


@pytest.mark.parametrize("way", WAYS)
def test_the_last_administrator_stays(owner: Caller, tables: Tables, way: str) -> None:
    arguments = taking_away(owner, owner.id)[way]
    with tables.unchanged():
        owner.refused("conflict", way, **arguments)
    assert owner.call("whoami")


@pytest.mark.parametrize("way", WAYS)
def test_one_of_two_administrators_may_go(owner: Caller, caller: MakeCaller, way: str) -> None:
    second = caller("Second", rights={"ROOT": ["administer"]})
    second.call(way, **taking_away(owner, owner.id)[way])
    second.refused("conflict", way, **taking_away(second, second.id)[way])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "place,granted,days",
    [("ROOT", {"expires_at": "2999-01-01T00:00:00Z"}, None), ("ROOT", {}, 3_650), ("DOM1", {}, None)],
    ids=["a grant that expires", "a token that expires", "a place below ROOT"],
)
def test_who_cannot_always_come_back_does_not_count(
    owner: Caller, tables: Tables, way: str, place: str, granted: Arguments, days: int | None
) -> None:
    owner.call("create_domain", name="Queues")
    second = owner.call("create_principal", name="Second", **{"class": "person"})["id"]
    owner.call("create_token", principal=second, **({"expires_in_days": days} if days else {}))
    owner.call("grant_right", principal=second, right="administer", place=place, **granted)
    arguments = taking_away(owner, owner.id)[way]
    with tables.unchanged():
        owner.refused("conflict", way, **arguments)


@pytest.mark.parametrize("way", WAYS)
def test_who_has_no_token_does_not_count(owner: Caller, way: str) -> None:
    second = owner.call("create_principal", name="Second", **{"class": "person"})["id"]
    owner.call("grant_right", principal=second, right="administer", place="ROOT")
    owner.refused("conflict", way, **taking_away(owner, owner.id)[way])


@pytest.mark.parametrize("way", WAYS)
def test_who_was_deactivated_does_not_count(owner: Caller, caller: MakeCaller, way: str) -> None:
    second = caller("Second", rights={"ROOT": ["administer"]})
    owner.call("deactivate_principal", principal=second.id, reason="Left.")
    owner.refused("conflict", way, **taking_away(owner, owner.id)[way])


@pytest.mark.parametrize("way", WAYS)
def test_an_agent_counts_only_while_agents_may_administer(owner: Caller, way: str) -> None:
    permissive = Caller(Register(owner.register.store, Policy(allow_agent_ratify=True)), owner.token, owner.id)
    principal(permissive, "Bot", "agent", {"ROOT": ["administer"]})
    arguments = taking_away(owner, owner.id)[way]
    owner.refused("conflict", way, **arguments)
    permissive.call(way, **arguments)


def test_a_second_token_of_the_last_administrator_makes_the_first_one_dispensable(owner: Caller) -> None:
    first = token_of(owner, owner.id)
    second = Caller(owner.register, owner.call("create_token", principal=owner.id)["token"], owner.id)
    owner.call("revoke_token", id=first)
    owner.refused("unauthorized", "whoami")
    assert second.call("whoami")


def test_a_second_grant_to_the_last_administrator_does_not_count_when_it_expires(owner: Caller) -> None:
    owner.call("grant_right", principal=owner.id, right="administer", place="ROOT", expires_at="2999-01-01T00:00:00Z")
    owner.refused("conflict", "revoke_grant", id=administration(owner, owner.id), reason="No longer.")


@pytest.mark.parametrize("right", ["read", "author", "ratify"])
def test_the_other_rights_of_the_last_administrator_may_go(owner: Caller, right: str) -> None:
    grants = owner.call("list_grants", principal=owner.id)["grants"]
    for grant in grants:
        if grant["right"] == right:
            owner.call("revoke_grant", id=grant["id"], reason="Not needed.")
    assert right not in {grant["right"] for grant in owner.call("whoami")["grants"]}


def test_the_refusal_is_the_same_for_who_takes_and_who_is_taken_away(owner: Caller, caller: MakeCaller) -> None:
    passing = Caller(owner.register, owner.token, owner.id)
    second = owner.call("create_principal", name="Second", **{"class": "person"})["id"]
    short = Caller(owner.register, owner.call("create_token", principal=second, expires_in_days=1)["token"], second)
    owner.call("grant_right", principal=second, right="administer", place="ROOT")
    asked = {"principal": owner.id, "reason": "No longer."}
    by_another = short.refused("conflict", "deactivate_principal", **asked)
    assert passing.refused("conflict", "deactivate_principal", **asked).reply() == by_another.reply()


def test_an_administrator_whose_grant_has_run_out_is_gone_and_the_lasting_one_stays(
    timed: Caller, clock: Clock
) -> None:
    second = principal(timed, "Second")
    timed.call("grant_right", principal=second.id, right="administer", place="ROOT", expires_at=clock.ahead(hours=1))
    second.call("list_principals")
    clock.forward(hours=1)
    with pytest.raises(Refusal, match="administer"):
        second.call("list_principals")
    timed.refused("conflict", "deactivate_principal", principal=timed.id, reason="No longer.")
