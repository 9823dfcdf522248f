"""Principals, tokens and grants."""

from __future__ import annotations

from smeldr.model.items import ROOT
from smeldr.model.records import Grant, Principal, Token
from smeldr.model.rights import Right
from smeldr.store.contract import Store, Unit
from tests.graphs import key, keys
from tests.store.building import at


def somebody(unit: Unit, name: str, *rights: Right, at_place: int = ROOT, expires: int | None = None) -> Principal:
    new = Principal(unit.new_id(), name, "person", True, at(len(name)))
    unit.access.add_principal(new)
    for right in rights:
        expires_at = None if expires is None else at(expires)
        grant = Grant(unit.new_id(), new.id, right, at_place, "somebody", at(1), expires_at, None)  # type: ignore[arg-type]
        unit.access.add_grant(grant)
    return new


def token_of(unit: Unit, principal: Principal, token_hash: str, expires: int | None = None) -> Token:
    new = Token(unit.new_id(), principal.id, at(1), None if expires is None else at(expires), None)
    unit.access.add_token(new, token_hash)
    return new


def test_a_token_counts_until_it_expires_is_revoked_or_its_principal_is_deactivated(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One")
        lasting, passing = token_of(unit, one, "lasting"), token_of(unit, one, "passing", expires=10)
        assert (one, passing) == unit.access.bearer("passing", at(9))
        assert unit.access.bearer("passing", at(10)) is None
        assert unit.access.bearer("unknown", at(1)) is None
        unit.access.revoke_token(lasting.id, at(3))
        assert unit.access.bearer("lasting", at(3)) is None
        assert at(3) == getattr(unit.access.token(lasting.id), "revoked_at", None)
        unit.access.deactivate(one.id)
        assert unit.access.bearer("passing", at(1)) is None


def test_a_grant_counts_until_the_instant_of_its_expiry(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "author", expires=10)
        assert [("author", ROOT)] == unit.access.rights(one.id, at(9))
        assert [] == unit.access.rights(one.id, at(10))


def test_a_revoked_grant_gives_nothing_and_is_not_listed(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "read", "ratify")
        grants, total = unit.access.list_grants(at(5), None, principal=one.id, limit=1, offset=0)
        assert 2 == total
        unit.access.revoke_grant(grants[0].id, at(5))
        assert 1 == len(unit.access.rights(one.id, at(5)))
        assert 1 == unit.access.list_grants(at(5), keys("ROOT"), limit=10, offset=0)[1]
        assert 0 == unit.access.list_grants(at(5), keys("DOM1"), limit=10, offset=0)[1]
        assert unit.access.same_grant(one.id, grants[0].right, ROOT, None) is None
        assert at(5) == getattr(unit.access.grant(grants[0].id), "revoked_at", None)


def test_the_same_grant_has_the_same_expiry(store: Store) -> None:
    with store.write() as unit:
        one = somebody(unit, "One", "read", expires=10)
        assert unit.access.same_grant(one.id, "read", ROOT, at(10))
        assert unit.access.same_grant(one.id, "read", ROOT, None) is None
        assert unit.access.same_grant(one.id, "author", ROOT, at(10)) is None


def test_principals_and_tokens_are_listed_oldest_first(store: Store) -> None:
    with store.write() as unit:
        later, earlier = somebody(unit, "Somebody"), somebody(unit, "One")
        assert ([earlier, later], 2) == unit.access.list_principals(limit=5, offset=0)
        assert ([later], 2) == unit.access.list_principals(limit=1, offset=1)
        token = token_of(unit, later, "hash")
        assert ([token], 1) == unit.access.list_tokens(later.id, limit=5, offset=0)
        assert unit.access.principal(unit.new_id()) is None


def test_a_lasting_administrator_has_a_lasting_grant_over_root_and_a_lasting_token(store: Store) -> None:
    with store.write() as unit:
        remains = unit.access.administrator_remains
        somebody(unit, "Without token", "administer")
        token_of(unit, somebody(unit, "For a while", "administer", expires=10), "one")
        token_of(unit, somebody(unit, "Below", "administer", at_place=key("DOM1")), "two")
        token_of(unit, somebody(unit, "Token for a while", "administer"), "three", expires=10)
        assert not remains(ROOT, ["person", "agent"])
        last = somebody(unit, "Lasting", "administer")
        token_of(unit, last, "four")
        assert remains(ROOT, ["person"])
        assert not remains(ROOT, ["agent"])
        unit.access.deactivate(last.id)
        assert not remains(ROOT, ["person"])
