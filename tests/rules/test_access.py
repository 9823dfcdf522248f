"""Who may do what: a grant gives one right over one place and every place inside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest

from smeldr.model.items import ItemKey
from smeldr.model.rights import RIGHTS, PrincipalClass, Right
from smeldr.rules.access import Access, access, grantable
from tests.graphs import key, keys

ROOT = (key("ROOT"),)
DOMAIN = (key("DOM1"), key("ROOT"))
AREA = (key("ARE1"), key("DOM1"), key("ROOT"))
BESIDE = (key("ARE2"), key("DOM1"), key("ROOT"))
ELSEWHERE = (key("ARE3"), key("DOM2"), key("ROOT"))


def holding(*grants: tuple[Right, str], who: PrincipalClass = "person", agents_ratify: bool = False) -> Access:
    return access([(right, key(place)) for right, place in grants], who, agents_ratify=agents_ratify)


def rights_over(path: tuple[ItemKey, ...], held: Access) -> Sequence[Right]:
    return [right for right in RIGHTS if held.holds(right, path)]


def test_a_grant_covers_its_place_and_every_place_inside_it() -> None:
    held = holding(("read", "DOM1"))
    assert [True, True, True] == [held.holds("read", path) for path in (DOMAIN, AREA, BESIDE)]


def test_a_grant_does_not_cover_the_places_around_or_beside_its_own() -> None:
    held = holding(("read", "ARE1"))
    assert [False, False, False, False] == [held.holds("read", path) for path in (ROOT, DOMAIN, BESIDE, ELSEWHERE)]


def test_a_grant_over_root_covers_everything() -> None:
    held = holding(("author", "ROOT"))
    assert all(held.holds("author", path) for path in (ROOT, DOMAIN, AREA, ELSEWHERE))
    assert held.everywhere("author")
    assert held.everywhere("read")
    assert not held.everywhere("ratify")


@pytest.mark.parametrize(
    "granted, given",
    [
        ("read", ["read"]),
        ("author", ["read", "author"]),
        ("ratify", ["ratify"]),
        ("administer", ["read", "administer"]),
    ],
)
def test_author_and_administer_include_read_and_ratify_includes_nothing(granted: Right, given: list[str]) -> None:
    assert given == rights_over(AREA, holding((granted, "ARE1")))


def test_every_right_is_one_of_four() -> None:
    assert get_args(Right) == RIGHTS == ("read", "author", "ratify", "administer")


@pytest.mark.parametrize("granted", ["ratify", "administer"])
def test_an_agent_holds_neither_ratify_nor_administer_whatever_was_granted(granted: Right) -> None:
    assert [] == rights_over(AREA, holding((granted, "ROOT"), who="agent"))


def test_an_agent_that_was_granted_administer_does_not_even_read_through_it() -> None:
    held = holding(("administer", "ARE1"), who="agent")
    assert not held.holds("read", AREA)
    assert not held.holds_any(AREA)


def test_the_policy_lets_agents_hold_every_right() -> None:
    held = holding(*((right, "ARE1") for right in RIGHTS), who="agent", agents_ratify=True)
    assert list(RIGHTS) == rights_over(AREA, held)


@pytest.mark.parametrize("granted", ["read", "author"])
def test_an_agent_holds_read_and_author_as_a_person_does(granted: Right) -> None:
    assert rights_over(AREA, holding((granted, "ARE1"))) == rights_over(AREA, holding((granted, "ARE1"), who="agent"))


def test_what_an_agent_cannot_hold_cannot_be_granted_to_it() -> None:
    assert ["read", "author"] == [right for right in RIGHTS if grantable(right, "agent", agents_ratify=False)]
    assert list(RIGHTS) == [right for right in RIGHTS if grantable(right, "agent", agents_ratify=True)]
    assert list(RIGHTS) == [right for right in RIGHTS if grantable(right, "person", agents_ratify=False)]


@pytest.mark.parametrize("granted", RIGHTS)
def test_any_right_over_its_place_makes_an_item_known(granted: Right) -> None:
    assert holding((granted, "DOM1")).holds_any(AREA)


def test_what_lies_where_the_caller_holds_nothing_is_hidden() -> None:
    held = holding(("read", "ARE1"), ("ratify", "ARE2"))
    assert not held.holds_any(ELSEWHERE)
    assert not holding().holds_any(ROOT)


def test_rights_over_several_places_stay_apart() -> None:
    held = holding(("read", "ARE1"), ("ratify", "ARE3"))
    assert ["read"] == rights_over(AREA, held)
    assert ["ratify"] == rights_over(ELSEWHERE, held)


def test_the_places_granted_are_named_by_right_and_all_together() -> None:
    held = holding(("author", "ARE1"), ("ratify", "DOM2"))
    assert set(keys("ARE1")) == held.granted("read")
    assert set(keys("DOM2")) == held.granted("ratify")
    assert set(keys("ARE1 DOM2")) == held.granted("author", "ratify") == held.granted()
    assert set() == held.granted("administer")
