"""Two Decisions that contradict each other carry a condition each until someone settles it.

Each side is `proposed` or `ratified`: then both conditions stand. A message names its own Decision, never the other.
Nothing here finds a contradiction or stops one, and nothing is opened or closed here.
Source: docs/rules/contradiction.md.
"""

from __future__ import annotations

from typing import Final

from smeldr.model.kinds import KINDS
from smeldr.model.records import End, Relation
from smeldr.model.states import STANDING

CONDITION: Final = "conflict-detected"


def holds(relation: Relation, one: End, other: End) -> bool:
    """Whether the two conditions of this relation should be open."""
    return relation.live and KINDS[relation.kind].both_ways and one.state in STANDING and other.state in STANDING


def message(decision: str) -> str:
    """The condition's message about one side."""
    return f"{decision} contradicts a Decision"


def why_closed(relation: Relation, address: str, own: End, other: End) -> str:
    """The resolution of the condition about the side `own`."""
    if own.state not in STANDING:
        return f"{address} is no longer {_was(own)} ({own.state})"
    if other.state not in STANDING:
        return f"the contradicting Decision is no longer {_was(other)}"
    return f"the contradicts relation ended ({relation.cause})"


def _was(end: End) -> str:
    """What a side that no longer stands was: ratified if it ever was, otherwise still proposed."""
    return "ratified" if end.ever_ratified else "proposed"
