"""Grants and tokens that are nobody's, and a register without an administrator."""

from __future__ import annotations

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey
from smeldr.model.records import Grant, Token
from smeldr.operations import entries
from tests.graphs import key
from tests.operations.checkup.damages.register import ABSENT, LONG_AGO, Damaged, leads_to

THEN = Instant(LONG_AGO)


def grant(register: Damaged, principal: str, place: ItemKey) -> None:
    new = Grant(f"a grant over {place}", principal, "read", place, register.owner.id, THEN, None, None)
    names = ("id", "principal", "right", "place", "granted_by", "granted_at")
    register.add("grants", **{name: getattr(new, name) for name in names})
    register.tell(entries.grant(new))


@leads_to("grant-orphaned")
def a_grant_is_over_a_place_that_is_not_there(register: Damaged) -> None:
    grant(register, register.owner.id, key("DOM99"))


@leads_to("grant-orphaned")
def a_grant_is_over_a_decision(register: Damaged) -> None:
    grant(register, register.owner.id, key("D1"))


@leads_to("grant-orphaned")
def a_grant_is_for_nobody(register: Damaged) -> None:
    grant(register, ABSENT, key("DOM1"))


@leads_to("token-orphaned")
def a_token_is_of_nobody(register: Damaged) -> None:
    new = Token("a token", ABSENT, THEN, None, None)
    register.add("tokens", id=new.id, principal=ABSENT, hash="a hash", created_at=THEN)
    register.tell(entries.token(new, "a hash"))


@leads_to("administrator-missing")
def the_token_of_the_administrator_expires(register: Damaged) -> None:
    register.change("tokens", {"expires_at": "2999-01-01T00:00:00.000000Z"}, principal=register.owner.id)


@leads_to("administrator-missing")
def the_administrator_is_an_agent(register: Damaged) -> None:
    register.change("principals", {"class": "agent"}, id=register.owner.id)
