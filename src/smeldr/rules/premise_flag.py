"""A Decision in force that rests directly on a Decision which has left force carries a flag: one step, by rule.

One relation and its two ends are all that `holds` is given, so it cannot look two steps; the message is given the
flagged Decision alone, so it cannot name the premise. It opens and closes nothing: operations/conditions.py does.
Source: docs/rules/premise-flag.md.
"""

from __future__ import annotations

from typing import Final

from smeldr.model.kinds import KINDS
from smeldr.model.records import End, Relation
from smeldr.model.states import STANDING, in_force

CONDITION: Final = "premise-flagged"
MAX_CONFIRMED_AT_ONCE: Final = 200
"""The most conditions that one confirmation may close."""


def holds(relation: Relation, decision: End, premise: End, confirmed_at: int | None) -> bool:
    """Whether the flag of this pair should be open.

    `confirmed_at` is the premise's count of state changes that a confirmation of the pair covers, None without one:
    it stands until the premise's state changes again.
    """
    return (
        relation.live
        and KINDS[relation.kind].raises_flag
        and in_force(decision.state)
        and premise.state not in STANDING
        and confirmed_at != premise.state_changes
    )


def message(decision: str) -> str:
    """The condition's message; it names the flagged Decision and never the premise."""
    return f"{decision} rests on a Decision that is not in force"


def confirmed(reason: str) -> str:
    """The resolution of a condition that somebody closed."""
    return f"confirmed: {reason}"


def why_closed(relation: Relation, address: str, decision: End) -> str:
    """The resolution of a condition that the rule closes. `relation` is the one that it hangs on, live or ended."""
    if not in_force(decision.state):
        return f"{address} is no longer ratified ({decision.state})"
    if not relation.live:
        return f"the grounded_in relation ended ({relation.cause})"
    return "the premise is in force again"
