"""Who may do what: a grant gives one right over one place and every place inside it.

Judges rights over a place, given the grants that count now and the path of places that the place lies in. It does not
look for the place or the grants, and knows no time: grants that have expired are not handed to it.
Source: docs/rules/access.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from smeldr.model.items import ROOT, ItemKey
from smeldr.model.rights import INCLUDED, NOT_FOR_AGENTS, PrincipalClass, Right

Path = tuple[ItemKey, ...]
"""A place and the places around it, innermost first, ROOT last."""


@dataclass(frozen=True, slots=True)
class Access:
    """What one caller holds: right -> the places granted with it (included rights spelled out)."""

    held: Mapping[Right, frozenset[ItemKey]]

    def holds(self, right: Right, path: Path) -> bool:
        """Whether the caller holds the right over the place that the path starts with."""
        granted = self.held.get(right)
        return bool(granted) and not granted.isdisjoint(path)  # type: ignore[union-attr]

    def holds_any(self, path: Path) -> bool:
        """Whether the caller holds any right at all over the place: otherwise what is in it is hidden."""
        return any(not granted.isdisjoint(path) for granted in self.held.values())

    def granted(self, *rights: Right) -> frozenset[ItemKey]:
        """The places named by grants that give one of the rights (of any right when none is named)."""
        return frozenset[ItemKey]().union(*(self.held.get(right, frozenset()) for right in rights or self.held))

    def everywhere(self, right: Right) -> bool:
        """Whether the caller holds the right over ROOT, and so over everything."""
        return ROOT in self.held.get(right, frozenset())


def access(grants: Iterable[tuple[Right, ItemKey]], principal_class: PrincipalClass, *, agents_ratify: bool) -> Access:
    """Put the grants that count now together.

    An agent holds neither `ratify` nor `administer` (nor what they would include) unless the policy says so.
    """
    held: dict[Right, set[ItemKey]] = {}
    for right, place in grants:
        if grantable(right, principal_class, agents_ratify=agents_ratify):
            for included in INCLUDED[right]:
                held.setdefault(included, set()).add(place)
    return Access({right: frozenset(places) for right, places in held.items()})


def grantable(right: Right, principal_class: PrincipalClass, *, agents_ratify: bool) -> bool:
    """Whether a principal of that class can hold the right at all."""
    return principal_class == "person" or agents_ratify or right not in NOT_FOR_AGENTS
