"""The count: how many items lie in one direction, however far, and "at least" where a cap ended it.

Nearest first; no item twice, and never the one that was asked about. Like the trace it asks a callable for one ring at
a time, over what the caller may read: what the caller may not read leads nowhere and adds nothing. It does not say what
rests on what: model/kinds.py has a column for that. Source: docs/rules/rest-count.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smeldr.model.items import ItemKey
from smeldr.rules.reachability import Ring

MAX_COUNTED: Final = 1_000
"""Items in each direction."""


def rests(start: ItemKey, ring: Ring, cap: int = MAX_COUNTED) -> tuple[Sequence[ItemKey], bool]:
    """The items reached, nearest first and in the trace's order inside a ring, and whether one was left uncounted."""
    seen = {start}
    reached: list[ItemKey] = []
    frontier: list[ItemKey] = [start]
    while frontier:
        following: list[ItemKey] = []
        for edge in ring(frontier):
            if edge.to in seen:
                continue
            if len(reached) == cap:
                return reached, True
            seen.add(edge.to)
            reached.append(edge.to)
            following.append(edge.to)
        frontier = following
    return reached, False
