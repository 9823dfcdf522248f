"""Which move a state allows, and which moves somebody may make now.

The table itself is model/states.py. This file does not carry a move out and does not say what follows from it.
Source: docs/rules/moves.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from smeldr.model.errors import Refusal, conflict
from smeldr.model.rights import Right
from smeldr.model.states import Move, moves_of

MAX_SUCCESSORS: Final = 50
"""The most Decisions that may replace one in one act."""


def allowed_from(item_type: str, state: str) -> list[str]:
    """The names of the moves that an item of this type may make from this state, whoever asks."""
    return [move.name for move in moves_of(item_type) if state in move.sources]


def why_not(move: Move, item_type: str, address: str, state: str) -> Refusal | None:
    """The `conflict` that names the state found and the moves it allows, or None when the move may go ahead."""
    if state in move.sources:
        return None
    return not_from(item_type, address, state, move.name)


def not_from(item_type: str, address: str, state: str, wanted: str) -> Refusal:
    """The `conflict` of an act that this state does not allow."""
    allowed = allowed_from(item_type, state)
    return conflict(
        f"{address} is {state}: {wanted} is not possible from there; possible: {', '.join(allowed) or 'nothing'}",
        state=state,
        allowed=allowed,
    )


def moves_for(item_type: str, state: str, holds: Callable[[Right], bool]) -> Sequence[str]:
    """The moves that the state allows to a caller who holds these rights, in the order of the table."""
    return [
        move.name
        for move in moves_of(item_type)
        if state in move.sources and any(holds(right) for right in move.rights_from(state))
    ]
