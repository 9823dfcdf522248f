"""The life of a Decision and of an Amendment, as one table.

proposed -> ratified -> superseded | retired, back to ratified by reinstating; archived is final. An Amendment knows
proposed, ratified and archived only. A move's name is its tool's name. Who may move what is the table's last column;
what follows from a move (conditions, relations) is said by the rules. Source: docs/how-a-decision-moves.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from smeldr.model.items import ItemType
from smeldr.model.rights import Right

State = Literal["proposed", "ratified", "superseded", "retired", "archived"]
STATES: Final[tuple[State, ...]] = ("proposed", "ratified", "superseded", "retired", "archived")
OPEN_STATES: Final[frozenset[str]] = frozenset({"proposed"})
"""An item is open while its state waits for someone to act; every other state is closed."""

STANDING: Final[frozenset[str]] = frozenset({"proposed", "ratified"})
"""A Decision stands while it is in force or waits to be."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move: from which states, to which, with which right over the item's place.

    Where `while_proposed` is given, any one of those rights is what it takes from `proposed` instead.
    """

    name: str
    sources: tuple[State, ...]
    target: State
    right: Right
    reason_required: bool = False
    while_proposed: tuple[Right, ...] | None = None

    def rights_from(self, state: str) -> tuple[Right, ...]:
        """The rights of which any one is enough for the move from that state."""
        return self.while_proposed if state == "proposed" and self.while_proposed else (self.right,)


def _table(*moves: Move) -> Mapping[str, Move]:
    return {move.name: move for move in moves}


DECISION_MOVES: Final = _table(
    Move("update_decision", ("proposed",), "proposed", "author"),
    Move("ratify_decision", ("proposed",), "ratified", "ratify"),
    Move("supersede_decision", ("ratified",), "superseded", "ratify"),
    Move("retire_decision", ("ratified",), "retired", "ratify", reason_required=True),
    Move("reinstate_decision", ("superseded", "retired"), "ratified", "ratify", reason_required=True),
    Move(
        "archive_decision",
        ("proposed", "superseded", "retired"),
        "archived",
        "ratify",
        reason_required=True,
        while_proposed=("ratify", "author"),
    ),
)
AMENDMENT_MOVES: Final = _table(
    Move("update_amendment", ("proposed",), "proposed", "author"),
    Move("ratify_amendment", ("proposed",), "ratified", "ratify"),
    Move(
        "archive_amendment",
        ("proposed", "ratified"),
        "archived",
        "ratify",
        reason_required=True,
        while_proposed=("author",),
    ),
)
MOVES: Final[Mapping[str, Move]] = {**DECISION_MOVES, **AMENDMENT_MOVES}

STATES_OF: Final[Mapping[ItemType, frozenset[str]]] = {
    "Amendment": frozenset(move.target for move in AMENDMENT_MOVES.values()),
    "Area": frozenset({"live", "retired"}),
    "Decision": frozenset(STATES),
    "Domain": frozenset({"live", "retired"}),
    "Signal": frozenset({"open", "closed"}),
}
"""The states that items of each type know."""


def moves_of(item_type: str) -> Sequence[Move]:
    """The moves that items of this type know, in the order of the table; none for places and Signals."""
    tables = {"Decision": DECISION_MOVES, "Amendment": AMENDMENT_MOVES}
    return tuple(tables.get(item_type, {}).values())


def in_force(state: str) -> bool:
    """A Decision or an Amendment is in force while it is ratified."""
    return state == "ratified"
