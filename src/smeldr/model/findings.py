"""What the doctor may find has a stable code; this file is their one list.

How each is looked for and mended is operations/checkup. Source: docs/doctor.md, one section per code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

MAX_LISTED: Final = 1_000
"""Findings of one code that are told one by one. The others are only counted."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a finding of this code means, and what repairing it does; None where that is for a person to judge."""

    name: str
    means: str
    repair: str | None = None


class Finding(NamedTuple):
    """One thing that is not as it should be. `what` is an address or an id."""

    code: str
    what: str
    message: str


FINDINGS: Final[Mapping[str, Code]] = {
    code.name: code
    for code in (
        Code("condition-missing", "a condition should be open by its rule, and is not", "opens it"),
        Code("condition-left-open", "a condition is open, and its rule does not hold", "closes it"),
        Code("condition-misplaced", "a condition is not where its Decision is", "puts it there"),
        Code("condition-doubled", "two open conditions say the same"),
        Code("condition-half-closed", "a condition is open by its state or by its resolution, and not by both"),
        Code("condition-without-relation", "the relation that a condition hangs on is not there, or joins others"),
        Code("relation-end-missing", "a relation runs from or to an item that does not exist"),
        Code("relation-undeclared", "a relation joins types that its kind does not join"),
        Code("relation-end-misplaced", "a relation says that an end lies elsewhere than it does", "writes it anew"),
        Code("relation-doubled", "two live relations say the same"),
        Code("relation-turned", "a relation that reads both ways is kept with its higher address first"),
        Code("relation-to-itself", "a live relation runs from an item to itself"),
        Code("relation-supersedes-standing", "a Decision was superseded, and stands all the same"),
        Code("item-state-unknown", "an item is in a state that its type does not have"),
        Code("item-place-missing", "an item lies in a place that does not exist"),
        Code("item-place-retired", "a retired place holds something"),
        Code("place-nested", "an Area does not lie in a Domain, or a Domain lies in something"),
        Code("item-incomplete", "an item lacks its text, its name or its condition"),
        Code("amendment-unattached", "an Amendment is not joined to the one Decision that it amends"),
        Code("amendment-misplaced", "an Amendment is not where its Decision is"),
        Code("ratified-by-missing", "nobody ratified what is or was in force"),
        Code("counter-behind", "an address was given out that its counter has not come to", "raises the counter"),
        Code("history-gap", "entries of the history are missing"),
        Code("history-broken", "an entry of the history does not continue the one before"),
        Code("history-backwards", "an entry of the history is earlier than the one before"),
        Code("history-text-altered", "a text of the history is not the one that was written"),
        Code("history-disagrees", "the history tells something else than the register"),
        Code("grant-orphaned", "a grant is over no place or for no principal that there is", "revokes it"),
        Code("token-orphaned", "a token is of no principal that there is", "revokes it"),
        Code("administrator-missing", "nobody administers ROOT for good"),
        Code("count-orphaned", "a count is stored of an item or for a place that does not exist", "removes it"),
        Code("confirmation-orphaned", "a confirmation is of a pair that no relation has joined", "removes it"),
        Code("request-key-old", "a request key was kept for a day longer than it counts", "forgets it"),
        Code("foreign-key-broken", "a row names a row that is not there"),
        Code("check-failed", "a check could not be made"),
        Code("repair-failed", "a repair could not be made"),
    )
}
"""Every code, in the order in which findings are told."""

REPAIRABLE: Final = tuple(code.name for code in FINDINGS.values() if code.repair)
